"""Why a model predicts what it does, row by row and in words."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from probus.data import Column, Kind, Table, cell_text
from probus.display import Cells, Notes, Result, counted, figure, rounded, shortened
from probus.errors import DataError
from probus.inspection._contributions import Contributions, Question, contributions_of, scores_of
from probus.inspection._explanation_plots import draw_bars, draw_beeswarm, draw_dependence, numbers_of
from probus.inspection._given_rows import model_of_tables
from probus.inspection._waterfall import Waterfall
from probus.inspection._word_effects import WordEffects, word_effects

_SHOWN = 10
_WITHOUT_WORDS = ("column", "value", "contribution")
_WORDS_NAMED = 3  # of a text, in a reason
_LONGEST_TEXT = 40  # characters of a text as a value
_ROWS_OF_STUDY = 200  # the background of models that need one


class Reason(NamedTuple):
    """What a column adds to the prediction of a row.

    Attributes
    ----------
    column, value : the name of the column, and its value in the row.
    contribution : what it adds to the prediction.
    words : of a text, the words that do most of it.
    """

    column: str
    value: str
    contribution: float
    words: tuple[str, ...] = ()

    def __str__(self) -> str:
        what = f"{self.column} = {self.value}" if self.value else self.column
        if self.words:
            what = f"{self.column}: {', '.join(map(_quoted, self.words))}"
        size = rounded(abs(self.contribution), 3)
        return f"{what} ({'+' if self.contribution >= 0 else '-'}{size})"


@dataclass(frozen=True, eq=False, repr=False)
class Explanations(Result):
    """What each column adds to the prediction of each row.

    Attributes
    ----------
    predictions : what the model predicts.
    values : float64[n, d], added to ``unit``: the probability, the log odds or the score of the class predicted, or the
        number.
    columns : their names.
    cells : their values as text.
    unit : the unit of the values, in words.
    method : in words.
    words : of columns of text, what each word of each row changes when it is left out; in log odds of the class
        predicted, or in the number.
    base_values : float64[n], the prediction where no column is known: with the values it sums to what is explained. NaN
        for occlusion, which has none.
    standard_errors : float64[n, d], of values that were sampled, else None.
    interactions : float64[n, d, d] where they were computed: symmetric, each row sums to the value of a column, and the
        diagonal is what the column adds alone.
    data : float64[n, d], the values of the columns as numbers, NaN where they are none.
    nominal : for each column whether it has no order.
    levels : for each column its levels as text, by the codes in ``data``; none for numbers.
    label : the class that is explained in all rows; None for the class predicted of each.
    training : what is known about whether these are training rows, in words.
    """

    predictions: tuple[Any, ...]
    values: np.ndarray
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    unit: str
    method: str
    words: Mapping[str, WordEffects] = field(default_factory=dict)
    base_values: np.ndarray = field(default_factory=lambda: np.empty(0))
    standard_errors: np.ndarray | None = None
    interactions: np.ndarray | None = None
    data: np.ndarray = field(default_factory=lambda: np.empty((0, 0)))
    nominal: np.ndarray = field(default_factory=lambda: np.empty(0, bool))
    levels: tuple[tuple[str, ...], ...] = ()
    label: Any = None
    training: str = ""

    def __len__(self) -> int:
        return len(self.predictions)

    def reasons(self, row: int, top: int | None = None) -> list[Reason]:
        """The columns that matter most for a row, the largest contribution first; those without one are left out."""
        order = np.argsort(-np.abs(self.values[row]), kind="stable")[:top]
        return [self._reason(row, int(j)) for j in order if self.values[row, j]]

    def _reason(self, row: int, j: int) -> Reason:
        name, value, size = self.columns[j], self.cells[row][j], float(self.values[row, j])
        if name not in self.words:
            return Reason(name, value, size)
        return Reason(name, shortened(value, _LONGEST_TEXT), size, self.words[name].moving(row, size, _WORDS_NAMED))

    def _plain(self, reason: Reason) -> dict[str, Any]:
        """A reason as plain data; the words only where the model uses a text."""
        return (
            {**reason._asdict(), "words": list(reason.words)}
            if self.words
            else dict(zip(_WITHOUT_WORDS, reason, strict=False))
        )

    def sentence(self, row: int, top: int = 3) -> str:
        """The prediction of a row and its main reasons: those for it, then those against it."""
        reasons = self.reasons(row, top)
        for_it = [str(reason) for reason in reasons if reason.contribution > 0]
        against = [str(reason) for reason in reasons if reason.contribution < 0]
        of_numbers = self.unit in ("prediction", "score of the model")
        what = "it" if self.label is None else shortened(str(self.label), _LONGEST_TEXT)
        signs = ("raised by", "lowered by") if of_numbers else (f"for {what}", f"against {what}")
        parts = [f"{sign} {', '.join(each)}" for sign, each in zip(signs, (for_it, against), strict=True) if each]
        return f"{_shown(self.predictions[row])}: {'; '.join(parts) or 'no column changes it'}"

    def _parts(self) -> list[Any]:
        head = f"Reasons of {counted(len(self), 'prediction')}: {self.method}; added to the {self.unit}"
        rows = [(str(row), self.sentence(row)) for row in range(len(self))]
        notes = Notes([self.training] if self.training else [])
        return [head, Cells([("row", "prediction and reasons"), *rows], most=_SHOWN), notes]

    def plot(self, row: int | None = None, axes: Any = None, *, kind: str | None = None) -> Any:
        """What columns add to predictions, on matplotlib axes, which are returned.

        Parameters
        ----------
        row : the row to draw; of a single one, that. None draws all rows.
        axes : matplotlib axes, by default new ones.
        kind : "beeswarm" has a point for each row and column, "bar" the mean size; for a row, "waterfall" goes step by
            step from the base to the prediction, and "bar" is what columns add, with intervals of 95 % where they were
            sampled. By default a beeswarm or a waterfall; for occlusion, which has no base, bars.
        """
        row = 0 if row is None and len(self) == 1 else row
        kinds = ("beeswarm", "bar") if row is None else ("waterfall", "bar")
        kind = kind or kinds[0 if row is None or np.isfinite(self.base_values).all() else 1]
        if kind not in kinds:
            raise DataError(f"kind={kind!r}.", " or ".join(map(repr, kinds)))
        if kind == "beeswarm":
            return draw_beeswarm(self, axes)
        return self.waterfall(row or 0).plot(axes) if kind == "waterfall" else draw_bars(self, row, axes)

    def waterfall(self, row: int) -> Waterfall:
        """The steps from the base to the prediction of a row, the largest first; it has ``plot`` and ``to_frame``.

        Parameters
        ----------
        row : its number.
        """
        if not np.isfinite(self.base_values).all():
            raise DataError("a waterfall of occlusion, which has no base.", "Shapley values", "Pass background=rows.")
        names = [f"{name} = {cell}" for name, cell in zip(self.columns, self.cells[row], strict=True)]
        quantity = f"{self.unit}, predicted {_shown(self.predictions[row])}"
        return Waterfall.of(row, names, self.values[row], float(self.base_values[row]), None, quantity)

    def plot_dependence(self, column: str, colour: str | None = None, axes: Any = None) -> Any:
        """What a column adds to each prediction by its value, on matplotlib axes, which are returned.

        Parameters
        ----------
        column : the column.
        colour : another column, by whose values the points are coloured. None chooses the one with the largest
            interactions where they were computed, else the one that explains most of the spread at similar values.
        axes : matplotlib axes, by default new ones.
        """
        for name in (column, *([] if colour is None else [colour])):
            if name not in self.columns:
                raise DataError(f"no column {name!r}.", ", ".join(map(repr, self.columns[:12])))
        return draw_dependence(self, column, colour, axes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON: every column of every row, the most important first."""
        return self.top(None)

    def top(self, n: int | None) -> dict[str, Any]:
        """Plain data with the first ``n`` reasons of each row."""
        rows = [
            {"row": row, "prediction": prediction, "reasons": [self._plain(reason) for reason in self.reasons(row, n)]}
            for row, prediction in enumerate(self.predictions)
        ]
        known = {"training": self.training} if self.training else {}
        return {"method": self.method, "unit": self.unit, **known, "rows": rows}

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each column of each row, the most important first."""
        errors, place = self.standard_errors, {name: j for j, name in enumerate(self.columns)}
        return [
            {"row": row, "prediction": prediction, **self._plain(reason)}
            | ({} if errors is None else {"standard_error": float(errors[row, place[reason.column]])})
            for row, prediction in enumerate(self.predictions)
            for reason in self.reasons(row)
        ]


def explain(
    model: Any,
    X: Any,
    background: Any = None,
    *,
    output: str | None = None,
    label: Any = None,
    interactions: bool = False,
    tolerance: float = 0.02,
    most_predictions: int = 1_000_000,
    random_state: int = 0,
) -> Explanations:
    """What each column adds to each prediction of a fitted model.

    - Trees, forests and boosting: exact Shapley values (``shap_values``); with the base they sum to the probability,
      the log odds or the number, before calibration; of boosting for more than two classes to the score of the class,
      from which all scores together give the probabilities.
    - Glass boxes (``ExplainableBoostingClassifier``): the values of the curves, a pair shared by its columns.
    - Linear models: coefficient times distance from the mean, which are their Shapley values; of a single row without
      a known mean, from zero. Scores of classes as above.
    - Others with a background: Shapley values of whole columns. They are exact, by all coalitions of up to twelve
      columns, where ``most_predictions`` allows it; else sampled, with standard errors.
    - Others without one: occlusion, the change of the prediction if the value were missing, or, for a model that takes
      no missing values, typical of the rows. It is one column at a time: what two columns do only together may count
      twice. A study takes 200 of its rows as background instead.

    Columns that a pipeline made of one column are added up as that column. The scores and topics of a text count as the
    text, and the words and phrases are named that change the prediction most, in the direction of the reason, when they
    are left out.

    Parameters
    ----------
    model : a fitted model, a pipeline, a wrapper of ``probus.calibration``, or a study, whose model is explained.
    X : the rows, with the columns of the fit.
    background : rows whose values stand for columns that are not known. None takes the weights of the training rows in
        trees, and the mean for linear models.
    output : "probability" or "margin", the log odds or score of a class. None takes what the model is a sum of, and
        probabilities for others with a background.
    label : the class that is explained in all rows. None explains the class predicted of each row.
    interactions : whether to split the values between pairs of columns, for trees, glass boxes and linear models.
    tolerance : sampling for a row stops when its standard errors are at most this share of the standard deviation of
        the predictions.
    most_predictions : of all rows together, after which sampling stops too.
    random_state : the seed of sampling.

    Returns
    -------
    The prediction of each row and what each column adds to it.

    >>> from probus.datasets import mtcars
    >>> from probus.ensemble import RandomForestRegressor
    >>> cars = mtcars()
    >>> forest = RandomForestRegressor(20, random_state=0).fit(cars[["wt", "hp", "cyl"]], cars["mpg"])
    >>> print(explain(forest, cars.take([0])).sentence(0, top=2))
    20.98: raised by cyl = 6 (+0.991); lowered by wt = 2.62 (-0.0708)
    """
    instead = None
    if not hasattr(model, "fit") and hasattr(getattr(model, "model", None), "fit"):
        instead = _rows_of_study(model)
        model = model.model
    check_is_fitted(model)
    table = Table.of(X, infer=False)
    if not len(table):
        raise DataError("no rows to explain.", "at least one")
    others = None if background is None else _checked_background(model, table, background)
    model = model_of_tables(model)
    predicted = np.asarray(model.predict(table))
    if predicted.ndim != 1:
        raise DataError(f"predictions of shape {predicted.shape}.", "one for each row")
    codes = _codes(model, predicted, output, label)
    _check_sampling(tolerance, most_predictions)
    settings = (output, interactions, tolerance, most_predictions, random_state)
    found = contributions_of(
        model, table, predicted, Question(codes, _has_one_class(model), others, instead, *settings)
    )
    cells = tuple(zip(*map(_texts, found.table), strict=True))
    return Explanations(
        tuple(predicted.tolist()), found.values, found.table.names, cells, _unit_of(found.unit, label), found.method,
        _words(model, table, predicted, codes, found),
        np.full(len(table), np.nan) if found.base is None else found.base,
        found.errors, found.interactions,
        np.stack([numbers_of(column) for column in found.table], axis=1),
        np.array([column.kind in (Kind.NOMINAL, Kind.TEXT) for column in found.table]),
        tuple(tuple(map(str, column.levels)) for column in found.table),
        label,
        _training(model, table),
    )  # fmt: skip


def _rows_of_study(study: Any) -> Table | None:
    """Some of the rows of a study, drawn at random."""
    task = getattr(study, "task", None)
    if task is None:
        return None
    rows: Table = task.X
    return rows.take(np.sort(np.random.default_rng(0).permutation(len(rows))[:_ROWS_OF_STUDY]))


def _checked_background(model: Any, table: Table, background: Any) -> Table:
    """The background as a table with the columns of the model."""
    others = Table.of(background, infer=False)
    names = [str(name) for name in getattr(model, "feature_names_in_", table.names)]
    absent = [name for name in names if name not in others]
    if absent:
        raise DataError(
            f"a background without the column {absent[0]!r}"
            + (f" and {counted(len(absent) - 1, 'other')}." if absent[1:] else "."),
            "the columns of the model",
            f"It has {', '.join(map(repr, others.names[:12]))}.",
        )
    if not len(others):
        raise DataError("a background of 0 rows.", "at least one row, or None")
    return others


def _codes(model: Any, predicted: np.ndarray, output: str | None, label: Any) -> np.ndarray | None:
    """The class that is explained of each row; None for numbers."""
    if output not in (None, "probability", "margin"):
        raise DataError(f"output={output!r}.", "'probability', 'margin' or None")
    if not is_classifier(model):
        asked = "output='probability'" if output == "probability" else "" if label is None else f"label={label!r}"
        if asked:
            raise DataError(f"{asked} of {type(model).__name__}, which predicts numbers.", "None")
        return None
    classes = np.asarray(model.classes_).tolist()
    if label is not None and label not in classes:
        raise DataError(f"no class {label!r}.", ", ".join(map(repr, classes[:12])))
    if label is not None:
        return np.full(len(predicted), classes.index(label))
    return np.asarray(np.searchsorted(model.classes_, predicted))


def _has_one_class(model: Any) -> bool:
    return is_classifier(model) and len(model.classes_) == 1


def _check_sampling(tolerance: Any, most_predictions: Any) -> None:
    if not isinstance(tolerance, Real) or not float(tolerance) >= 0:
        raise DataError(f"tolerance={tolerance!r}.", "a number of at least 0")
    if not isinstance(most_predictions, Integral) or most_predictions < 1:
        raise DataError(f"most_predictions={most_predictions!r}.", "a whole number of at least 1")


def _unit_of(unit: str, label: Any) -> str:
    """The unit with the class that was chosen."""
    return unit if label is None else f"{unit.removesuffix(' of the class')} of {shortened(str(label), _LONGEST_TEXT)}"


def _training(model: Any, table: Table) -> str:
    """What is known about whether the rows are training rows."""
    share = model.share_of_training_rows(table) if hasattr(model, "share_of_training_rows") else None
    if share is None:
        return ""
    return f"about {100 * share:.0f} % of these rows are training rows" if share else "none of these are training rows"


def _words(
    model: Any, table: Table, predicted: np.ndarray, codes: np.ndarray | None, found: Contributions
) -> dict[str, WordEffects]:
    """The effects of the words of each text that the model uses."""
    step = found.texts
    if step is None or (len(predicted) and not _scored(model)):
        return {}

    def score(rows: Table, which: np.ndarray) -> np.ndarray:
        return scores_of(model, rows, predicted[which], None if codes is None else codes[which])[0]

    texts = [name for name in dict.fromkeys(step.sources().values()) if name in found.table.names]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return {name: word_effects(score, table, name, partial(step.strength, name)) for name in texts}


def _scored(model: Any) -> bool:
    """Whether there is a number that words change: a prediction, or probabilities."""
    return not is_classifier(model) or hasattr(model, "predict_proba")


def _quoted(phrase: str) -> str:
    return f'"{phrase}"'


def _texts(column: Column) -> list[str]:
    if column.dates:
        return [cell_text(column, day) or "missing" for day in column.values.tolist()]
    return [_shown(cell) for cell in column.decoded().tolist()]


def _shown(cell: Any) -> str:
    if cell is None or cell != cell:
        return "missing"
    if not isinstance(cell, float) or not math.isfinite(cell):
        return str(cell)
    return f"{cell:.0f}" if cell.is_integer() and abs(cell) < 1e15 else figure(cell)

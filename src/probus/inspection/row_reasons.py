"""Why a model predicts what it does, row by row and in words."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from probus.data import Column, Table
from probus.data.preview import cell_text
from probus.display import Cells, Result, counted, drawing, figure, rounded, shortened
from probus.errors import DataError
from probus.inspection.contributions import Contributions, contributions_of, scores_of
from probus.inspection.word_effects import WordEffects, word_effects
from probus.wrapping import libraries_of

__all__ = ["Explanations", "Reason", "explain"]

_SHOWN = 10
_WITHOUT_WORDS = ("column", "value", "contribution")
_WORDS_NAMED = 3  # of a text, in a reason
_LONGEST_TEXT = 40  # characters of a text as a value


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
    """

    predictions: tuple[Any, ...]
    values: np.ndarray
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    unit: str
    method: str
    words: Mapping[str, WordEffects] = field(default_factory=dict)

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
        signs = ("raised by", "lowered by") if of_numbers else ("for it", "against it")
        parts = [f"{sign} {', '.join(each)}" for sign, each in zip(signs, (for_it, against), strict=True) if each]
        return f"{_shown(self.predictions[row])}: {'; '.join(parts) or 'no column changes it'}"

    def _parts(self) -> list[Any]:
        head = f"Reasons of {counted(len(self), 'prediction')}: {self.method}; added to the {self.unit}"
        rows = [(str(row), self.sentence(row)) for row in range(len(self))]
        return [head, Cells([("row", "prediction and reasons"), *rows], most=_SHOWN)]

    def plot(self, row: int | None = None, axes: Any = None) -> Any:
        """What columns add to the prediction of a row, on matplotlib axes, which are returned.

        Without a row, of a single one what they add, of several the mean size of it.
        """
        row = 0 if row is None and len(self) == 1 else row
        sizes = np.abs(self.values).mean(axis=0) if row is None else self.values[row]
        order = np.argsort(-np.abs(sizes), kind="stable")[:_SHOWN]
        axes = drawing.new_axes(axes, 6.0, 1.2 + 0.28 * len(order))
        colours = [drawing.BLUE if sizes[j] >= 0 else drawing.ORANGE for j in order]
        axes.barh(range(len(order)), sizes[order], height=0.62, color=colours)
        title = "Mean size of what columns add" if row is None else f"Prediction {_shown(self.predictions[row])}"
        drawing.tidy(axes, title, f"added to the {self.unit}", "")
        names = [self.columns[j] if row is None else f"{self.columns[j]} = {self.cells[row][j]}" for j in order]
        axes.set_yticks(range(len(order)), names, parse_math=False)
        axes.set_ylim(len(order) - 0.4, -0.6)
        axes.grid(False, axis="y")
        return axes

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON: every column of every row, the most important first."""
        return self.top(None)

    def top(self, n: int | None) -> dict[str, Any]:
        """Plain data with the first ``n`` reasons of each row."""
        rows = [
            {"row": row, "prediction": prediction, "reasons": [self._plain(reason) for reason in self.reasons(row, n)]}
            for row, prediction in enumerate(self.predictions)
        ]
        return {"method": self.method, "unit": self.unit, "rows": rows}

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each column of each row, the most important first."""
        return [
            {"row": row, "prediction": prediction, **self._plain(reason)}
            for row, prediction in enumerate(self.predictions)
            for reason in self.reasons(row)
        ]


def explain(model: Any, X: Any) -> Explanations:
    """What each column adds to each prediction of a fitted model.

    - Trees, forests and boosting: exact Shapley values (``shap_values``); with the base they sum to the probability,
      the log odds or the number, before calibration; of boosting for more than two classes to the score of the class,
      from which all scores together give the probabilities.
    - Linear models: coefficient times distance from the mean, which are their Shapley values; of a single row without
      a known mean, from zero. Scores of classes as above.
    - Others: occlusion, the change of the prediction if the value were missing, or, for a model that takes no missing
      values, typical of the rows. It is one column at a time: what two columns do only together may count twice.

    The scores and topics of a text count as the text, and the words and phrases are named that change the prediction
    most, in the direction of the reason, when they are left out.

    Parameters
    ----------
    model : a fitted model, a pipeline, a wrapper of ``probus.calibration``, or a study, whose model is explained.
    X : the rows, with the columns of the fit.

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
    if not hasattr(model, "fit") and hasattr(getattr(model, "model", None), "fit"):
        model = model.model
    check_is_fitted(model)
    table = Table.of(X, infer=False)
    if not len(table):
        raise DataError("no rows to explain.", "at least one")
    if not libraries_of(model) & {"probus", "sklearn"}:
        model = _OfGivenRows(model)
    predicted = np.asarray(model.predict(table))
    if predicted.ndim != 1:
        raise DataError(f"predictions of shape {predicted.shape}.", "one for each row")
    found = contributions_of(model, table, predicted)
    cells = tuple(zip(*map(_texts, found.table), strict=True))
    how = (found.unit, found.method, _words(model, table, predicted, found))
    return Explanations(tuple(predicted.tolist()), found.values, found.table.names, cells, *how)


class _OfGivenRows:
    """A model of a library that knows no Table: it predicts frames where the rows came in one, else arrays."""

    def __init__(self, model: Any):
        self._model = model

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._model, name)
        if name not in ("predict", "predict_proba"):
            return found
        return lambda table: found(table.to_native() if table.origin else table.numbers())


def _words(model: Any, table: Table, predicted: np.ndarray, found: Contributions) -> dict[str, WordEffects]:
    """The effects of the words of each text that the model uses."""
    step = found.texts
    if step is None or (len(predicted) and not _scored(model)):
        return {}

    def score(rows: Table, which: np.ndarray) -> np.ndarray:
        return scores_of(model, rows, predicted[which])[0]

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

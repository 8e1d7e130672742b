"""A measure: the function, which way is better, its range, what it needs, and whether it is a mean over rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from probus.errors import Advice, DataError
from probus.metrics._functions import call, is_gain, is_scorer, name_of, needs_of
from probus.metrics._outcome import Outcome
from probus.metrics.resample_forms import ConfusionCells, Form, Sums, Whole, checked_codes, mean


@dataclass(frozen=True)
class Measure:
    """A score of predictions.

    Parameters
    ----------
    name : the name in code.
    label : the name in tables and plots.
    compute : from an Outcome, weights included, to a number; NaN where it is undefined.
    needs : "labels", "scores", "probabilities", "values" or, for functions from elsewhere, "predictions" (labels or
        values) or "decisions" (of ``decision_function``): what of the outcome it reads.
    greater_is_better : its orientation.
    low, high : its range.
    rows : from an Outcome to one loss or gain per row, where the measure is their weighted mean; else None.
    counts : from confusion matrices float64[..., K, K] and the positive code to the measure of each, where counts are
        all it reads; else None.
    form : from an Outcome to the form in which resamples are measured fast, where ``rows`` and ``counts`` do not give
        one; else None.
    interval : the bootstrap method of its intervals where it has no fast form.
    by_chance : from an Outcome and a level to the value that a perfect model may have by chance, where it is never
        below its lower bound; else None.
    pooled : whether the rows of all folds are measured together, since it is biased on few rows, as a fold has.
    guessed : whether its orientation was inferred from a name that does not show it.
    note : what else a user must know to read its values.
    """

    name: str
    label: str
    compute: Callable[[Outcome], float]
    needs: str
    greater_is_better: bool = True
    low: float = -np.inf
    high: float = np.inf
    rows: Callable[[Outcome], np.ndarray] | None = None
    counts: Callable[[np.ndarray, int | None], np.ndarray] | None = None
    form: Callable[[Outcome], Form] | None = None
    interval: str = "bca"
    by_chance: Callable[[Outcome, float], float] | None = None
    pooled: bool = False
    guessed: bool = False
    note: str = ""

    def form_of(self, outcome: Outcome) -> Form:
        """The form in which resamples of the outcome are measured."""
        if self.form is not None:
            return self.form(outcome)
        if self.counts is not None:
            k = len(outcome.classes)
            cells = checked_codes(outcome.actual, k) * k + checked_codes(outcome.need("predicted"), k)
            return ConfusionCells.of(cells, k, self.counts, outcome.positive)
        if self.rows is not None:
            return Sums((self.rows(outcome),), mean)
        return Whole(self.compute, takes_weights=True)

    @property
    def decomposes(self) -> bool:
        """Whether it is a mean over rows."""
        return self.rows is not None

    def better(self, value: float) -> float:
        """The value turned so that more is better."""
        return value if self.greater_is_better else -value

    def check_comparable(self) -> None:
        """Refuse a measure whose bias differs between models, so that no difference of it can be tested."""
        if self.pooled and self.form is None:
            raise DataError(
                f"models compared by {self.label}, whose bias differs from model to model.",
                "a proper score, of which calibration is a part, such as 'log_loss' or 'brier'",
                f"Show it beside that score: scoring=['log_loss', {self.name!r}].",
            )

    @property
    def caution(self) -> str:
        """What to know to read its values, and of an orientation that was guessed; empty where there is nothing."""
        if not self.guessed:
            return self.note
        other = f"probus.metrics.measure({self.name}, greater_is_better=False)"
        return f"larger values of {self.label} count as better; if smaller ones are, pass scoring={other}"

    def __call__(self, y_true: Any, y_pred: Any, **how: Any) -> float:
        """The measure of predictions as users pass them; ``how`` as in ``Outcome.of``."""
        return self.compute(Outcome.of(y_true, y_pred, needs=self.needs, **how))


Scoring = str | Measure | Callable[..., float]

MEASURES: dict[str, Measure] = {}

# scikit-learn's names of scorers where they differ by more than "neg_": a Measure declares its orientation instead
_SCORERS = {
    "matthews_corrcoef": "mcc",
    "brier_score": "brier",
    "mean_absolute_error": "mae",
    "mean_absolute_percentage_error": "mape",
    "mean_squared_error": "mse",
    "mean_squared_log_error": "msle",
    "root_mean_squared_error": "rmse",
    "root_mean_squared_log_error": "rmsle",
}


def register(new: Measure) -> Measure:
    """Make a measure known by its name."""
    MEASURES[new.name] = new
    return new


_OTHER_WORDS = {
    "acc": ["accuracy"], "auc": ["roc_auc"], "auroc": ["roc_auc"], "roc": ["roc_auc"], "logloss": ["log_loss"],
    "cross_entropy": ["log_loss"], "ap": ["average_precision"], "auprc": ["average_precision"], "f1_score": ["f1"],
    "sensitivity": ["recall"], "tpr": ["recall"], "ppv": ["precision"], "r2_score": ["r2"],
    "root_mean_squared_error": ["rmse"], "mean_absolute_error": ["mae"],
}  # fmt: skip


def measure(which: Scoring, *, needs: str | None = None, greater_is_better: bool | None = None) -> Measure:
    """The measure of that name, ours or scikit-learn's, or one made of a function of (y_true, y_pred), or of a scorer.

    What a function needs and which way is better is inferred from its signature (a second argument ``y_score`` or
    ``y_proba``; a name that ends in error, loss or deviance) unless it is given here. Functions that know
    ``sample_weight`` and ``pos_label`` are passed them. A scorer of ``sklearn.metrics.make_scorer`` is its function
    with its arguments; what that needs and which way is better is known from the scorer. Its values have no minus sign.

    Parameters
    ----------
    which : the name of a measure, a function, or a scorer.
    needs : what a function needs: "labels", "scores", "probabilities" or "values".
    greater_is_better : which way of a function is better.

    Returns
    -------
    The measure.

    >>> measure("accuracy")(["a", "b"], ["a", "a"])
    0.5
    >>> from sklearn.metrics import max_error
    >>> worst = measure(max_error)
    >>> worst([1.0, 2.0, 3.0], [1.0, 2.5, 2.0]), worst.greater_is_better
    (1.0, False)
    """
    if isinstance(which, Measure):
        return which
    if callable(which):
        if is_scorer(which):
            return _of_scorer(which)
        name, needs = name_of(which), needs or needs_of(which)
        better = is_gain(which) if greater_is_better is None else greater_is_better
        compute = partial(call, which, needs)
        guessed = greater_is_better is None and better is None
        label, form = name.replace("_", " "), partial(_by_copies, compute)
        return Measure(name, label, compute, needs, better is not False, form=form, guessed=guessed)
    plain = str(which).removeprefix("neg_")
    plain = _SCORERS.get(plain, plain)
    which = plain if plain in MEASURES else which
    if which not in MEASURES:
        from difflib import get_close_matches

        near = _OTHER_WORDS.get(str(which).lower()) or get_close_matches(str(which), MEASURES, 3)
        function = Advice("scoring", callable, "A function of (y_true, y_pred) is also accepted.")
        hint = f"Did you mean {' or '.join(map(repr, near))}?" if near else str(function)
        raise DataError(f"no measure {which!r}.", "one of " + ", ".join(MEASURES), hint)
    return MEASURES[which]


def _of_scorer(scorer: Callable[..., float]) -> Measure:
    """The function of a scorer, with its arguments, as it is passed the predictions there."""
    from probus.metrics._scorers import made_scorer

    made = made_scorer(scorer)
    if made is None:
        raise DataError(
            "a function of (estimator, X, y).",
            "a function of (y_true, y_pred), or a scorer of make_scorer",
            "Pass the name of a measure, or make_scorer of the function of (y_true, y_pred).",
        )
    form, label = partial(_by_copies, made), made.name.replace("_", " ")
    return Measure(made.name, label, made, made.needs, made.greater_is_better, form=form, note=made.note)


def _by_copies(compute: Callable[[Outcome], float], outcome: Outcome) -> Whole:
    """Rows are copied: a function from elsewhere may not take weights."""
    return Whole(compute, takes_weights=False)


def measures_for(n_classes: int) -> tuple[Measure, ...]:
    """The measures that a problem with that many classes is reported by, the main one first; none means numbers.

    Parameters
    ----------
    n_classes : the number of classes; 0 for numbers.

    Returns
    -------
    The measures.

    >>> [each.name for each in measures_for(2)]
    ['accuracy', 'balanced_accuracy', 'log_loss', 'roc_auc']
    """
    if n_classes == 0:
        names: tuple[str, ...] = ("rmse", "mae", "r2")
    else:
        names = ("accuracy", "balanced_accuracy", "log_loss", *(["roc_auc"] * (n_classes == 2)))
    return tuple(MEASURES[name] for name in names)


def ranking_measures(n_classes: int) -> tuple[Measure, ...]:
    """The measures that models are ranked and compared by, the first one decides; none means numbers.

    ROC AUC for two classes, log loss for more, RMSE for numbers. Unlike accuracy they reward a model that finds the
    rare class, and a constant prediction cannot be the best by them.

    Parameters
    ----------
    n_classes : the number of classes; 0 for numbers.

    Returns
    -------
    The measures.

    >>> [[each.name for each in ranking_measures(k)][:2] for k in (2, 3, 0)]
    [['roc_auc', 'log_loss'], ['log_loss', 'accuracy'], ['rmse', 'mae']]
    """
    if n_classes == 0:
        names: tuple[str, ...] = ("rmse", "mae", "r2")
    else:
        names = (*(["roc_auc"] * (n_classes == 2)), "log_loss", "accuracy", "balanced_accuracy")
    return tuple(MEASURES[name] for name in names)


def measures() -> Any:
    """Every measure known by name, as a polars frame.

    Returns
    -------
    The frame: a row for each measure.

    >>> measures().filter(needs="scores")["name"].to_list()
    ['roc_auc', 'average_precision', 'signal_efficiency_at_rejection']
    """
    import polars as pl

    return pl.DataFrame(
        [
            {
                "name": each.name,
                "label": each.label,
                "needs": each.needs,
                "better": "higher" if each.greater_is_better else "lower",
                "low": float(each.low),
                "high": float(each.high),
                "mean_over_rows": each.decomposes,
            }
            for each in MEASURES.values()
        ]
    )

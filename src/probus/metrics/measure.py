"""A measure: the function, which way is better, its range, what it needs, and whether it is a mean over rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.metrics.outcome import Outcome

__all__ = ["MEASURES", "Measure", "measure", "measures_for", "register"]


@dataclass(frozen=True)
class Measure:
    """A score of predictions.

    name : what it is called in code; label : in print.
    compute : from an Outcome, weights included, to a number; NaN where it is undefined.
    needs : "labels", "scores", "probabilities" or "values": what of the outcome it reads.
    greater_is_better : its orientation. low, high : its range.
    rows : from an Outcome to one loss or gain per row, where the measure is their weighted mean; else None.
    """

    name: str
    label: str
    compute: Callable[[Outcome], float]
    needs: str
    greater_is_better: bool = True
    low: float = -np.inf
    high: float = np.inf
    rows: Callable[[Outcome], np.ndarray] | None = None

    @property
    def decomposes(self) -> bool:
        """Whether it is a mean over rows."""
        return self.rows is not None

    def better(self, value: float) -> float:
        """The value turned so that more is better."""
        return value if self.greater_is_better else -value

    def __call__(self, y_true: Any, y_pred: Any, **how: Any) -> float:
        """The measure of predictions as users hand them over; ``how`` as in ``Outcome.of``."""
        return self.compute(Outcome.of(y_true, y_pred, needs=self.needs, **how))


MEASURES: dict[str, Measure] = {}


def register(new: Measure) -> Measure:
    """Make a measure known by its name."""
    MEASURES[new.name] = new
    return new


def measure(which: str | Measure | Callable[..., float]) -> Measure:
    """The measure of that name, or one made of a function of (y_true, y_pred) whose predictions are labels or values.

    >>> measure("accuracy")(["a", "b"], ["a", "a"])
    0.5
    """
    if isinstance(which, Measure):
        return which
    if callable(which):
        return _from_function(which)
    if which not in MEASURES:
        from difflib import get_close_matches

        near = get_close_matches(str(which), MEASURES, 3)
        hint = (
            f"Did you mean {' or '.join(map(repr, near))}?" if near else "A function of (y_true, y_pred) will do too."
        )
        raise DataError(f"no measure {which!r}.", "one of " + ", ".join(MEASURES), hint)
    return MEASURES[which]


def measures_for(n_classes: int) -> tuple[Measure, ...]:
    """The measures that a problem with that many classes is reported by, the main one first; none means numbers.

    >>> [each.name for each in measures_for(2)]
    ['accuracy', 'balanced_accuracy', 'log_loss', 'roc_auc']
    """
    if n_classes == 0:
        names: tuple[str, ...] = ("rmse", "mae", "r2")
    else:
        names = ("accuracy", "balanced_accuracy", "log_loss", *(["roc_auc"] * (n_classes == 2)))
    return tuple(MEASURES[name] for name in names)


def _from_function(function: Callable[..., float]) -> Measure:
    def compute(outcome: Outcome) -> float:
        labels = np.array(outcome.classes) if outcome.classes else None
        sides = [side if labels is None else labels[side] for side in (outcome.actual, outcome.predicted)]
        if outcome.weights is None:
            return float(function(*sides))
        return float(function(*sides, sample_weight=outcome.weights))

    name = getattr(function, "__name__", type(function).__name__)
    return Measure(name, name.replace("_", " "), compute, "labels")

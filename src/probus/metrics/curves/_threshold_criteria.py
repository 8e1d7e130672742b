"""What a threshold can be chosen for: the cost of its mistakes, or a measure of its decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from probus.data import quote_some
from probus.errors import DataError

Counts = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class ThresholdCriterion:
    """A function of the weights of true positives, false positives, false negatives and true negatives."""

    name: str
    function: Counts
    greater_is_better: bool = True

    def __call__(self, tp: np.ndarray, fp: np.ndarray) -> np.ndarray:
        """Its value where nothing is called positive, and then at every threshold, from cumulated counts."""
        tp, fp = np.concatenate([[0.0], tp]), np.concatenate([[0.0], fp])
        values = np.asarray(self.function(tp, fp, tp[-1] - tp, fp[-1] - fp), dtype=np.float64)
        if values.shape != tp.shape or not np.isfinite(values).all():
            raise DataError(f"{self.name} of {len(tp)} thresholds is {values}.", "a finite number for each")
        return values

    def best(self, values: np.ndarray) -> int:
        """The place of the best value; of those that differ by rounding alone the highest threshold's."""
        gains = values if self.greater_is_better else -values
        top = gains.max()
        return int(np.argmax(gains >= top - 1e-12 * max(abs(top), 1.0)))


def criterion_for(
    scoring: str | Counts | None, cost_false_positive: float, cost_false_negative: float
) -> ThresholdCriterion:
    """The expected cost, or the measure where one is named."""
    costs = (cost_false_positive, cost_false_negative)
    if scoring is None:
        return _cost(*costs)
    if costs != (1, 1):
        raise DataError(f"scoring={scoring!r} and costs too.", "one of them", "A measure does not depend on costs.")
    if callable(scoring):
        return ThresholdCriterion(getattr(scoring, "__name__", "metric").replace("_", " "), scoring)
    if scoring not in _METRICS:
        expected = f"one of {quote_some(_METRICS, 9)}, or a function of (tp, fp, fn, tn)"
        raise DataError(f"scoring={scoring!r}.", expected)
    return ThresholdCriterion(scoring.replace("_", " "), _METRICS[scoring])


def _cost(false_positive: float, false_negative: float) -> ThresholdCriterion:
    costs = np.array([false_positive, false_negative], dtype=np.float64)
    if not np.isfinite(costs).all() or (costs < 0).any() or not costs.any():
        raise DataError(f"costs of {false_positive} and {false_negative}.", "two numbers, none negative, not both zero")

    def per_row(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
        return (costs[0] * fp + costs[1] * fn) / (tp + fp + fn + tn)

    return ThresholdCriterion("expected cost", per_row, greater_is_better=False)


def _accuracy(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
    return (tp + tn) / (tp + fp + fn + tn)


def _youden(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
    return tp / (tp + fn) - fp / (fp + tn)


def _balanced_accuracy(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
    return (1 + _youden(tp, fp, fn, tn)) / 2


def _f1(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
    return 2 * tp / (2 * tp + fp + fn)


def _matthews(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return np.where(product > 0, (tp * tn - fp * fn) / np.sqrt(np.where(product > 0, product, 1.0)), 0.0)


_METRICS: dict[str, Counts] = {
    "f1": _f1,
    "youden": _youden,
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    "matthews_corrcoef": _matthews,
}

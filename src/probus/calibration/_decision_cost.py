"""Decisions by the cost of mistakes: the class of least expected cost, given calibrated probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.errors import DataError
from probus.metrics import Estimate, Measure, Outcome, balanced_accuracy
from probus.model_selection import pooled_interval

FEW_ROWS = 5  # of a class: with fewer, nothing can be learnt that would justify the weight of so rare a class


def cost_matrix(cost: Any, actual: np.ndarray, weights: np.ndarray | None, classes: np.ndarray, positive: int) -> Any:
    """The cost of each mistake: float64[K, K], the true class × the predicted one.

    "balanced" costs are inverse to the number of rows of the true class. Beside two or more larger classes, one with
    fewer than ``FEW_ROWS`` costs as little as the largest: a mistyped label would otherwise be predicted everywhere.

    >>> cost_matrix(5.0, np.array([0, 1]), None, np.array(["no", "yes"]), 1)
    array([[0., 1.],
           [5., 0.]])
    """
    k = len(classes)
    wrong = 1.0 - np.eye(k)
    if cost is None:
        return wrong
    if isinstance(cost, str) and cost == "balanced":
        rows, share = np.bincount(actual, minlength=k), np.bincount(actual, weights, minlength=k)
        if np.count_nonzero(rows >= FEW_ROWS) >= 2:
            share = np.where(rows < FEW_ROWS, share.max(), share)
        return wrong / (k * share / share.sum())[:, None]
    try:
        costs = np.asarray(cost, dtype=np.float64)
    except (TypeError, ValueError):
        raise DataError(f"cost={cost!r}.", "None, 'balanced', a number, or a matrix") from None
    if costs.ndim == 0:
        if k != 2:
            raise DataError(f"cost={cost} for {k} classes.", f"a matrix of {k} × {k} costs, or 'balanced'")
        if not costs > 0:
            raise DataError(f"cost={cost}.", "a positive number: the cost of missing a positive, in false alarms")
        wrong[positive, 1 - positive] = costs
        costs = wrong
    if costs.shape != (k, k) or not np.isfinite(costs).all():
        raise DataError(f"cost has shape {costs.shape}.", f"{k} × {k} numbers: the true class × the predicted one")
    if (costs < costs.diagonal()[:, None]).any():
        raise DataError("cost of a right prediction that is more than that of a mistake.", "the diagonal to be least")
    if not (costs > costs.diagonal()[:, None]).any():
        raise DataError("cost of no mistake is more than that of a right prediction.", "some mistake that costs")
    return costs


def cheapest(probabilities: np.ndarray, costs: np.ndarray) -> np.ndarray:
    """The code of the class of least expected cost for each row; of equal ones the more probable."""
    expected = probabilities @ costs
    least = expected.min(axis=1, keepdims=True)
    tied = expected <= least + 1e-12 * np.abs(costs).max()
    return np.where(tied, probabilities, -1.0).argmax(axis=1)


def mean_cost(outcome: Outcome, costs: np.ndarray, cost: Any, groups: np.ndarray | None) -> Estimate:
    """The mean cost of decisions over rows, or for "balanced" the mean over classes of their shares of errors."""
    if isinstance(cost, str):
        measure = Measure("balanced_error", "balanced error", _no_whole, "labels", False, 0, 1, counts=_balanced_error)
    else:

        def rows(outcome: Outcome) -> np.ndarray:
            return costs[outcome.actual, outcome.need("predicted")]

        measure = Measure("cost", "cost", lambda each: each.mean(rows(each)), "labels", False, rows=rows)
    return pooled_interval(measure, outcome, groups=groups)


def _balanced_error(counts: np.ndarray, positive: int | None) -> np.ndarray:
    return 1.0 - balanced_accuracy(counts, positive)


def _no_whole(outcome: Outcome) -> float:
    from probus.metrics import counts_of

    return float(_balanced_error(counts_of(outcome), outcome.positive))

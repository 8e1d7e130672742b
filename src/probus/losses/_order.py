"""Weighted quantiles and the centre of Huber's loss, computed by sorting."""

from __future__ import annotations

import numpy as np

_ROUNDING = 1e-12  # relative tolerance for a cumulative weight to equal its target


def weighted_quantile(values: np.ndarray, alpha: float, weight: np.ndarray | None) -> float:
    """A minimiser of the pinball loss; the midpoint if there are several, as for the median of an even number.

    A row of weight 2 counts as two rows, a row of weight 0 is ignored.

    >>> weighted_quantile(np.array([4.0, 1.0, 2.0, 3.0]), 0.5, None)
    2.5
    >>> weighted_quantile(np.array([1.0, 2.0, 9.0]), 0.5, np.array([2.0, 1.0, 1.0]))
    1.5
    """
    if weight is None:
        n = len(values)
        lower = int(np.ceil(alpha * n - _ROUNDING * n)) - 1
        upper = min(int(np.floor(alpha * n + _ROUNDING * n)), n - 1)
        ordered = np.partition(values, (lower, upper))
    else:
        order = np.argsort(values, kind="stable")
        ordered, below = values[order], np.cumsum(weight[order])
        target, slack = alpha * below[-1], _ROUNDING * below[-1]
        lower = int(np.searchsorted(below, target - slack))
        upper = min(int(np.searchsorted(below, target + slack, side="right")), len(values) - 1)
    return float(0.5 * (ordered[lower] + ordered[upper]))


def huber_centre(values: np.ndarray, delta: float, weight: np.ndarray | None) -> float:
    r"""The c where residuals clipped at delta sum to zero, :math:`\sum_i w_i\,\mathrm{clip}(v_i - c, ±δ) = 0`.

    The sum is decreasing and piecewise linear in c, with knots v ± δ; the piece with the zero determines which rows
    are clipped. If the sum is 0 over an interval, the midpoint is returned.

    >>> huber_centre(np.array([0.0, 1.0, 100.0]), 1.0, None), huber_centre(np.array([0.0, 100.0]), 1.0, None)
    (1.0, 50.0)
    """
    if delta <= 0.0:
        return weighted_quantile(values, 0.5, weight)
    weight = np.ones(len(values)) if weight is None else weight
    values, weight = values[weight > 0.0], weight[weight > 0.0]
    knots = np.concatenate([values - delta, values + delta])
    order = np.argsort(knots, kind="stable")
    knots, slope = knots[order], np.cumsum(np.concatenate([-weight, weight])[order])
    pull = delta * weight.sum() + np.concatenate([[0.0], np.cumsum(slope[:-1] * np.diff(knots))])
    slack = _ROUNDING * pull[0]
    centre = float(np.interp([-slack, slack], -pull, knots).mean())
    inside = np.abs(values - centre) < delta
    if not inside.any():
        return centre
    cut = delta * np.sign(values - centre)[~inside] @ weight[~inside]
    return float((values[inside] @ weight[inside] + cut) / weight[inside].sum())

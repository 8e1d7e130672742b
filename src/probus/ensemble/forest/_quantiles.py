"""Quantiles of the target given the columns, from the training targets in a row's leaves (Meinshausen 2006)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from probus.compiling import njit
from probus.ensemble.forest._training_rows import must_have_one_output
from probus.errors import DataError
from probus.parallel import chunked, thread_count
from probus.tree.kernel_parts import inner
from probus.tree.prediction import leaves_of

if TYPE_CHECKING:
    from probus.ensemble.forest._forest_base import ForestRegressor


_ROUNDING = 1e-12  # of a sum of weights that should be 1


def quantiles(model: ForestRegressor, X: Any, q: Any = (0.05, 0.5, 0.95)) -> np.ndarray:
    """Quantiles of the target of each row."""
    levels = np.asarray(q, dtype=np.float64)
    if levels.ndim > 1 or levels.size == 0 or not ((levels >= 0.0) & (levels <= 1.0)).all():
        raise DataError(f"q={q!r}.", "one or more numbers between 0 and 1", "The upper quartile is 0.75.")
    seen = model._seen(X)
    must_have_one_output(model, "quantiles")
    leaves = leaves_of(model.trees_, seen, model.n_jobs)
    by_size = np.argsort(levels.ravel(), kind="stable")
    share = np.maximum(levels.ravel()[by_size] - _ROUNDING, 0.0)
    kept, trees = model.leaf_targets_, model.trees_
    place, value = kept.place_of(len(trees.feature)), np.ascontiguousarray(trees.value[:, 0, 0])
    found = np.empty((len(leaves), levels.size))

    def part(first: int, last: int) -> None:
        weights = np.zeros(len(kept.targets))
        arrays = (kept.targets, place, kept.start, kept.rank, kept.weight)
        weighted_quantiles(leaves[first:last], value, *arrays, share, weights, found[first:last])

    each = len(kept.rank) / np.count_nonzero(trees.is_leaf)
    chunked(part, len(leaves), thread_count(model.n_jobs, leaves.size * (each + 10.0)))
    out = np.empty_like(found)
    out[:, by_size] = found
    return out.reshape(len(leaves), *levels.shape)


@njit(nogil=True, cache=True)
def weighted_quantiles(leaves, value, targets, place, start, rank, weight, share, weights, out):
    """The least target at which the weights of a row's targets reach each share.

    leaves (IN)              int32[n, T]
    value (IN)               float64[m] what each node predicts, its only target where it has one
    targets (IN)             float64[u] ascending
    place to weight (IN)     see ``LeafTargets``
    share (IN)               float64[q] ascending
    weights (WORK)           float64[u] zeros, and zeros again at the end
    out (OUT)                float64[n, q]
    """
    n, n_trees = leaves.shape
    for i in range(n):
        low, high = np.int64(len(targets)), np.int64(-1)
        for t in range(n_trees):
            at = place[leaves[i, t]]
            if at < 0:
                r = _nearest(targets, value[leaves[i, t]])
                weights[r] += 1.0
                low = r if r < low else low
                high = r if r > high else high
                continue
            for k in range(start[at], start[at + 1]):
                r = np.int64(rank[k])
                weights[r] += weight[k]
                low = r if r < low else low
                high = r if r > high else high
        total, done, last = 0.0, 0, low
        for target in range(low, high + 1):
            if weights[target] == 0.0:
                continue
            last = np.int64(target)
            total += weights[last]
            weights[last] = 0.0
            while done < len(share) and total >= share[done] * n_trees:
                out[i, done] = targets[last]
                done += 1
        while done < len(share):  # sums of weights may round to a little less than all
            out[i, done] = targets[last]
            done += 1


@inner
def _nearest(targets, value):
    """The place of the target nearest to a value: a leaf's mean of equal targets may be off by rounding."""
    low, high = 0, len(targets) - 1
    while low < high:
        middle = (low + high) // 2
        if targets[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low - 1 if low > 0 and value - targets[low - 1] < targets[low] - value else low

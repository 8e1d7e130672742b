"""Which rows blending holds out."""

from __future__ import annotations

from typing import Any
from warnings import warn

import numpy as np

from probus.data import content_of
from probus.display import counted
from probus.ensemble.forest._bags import order_by_content
from probus.errors import DataError


def held_out(
    X: Any, y: np.ndarray, share: float, weights: np.ndarray | None, seed: int, labels: np.ndarray | None
) -> np.ndarray:
    """Which rows, as a mask, are held out: about that share of the weight, of each class where there are classes.

    Equal rows, label included, are on the same side: otherwise a member might have been fitted on the label of a
    held-out row. The draw depends on the content of the rows, not on their order, and a row of weight 2 counts as two
    rows. Of a class whose rows are all equal, none is held out.

    >>> held_out(np.array([[1.0], [1.0], [2.0], [3.0]]), np.zeros(4), 0.3, None, 0, None)
    array([False, False, False,  True])
    """
    w = np.ones(len(y)) if weights is None else weights
    strata = np.zeros(len(y), np.int64) if labels is None else y
    out = _drawn(_alike(X, y), strata, share, w, seed)
    if not out.any():  # the rows of each class are all equal: they have to be separated
        out = _drawn(np.arange(len(y)), strata, share, w, seed)
    if not out.any():
        raise DataError(
            f"n_samples={counted(len(y), 'row')}, too few to hold any out.",
            "at least 2 rows" + " of one class" * (labels is not None),
            "Give it more rows.",
        )
    for label in [] if labels is None else labels[np.setdiff1d(y[w > 0], y[out])]:
        only = f"class {label} has one row, or only equal rows"
        warn(f"{only}, which the members need: the final model gives it probability zero", stacklevel=5)
    return out


def _drawn(kinds: np.ndarray, strata: np.ndarray, share: float, w: np.ndarray, seed: int) -> np.ndarray:
    """That share of the weight of each stratum, at least one of its distinct rows and never all."""
    out, rng = np.zeros(len(kinds), bool), np.random.RandomState(seed)
    for stratum in np.unique(strata[w > 0]):
        rows = np.flatnonzero((strata == stratum) & (w > 0))
        kind = np.unique(kinds[rows], return_inverse=True)[1]
        weight = np.bincount(kind, w[rows])
        mixed = rng.permutation(len(weight))
        middle = np.cumsum(weight[mixed]) - weight[mixed] / 2
        n_chosen = min(max(1, int((middle <= share * weight.sum()).sum())), len(mixed) - 1)
        out[rows] = np.isin(kind, mixed[:n_chosen])
    return out


def _alike(X: Any, y: np.ndarray) -> np.ndarray:
    """A number for each row, the same for equal rows, in the order of their content."""
    content = content_of(X)
    order = order_by_content(content, y)
    new = (np.diff(content[order, 0], prepend=np.nan) != 0) | (np.diff(y[order], prepend=np.nan) != 0)
    kinds = np.empty(len(y), np.int64)
    kinds[order] = np.cumsum(new) - 1
    return kinds

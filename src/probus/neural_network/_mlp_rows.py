"""The rows that a perceptron is trained on: their order, their weights, and the numbers they are computed in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import issparse

from probus.neural_network._checkpoint import fingerprint

_MOST_COPIES = 10  # the largest mean of whole weights that count as repeated rows
_FAR = 1e4  # values so many standard deviations away from zero lose digits as short floats
_LARGEST = float(np.sqrt(np.finfo(np.float32).max))


@dataclass(frozen=True)
class TrainingRows:
    """Rows of a fit: X, y as rows × outputs, and weights or None; the same of the held-out rows, or None."""

    X: Any
    y: np.ndarray
    weight: np.ndarray | None
    held: TrainingRows | None = None

    def some(self, rows: np.ndarray) -> TrainingRows:
        """Some of the rows."""
        return TrainingRows(self.X[rows], self.y[rows], None if self.weight is None else self.weight[rows])


def own_order(rows: TrainingRows) -> np.ndarray:
    """The rows sorted by what they hold, so that their order in X does not matter."""
    factors = np.random.default_rng(0).random(rows.X.shape[1] + rows.y.shape[1]) + 0.5
    d = rows.X.shape[1]
    keys = rows.X @ factors[:d] + rows.y.astype(np.float64) @ factors[d:]
    return np.argsort(keys, kind="stable")


def counted(rows: TrainingRows) -> TrainingRows:
    """Rows repeated by their weights where these are counts, and without those of weight zero."""
    weight = rows.weight
    assert weight is not None
    if (weight == np.floor(weight)).all() and weight.mean() <= _MOST_COPIES:
        again = rows.some(np.repeat(np.arange(len(weight)), weight.astype(np.int64)))
        return TrainingRows(again.X, again.y, None)
    return rows.some(np.flatnonzero(weight))


def number_type(X: Any) -> Any:
    """Short floats, unless columns hold numbers that lie close together and far from zero."""
    if issparse(X) or X.dtype == np.float32:
        return np.float32
    with np.errstate(all="ignore"):
        largest, spread = np.abs(X).max(axis=0), X.std(axis=0)
        far = (largest > _FAR * spread) & (spread > 0.0)
    return np.float64 if far.any() or largest.max() > _LARGEST else np.float32


def fingerprint_of(rows: TrainingRows) -> str:
    X = rows.X
    parts = (X.data, X.indices, X.indptr) if issparse(X) else (X,)
    return fingerprint(*parts, rows.y, *(() if rows.weight is None else (rows.weight,)))

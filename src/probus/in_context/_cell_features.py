"""The numbers that describe a cell: its value and its rank among the training rows of its column."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

_FREQUENCIES = (2.0 ** np.arange(8) * math.pi / 4).astype(np.float32)
_WIDEST = 30.0  # standard deviations


@dataclass(frozen=True)
class Columns:
    """What cells are compared with: mean, standard deviation and sorted values of the training rows of each column."""

    mean: np.ndarray
    deviation: np.ndarray
    count: np.ndarray
    ordered: np.ndarray

    @classmethod
    def of(cls, X: np.ndarray) -> Columns:
        """Those of training rows, float32[n, columns] with NaN for missing values."""
        known = ~np.isnan(X)
        count = np.maximum(known.sum(axis=0), 1)
        values = np.where(known, X, 0.0).astype(np.float64)
        mean = values.sum(axis=0) / count
        deviation = np.sqrt((np.where(known, values - mean, 0.0) ** 2).sum(axis=0) / count)
        ordered = np.sort(np.where(known, X, np.float32(np.inf)), axis=0)
        return cls(mean, deviation, count, ordered)


def cell_features(X: np.ndarray, nominal: np.ndarray, columns: Columns) -> np.ndarray:
    """Standardised value and rank, their sines and cosines, whether missing, whether nominal: float32[n, columns, 36].

    X : float32[n, columns], NaN for missing values; nominal : bool[columns]
    """
    known = ~np.isnan(X)
    filled = np.where(known, X, np.float32(0.0))
    z = np.clip((filled - columns.mean) / (columns.deviation + 1e-6), -_WIDEST, _WIDEST)
    z = (np.sign(z) * np.log1p(np.abs(z))).astype(np.float32)
    below = np.empty(X.shape)
    for j, ordered in enumerate(columns.ordered.T):
        own = np.ascontiguousarray(ordered)
        below[:, j] = np.searchsorted(own, filled[:, j]) + np.searchsorted(own, filled[:, j], side="right")
    rank = (np.clip(below / (2.0 * columns.count), 0.0, 1.0) * 2.0 - 1.0).astype(np.float32)
    n = len(_FREQUENCIES)
    found = np.empty((*X.shape, 4 + 4 * n), np.float32)
    found[:, :, 0], found[:, :, 1] = z, rank
    for first, values in ((2, rank), (2 + 2 * n, z)):
        angle = values[:, :, None] * _FREQUENCIES
        np.sin(angle, out=found[:, :, first : first + n])
        np.cos(angle, out=found[:, :, first + n : first + 2 * n])
    found[:, :, :-2] *= known[:, :, None]
    found[:, :, -2], found[:, :, -1] = ~known, nominal
    return found

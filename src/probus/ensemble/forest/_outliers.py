"""Rows that are like few others of their class, by the proximities of a forest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from probus.base import encoded_classes
from probus.ensemble.forest._proximity import sharing_of
from probus.errors import DataError

if TYPE_CHECKING:
    from probus.ensemble.forest._forest_base import Forest


_MAD, _MEAN = 1.4826, 1.2533  # make deviations from the median estimate the standard deviation of normal numbers


def outlier_scores(model: Forest, X: Any, y: Any = None, *, kind: str = "all") -> np.ndarray:
    """How far each row lies outside its class."""
    if kind not in ("all", "oob"):
        raise DataError(f"kind={kind!r}.", "'all' or 'oob'")
    shared = sharing_of(model, X, kind=kind)
    n = shared.shape[0]
    codes = np.zeros(n, np.int64) if y is None else encoded_classes(y, n)[1]
    scores = np.empty(n)
    for code in range(codes.max() + 1):
        rows = np.flatnonzero(codes == code)
        alike = shared.among(rows).sums_of_squares(model.n_jobs)
        scores[rows] = _standardise(len(rows) / np.maximum(alike, 1.0 / n))
    return scores


def _standardise(raw: np.ndarray) -> np.ndarray:
    away = raw - np.median(raw)
    scale = _MAD * np.median(np.abs(away)) or _MEAN * np.mean(np.abs(away))
    return away / scale if scale > 0.0 else np.zeros(len(raw))

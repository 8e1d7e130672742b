"""Stretches of ordered rows that are odd together."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin, clone
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted

from probus.data import Table
from probus.data.frames import is_frame
from probus.errors import DataError

__all__ = ["Windows"]


class Windows(OutlierMixin, BaseEstimator):
    """A detector of windows of consecutive rows: each is one row of ``width`` times as many columns.

    A row's score is the mean of those of the windows that contain it. Rows must be in order, of time for example.

    Parameters
    ----------
    detector : any detector with ``score_samples`` of numeric columns.
    width : the number of rows of a window.
    contamination : the share of outliers among the training rows.

    Attributes
    ----------
    detector_ : fitted on the windows of the training rows. offset_ : the threshold.

    Examples
    --------
    >>> from probus.anomaly import KNearestDistance
    >>> wave = np.sin(np.arange(200) / 2)
    >>> wave[100:120] = 0.0  # each value is usual, the stretch is not
    >>> found = Windows(KNearestDistance(20), width=10, contamination=0.1).fit_predict(wave[:, None])
    >>> np.flatnonzero(found < 0).tolist() == list(range(100, 120))
    True
    """

    def __init__(self, detector: Any, width: int, *, contamination: float = 0.1):
        self.detector = detector
        self.width = width
        self.contamination = contamination

    def fit(self, X: Any, y: Any = None) -> Windows:
        """Fit the detector on the windows; y is ignored."""
        if not 0 < self.contamination <= 0.5:
            raise DataError(f"contamination={self.contamination}.", "a share above 0 and at most 0.5")
        windows = self._windows(X)
        self.detector_ = clone(self.detector).fit(windows)
        self.offset_ = float(np.percentile(self._of_rows(windows), 100 * self.contamination))
        return self

    def _windows(self, X: Any) -> np.ndarray:
        if isinstance(X, (Table, dict)) or is_frame(X):
            X = Table.of(X, infer=False).numbers()
        rows = check_array(X, dtype=np.float64)
        if not 1 <= self.width <= len(rows):
            raise DataError(f"width={self.width} of {len(rows)} rows.", f"a width between 1 and {len(rows)}")
        views = np.lib.stride_tricks.sliding_window_view(rows, self.width, axis=0)
        return views.reshape(len(views), -1)

    def _of_rows(self, windows: np.ndarray) -> np.ndarray:
        """The mean score of the windows of each row."""
        scores = np.concatenate([[0.0], np.cumsum(self.detector_.score_samples(windows))])
        n = len(windows) + self.width - 1
        first = np.maximum(np.arange(n) - self.width + 1, 0)
        last = np.minimum(np.arange(n) + 1, len(windows))
        return (scores[last] - scores[first]) / (last - first)

    def score_samples(self, X: Any) -> np.ndarray:
        """How usual the surroundings of each row are; X is a stretch of rows in order."""
        check_is_fitted(self)
        return self._of_rows(self._windows(X))

    def decision_function(self, X: Any) -> np.ndarray:
        """``score_samples`` less the threshold: negative for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """1 for usual rows, −1 for outliers."""
        return np.where(self.decision_function(X) < 0, -1, 1)

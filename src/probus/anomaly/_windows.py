"""Stretches of ordered rows that are odd together."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.anomaly._wrapped_detector import WrappedDetector
from probus.anomaly._z_score import ZScore
from probus.base import Accepts, BaseEstimator, Model, clone, matrix_input
from probus.detection import Explanation, explanation_of, typical_values
from probus.errors import DataError
from probus.parameters import inherited, parameter
from probus.state import Array, Number, Object, Spec


class Windows(WrappedDetector):
    """A detector of windows of consecutive rows: each is one row of ``width`` times as many columns.

    A row's score is the mean of those of the windows that contain it. Rows must be in order, of time for example.

    Attributes
    ----------
    detector_ : fitted on the windows of the training rows. offset_ : the threshold.
    typical_ : the median of each column.

    Examples
    --------
    >>> from probus.anomaly import KNearestDistance
    >>> wave = np.sin(np.arange(200) / 2)
    >>> wave[100:120] = 0.0  # each value is usual, the stretch is not
    >>> found = Windows(KNearestDistance(20), width=10, contamination=0.1).fit_predict(wave[:, None])
    >>> np.flatnonzero(found < 0).tolist() == list(range(100, 120))
    True
    """

    detector: Any = inherited(
        doc="The detector that is wrapped; any with ``score_samples``. It gets numeric columns.", kw_only=False
    )
    width: int = parameter("The number of rows of a window.", at_least=1, kw_only=False)
    contamination: float = parameter(
        "The share of outliers among the training rows.", default=0.1, above=0, at_most=0.5
    )

    fitted: ClassVar[dict[str, Spec]] = {
        "detector_": Object(BaseEstimator),
        "offset_": Number(),
        "typical_": Array("f8", "d"),
    }

    @property
    def accepts(self) -> Accepts:
        """Numbers only, with missing values where the detector accepts these."""
        return replace(super().accepts, nominal=False, text=False)

    @classmethod
    def examples(cls) -> list[Model]:
        """Windows of single rows; in wider ones the score of a row depends on its neighbours."""
        return [cls(ZScore(), 1)]

    def fit(self, X: Any, y: Any = None) -> Windows:
        """Fit the detector on the windows; y is ignored."""
        rows = matrix_input(self, X, reset=True)
        windows = self._windows(rows)
        self.typical_ = typical_values(rows)
        self.detector_ = clone(self.detector).fit(windows)
        scores = self._of_rows(self.detector_.score_samples(windows))
        self.offset_ = float(np.percentile(scores, 100 * self.contamination))
        return self

    def _windows(self, rows: np.ndarray) -> np.ndarray:
        """One row for each window: the values of its first column in order, of its second, and so on."""
        if not 1 <= self.width <= len(rows):
            raise DataError(f"width={self.width} of {len(rows)} rows.", f"a width between 1 and {len(rows)}")
        views = np.lib.stride_tricks.sliding_window_view(rows, self.width, axis=0)
        return views.reshape(len(views), -1)

    def _of_rows(self, of_windows: np.ndarray) -> np.ndarray:
        """The mean of the windows that contain each row; windows × anything."""
        padded = np.pad(of_windows, ((self.width - 1, self.width - 1), *[(0, 0)] * (of_windows.ndim - 1)))
        sums = np.lib.stride_tricks.sliding_window_view(padded, self.width, axis=0).sum(axis=-1)
        i = np.arange(len(sums))
        held = np.minimum(i + 1, len(of_windows)) - np.maximum(i - self.width + 1, 0)
        return sums / held.reshape(-1, *[1] * (of_windows.ndim - 1))

    def score_samples(self, X: Any) -> np.ndarray:
        """How usual the surroundings of each row are; X is a stretch of rows in order."""
        check_is_fitted(self)
        windows = self._windows(matrix_input(self, X, reset=False))
        return self._of_rows(self.detector_.score_samples(windows))

    def explain(self, X: Any) -> Explanation:
        """Which columns make the surroundings of rows odd, by the detector's explanation of the windows.

        A column adds what its values in a window add together, on average over the windows that contain the row.
        """
        check_is_fitted(self)
        rows = matrix_input(self, X, reset=False)
        found = self.detector_.explain(self._windows(rows))
        added = found.contributions.reshape(len(found), rows.shape[1], self.width).sum(axis=2)
        return explanation_of(self, rows, self._of_rows(found.scores), self._of_rows(added))

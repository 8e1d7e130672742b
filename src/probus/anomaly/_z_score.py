"""Distances from the mean of each column, in standard deviations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Model, matrix_input
from probus.detection import CONTAMINATION, Detector
from probus.distances.magnitudes import check_squares
from probus.parameters import parameter
from probus.state import Array, Spec

# σ of a normal distribution, divided by its median and by its mean absolute deviation
_MEDIAN_DEVIATION, _MEAN_DEVIATION = 1.482602218505602, 1.2533141373155001


class ZScore(Detector):
    r"""Rows with a value far from the mean of its column: the score is :math:`-\max_j |x_j - \mu_j| / \sigma_j`.

    Missing values are left out.

    Attributes
    ----------
    location_, scale_ : of each column.

    Examples
    --------
    >>> ZScore(robust=True).fit_predict([[1.0], [1.2], [0.9], [1.1], [1.0], [7.0]])
    array([ 1,  1,  1,  1,  1, -1])
    """

    threshold: float = parameter(
        "Rows beyond so many standard deviations are outliers; of a normal column, 3 are 0.3 % of the rows.",
        default=3.0,
        above=0,
    )
    robust: bool = parameter(
        "Whether median and median absolute deviation, which outliers do not move, replace mean and standard "
        "deviation. Where more than half of a column are one value, it is the mean absolute deviation from "
        "the median (Iglewicz and Hoaglin 1993). Both are scaled to the standard deviation of normal columns.",
        default=False,
    )
    contamination: Any = replace(
        CONTAMINATION, doc='"auto" for ``threshold``, or the share of outliers among the training rows.'
    )

    accepts = Accepts(missing=True)
    fitted: ClassVar[dict[str, Spec]] = {**Detector.fitted, "location_": Array("f8", "d"), "scale_": Array("f8", "d")}

    @classmethod
    def examples(cls) -> list[Model]:
        """By moments, and robust."""
        return [cls(contamination=0.1), cls(robust=True, contamination=0.1)]

    def fit(self, X: Any, y: Any = None) -> ZScore:
        """Compute the centre and the spread of each column; y is ignored."""
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        self.location_, self.scale_ = centre_and_spread(X, self.robust)
        self._set_typical(X)
        self._set_threshold(lambda: self._scores(X), -self.threshold)
        return self

    def _scores(self, rows: np.ndarray) -> np.ndarray:
        return -deviations(rows, self.location_, self.scale_).max(axis=1)

    def _contributions(self, rows: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """The deviation of each column."""
        return deviations(rows, self.location_, self.scale_)

    def score_samples(self, X: Any) -> np.ndarray:
        """The negative of the largest deviation of each row."""
        check_is_fitted(self)
        return self._scores(matrix_input(self, X, reset=False))


def centre_and_spread(X: np.ndarray, robust: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of columns, or median and scaled absolute deviation from it; NaN is left out.

    Of a column that does not vary, the spread is 1e-12 of its size, so that any other value is far away.
    """
    known = ~np.isnan(X)
    if robust:
        X = np.where(known.any(axis=0), X, 0.0)
        centre = np.nanmedian(X, axis=0)
        away = np.abs(X - centre)
        spread = _MEDIAN_DEVIATION * np.nanmedian(away, axis=0)
        spread = np.where(spread > 0, spread, _MEAN_DEVIATION * np.nanmean(away, axis=0))
    else:
        n = np.maximum(known.sum(axis=0), 1)
        centre = np.where(known, X, 0.0).sum(axis=0) / n
        spread = np.sqrt(np.where(known, (X - centre) ** 2, 0.0).sum(axis=0) / n)
    return centre, np.maximum(spread, 1e-12 * np.maximum(1.0, np.abs(centre)))


def deviations(X: np.ndarray, centre: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """|z| of each value, 0 where it is missing."""
    return np.nan_to_num(np.abs(X - centre) / spread, nan=0.0)

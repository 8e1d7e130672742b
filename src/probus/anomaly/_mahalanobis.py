"""Distances from the mean that take correlations into account."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy import stats
from sklearn.utils.validation import check_is_fitted

from probus.anomaly._robust_moments import robust_moments, too_narrow
from probus.base import Accepts, Model, matrix_input
from probus.detection import CONTAMINATION, Detector
from probus.distances.magnitudes import check_squares
from probus.parameters import RANDOM_STATE, parameter
from probus.state import Array, Number, Spec

_FLOOR = 1e-12  # the variance of directions without variance, of standardised columns


class Mahalanobis(Detector):
    r"""Rows far from the mean in the metric of the covariance, :math:`d^2 = (x - \mu)^T \Sigma^{-1} (x - \mu)`.

    Attributes
    ----------
    location_, precision_ : the mean, and the inverse of the covariance. Directions without variance, of columns that
        are combinations of others, have 1e-12 of a column's variance: rows off them are far away.
    rank_ : the number of directions with variance.

    Examples
    --------
    >>> X = [[0.0, 0.1], [1.0, 0.9], [2.0, 2.2], [3.0, 2.9], [4.0, 4.1], [5.0, 4.8]]
    >>> Mahalanobis().fit(X).score_samples([[2.5, 2.5], [5.0, 0.0]]).round(1)
    array([ -0. , -38.2])
    """

    method: str = parameter(
        '"classical", or "mcd" for the minimum covariance determinant (Rousseeuw 1984), which outliers do not move.',
        default="classical",
        one_of=("classical", "mcd"),
    )
    support_fraction: float | None = parameter(
        'The share of rows that determine the estimate of "mcd"; None is about a half.',
        default=None,
        above=0,
        at_most=1,
    )
    false_alarm_rate: float = parameter(
        'The share of new normal rows that are outliers, if ``contamination`` is "auto".',
        default=0.025,
        above=0,
        below=1,
    )
    contamination: Any = replace(
        CONTAMINATION, doc='"auto" for ``false_alarm_rate``, or the share of outliers among the training rows.'
    )
    random_state: Any = RANDOM_STATE

    accepts = Accepts()
    fitted: ClassVar[dict[str, Spec]] = {
        **Detector.fitted,
        "location_": Array("f8", "d"),
        "precision_": Array("f8", "d d"),
        "rank_": Number(),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Classical and robust."""
        return [cls(contamination=0.1), cls(method="mcd", contamination=0.1)]

    def fit(self, X: Any, y: Any = None) -> Mahalanobis:
        """Estimate the mean and the covariance; y is ignored."""
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        self.location_, covariance, used, subset = self._moments(X)
        # by correlations, so that the units of the columns do not decide what is no variance
        scale = np.sqrt(np.diag(covariance))
        scale = np.where(scale > 0, scale, np.maximum(1.0, np.abs(self.location_)))
        variances, directions = np.linalg.eigh(covariance / np.outer(scale, scale))
        self.rank_ = int((variances > _FLOOR).sum())
        self.precision_ = (directions / np.maximum(variances, _FLOOR)) @ directions.T / np.outer(scale, scale)
        self._set_typical(X)
        self._set_threshold(lambda: self._scores(X), -np.sqrt(self._usual_square(used, len(X), subset)))
        return self

    def _usual_square(self, n: int, rows: int, subset: int) -> float:
        """The squared distance that a new normal row exceeds with the probability of a false alarm.

        With the mean and the covariance of n normal rows, d² (n − p) / (p (n + 1)) has the F distribution with p and
        n − p degrees of freedom (Hotelling 1931); with known ones, d² has χ². With "mcd", n is the number that
        is left of the rows (Cerioli 2010), and d² is larger by the factor ``too_narrow``; ``subset`` is the size of the
        subset of least determinant.
        """
        p = max(self.rank_, 1)
        if n <= p:
            return float(stats.chi2.isf(self.false_alarm_rate, p))
        wider = too_narrow(rows, p, subset, self.false_alarm_rate) if subset < rows else 1.0
        return wider * float(p * (n + 1) / (n - p) * stats.f.isf(self.false_alarm_rate, p, n - p))

    def _moments(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray, int, int]:
        """The mean, the covariance, the number of rows that they are of, and of the subset of "mcd"."""
        location = X.mean(axis=0)
        covariance = (X - location).T @ (X - location) / len(X)
        varying = np.ptp(X, axis=0) > 0
        if self.method == "mcd" and len(X) > 2 * varying.sum() + 2 > 2:  # else too few rows for a subset of a half
            found = robust_moments(X[:, varying], self.support_fraction, self.random_state)
            location[varying], covariance[np.ix_(varying, varying)], used, subset = found
            return location, covariance, used, subset
        return location, covariance, len(X), len(X)

    def _contributions(self, rows: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """The terms of the squared distance, by column, divided by the distance, so that they add up to it."""
        away = rows - self.location_
        terms = away * (away @ self.precision_)
        return terms / np.maximum(-scores, np.finfo(float).tiny)[:, None]

    def _scores(self, rows: np.ndarray) -> np.ndarray:
        away = rows - self.location_
        return -np.sqrt(np.maximum(np.einsum("ij,ij->i", away @ self.precision_, away), 0.0))

    def score_samples(self, X: Any) -> np.ndarray:
        """The negative distance of each row."""
        check_is_fitted(self)
        return self._scores(matrix_input(self, X, reset=False))

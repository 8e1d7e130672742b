"""Distances from the mean that take correlations into account."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from scipy import linalg, stats
from sklearn.utils.validation import check_is_fitted

from probus.anomaly._grubbs import critical_deviation, grubbs_test
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
    test: str = parameter(
        'What sets the threshold if ``contamination`` is "auto": "hotelling" for one new row, or "grubbs" for Grubbs\' '
        "test on the distances of the training rows, repeated, at the level ``false_alarm_rate`` for all of them.",
        default="hotelling",
        one_of=("hotelling", "grubbs"),
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
        return [cls(contamination=0.1), cls(method="mcd", contamination=0.1), cls(test="grubbs")]

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
        usual = self._grubbs_limit(X) if self.test == "grubbs" else np.sqrt(self._usual_square(used, len(X), subset))
        self._set_threshold(lambda: self._scores(X), -usual)
        return self

    def _grubbs_limit(self, X: np.ndarray) -> float:
        """The distance beyond which one more row would be an outlier by Grubbs' test.

        The test is for normal numbers. Distances of normal rows are not, but their powers by 2/3 nearly are (Wilson and
        Hilferty 1931).
        """
        lengths = (-self._scores(X)) ** (2 / 3)
        if len(lengths) < 3:
            return np.inf
        found = grubbs_test(lengths, alpha=self.false_alarm_rate, alternative="max")
        kept = np.delete(lengths, found.rows[: found.outliers])
        limit = kept.mean() + critical_deviation(len(kept), self.false_alarm_rate, sides=1) * kept.std(ddof=1)
        return float(limit**1.5)

    def _usual_square(self, n: int, rows: int, subset: int) -> float:
        """The squared distance that a new normal row exceeds with the probability of a false alarm.

        With the mean and the covariance of n normal rows, d² (n − p) / (p (n + 1)) has the F distribution with p and
        n − p degrees of freedom (Hotelling 1931). With known ones, d² has χ². With "mcd", n is the number that
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


# -- the mean and covariance of the rows that are no outliers, with cut-offs that hold for few rows ----


_TRIMMED = 0.025  # of normal rows, left out of the final mean and covariance

# by columns: numbers of rows, and the factor of Hotelling's quantiles at 1 and 5 %; of 90 to 300 samples each
_NARROW = {
    1: ([15, 25, 40, 70], [(1.460, 1.131), (1.052, 1.019), (1.077, 1.052), (1.109, 1.055)]),
    2: ([8, 14, 20, 34, 64, 124],
        [(5.72, 2.45), (1.335, 1.088), (1.028, 0.992), (1.088, 1.027), (1.059, 1.040), (1.007, 1.005)]),
    3: ([10, 15, 24, 45, 90, 180],
        [(10.8, 4.78), (1.435, 1.210), (1.363, 1.180), (1.129, 1.084), (1.079, 1.058), (1.010, 1.014)]),
    5: ([13, 18, 25, 40, 75, 150, 300],
        [(11.4, 7.40), (3.29, 1.95), (1.728, 1.401), (1.261, 1.181), (1.122, 1.097), (1.067, 1.057), (1.028, 1.028)]),
    8: ([19, 28, 40, 64, 120, 240, 480],
        [(10.4, 5.53), (3.23, 2.20), (1.526, 1.336), (1.195, 1.147), (1.067, 1.057), (1.040, 1.038), (1.015, 1.013)]),
    20: ([46, 60, 100, 200], [(2.277, 1.896), (1.642, 1.497), (1.230, 1.190), (1.058, 1.049)]),
}  # fmt: skip


def robust_moments(
    X: np.ndarray, support_fraction: float | None, random_state: Any
) -> tuple[np.ndarray, np.ndarray, int, int]:
    """The minimum covariance determinant, reweighted: mean, covariance, the rows that they are of, and the subset's.

    Rows far from the subset of least determinant are left out, by the geometric mean of two cut-offs: of χ², which
    leaves out too many of few rows, and for finite samples (Hardin and Rocke 2005; Cerioli 2010), which keeps outliers
    that are not far away. See ``too_narrow``.
    """
    from sklearn.covariance import MinCovDet

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="(The covariance matrix|Determinant has increased)")
        found = MinCovDet(support_fraction=support_fraction, random_state=random_state).fit(X)
    n, support = len(X), found.raw_support_
    p, h = max(int(np.linalg.matrix_rank(found.raw_covariance_, hermitian=True)), 1), int(support.sum())
    away = X - found.raw_location_
    squares = np.einsum("ij,ij->i", away @ linalg.pinvh(found.raw_covariance_, check_finite=False), away)
    kept = support | (squares < np.sqrt(raw_cut_off(n, p, h) * _asymptotic_cut_off(n, p, h)))
    rows = X[kept]
    location = rows.mean(axis=0)
    covariance = (rows - location).T @ (rows - location) / len(rows)
    if h < n:
        covariance *= (1.0 - _TRIMMED) / stats.chi2.cdf(stats.chi2.isf(_TRIMMED, p), p + 2)
    return location, covariance, len(rows), h


def too_narrow(n: int, p: int, h: int, rate: float) -> float:
    """The factor by which squared distances from ``robust_moments`` of n normal rows exceed Hotelling's at that rate.

    Simulated for subsets of half of the rows at rates of 1 and 5 %; between by interpolation of logarithms, for more
    rows in inverse proportion to them, and for larger subsets in proportion to (2 (1 − h / n))^0.6.

    >>> round(too_narrow(45, 3, 24, 0.01), 2), round(too_narrow(100_000, 3, 50_002, 0.01), 3)
    (1.12, 1.0)
    """
    known = np.log(list(_NARROW))
    sizes = [(np.log(rows), np.log(found)) for rows, found in _NARROW.values()]
    ends = []
    for columns, (rows, found) in zip(_NARROW, sizes, strict=True):
        m = np.log(n * columns / p) if p > 1 else np.log(n)
        both = np.array([np.interp(m, rows, each) for each in found.T])
        ends.append(both * min(1.0, float(np.exp(rows[-1] - m))))
    one, five = (np.interp(np.log(p), known, [end[k] for end in ends]) for k in (0, 1))
    place = np.clip(np.log(rate / 0.05) / np.log(0.01 / 0.05), -0.5, 2.5)
    larger = min(1.0, max(0.0, 2.0 * (1.0 - h / n))) ** 0.6
    return float(np.exp(max(five + place * (one - five), 0.0) * larger))


def raw_cut_off(n: int, p: int, h: int) -> float:
    r"""The squared distance, from the subset of h of n rows, that a normal row exceeds with a probability of 2.5 %.

    By Hardin and Rocke (2005) it is :math:`c\, p\, m / (m - p + 1)` times a quantile of F with p and m − p + 1 degrees
    of freedom, where c makes the covariance of the subset consistent, and m is the degrees of freedom of the Wishart
    distribution that it has nearly: an asymptotic value times a factor that they simulated for half of the rows, and
    that is 1 for all of them. For one column, which they did not simulate, the subset of n = 15 to 150 rows was
    too narrow by 1 + 16 / n.
    """
    if h >= n:
        return np.inf
    share = h / n
    q = stats.chi2.ppf(share, p)
    two, four = stats.chi2.cdf(q, p + 2), stats.chi2.cdf(q, p + 4)
    c = share / two
    m = (
        2.0
        / (c**2 * _variance(n, p, share, q, two, four))
        * np.exp(2.0 * (1.0 - share) * (0.725 - 0.00663 * p - 0.0780 * np.log(n)))
    )
    m = max(float(m), p + 1.0)
    narrow = 1.0 + 16.0 / n if p == 1 else 1.0
    return float(narrow * c * p * m / (m - p + 1.0) * stats.f.isf(_TRIMMED, p, m - p + 1.0))


def _asymptotic_cut_off(n: int, p: int, h: int) -> float:
    share = h / n
    c = share / stats.chi2.cdf(stats.chi2.ppf(share, p), p + 2) if h < n else 1.0
    return float(c * stats.chi2.isf(_TRIMMED, p))


def _variance(n: int, p: int, share: float, q: float, two: float, four: float) -> float:
    """The asymptotic variance of a diagonal element of the covariance of the subset (Croux and Haesbroeck 1999)."""
    c = share / two
    c2, c3 = -two / 2.0, -four / 2.0
    b1 = -2.0 * c * c3 / share
    b2 = 0.5 + c / share * (c3 - q / p * (c2 + share / 2.0))
    first = share * b1**2 * ((1.0 - share) * (c * q / p - 1.0) ** 2 - 1.0)
    second = 2.0 * c3 * c**2 * (3.0 * (b1 - p * b2) ** 2 + (p + 2.0) * b2 * (2.0 * b1 - p * b2))
    return float((first - second) / (n * (b1 * (b1 - p * b2) * share) ** 2 * c**2))

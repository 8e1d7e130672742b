"""Grubbs' test for outliers of a normal sample, once and repeated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy import stats
from sklearn.utils.validation import check_is_fitted

from probus.anomaly._z_score import deviations
from probus.base import Accepts, Model, matrix_input
from probus.detection import CONTAMINATION, Detector
from probus.display import Cells, Result, counted, figure, p_text
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.parameters import parameter
from probus.state import Array, Spec


@dataclass(frozen=True, repr=False, eq=False)
class GrubbsTest(Result):
    """The values that were tested, one after the other, their statistics G and p-values; the first are outliers.

    Attributes
    ----------
    rows : their places in the sample.
    values : the values.
    statistics, pvalues : the statistic G and the p-value of each.
    alpha : the significance level.
    outliers : how many have a p-value of at most ``alpha``.
    n : the size of the sample.
    """

    rows: np.ndarray
    values: np.ndarray
    statistics: np.ndarray
    pvalues: np.ndarray
    alpha: float
    outliers: int
    n: int

    def _rows(self) -> dict[str, Any]:
        return {"row": self.rows, "value": self.values, "statistic": self.statistics, "pvalue": self.pvalues}

    def _parts(self) -> Iterator[Any]:
        found = counted(self.outliers, "outlier")
        yield f"Grubbs' test of {counted(self.n, 'value')}: {found} at level {self.alpha:g}"
        columns = zip(self.rows, self.values, self.statistics, self.pvalues, strict=True)
        rows = [(str(row), figure(value), f"{g:.3f}", p_text(p)) for row, value, g, p in columns]
        yield Cells([("row", "value", "G", "p-value"), *rows], right=[0, 1], margin=2)


def grubbs_test(values: Any, *, alpha: float = 0.05, alternative: str = "two-sided", repeat: bool = True) -> GrubbsTest:
    r"""Test whether the value furthest from the mean of a normal sample is an outlier (Grubbs 1950).

    .. math:: G = \max_i |x_i - \bar x| / s, \qquad t^2 = \frac{n(n-2)G^2}{(n-1)^2 - nG^2}

    and the p-value is n times (two-sided 2 n times) the tail of Student's t with n − 2 degrees of freedom beyond t, at
    most 1. Missing values are left out.

    Parameters
    ----------
    values : the sample.
    alpha : the significance level.
    alternative : "two-sided", "max" or "min", for outliers on both sides or on one.
    repeat : whether an outlier is left out and the test repeated, until it finds none.

    Returns
    -------
    Each value that was tested, its statistic and p-value.

    Examples
    --------
    >>> grubbs_test([199.31, 199.53, 200.19, 200.82, 201.92, 201.95, 202.18, 245.57])
    Grubbs' test of 8 values: 1 outlier at level 0.05
      row  value  G      p-value
        7  245.6  2.469  p < 0.001
        0  199.3  1.275  p = 1
    """
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or np.isinf(x).any():
        raise DataError(f"values of shape {x.shape}.", "a list of finite numbers")
    if not 0 < alpha < 1:
        raise DataError(f"alpha={alpha}.", "a number between 0 and 1")
    if alternative not in ("two-sided", "max", "min"):
        raise DataError(f"alternative={alternative!r}.", "one of two-sided, max, min")
    rows = np.flatnonzero(~np.isnan(x))
    n = len(rows)
    if n < 3:
        raise DataError(f"{counted(n, 'value')}.", "at least 3")
    tested: list[tuple[int, float, float, float]] = []
    while len(rows) >= 3:
        place, g, p = _furthest(x[rows], alternative)
        tested.append((int(rows[place]), float(x[rows[place]]), g, p))
        if p > alpha or not repeat:
            break
        rows = np.delete(rows, place)
    places, found, statistics, pvalues = (np.array(column) for column in zip(*tested, strict=True))
    return GrubbsTest(places, found, statistics, pvalues, alpha, int((pvalues <= alpha).sum()), n)


def _furthest(x: np.ndarray, alternative: str) -> tuple[int, float, float]:
    """The place of the value furthest from the mean, its G and its p-value."""
    n, away, spread = len(x), x - x.mean(), x.std(ddof=1)
    sided = {"two-sided": np.abs(away), "max": away, "min": -away}[alternative]
    place = int(np.argmax(sided))
    if spread <= 1e-12 * np.abs(x).max(initial=0.0) or spread == 0.0:
        return place, 0.0, 1.0
    g = float(sided[place] / spread)
    rest = (n - 1) ** 2 - n * g * g
    tail = stats.t.sf(np.sqrt(n * (n - 2) * g * g / rest), n - 2) if rest > 0 else 0.0
    return place, g, float(min(1.0, tail * n * (2 if alternative == "two-sided" else 1)))


class Grubbs(Detector):
    """Rows with a value that Grubbs' test finds to be an outlier of its column.

    The test is repeated in each column, at the level ``alpha`` divided by the number of columns. Mean and standard
    deviation are those of the values left, and rows beyond the critical value of one more test are outliers. A sample
    of normal columns has an outlier with probability ``alpha``. Missing values are left out.

    Attributes
    ----------
    location_, scale_ : of each column, without outliers. critical_ : the deviation beyond which a value is an outlier.

    Examples
    --------
    >>> Grubbs().fit_predict([[1.0], [1.2], [0.9], [1.1], [1.0], [7.0]])
    array([ 1,  1,  1,  1,  1, -1])
    """

    alpha: float = parameter("The probability of an outlier in normal data.", default=0.05, above=0, below=1)
    contamination: Any = replace(
        CONTAMINATION, doc='"auto" for the threshold of the test, or the share of outliers among the training rows.'
    )

    accepts = Accepts(missing=True)
    fitted: ClassVar[dict[str, Spec]] = {
        **Detector.fitted,
        "location_": Array("f8", "d"),
        "scale_": Array("f8", "d"),
        "critical_": Array("f8", "d"),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """With outliers in any data."""
        return [cls(contamination=0.1)]

    def fit(self, X: Any, y: Any = None) -> Grubbs:
        """Test each column; y is ignored."""
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        alpha = self.alpha / X.shape[1]
        self.location_, self.scale_, self.critical_ = (np.empty(X.shape[1]) for _ in range(3))
        for j, column in enumerate(X.T):
            known = column[~np.isnan(column)]
            while len(known) >= 3:
                place, _, p = _furthest(known, "two-sided")
                if p > alpha:
                    break
                known = np.delete(known, place)
            n = len(known)
            self.location_[j] = known.mean() if n else 0.0
            spread = known.std(ddof=1) if n > 1 else 0.0
            self.scale_[j] = max(spread, 1e-12 * max(1.0, abs(self.location_[j])))
            self.critical_[j] = critical_deviation(n, alpha) if n >= 3 and spread > 0 else np.inf if n < 3 else 3.0
        self._set_typical(X)
        self._set_threshold(lambda: self._scores(X), -1.0)
        return self

    def _scores(self, rows: np.ndarray) -> np.ndarray:
        return -self._contributions(rows, rows).max(axis=1)

    def _contributions(self, rows: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """The deviation of each column, in units of its critical value."""
        return deviations(rows, self.location_, self.scale_) / self.critical_

    def score_samples(self, X: Any) -> np.ndarray:
        """The negative of the largest deviation, in units of the critical value of its column."""
        check_is_fitted(self)
        return self._scores(matrix_input(self, X, reset=False))


def critical_deviation(n: int, alpha: float, sides: int = 2) -> float:
    """The G beyond which the largest deviation of n values is an outlier, on one side or on both."""
    if n < 3:
        return np.inf
    t2 = stats.t.isf(alpha / (sides * n), n - 2) ** 2
    return float((n - 1) / np.sqrt(n) * np.sqrt(t2 / (n - 2 + t2)))

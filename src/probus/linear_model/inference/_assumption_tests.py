"""Tests of what standard errors assume: errors of equal variance, and rows that do not depend on each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import linalg
from scipy.sparse import issparse
from scipy.special import chdtrc, ndtr

from probus.display import p_text
from probus.state import Array, Maybe, Part, Spec

DOUBTFUL = 0.05  # the p-value below which a summary advises other standard errors
_DEPENDENT = 0.01  # the same for rows in order, which files often are for other reasons
_DEPENDENT_COLUMNS = 1e-10  # the share of the largest eigenvalue below which columns are dependent
_MOST, _BLOCKS = 20_000, 50  # cells of X up to which all rows are tested; beyond, blocks of rows in the file's order
_FEWEST = 8  # rows below which no test is made


@dataclass(frozen=True, eq=False)
class AssumptionTests(Part):
    """p-values for each target, of what standard errors assume.

    Attributes
    ----------
    by_columns, by_squares : of equal variance, by the columns and by their squares; None where they are not tested.
    in_order : of independence of rows in their order.
    """

    by_columns: np.ndarray | None
    by_squares: np.ndarray | None
    in_order: np.ndarray

    declared: ClassVar[dict[str, Spec]] = {
        "by_columns": Maybe(Array("f8", "t")),
        "by_squares": Maybe(Array("f8", "t")),
        "in_order": Array("f8", "t"),
    }

    def notes(self) -> list[str]:
        """The p-values in words, and what to do where an assumption is doubtful."""
        parts, advice = [], []
        if self.by_columns is not None and self.by_squares is not None:
            parts.append(f"equal variance of errors {_listing(self.by_columns)} (Breusch–Pagan), "
                         f"{_listing(self.by_squares)} (squares of columns)")  # fmt: skip
            if np.nanmin([*self.by_columns, *self.by_squares, 1.0]) < DOUBTFUL:
                advice.append(
                    "The variance of the errors seems to depend on the columns: standard errors may be too small. Use "
                    'summary(errors="robust").'
                )
        parts.append(f"independent successive rows {_listing(self.in_order)}")
        if np.nanmin([*self.in_order, 1.0]) < _DEPENDENT:
            advice.append(
                "Residuals of successive rows are alike. If rows belong together, in groups or over time, standard "
                'errors are too small: use summary(errors="clustered", groups=...).'
            )
        return [f"Tests of assumptions: {'; '.join(parts)}.", *advice]


def assumption_tests(residual: np.ndarray, X: Any = None, inverse: np.ndarray | None = None) -> AssumptionTests | None:
    """The tests of residuals float64[n, t] that have equal variances if the assumptions hold; None of few rows.

    X : the columns, for the tests of equal variance; None to omit them, which sparse ones do too.
    inverse : (XᵀX)⁻¹ of the centred columns, if it is known.
    """
    if len(residual) < _FEWEST or not (np.abs(residual).max(axis=0) > 0.0).all():
        return None
    residual = residual / np.abs(residual).max(axis=0)
    in_order = np.array([like_the_row_before(r) for r in residual.T])
    if X is None or issparse(X):
        return AssumptionTests(None, None, in_order)
    which = tested_rows(*X.shape)
    if isinstance(which, np.ndarray):
        X, residual, inverse = X[which], residual[which], None
    by_columns = np.array([breusch_pagan(X, r**2, inverse) for r in residual.T])
    squares = np.array([by_squares(X, r**2) for r in residual.T])
    return AssumptionTests(by_columns, squares, in_order)


def tested_rows(n: int, p: int) -> Any:
    """All rows, or of many fifty blocks of them: enough to find what matters, in a small part of the time of a fit.

    >>> tested_rows(100, 3), len(tested_rows(200_000, 10))
    (slice(None, None, None), 2000)
    """
    if n * p <= _MOST:
        return slice(None)
    length = max(_MOST // p // _BLOCKS, 2)
    starts = np.linspace(0, n - length, _BLOCKS).astype(np.int64)
    return (starts[:, None] + np.arange(length)).ravel()


def breusch_pagan(X: np.ndarray, squares: np.ndarray, inverse: np.ndarray | None = None) -> float:
    """The p-value that squared residuals do not depend on the columns (Breusch and Pagan 1979; Koenker 1981).

    The statistic is n R² of the regression of the squares on the columns; NaN if it cannot be computed.

    >>> x = np.arange(20.0)
    >>> breusch_pagan(x[:, None], x**2) < 0.001, breusch_pagan(x[:, None], np.cos(100 * x)) < 0.1
    (True, False)
    """
    n, p = X.shape
    away = squares - squares.mean()
    whole = float(away @ away)
    if not whole > 0.0 or n <= p + 1:
        return np.nan
    if inverse is None:
        rows = X - X.mean(axis=0)
        length = np.sqrt(np.einsum("ij,ij->j", rows, rows))
        rows = rows[:, length > 0] / length[length > 0]
        along = rows.T @ away
        inverse, p = linalg.pinvh(rows.T @ rows, rtol=_DEPENDENT_COLUMNS, return_rank=True, check_finite=False)
        explained = float(along @ inverse @ along) / whole
    else:
        along = X.T @ away - X.mean(axis=0) * away.sum()
        explained = float(along @ inverse @ along) / whole
    return float(chdtrc(p, n * explained)) if p else np.nan


def by_squares(X: np.ndarray, squares: np.ndarray) -> float:
    """The p-value that squared residuals do not depend on the square of any column, counted from its mean.

    The largest squared correlation, times n, has at most the tail of χ² with one degree of freedom times the number of
    columns (Bonferroni). It finds a variance that grows to both sides, which Breusch and Pagan's test does not.

    >>> x = np.arange(-10.0, 11.0)
    >>> by_squares(x[:, None], x**2) < 0.001
    True
    """
    n = len(X)
    away = squares - squares.mean()
    whole = float(away @ away)
    if not whole > 0.0:
        return np.nan
    sizes = X - X.mean(axis=0)
    with np.errstate(all="ignore"):
        sizes /= np.sqrt(np.einsum("ij,ij->j", sizes, sizes) / n)
        np.square(sizes, out=sizes)
        sizes -= 1.0
        spread = np.einsum("ij,ij->j", sizes, sizes)
        shares = (away @ sizes) ** 2 / spread / whole
    tried = spread > 1e-12 * n  # else the column is constant, or has two values in equal numbers
    return min(1.0, int(tried.sum()) * float(chdtrc(1, n * shares[tried].max()))) if tried.any() else np.nan


def like_the_row_before(residual: np.ndarray) -> float:
    """The p-value that residuals of successive rows are independent, against that they are alike.

    The autocorrelation r of residuals with n rows is at most normal with mean 0 and variance 1/n.
    """
    whole = float(residual @ residual)
    if not whole > 0.0:
        return np.nan
    return float(ndtr(-np.sqrt(len(residual)) * float(residual[1:] @ residual[:-1]) / whole))


def _listing(values: np.ndarray) -> str:
    return ", ".join("not defined" if np.isnan(value) else p_text(float(value)) for value in values)

"""Scores of single columns of any kind against any target, and the p-value where the score is that of a test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special, stats
from sklearn.utils.validation import check_array

from probus.data import Column, Table, has_names
from probus.errors import DataError
from probus.feature_selection._information import information_with
from probus.preprocessing import ScreeningTarget

Score = Callable[[Column, ScreeningTarget, "np.ndarray | None"], tuple[float, float]]


@dataclass(frozen=True)
class Relation:
    """How a column depends on a target: the strength in [0, 1], and the test of independence.

    strength : |r| of two numbers, the correlation ratio of a number and groups, Cramér's V of two sets of groups.
    statistic : F with ``df`` degrees of freedom, or χ² where the second is infinite.
    """

    strength: float
    statistic: float
    df: tuple[float, float]

    @property
    def log_p(self) -> float:
        """The logarithm of the p-value."""
        first, second = self.df
        if first <= 0 or second <= 0 or np.isnan(self.statistic):
            return 0.0
        p = special.chdtrc(first, self.statistic) if np.isinf(second) else special.fdtrc(first, second, self.statistic)
        if p > 1e-290:
            return float(np.log(p))
        law = stats.chi2(first) if np.isinf(second) else stats.f(first, second)  # slower
        return float(law.logsf(self.statistic))

    @property
    def f(self) -> float:
        """F; of χ² the quotient by its degrees of freedom, which has the distribution of F for many rows."""
        return self.statistic / self.df[0] if np.isinf(self.df[1]) and self.df[0] else self.statistic


_NOTHING = Relation(0.0, 0.0, (0.0, 0.0))


def relation(column: Column, target: ScreeningTarget, weights: np.ndarray | None = None) -> Relation:
    """The relation of a column and a target on the rows where the column has a value; weights count rows.

    >>> column = Column.labels("colour", ["red", "red", "blue", "blue"])
    >>> relation(column, ScreeningTarget.of(["a", "a", "b", "b"], 4)).strength
    1.0
    """
    present = ~column.missing
    if weights is not None:
        present &= weights > 0
    if not present.any():
        return _NOTHING
    w = np.ones(int(present.sum())) if weights is None else weights[present]
    y, n_classes = target.values[present], target.n_classes
    if not column.kind.has_levels:
        x = column.numbers_array()[present]
        return _of_groups(y, x, w) if n_classes else _of_numbers(x, y, w)
    codes = column.values[present]
    return _of_tables(codes, y, w) if n_classes else _of_groups(codes, y, w)


def _of_numbers(x: np.ndarray, y: np.ndarray, w: np.ndarray) -> Relation:
    n = float(w.sum())
    x, y = _standardise(x, w), _standardise(y, w)
    square = min(float(w @ (x * y) / n) ** 2, 1.0)
    return Relation(np.sqrt(square), _quotient(square * (n - 2), 1 - square), (1.0, n - 2))


def _of_groups(codes: np.ndarray, numbers: np.ndarray, w: np.ndarray) -> Relation:
    """One-way analysis of variance."""
    groups = np.unique(codes, return_inverse=True)[1]
    size = np.bincount(groups, w)
    n, k, z = float(w.sum()), len(size), _standardise(numbers, w)
    between = float((np.bincount(groups, w * z) ** 2 / size).sum()) / n
    within = float(w @ (z - (np.bincount(groups, w * z) / size)[groups]) ** 2) / n
    if k < 2 or between + within == 0:
        return _NOTHING
    share = between / (between + within)
    return Relation(np.sqrt(share), _quotient(share * (n - k), (1 - share) * (k - 1)), (k - 1.0, n - k))


def _of_tables(rows: np.ndarray, columns: np.ndarray, w: np.ndarray) -> Relation:
    """Pearson's χ² of a table of counts."""
    counts = table_of_counts(rows, columns, w)
    n, (r, c) = counts.sum(), counts.shape
    if min(r, c) < 2:
        return _NOTHING
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / n
    square = float(((counts - expected) ** 2 / expected).sum())
    return Relation(float(np.sqrt(square / (n * (min(r, c) - 1)))), square, ((r - 1.0) * (c - 1.0), np.inf))


def table_of_counts(rows: np.ndarray, columns: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The weight of each pair of codes, without codes that do not occur."""
    a, b = (np.unique(codes, return_inverse=True)[1] for codes in (rows, columns))
    wide = int(b.max()) + 1
    return np.bincount(a * wide + b, w, (int(a.max()) + 1) * wide).reshape(-1, wide)


def _standardise(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The numbers with mean 0 and variance 1; zeros where they do not vary beyond rounding."""
    largest = float(np.abs(x).max())
    x = x / largest if largest > 0 else x  # the squares of large numbers overflow
    centred = x - w @ x / w.sum()
    spread = np.sqrt(w @ centred**2 / w.sum())
    return centred / spread if spread > 1e-13 else np.zeros(len(x))


def _quotient(a: float, b: float) -> float:
    return a / b if b > 0 else (np.inf if a > 0 else 0.0)


# -- the scores ----------------------------------------------------------------------------------------


def association(column: Column, target: ScreeningTarget, weights: np.ndarray | None) -> tuple[float, float]:
    """-log10 of the p-value of the test that suits both kinds: F, or χ² where both have levels."""
    log_p = relation(column, target, weights).log_p
    return -log_p / np.log(10) + 0.0, float(np.exp(log_p))


def anova(column: Column, target: ScreeningTarget, weights: np.ndarray | None) -> tuple[float, float]:
    """F of numbers by class, of the target by level, or of the regression of numbers."""
    if column.kind.has_levels and target.n_classes:
        raise _error_of(column, "anova", "numbers, or a numeric target")
    found = relation(column, target, weights)
    return found.f, float(np.exp(found.log_p))


def correlation(column: Column, target: ScreeningTarget, weights: np.ndarray | None) -> tuple[float, float]:
    """The strength of the relation in [0, 1]: |r|, the correlation ratio, or Cramér's V."""
    found = relation(column, target, weights)
    return found.strength, float(np.exp(found.log_p))


def chi_squared(column: Column, target: ScreeningTarget, weights: np.ndarray | None) -> tuple[float, float]:
    """χ² of a nominal column with the classes; of counts, χ² of their sums by class, as scikit-learn's ``chi2``."""
    if not target.n_classes:
        raise DataError("χ² of a numeric target.", "classes", 'Use "association", "anova" or "correlation".')
    if column.kind.has_levels:
        found = relation(column, target, weights)
        return found.statistic, float(np.exp(found.log_p))
    present = ~column.missing
    x, y = column.numbers_array()[present], target.values[present]
    w = np.ones(len(x)) if weights is None else weights[present]
    if len(x) and x.min() < 0:
        raise DataError(
            f"column {column.name!r} has negative values.", "counts, or columns with levels", 'Use "association".'
        )
    sums = np.bincount(y, w * x, target.n_classes)
    shares = np.bincount(y, w, target.n_classes) / max(float(w.sum()), 1e-300)
    expected = sums.sum() * shares
    parts = np.divide((sums - expected) ** 2, expected, out=np.zeros(len(sums)), where=expected > 0)
    statistic, df = float(parts.sum()), int((shares > 0).sum()) - 1
    return statistic, float(stats.chi2.sf(statistic, df)) if df > 0 else 1.0


def _signal_to_noise(column: Column, target: ScreeningTarget, weights: np.ndarray | None) -> tuple[float, float]:
    if not target.n_classes or column.kind.has_levels:
        raise _error_of(column, "signal_to_noise", "numeric columns and a target of classes")
    present = ~column.missing
    if weights is not None:
        present &= weights > 0
    if not present.any():
        return 0.0, np.nan
    w = np.ones(int(present.sum())) if weights is None else weights[present]
    x = _standardise(column.numbers_array()[present], w)
    return _largest_signal(x, target.values[present], target.n_classes, w), np.nan


def _largest_signal(x: np.ndarray, codes: np.ndarray, n_classes: int, w: np.ndarray) -> float:
    """(μ₊ - μ₋)² / (σ₊ + σ₋), the largest of one class against the others."""
    best = 0.0
    for c in range(1 if n_classes == 2 else 0, n_classes):
        sides = []
        for own in (codes == c, codes != c):
            total = w[own].sum()
            if total == 0:
                break
            mean = w[own] @ x[own] / total
            sides.append((mean, np.sqrt(w[own] @ (x[own] - mean) ** 2 / total)))
        if len(sides) == 2:
            best = max(best, _quotient((sides[0][0] - sides[1][0]) ** 2, sides[0][1] + sides[1][1]))
    return float(best)


def signal_to_noise(X: Any, y: Any, *, standardise: bool = True) -> np.ndarray:
    r"""The signal to noise of each numeric column: :math:`(\mu_+-\mu_-)^2/(\sigma_++\sigma_-)`.

    The means and standard deviations are those of the two classes; of several classes, of each against the others, of
    which the largest counts.

    Parameters
    ----------
    X : the numbers.
    y : the class of each row.
    standardise : whether columns are divided by their standard deviation first. The formula changes with the unit of a
        column, so that columns in different units can be compared only then.

    Returns
    -------
    The signal to noise of each column.

    >>> signal_to_noise([[1.0], [3.0], [6.0], [8.0]], ["a", "a", "b", "b"], standardise=False)
    array([12.5])
    """
    matrix = Table.of(X, infer=False).numbers() if has_names(X) else check_array(X, dtype=np.float64)
    target = ScreeningTarget.of(y, len(matrix))
    if not target.n_classes:
        raise DataError("signal to noise of a numeric target.", "classes")
    check_classes(target)
    w = np.ones(len(matrix))
    columns = (_standardise(x, w) if standardise else x for x in matrix.T)
    return np.array([_largest_signal(x, target.values, target.n_classes, w) for x in columns])


def _mutual_information(column: Column, target: ScreeningTarget, weights: np.ndarray | None) -> tuple[float, float]:
    return information_with(column, target), np.nan


SCORES: dict[str, Score] = {
    "association": association,
    "anova": anova,
    "chi2": chi_squared,
    "correlation": correlation,
    "mutual_information": _mutual_information,
    "signal_to_noise": _signal_to_noise,
}
TESTS = ("association", "anova", "chi2", "correlation")  # those with p-values


def check_classes(target: ScreeningTarget) -> None:
    """Raise a DataError where a target has one class."""
    if target.n_classes == 1:
        raise DataError("the target has one class only.", "at least two classes, or numbers")


def scores_of(
    name: str, columns: Iterable[Column], target: ScreeningTarget, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray | None]:
    """The scores and, where the score is that of a test, the p-values of all columns."""
    check_classes(target)
    found = [SCORES[name](column, target, weights) for column in columns]
    scores, p_values = (np.array(values, dtype=np.float64) for values in zip(*found, strict=True))
    return scores, p_values if name in TESTS else None


def _error_of(column: Column, score: str, expected: str) -> DataError:
    return DataError(
        f"{score} of column {column.name!r}, which is {column.kind}.",
        expected,
        'Use "association", "correlation" or "mutual_information", which score columns of any kind.',
    )

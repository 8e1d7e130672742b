"""What columns have to do with the target one by one, without a model: correlation and total variation.

Where the relation must be found first, as which levels go with which class, it is found on other folds of the rows
than it is measured on. A column of noise then has an expected value of 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from probus.data import Column, Kind, Task
from probus.errors import DataError
from probus.inspection.column_importance._importances import Importances
from probus.inspection.column_importance._related_columns import Related
from probus.metrics import Estimate
from probus.metrics.curves import quantile
from probus.model_selection import splits_of

_FOLDS = 5
_MOST_BINS = 20
_BOTH = 2.0  # times the variance: each row is measured, and shows others on which side of 0 their bins are
_OF_SAMPLES = "over samples of rows"


def correlate(task: Task, names: tuple[str, ...], *, level: float = 0.95, random_state: int | None = 0) -> Importances:
    """Pearson's correlation of each column with the target; of levels, of what they predict on other folds."""
    targets = _target_matrix(task)
    return _each_column(
        task, names, lambda column, folds: _correlation(column, targets, folds, level), "correlation",
        "correlation with the target", level, random_state,
    )  # fmt: skip


def vary_totally(
    task: Task, names: tuple[str, ...], *, level: float = 0.95, random_state: int | None = 0
) -> Importances:
    """∫|P(f | y = 1) − P(f | y = 0)| df of each column, the mean over classes against the others."""
    if not task.classes:
        raise DataError(
            f"total variation for the numbers {task.target!r}.", "classes", "method='correlation' takes numbers."
        )
    labels = _target_matrix(task)
    return _each_column(
        task, names, lambda column, folds: (*_variation(column, labels, folds), level), "total variation",
        "total variation between the classes, from 0 to 2", level, random_state,
    )  # fmt: skip


def total_variation(x: Any, y: Any, *, bins: Any = None) -> float:
    """∫|P(f | y = 1) − P(f | y = 0)| df on the rows themselves, which is above 0 by chance too.

    ``importance(..., method="total_variation")`` measures it on other rows than those that show where P(f | y = 1) is
    larger, and has an interval.

    Parameters
    ----------
    x : the column: levels, or numbers.
    y : two classes.
    bins : the ends of bins for numbers; None takes each value for itself.

    Returns
    -------
    The total variation, from 0 to 2.

    >>> total_variation(["a", "a", "b", "b"], [0, 0, 0, 1])
    1.3333333333333335
    """
    values, labels = np.asarray(x), np.unique(np.asarray(y), return_inverse=True)
    if len(labels[0]) != 2:
        raise DataError(f"{len(labels[0])} classes.", "two")
    if len(values) != len(labels[1]):
        raise DataError(f"{len(values)} values and {len(labels[1])} classes.", "as many of each")
    codes = np.digitize(values, bins) if bins is not None else np.unique(values, return_inverse=True)[1]
    shares = [np.bincount(codes[labels[1] == k], minlength=codes.max() + 1) / np.sum(labels[1] == k) for k in (0, 1)]
    return float(np.abs(shares[1] - shares[0]).sum())


def _each_column(
    task: Task, names: tuple[str, ...], measure: Callable[..., tuple[float, np.ndarray, float]], method: str,
    quantity: str, level: float, random_state: int | None,
) -> Importances:  # fmt: skip
    """An estimate for each column from a value and the influence of each row on it."""
    if len(task) < 2 * _FOLDS:
        raise DataError(f"{len(task)} rows.", f"{2 * _FOLDS} at least")
    folds = np.empty(len(task), np.int64)
    for k, (_, test) in enumerate(splits_of(_FOLDS, task, random_state=random_state).pairs[:_FOLDS]):
        folds[test] = k
    unit = None if task.groups is None else np.unique(task.groups, return_inverse=True)[1]
    estimates, moves = [], []
    for name in names:
        value, influence, own = measure(task.X[name], folds)
        by_unit = influence if unit is None else np.bincount(unit, influence)
        n = len(by_unit)
        error = float(np.sqrt(np.sum(by_unit**2) * n / max(n - 1, 1)))
        estimates.append(replace(_interval(value, error, own, n, method), level=level))
        moves.append(by_unit)
    known = np.stack(moves)
    return Importances.of(
        names, estimates, method=method, quantity=quantity, where=f"{len(task):,} rows, without a model",
        rows_kind="all", covariance=known @ known.T, related=Related.of(task.X).nearest({n: (n,) for n in names}),
    )  # fmt: skip


def _interval(value: float, error: float, level: float, n: int, method: str) -> Estimate:
    """By Fisher's transformation for correlations, else plain."""
    z = quantile(level, max(n - 1, 1))
    if method == "correlation" and abs(value) < 1:
        centre, half = np.arctanh(value), z * error / (1 - value**2)
        return Estimate(value, float(np.tanh(centre - half)), float(np.tanh(centre + half)), level, _OF_SAMPLES, n)
    return Estimate(value, value - z * error, value + z * error, level, _OF_SAMPLES, n)


def _target_matrix(task: Task) -> np.ndarray:
    """float64[n, K]: numbers, the positive of two classes, or each of several."""
    actual = task.table[task.target].values
    if not task.classes:
        return actual.astype(np.float64)[:, None]
    each = np.eye(len(task.classes))[actual.astype(np.int64)]
    positive = 1 if task.pos_label is None else task.classes.index(task.pos_label)
    return each[:, [positive]] if len(task.classes) == 2 else each


# -- correlation -------------------------------------------------------------------------------------------


def _correlation(
    column: Column, targets: np.ndarray, folds: np.ndarray, level: float
) -> tuple[float, np.ndarray, float]:
    """The correlation, what each row adds to it, and the level of its interval.

    Of numbers with several classes, that with the class that they go with most, whose interval allows for the choice.
    """
    if column.kind is Kind.TEXT:
        return np.nan, np.zeros(len(targets)), level
    of_two = column.kind.has_levels and len(np.unique(column.values[~column.missing])) == 2
    numbers = column.kind in (Kind.NUMERIC, Kind.ORDINAL) or of_two
    x = column.values.astype(np.float64) if of_two else column.numbers_array() if numbers else column.values
    known = np.isfinite(x) & ~column.missing if numbers else np.ones(len(x), bool)
    out = np.zeros(len(x))
    if known.sum() < 3 or len(np.unique(x[known])) < 2:
        return 0.0, out, level
    x, y = x[known], targets[known]
    if numbers:
        each = [_cosine((x - x.mean())[:, None], (t - t.mean())[:, None]) for t in y.T]
        value, influence = max(each, key=lambda one: abs(one[0]))
        level = 1 - (1 - level) / len(each)
    else:
        value, influence = _of_levels(np.unique(x, return_inverse=True)[1], y, folds[known])
    out[known] = influence / len(y)
    return value, out, level


def _cosine(e: np.ndarray, y: np.ndarray) -> tuple[float, np.ndarray]:
    """Σ ey / √(Σ e² Σ y²), and n times the influence of each row."""
    a, b, c = (e * y).sum(axis=1), (e**2).sum(axis=1), (y**2).sum(axis=1)
    B, C = b.mean(), c.mean()
    if B <= 0 or C <= 0:
        return 0.0, np.zeros(len(a))
    value = float(np.clip(a.mean() / np.sqrt(B * C), -1, 1))
    return value, a / np.sqrt(B * C) - value * (b / (2 * B) + c / (2 * C))


def _of_levels(codes: np.ndarray, y: np.ndarray, fold: np.ndarray) -> tuple[float, np.ndarray]:
    """The correlation of the target with the mean of each level on other folds, centred within folds.

    Its numerator is a sum over pairs of rows of one level, each of which counts for both rows: e is made of y. The
    variance of a sum over pairs is that of its rows' sums, less the squares of the pairs, which these count twice.
    """
    y = y - _fold_means(y, fold)
    e, squares = np.zeros(y.shape), np.zeros(len(y))
    products = np.einsum("ij,ik->ijk", y, y).reshape(len(y), -1)
    for k in np.unique(fold):
        here, others = fold == k, fold != k
        size = np.bincount(codes[others], minlength=codes.max() + 1)[:, None] + 1.0
        e[here] = (_sums(codes[others], y[others], len(size)) / size)[codes[here]]
        pairs = (_sums(codes[others], products[others], len(size)) / size**2)[codes[here]]
        squares[here] = (pairs * products[here]).sum(axis=1)
    e -= _fold_means(e, fold)
    value, influence = _cosine(e, y)
    B, C = (e**2).sum(axis=1).mean(), (y**2).sum(axis=1).mean()
    if B <= 0 or C <= 0:
        return 0.0, influence
    influence = influence + (e * y).sum(axis=1) / np.sqrt(B * C)
    influence -= influence.mean()
    twice, total = 2 * float(squares.sum()) / (B * C), float(influence @ influence)
    return value, influence * np.sqrt(max(total - twice, twice) / total) if total > 0 else influence


def _sums(codes: np.ndarray, values: np.ndarray, n: int) -> np.ndarray:
    """The sum of the rows of each code."""
    return np.stack([np.bincount(codes, column, minlength=n) for column in values.T], axis=1)


def _fold_means(values: np.ndarray, fold: np.ndarray) -> np.ndarray:
    size = np.bincount(fold)[:, None]
    sums = np.stack([np.bincount(fold, column) for column in values.T], axis=1)
    return np.asarray((sums / np.maximum(size, 1))[fold])


# -- total variation ---------------------------------------------------------------------------------------


def _variation(column: Column, labels: np.ndarray, folds: np.ndarray) -> tuple[float, np.ndarray]:
    """Twice the difference of the shares of the classes where other folds have more of one, the mean over classes."""
    if column.kind is Kind.TEXT:
        return np.nan, np.zeros(len(labels))
    codes = _binned(column)
    values, influence = [], np.zeros(len(codes))
    for y in labels.T > 0.5:
        inside = np.zeros(len(codes))
        for k in np.unique(folds):
            here, others = folds == k, folds != k
            shares = [
                np.bincount(codes[others & side], minlength=codes.max() + 1) / max((others & side).sum(), 1)
                for side in (y, ~y)
            ]
            inside[here] = (shares[0] > shares[1])[codes[here]]
        if not (y.any() and (~y).any()):
            continue
        means = [inside[side].mean() for side in (y, ~y)]
        values.append(2 * (means[0] - means[1]))
        influence += np.sqrt(_BOTH) * 2 * np.where(y, (inside - means[0]) / y.sum(), -(inside - means[1]) / (~y).sum())
    if not values:
        return np.nan, np.zeros(len(codes))
    return float(np.mean(values)), influence / len(values)


def _binned(column: Column) -> np.ndarray:
    """Levels as codes; numbers in bins of about as many rows each; missing values are a bin of their own."""
    if column.kind is not Kind.NUMERIC:
        return np.unique(column.values, return_inverse=True)[1]
    x = column.values
    known = np.isfinite(x)
    n_bins = int(np.clip(2 * known.sum() ** (1 / 3), 2, _MOST_BINS))
    ends = np.unique(np.quantile(x[known], np.linspace(0, 1, n_bins + 1)[1:-1])) if known.any() else np.empty(0)
    return np.where(known, np.searchsorted(ends, np.where(known, x, 0.0), side="left"), len(ends) + 1)

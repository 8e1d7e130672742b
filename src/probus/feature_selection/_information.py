"""Mutual information by nearest neighbours, of numbers and of labels: the estimators of Kraskov and of Ross."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from scipy.spatial import cKDTree
from scipy.special import digamma
from sklearn.metrics import mutual_info_score
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, check_X_y

from probus.compiling import njit
from probus.data import Column, Table, has_names
from probus.errors import DataError
from probus.parallel import chunked, thread_count
from probus.preprocessing import ScreeningTarget

_NOISE = 1e-10  # of the mean, added so that no two numbers are equal
_EACH = 400  # elementary operations for a value


def information_of_labels(numbers: np.ndarray, labels: np.ndarray, k: int) -> float:
    """Mutual information in nats of numbers and integer labels, by k neighbours of the same label (Ross 2014).

    >>> round(information_of_labels(np.arange(20.0), np.arange(20) // 10, 3), 3)
    0.66
    """
    counts = np.bincount(labels)
    usable = counts[labels] > 1
    numbers, labels = numbers[usable], labels[usable]
    n = len(numbers)
    if n == 0:
        return 0.0
    order = np.argsort(numbers, kind="stable")
    psi = digamma(np.arange(n + 1, dtype=np.float64).clip(1.0))
    counts = np.bincount(labels)
    sums = _ross_sums(numbers[order], labels[order], counts, k, psi)
    return max(0.0, float(digamma(n) + sums / n))


@njit(nogil=True, cache=True)
def _ross_sums(values, labels, counts, k, psi):
    """The sum over points of psi(k) - psi(points of its label) - psi(points within its radius).

    values (IN)  float64[n]      in increasing order
    labels (IN)  int64[n]
    counts (IN)  int64[K]        points of each label, not 1
    psi (IN)     float64[n + 1]  the digamma function of whole numbers
    """
    n = len(values)
    starts = np.zeros(len(counts) + 1, np.int64)
    for c in range(len(counts)):
        starts[c + 1] = starts[c] + counts[c]
    place = starts[:-1].copy()
    own = np.empty(n, np.int64)
    for i in range(n):
        own[place[labels[i]]] = i
        place[labels[i]] += 1
    total = 0.0
    for c in range(len(counts)):
        first, last = starts[c], starts[c + 1]
        near = min(k, last - first - 1)
        for a in range(first, last):
            value = values[own[a]]
            radius = np.inf
            for left in range(max(first, a - near), min(a, last - 1 - near) + 1):
                wide = max(value - values[own[left]], values[own[left + near]] - value)
                radius = min(radius, wide)
            radius = np.nextafter(radius, 0.0)
            total += psi[near] - psi[last - first] - psi[_within(values, own[a], radius)]
    return total


@njit(nogil=True, cache=True)
def _within(values, i, radius):
    """The number of values at most ``radius`` from the i-th of sorted values, itself included."""
    value, n = values[i], len(values)
    step, low = 1, i  # galloping: the radius holds few values
    while low - step >= 0 and value - values[low - step] <= radius:
        low -= step
        step *= 2
    while step:
        if low - step >= 0 and value - values[low - step] <= radius:
            low -= step
        else:
            step //= 2
    step, high = 1, i
    while high + step < n and values[high + step] - value <= radius:
        high += step
        step *= 2
    while step:
        if high + step < n and values[high + step] - value <= radius:
            high += step
        else:
            step //= 2
    return high - low + 1


@njit(nogil=True, cache=True)
def _counts_within(values, order, radius, psi):
    """The sum of psi(points within the radius of each point) of unsorted values; ``order`` sorts them."""
    ordered = values[order]
    total = 0.0
    for i in range(len(order)):
        total += psi[_within(ordered, i, radius[order[i]])]
    return total


def information_of_numbers(x: np.ndarray, y: np.ndarray, k: int) -> float:
    """Mutual information in nats of two sets of numbers without ties, by k neighbours (Kraskov et al. 2004).

    >>> x = np.arange(50.0)
    >>> information_of_numbers(x, x, 3) > 1
    True
    """
    n = len(x)
    if n <= k:
        return 0.0
    both = np.column_stack([x, y])
    radius = np.nextafter(cKDTree(both).query(both, k=[k + 1], p=np.inf)[0][:, 0], 0.0)
    psi = digamma(np.arange(n + 1, dtype=np.float64).clip(1.0))
    sums = sum(_counts_within(each, np.argsort(each, kind="stable"), radius, psi) for each in (x, y))
    return max(0.0, float(digamma(n) + digamma(k) - sums / n))


def information(x: np.ndarray, y: np.ndarray, x_discrete: bool, y_discrete: bool, k: int = 3) -> float:
    """Mutual information in nats; discrete values are integer codes, numbers have no ties."""
    if x_discrete and y_discrete:
        return float(mutual_info_score(x, y))
    if x_discrete or y_discrete:
        return information_of_labels(y, x, k) if x_discrete else information_of_labels(x, y, k)
    return information_of_numbers(x, y, k)


# -- as in scikit-learn --------------------------------------------------------------------------------


def mutual_info_classif(
    X: Any,
    y: Any,
    *,
    discrete_features: Any = "auto",
    n_neighbors: int = 3,
    copy: bool = True,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """The mutual information of each column with classes, in nats: scikit-learn's values, many times as fast.

    Numbers are compared with the classes by nearest neighbours (Ross 2014), discrete columns by their frequencies.
    Columns of a table that have levels are discrete.

    Parameters
    ----------
    X : a matrix, or a table of numeric and nominal columns without missing values.
    y : the class of each row.
    discrete_features : whether all columns are discrete, a mask, or their positions; "auto" is those with levels, and
        all columns of a sparse matrix.
    n_neighbors : the number of neighbours; more lower the variance of the estimate, and add bias.
    copy : as in scikit-learn; X is never changed.
    random_state : the seed of the noise that separates equal numbers.
    n_jobs : the number of threads.

    Returns
    -------
    The information of each column; estimates below 0 are 0.

    >>> from sklearn.datasets import load_iris
    >>> mutual_info_classif(*load_iris(return_X_y=True), random_state=0).round(2)
    array([0.47, 0.29, 0.99, 0.97])
    """
    return _informations(X, y, discrete_features, True, n_neighbors, random_state, n_jobs)


def mutual_info_regression(
    X: Any,
    y: Any,
    *,
    discrete_features: Any = "auto",
    n_neighbors: int = 3,
    copy: bool = True,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """The mutual information of each column with a numeric target, in nats; see ``mutual_info_classif``.

    Parameters
    ----------
    X : a matrix, or a table of numeric and nominal columns without missing values.
    y : the number of each row.
    discrete_features, n_neighbors, copy, random_state, n_jobs : as in ``mutual_info_classif``.

    Returns
    -------
    The information of each column; estimates below 0 are 0.

    >>> x = np.random.default_rng(0).normal(size=(200, 2))
    >>> mutual_info_regression(x, x[:, 0], random_state=0).round(1)
    array([4., 0.])
    """
    return _informations(X, y, discrete_features, False, n_neighbors, random_state, n_jobs)


def _informations(
    X: Any, y: Any, discrete: Any, classes: bool, k: int, random_state: Any, n_jobs: int | None
) -> np.ndarray:
    if not isinstance(k, (int, np.integer)) or isinstance(k, bool) or k < 1:
        raise DataError(f"n_neighbors={k!r}.", "a whole number from 1")
    y = y.decoded() if isinstance(y, Column) else y
    levels = None
    if has_names(X):
        X, levels = _codes_of(Table.of(X, infer=False))
    X, y = check_X_y(X, y, accept_sparse="csc", y_numeric=not classes)
    mask = _discrete_mask(discrete, X, levels)
    if (~mask).any() and issparse(X):
        raise DataError("Sparse matrix `X` can't have continuous features.", "discrete_features=True")
    if classes:
        check_classification_targets(y)
        y = np.unique(y, return_inverse=True)[1].astype(np.int64)
    rng = check_random_state(random_state)
    columns = _column_getter(X, mask, rng)
    if not classes:
        y = _separate_ties(y.astype(np.float64), rng.standard_normal(size=len(y)))
    found = np.empty(X.shape[1])

    def some(start: int, stop: int) -> None:
        for j in range(start, stop):
            found[j] = information(columns(j), y, bool(mask[j]), classes, k)

    chunked(some, len(found), thread_count(n_jobs, _EACH * X.shape[0] * X.shape[1]), chunk=1)
    return found


def _codes_of(table: Table) -> tuple[np.ndarray, np.ndarray]:
    """The table as numbers, levels as codes; and which columns have levels."""
    levels = np.array([column.kind.has_levels for column in table])
    coded = (column.values.astype(np.float64) if has else column.numbers_array()
             for column, has in zip(table, levels, strict=True))  # fmt: skip
    gone = [column.name for column in table if column.missing.any()]
    if gone:
        raise DataError(
            f"column {gone[0]!r} has missing values.",
            "values in all rows",
            'SelectKBest("mutual_information") uses the rows that a column has; probus.tabular imputes.',
        )
    return np.column_stack(list(coded)), levels


def _discrete_mask(given: Any, X: Any, levels: np.ndarray | None) -> np.ndarray:
    if isinstance(given, str):
        if given != "auto":
            raise DataError(f"Invalid string value for discrete_features: {given!r}.", "'auto', a mask or positions")
        return np.full(X.shape[1], issparse(X)) if levels is None else levels
    if isinstance(given, (bool, np.bool_)):
        return np.full(X.shape[1], bool(given))
    listed = check_array(given, ensure_2d=False)
    if listed.dtype == bool:
        return listed
    mask = np.zeros(X.shape[1], dtype=bool)
    mask[listed] = True
    return mask


def _column_getter(X: Any, mask: np.ndarray, rng: np.random.RandomState) -> Any:
    """A function of the position of a column, which returns its codes, or its numbers without ties."""
    noise = rng.standard_normal(size=(X.shape[0], int((~mask).sum()))) if (~mask).any() else None
    place = np.cumsum(~mask) - 1

    def column(j: int) -> np.ndarray:
        values = X[:, [j]].toarray().ravel() if issparse(X) else X[:, j]
        if mask[j]:
            return np.unique(values, return_inverse=True)[1].astype(np.int64)
        assert noise is not None
        return _separate_ties(values.astype(np.float64), noise[:, place[j]])

    return column


def _separate_ties(values: np.ndarray, noise: np.ndarray) -> np.ndarray:
    """Numbers divided by their standard deviation, with a little noise."""
    spread = values.std()
    values = values / spread if spread >= 10 * np.finfo(np.float64).eps else values
    return values + _NOISE * max(1.0, float(np.abs(values).mean())) * noise


def information_with(column: Column, target: ScreeningTarget, k: int = 3) -> float:
    """The mutual information of a column of any kind with a target, on the rows where the column has a value."""
    present = ~column.missing
    n = int(present.sum())
    if n == 0:
        return 0.0
    discrete, classes = column.kind.has_levels, bool(target.n_classes)
    rng = np.random.default_rng(0)
    noise = rng.standard_normal((2, len(column)))[:, present]
    y = target.values[present] if classes else _separate_ties(target.values[present], noise[0])
    if discrete:
        return information(column.values[present].astype(np.int64), y, True, classes, k)
    values = column.numbers_array()[present]
    if values.min() == values.max():
        return 0.0
    return information(_separate_ties(values, noise[1]), y, False, classes, k)

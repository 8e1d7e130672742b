"""The silhouette: how much nearer rows are to their own cluster than to the next, by any distance."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_array, check_random_state

from probus.compiling import njit
from probus.data import Table, checked_array
from probus.distances import distance_of
from probus.distances.distance_matrix import check_distances
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.parallel import blas_on_one_thread, chunked, thread_count

_BLOCK = 256
_CELLS = 4_000_000


def silhouette_score(
    X: Any,
    labels: Any,
    *,
    metric: Any = "euclidean",
    sample_size: int | None = None,
    random_state: Any = None,
    **kwds: Any,
) -> float:
    """The mean of ``silhouette_samples``, of a sample of the rows if a size is given.

    Parameters
    ----------
    X, labels, metric, kwds : as in ``silhouette_samples``.
    sample_size : the number of rows of the sample; None is all rows.
    random_state : the seed of the sample.

    Returns
    -------
    The mean silhouette.

    >>> silhouette_score([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]).round(3)
    np.float64(0.9)
    """
    if sample_size is not None:
        chosen = check_random_state(random_state).permutation(len(np.asarray(labels)))[:sample_size]
        labels = np.asarray(labels)[chosen]
        if distance_of(metric).typed:
            X = Table.of(X, infer=False).take(chosen)
        else:
            X = np.asarray(X)[chosen]
            X = X[:, chosen] if metric == "precomputed" else X
    return np.mean(silhouette_samples(X, labels, metric=metric, **kwds))


def silhouette_samples(X: Any, labels: Any, *, metric: Any = "euclidean", **kwds: Any) -> np.ndarray:
    r"""How well each row lies within its cluster: from −1 to 1, 0 between two clusters or alone in one.

    .. math:: s_i = \frac{b_i - a_i}{\max(a_i, b_i)}

    with :math:`a_i` the mean distance to the other rows of its cluster, and :math:`b_i` that to the rows of the nearest
    other cluster. Distances are made in blocks and not stored.

    Parameters
    ----------
    X : rows; typed columns for ``metric="gower"``, all distances for ``metric="precomputed"``
    labels : the cluster of each row
    metric : any distance of ``probus.distances``, or scikit-learn's
    **kwds : parameters of the metric

    Returns
    -------
    The silhouette of each row.

    >>> silhouette_samples([[0.0], [1.0], [10.0], [11.0]], [0, 0, 1, 1]).round(3)
    array([0.905, 0.895, 0.895, 0.905])
    """
    distance = distance_of(metric)
    rows: Any = Table.of(X, infer=False) if distance.typed else _matrix(X, metric)
    n = rows.shape[0]
    codes = _codes(labels, n)
    counts = np.bincount(codes)
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(counts)
    rows = rows.take(order) if distance.typed else rows[order]
    if metric == "precomputed":
        rows = rows[:, order]
    if metric in ("euclidean", "l2") and not kwds and not hasattr(rows, "tocsr"):
        check_squares(rows)
        sums = _euclidean_sums(rows, ends)
    else:
        sums = _measured_sums(rows, metric, kwds, ends)
    values = np.empty(n)
    values[order] = _values(sums, codes[order], counts)
    return values


def _matrix(X: Any, metric: Any) -> Any:
    X = X.numbers() if isinstance(X, Table) else X
    given = metric == "precomputed"
    precision = np.finfo(np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64).eps
    X = check_array(checked_array(X), dtype=np.float64, accept_sparse="csr", ensure_all_finite=not given)
    if given:
        check_distances(X, diagonal=100.0 * float(precision))
    return X


def _codes(labels: Any, n: int) -> np.ndarray:
    labels = np.asarray(labels)
    if labels.shape != (n,):
        raise DataError(
            f"Found input variables with inconsistent numbers of samples: [{n}, {labels.size}]", "a label for each row"
        )
    names, codes = np.unique(labels, return_inverse=True)
    if not 1 < len(names) < n:
        raise DataError(f"Number of labels is {len(names)}. Valid values are 2 to n_samples - 1 (inclusive)")
    return codes


def _values(sums: np.ndarray, codes: np.ndarray, counts: np.ndarray) -> np.ndarray:
    own = np.arange(len(codes)), codes
    alone = counts[codes] == 1
    within = sums[own] / np.maximum(counts[codes] - 1, 1)
    means = sums / counts
    means[own] = np.inf
    between = means.min(axis=1)
    largest = np.maximum(within, between)
    with np.errstate(invalid="ignore"):
        values = np.where(largest > 0, (between - within) / largest, 0.0)
    return np.where(alone, 0.0, np.nan_to_num(values))


def _euclidean_sums(X: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The sum of the distances of each row to the rows of each cluster, which are consecutive."""
    X = np.ascontiguousarray(X - X.mean(axis=0))
    squares = np.einsum("ij,ij->i", X, X)
    terms: np.ndarray = np.vstack([-2.0 * X.T, squares])
    left = np.column_stack([X, np.ones(len(X))])
    sums = np.zeros((len(X), len(ends)))
    blocks = [(start, min(start + 2048, len(X))) for start in range(0, len(X), 2048)]
    terms_of = [np.ascontiguousarray(terms[:, start:stop]) for start, stop in blocks]

    def part(start: int, stop: int) -> None:
        for (first, last), term in zip(blocks, terms_of, strict=True):
            add_distances(left[start:stop] @ term, squares[start:stop], start, first, last, ends, sums[start:stop])

    threads = thread_count(None, float(X.size) * len(X))
    with blas_on_one_thread(threads > 1):
        chunked(part, len(X), threads, chunk=_BLOCK)
    return sums


def _measured_sums(rows: Any, metric: Any, params: dict[str, Any], ends: np.ndarray) -> np.ndarray:
    from sklearn.metrics import pairwise_distances

    n = rows.shape[0]
    starts = np.concatenate([[0], ends[:-1]])
    distance = distance_of(metric)
    search = None
    if not distance.precomputed and not hasattr(rows, "tocsr") and metric != "minkowski":
        search = distance.search(rows, params, "brute")
    params = {**_scale(metric, rows), **params}
    out = np.empty((n, len(ends)))
    size = max(1, _CELLS // n)
    for start in range(0, n, size):
        part = np.arange(start, min(start + size, n))
        if distance.precomputed:
            away = rows[part].toarray() if hasattr(rows, "tocsr") else rows[part]
        elif search is not None:
            away = search.distances(rows.take(part) if distance.typed else rows[part])
            away = np.where(np.isnan(away), np.nanmax(away), away)
        else:
            away = pairwise_distances(rows[part], rows, metric, **params)
        out[part] = np.add.reduceat(away, starts, axis=1)
    return out


def _scale(metric: Any, rows: Any) -> dict[str, Any]:
    """What distances in units of the columns' spread need, of all rows and not of a block."""
    if metric == "seuclidean":
        return {"V": np.var(rows, axis=0, ddof=1)}
    return {"VI": np.linalg.inv(np.cov(rows.T))} if metric == "mahalanobis" else {}


@njit(nogil=True, cache=True, fastmath={"contract", "reassoc", "nsz"})
def add_distances(products, squares, start, first, last, ends, sums):
    """Add the distances of a block of rows to those of the rows first … last to the sums of their clusters.

    products (IN)  float64[m, last − first]  squared distances less ‖x‖²;  squares (IN) float64[m] ‖x‖²
    ends (IN)      int64[k]  the end of each cluster;  sums (IN, OUT) float64[m, k]
    """
    for i in range(products.shape[0]):
        itself = start + i - first
        if 0 <= itself < last - first:
            products[i, itself] = -squares[i]
    cluster = 0
    while ends[cluster] <= first:
        cluster += 1
    low = first
    while low < last:
        high = min(ends[cluster], last)
        for i in range(products.shape[0]):
            square, row, total = squares[i], products[i, low - first : high - first], 0.0
            for r in range(row.shape[0]):
                total += np.sqrt(max(row[r] + square, 0.0))
            sums[i, cluster] += total
        low = high
        cluster += 1

"""Minkowski's distances, and which search suits their order, the number of rows and that of columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from probus.distances._column_search import ColumnSearch
from probus.distances._distance import Distance, Search
from probus.distances._euclidean_form import EuclideanForm
from probus.distances._kd_tree_search import KDTreeSearch
from probus.distances._product_search import ProductSearch
from probus.errors import DataError

_MANY_ROWS = 1000  # below, no tree is built
_FEW_COLUMNS = 6  # up to which a k-d tree is faster for any order
_MOST_COLUMNS = 16  # up to which it is tried for order 2: on many columns it visits most of its leaves
_SAMPLE = 32  # rows whose neighbours are searched to see how many leaves it visits
_FEW_LEAVES = 0.25  # the share of leaves up to which that is faster than matrix products, for any number of rows
_FEW_ROWS = 6000  # up to which it is faster even where all leaves are visited; in between, in proportion
# what these distances need beside the rows, and how it is computed
_SCALES: dict[Any, dict[str, str]] = {
    "seuclidean": {"V": "{'V': X.var(axis=0, ddof=1)}"},
    "mahalanobis": {"V": "{'VI': np.linalg.inv(np.cov(X.T))}", "VI": ""},
}


@dataclass(frozen=True)
class Minkowski(Distance):
    r"""The distance of order p; order 0 is the share of columns that differ.

    .. math:: d(x, z) = \Big(\sum_j w_j |x_j - z_j|^p\Big)^{1/p}

    order : p, or None where the parameters ``p`` and ``w`` give it and the weights of the columns.
    """

    order: float | None = None

    def search(self, rows: np.ndarray, params: Mapping[str, Any], algorithm: str) -> Search | None:
        """A k-d tree for few columns, matrix products for order 2, else column by column."""
        order, w = self.order, None
        if order is None:
            order, w = float(params["p"]), params["w"]
        elif params:
            return None
        if algorithm == "ball_tree" or 0 < order < 1:
            return None
        if w is not None:
            w = np.asarray(w, dtype=np.float64)
            if algorithm == "kd_tree" or w.shape != (rows.shape[1],) or (w < 0).any():
                return None
        if order == 2.0 and w is None and (unit := _unit(rows)) != 1.0:
            return EuclideanForm(rows, partial(np.multiply, 1.0 / unit), lambda distances, queries: distances * unit)
        if w is None and order >= 1 and algorithm in ("auto", "kd_tree"):
            tree = KDTreeSearch(rows, order) if algorithm == "kd_tree" else _fast_tree(rows, order)
            if tree is not None:
                return tree
        if algorithm == "kd_tree":
            return None
        if order == 2.0:
            return ProductSearch(rows) if w is None else EuclideanForm(rows, partial(np.multiply, np.sqrt(w)))
        return ColumnSearch(rows, order, w)


def _fast_tree(rows: np.ndarray, order: float) -> KDTreeSearch | None:
    """A k-d tree, unless another search is faster."""
    n, d = rows.shape
    if n < _MANY_ROWS or d > (_MOST_COLUMNS if order == 2.0 else _FEW_COLUMNS):
        return None
    tree = KDTreeSearch(rows, order)
    if d <= _FEW_COLUMNS or n <= _FEW_ROWS:
        return tree
    share = tree.share_measured(rows[:: n // _SAMPLE])
    return tree if share <= max(_FEW_LEAVES, _FEW_ROWS / n) else None


def _unit(rows: np.ndarray) -> float:
    """The power of two by which rows are divided so that squares neither overflow nor underflow; 1 for ordinary rows.

    >>> _unit(np.array([[3.0, -5.0]])), float(_unit(np.array([[2.0**700]]))) == 2.0**700
    (1.0, True)
    """
    largest = float(max(rows.max(), -rows.min()))
    return 1.0 if largest == 0.0 or 1e-100 < largest < 1e150 else 2.0 ** (np.frexp(largest)[1] - 1)


def effective_metric(metric: Any, p: float, params: dict[str, Any] | None) -> tuple[Any, dict[str, Any]]:
    """The metric by its plainest name and what is left of its parameters, as scikit-learn reports them.

    >>> effective_metric("minkowski", 1, None), effective_metric("minkowski", 3, None)
    (('manhattan', {}), ('minkowski', {'p': 3, 'w': None}))
    """
    left = dict(params or {})
    if metric in _SCALES and not left.keys() & _SCALES[metric].keys():
        raise DataError(f"metric={metric!r} without the scale of its columns.", f"metric_params={_SCALES[metric]['V']}")
    if metric != "minkowski":
        return metric, left
    order, w = left.pop("p", p), left.pop("w", None)
    plain = {1: "manhattan", 2: "euclidean", np.inf: "chebyshev"}
    if w is None and order in plain:
        return plain[order], left
    return metric, {**left, "p": order, "w": w}

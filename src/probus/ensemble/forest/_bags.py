"""Which rows each tree of a forest is grown on."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse

from probus.data import mixed
from probus.ensemble._row_weights import are_counts
from probus.errors import DataError, ModelFileError
from probus.state import Array, Maybe, Part, Size, Spec


@dataclass(frozen=True, eq=False)
class Bags(Part):
    """The rows of each tree, drawn from its seed when they are needed.

    Draws count the rows in an order that their content decides, so that a forest is the same however rows are ordered.

    Attributes
    ----------
    seeds : one for each tree.
    n_rows : how many rows there are.
    size : how many are drawn for a tree, with replacement; 0 where each tree has all rows.
    order : int32[n] the rows as draws count them.
    ends : float64[n] their weights summed up in that order; None where all weigh the same.
    """

    seeds: np.ndarray
    n_rows: int
    size: int
    order: np.ndarray
    ends: np.ndarray | None = None

    declared: ClassVar[dict[str, Spec]] = {
        "seeds": Array("i8", "T", 0, 2**32),
        "n_rows": Size("*"),
        "size": Size("*"),
        "order": Array("i4", "n", 0, "n"),
        "ends": Maybe(Array("f8", "n")),
    }

    def __len__(self) -> int:
        return len(self.seeds)

    def drawn(self, t: int) -> np.ndarray:
        """The rows drawn for tree t, in the order of the draws, some more than once."""
        if self.size == 0:
            return np.arange(self.n_rows, dtype=np.int32)
        random = np.random.RandomState(self.seeds[t])
        if self.ends is None:
            return self.order[random.randint(0, self.n_rows, self.size)]
        # whole weights are drawn as whole numbers, as if each row stood there as often as it weighs
        total = self.ends[-1]
        whole = total < 2**53 and bool((self.ends == np.floor(self.ends)).all())
        at = random.randint(0, int(total), self.size) if whole else random.random_sample(self.size) * total
        return self.order[np.minimum(np.searchsorted(self.ends, at, side="right"), self.n_rows - 1)]

    def counts(self, t: int) -> np.ndarray:
        """How often each row was drawn for tree t."""
        return np.bincount(self.drawn(t), minlength=self.n_rows)

    def extended(self, seeds: np.ndarray) -> Bags:
        """The bags of these trees and of others with such seeds."""
        return replace(self, seeds=np.concatenate([self.seeds, seeds]))

    def check(self) -> None:
        """Raise unless every draw ends at a row."""
        if (self.size > 0 and len(self.order) != self.n_rows) or not 0 <= self.size < 2**31 or self.n_rows < 1:
            raise ModelFileError(f"bags of {self.size} out of {self.n_rows} rows.", "an order of all rows")
        if self.ends is not None and (not np.isfinite(self.ends).all() or (np.diff(self.ends, prepend=0.0) < 0).any()):
            raise ModelFileError("bags of rows with weights below zero.", "weights summed up")


def bags_of(
    X: np.ndarray,
    y: np.ndarray,
    *,
    bootstrap: bool,
    max_samples: int | float | None,
    sample_weight: np.ndarray | None,
    class_weight: np.ndarray | None,
) -> Bags:
    """How rows are drawn for trees that are yet to come.

    Weights are proportional to the probability of being drawn. As many rows are drawn as there are, or as weights that
    are whole numbers sum up to: a row of weight 2 is that row twice.
    """
    n = len(X)
    none = np.empty(0, np.int64)
    if not bootstrap:
        if max_samples is not None:
            raise DataError(
                f"max_samples={max_samples!r}, but `max_sample` cannot be set if `bootstrap=False`. Either switch to "
                "`bootstrap=True` or set `max_sample=None`.",
            )
        return Bags(none, n, 0, np.empty(0, np.int32))
    order = order_by_content(X, y, sample_weight)
    weights = [w for w in (sample_weight, class_weight) if w is not None]
    ends = np.cumsum(np.multiply.reduce(weights)[order]) if weights else None
    return Bags(none, n, _size(n, max_samples, sample_weight), order, ends)


def _size(n: int, max_samples: int | float | None, weight: np.ndarray | None) -> int:
    repeated = weight is not None and are_counts(weight)
    total = n if weight is None or not repeated else int(weight.sum())
    if max_samples is None:
        return total
    if isinstance(max_samples, (int, np.integer)):
        return int(max_samples)
    return max(1, int(max_samples * (total if weight is None or repeated else weight.sum())))


def order_by_content(X: Any, y: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """The rows in an order that depends on their values, not on their positions; equal rows are adjacent, by weight.

    >>> X, y = np.array([[1.0], [2.0], [1.0], [3.0]]), np.array([0, 1, 0, 1])
    >>> X[order_by_content(X, y)][:, 0], X[::-1][order_by_content(X[::-1], y[::-1])][:, 0]
    (array([3., 2., 1., 1.]), array([3., 2., 1., 1.]))
    """
    n = X.shape[0]
    hashes = np.empty(n, np.uint64)
    for first in range(0, n, 4096):  # few enough to stay in the cache
        part = slice(first, first + 4096)
        h = np.zeros(len(y[part]), np.uint64)
        rows = X[part].toarray() if issparse(X) else X[part]
        for column in [*np.atleast_2d(y[part].T), *np.ascontiguousarray(rows.T, np.float64)]:
            h = mixed(h, column)
        hashes[part] = h
    order = np.argsort(hashes, kind="stable") if weight is None else np.lexsort((weight, hashes))
    return order.astype(np.int32)

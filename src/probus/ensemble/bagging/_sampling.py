"""Which rows and columns each member of a bagged ensemble is fitted on."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any
from warnings import warn

import numpy as np
from sklearn.utils.random import sample_without_replacement

from probus.data import content_of
from probus.ensemble.forest._bags import Bags, bags_of, order_by_content
from probus.errors import DataError


@dataclass(frozen=True, eq=False)
class BagDraws:
    """How rows and columns are drawn for each seed of the bags.

    With replacement, rows are drawn in proportion to their weights. Without, all rows are equally likely.
    """

    bags: Bags
    bootstrap: bool
    n_columns: int
    max_features: int
    bootstrap_features: bool

    def rows(self, t: int) -> np.ndarray:
        """The rows of member t.

        >>> bags = Bags(np.array([5]), 4, 3, np.arange(4, dtype=np.int32))
        >>> BagDraws(bags, False, 1, 1, False).rows(0)
        array([0, 1, 2], dtype=int32)
        """
        if self.bootstrap or self.bags.size == 0:
            return self.bags.drawn(t)
        places = sample_without_replacement(self.bags.n_rows, self.bags.size, random_state=int(self.bags.seeds[t]))
        return np.sort(self.bags.order[places])

    def columns(self, t: int) -> np.ndarray:
        """The columns of member t, in order unless columns may repeat."""
        rng = np.random.RandomState([self.bags.seeds[t], 1])  # another stream than that of the rows
        if self.bootstrap_features:
            return rng.randint(0, self.n_columns, self.max_features)
        return np.sort(sample_without_replacement(self.n_columns, self.max_features, random_state=rng))


def rows_to_draw(
    X: Any, y: np.ndarray, *, bootstrap: bool, max_samples: float | None, weights: np.ndarray | None
) -> Bags:
    """How rows are drawn for new members: as for a forest, or a subset without replacement."""
    content, n_rows = content_of(X), len(y)
    if y.ndim == 2:
        content, y = np.hstack([content, y[:, 1:]]), y[:, 0]
    if bootstrap:
        size = max_samples if weights is None or max_samples is None else _size_by_weight(max_samples, weights)
        return bags_of(content, y, bootstrap=True, max_samples=size, sample_weight=weights, class_weight=None)
    size = n_rows
    if max_samples is not None:
        size = int(max_samples) if isinstance(max_samples, Integral) else max(1, int(max_samples * n_rows))
    if size > n_rows:
        raise DataError(
            f"max_samples={size} must be <= n_samples={n_rows} to be able to sample without replacement.",
            f"at most {n_rows}",
            "Or pass bootstrap=True.",
        )
    order = order_by_content(content, y) if size < n_rows else np.empty(0, np.int32)
    return Bags(np.empty(0, np.int64), n_rows, size if size < n_rows else 0, order)


def _size_by_weight(max_samples: float, weights: np.ndarray) -> int:
    """The number of rows of a draw: a number, or a share of the total weight, at least one."""
    if isinstance(max_samples, Integral):
        return int(max_samples)
    total = float(weights.sum())
    size = max(1, int(max_samples * total))
    if size < max(10, len(weights) ** (1 / 3)):
        warn(
            f"Using the fractional value max_samples={max_samples} when the total sum of sample weights is {total:g} "
            f"results in a low number ({size}) of bootstrap samples. We recommend passing `max_samples` as an integer "
            "instead, or weights whose mean is 1.",
            stacklevel=5,
        )
    return size


def columns_drawn(max_features: float, n_columns: int) -> int:
    """The number of columns of a draw: a number, or a share of them, at least one.

    >>> columns_drawn(3, 10), columns_drawn(0.5, 7), columns_drawn(0.01, 7)
    (3, 3, 1)
    """
    size = int(max_features) if isinstance(max_features, Integral) else max(1, int(max_features * n_columns))
    if size > n_columns:
        raise DataError(f"max_features must be <= n_features; it is {size} of {n_columns} columns.", "as many at most")
    return size

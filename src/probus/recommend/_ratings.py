"""Ratings: which user rated which item, how, and when."""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from scipy.sparse import csr_matrix

from probus.data import Kind, Table
from probus.datasets.source import open_source
from probus.display import counted, counted_of, figure
from probus.errors import DataError
from probus.recommend._columns import RatingColumns, find_columns
from probus.recommend._ids import Ids, ids_of, with_exact_integers


class RatingsWarning(UserWarning):
    """Some rows of the ratings were left out or merged."""


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings of a table, one for each pair of a user and an item.

    Attributes
    ----------
    users, items : the different ids.
    user, item : int32[n], the number of the user and of the item of each rating.
    values : float64[n], the ratings; ones where the table has none.
    times : float64[n], when they were given; None where the table has no times.
    columns : the names of the columns in the table.
    """

    users: Ids
    items: Ids
    user: np.ndarray
    item: np.ndarray
    values: np.ndarray
    times: np.ndarray | None
    columns: RatingColumns

    @classmethod
    def of(
        cls,
        data: Any,
        *,
        user: str | None = None,
        item: str | None = None,
        rating: str | None = None,
        time: str | None = None,
        scale: tuple[float, float] | None = None,
        implicit: bool = False,
    ) -> Ratings:
        """Read ratings from a frame, a Table, a dict of columns, or a path, and check them.

        Rows without a rating are left out, and of ``implicit`` feedback, such as numbers of visits, those of 0. Of
        several ratings of an item by one user the last one counts where there are times, else their mean; of implicit
        feedback their sum.

        >>> ratings = Ratings.of({"user": ["a", "b", "a"], "item": [1, 1, 2], "rating": [5, 3, 4]})
        >>> ratings
        Ratings: 3 ratings from 3 to 5 of 2 items by 2 users (75 % of all pairs)
        """
        if isinstance(data, Ratings):
            return data
        table = table_of(data)
        columns = find_columns(table, user, item, rating, time, rated=not implicit)
        if not len(table):
            raise DataError("a table without rows.", "at least one rating")
        users, user_codes = Ids.of(ids_of(table[columns.user], "user"))
        items, item_codes = Ids.of(ids_of(table[columns.item], "item"))
        values = _numbers(table, columns.rating) if columns.rating else np.ones(len(table))
        times = _numbers(table, columns.time) if columns.time else None
        found = cls(users, items, user_codes, item_codes, values, times, columns)
        return found._within(scale, implicit)._rated(implicit)._distinct(implicit)

    def _rated(self, implicit: bool) -> Ratings:
        """Those with a rating; of implicit feedback, those of more than 0."""
        gone = np.isnan(self.values) | (implicit & (self.values == 0))
        if not gone.any():
            return self
        if gone.all():
            raise DataError(f"column {self.columns.rating!r} has no rating{' above 0' * implicit}.", "at least one")
        n = int(gone.sum())
        found = counted_of(n, len(self), "rows", "has", "have")
        warnings.warn(f"{found} no rating{' above 0' * implicit}: left out", RatingsWarning, stacklevel=4)
        return self.take(np.flatnonzero(~gone)).compact()

    def _within(self, scale: tuple[float, float] | None, implicit: bool) -> Ratings:
        low, high = (-np.inf, np.inf) if scale is None else scale
        outside = np.flatnonzero((self.values < low) | (self.values > high) | np.isinf(self.values))
        if outside.size:
            shown = ", ".join(figure(value) for value in np.unique(self.values[outside])[:3])
            rows = ", ".join(map(str, outside[:3]))
            where = f"outside the scale from {figure(low)} to {figure(high)}" if scale else "not finite"
            raise DataError(
                f"{counted(int(outside.size), 'rating')} {where}: {shown} (row {rows}).",
                "ratings on the scale" if scale else "finite numbers",
                "Pass scale=(lowest, highest), or leave these rows out." if scale else "",
            )
        if implicit and (self.values < 0).any():
            raise DataError(
                f"a rating of {figure(np.nanmin(self.values))} as implicit feedback.",
                "counts or weights of at least 0",
                "Pass implicit=False for ratings on a scale.",
            )
        return self

    def _distinct(self, implicit: bool) -> Ratings:
        """One rating for each pair of a user and an item."""
        pair = self.user.astype(np.int64) * len(self.items) + self.item
        order = np.argsort(pair, kind="stable") if self.times is None else np.lexsort((self.times, pair))
        first = np.flatnonzero(np.diff(pair[order], prepend=-1))
        n_more = len(self) - len(first)
        if not n_more:
            return self
        last = np.append(first[1:], len(self)) - 1
        if implicit:
            values, how = np.add.reduceat(self.values[order], first), "their sum counts"
        elif self.times is not None:
            values, how = self.values[order[last]], "the last one counts"
        else:
            values, how = np.add.reduceat(self.values[order], first) / (last - first + 1), "their mean counts"
        if not implicit:
            text = f"{counted(n_more, 'rating')} of a user and an item that have another: {how}"
            warnings.warn(text, RatingsWarning, stacklevel=4)
        kept = np.argsort(order[last])  # in the order of the rows
        return replace(self.take(order[last][kept]), values=values[kept])

    # -- parts -----------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: np.ndarray) -> Ratings:
        """Some of the ratings, with the numbers of all users and items."""
        times = None if self.times is None else self.times[rows]
        return replace(self, user=self.user[rows], item=self.item[rows], values=self.values[rows], times=times)

    def compact(self) -> Ratings:
        """The same ratings without users and items that have none."""
        user_labels, user = np.unique(self.user, return_inverse=True)
        item_labels, item = np.unique(self.item, return_inverse=True)
        return replace(
            self,
            users=Ids(self.users.labels[user_labels]),
            items=Ids(self.items.labels[item_labels]),
            user=user.astype(np.int32),
            item=item.astype(np.int32),
        )

    def among(self, users: Ids, items: Ids) -> Ratings:
        """The same ratings with the numbers of more users and items."""
        return replace(
            self,
            users=users,
            items=items,
            user=users.codes(self.users.labels)[self.user],
            item=items.codes(self.items.labels)[self.item],
        )

    @cached_property
    def by_user(self) -> csr_matrix:
        """float64[U, I], sparse: the ratings of each user in the order of items; those of 0 are kept."""
        return _rows(self.user, self.item, self.values, (len(self.users), len(self.items)))

    @cached_property
    def by_item(self) -> csr_matrix:
        """float64[I, U], sparse: the ratings of each item."""
        return _rows(self.item, self.user, self.values, (len(self.items), len(self.users)))

    def __repr__(self) -> str:
        share = len(self) / (len(self.users) * len(self.items))
        low, high = figure(self.values.min()), figure(self.values.max())
        scale = f" from {low} to {high}" if low != high else f" of {low}" if self.columns.rating else ""
        return (
            f"Ratings: {counted(len(self), 'rating')}{scale} of {counted(len(self.items), 'item')} "
            f"by {counted(len(self.users), 'user')} ({100 * share:.2g} % of all pairs)"
        )


def _rows(row: np.ndarray, column: np.ndarray, values: np.ndarray, shape: tuple[int, int]) -> csr_matrix:
    """A sparse matrix without summing, so that a stored 0 is a rating."""
    order = np.lexsort((column, row))
    indptr = np.zeros(shape[0] + 1, dtype=np.int64)
    np.cumsum(np.bincount(row, minlength=shape[0]), out=indptr[1:])
    return csr_matrix((values[order], column[order].astype(np.int32), indptr), shape=shape)


def table_of(data: Any) -> Table:
    """The table of a frame, a dict or a path, its columns as they are; whole numbers that floats round as strings."""
    if isinstance(data, (str, os.PathLike)):
        return open_source(data)[0]
    return with_exact_integers(Table.of(data, infer=False), data)


def _numbers(table: Table, name: str) -> np.ndarray:
    column = table[name]
    if column.kind is Kind.TEXT or (column.kind.has_levels and not _of_numbers(column.levels)):
        try:
            column = column.as_kind("numeric")
        except DataError:
            shown = ", ".join(map(repr, column.levels[:3])) if column.levels else "text"
            raise DataError(f"column {name!r} is not of numbers: {shown}.", "ratings or times as numbers") from None
    if column.kind is Kind.NUMERIC:
        return column.values
    levels = np.array([*map(float, column.levels), np.nan])
    return levels[column.values]


def _of_numbers(levels: Any) -> bool:
    return all(isinstance(level, (bool, int, float)) for level in levels)

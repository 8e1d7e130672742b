"""Baskets of items, read from the forms in which they are kept."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from probus.data import Column, Kind, Table, is_frame
from probus.display import figure
from probus.errors import DataError


@dataclass(frozen=True, eq=False)
class Baskets:
    """Baskets: the items of basket b are ``items[starts[b]:starts[b + 1]]``, codes into ``labels``, ascending.

    Parameters
    ----------
    labels : the items that the codes stand for.
    starts : where each basket begins, and the end of the last.
    items : the codes of all baskets, one after the other.

    >>> Baskets.of([["bread", "milk"], ["milk"], []]).labels
    ('bread', 'milk')
    >>> Baskets.of({"order": [1, 1, 2], "product": ["bread", "milk", "milk"]}, basket="order", item="product").n
    2
    >>> Baskets.of(Table.of({"sex": ["m", "f", "f"], "age": [3.0, 40.0, 50.0]}), bins=2).labels
    ('age > 45', 'age ≤ 45', 'sex = f', 'sex = m')
    """

    labels: tuple[Any, ...]
    starts: np.ndarray
    items: np.ndarray

    @property
    def n(self) -> int:
        """The number of baskets, empty ones included."""
        return len(self.starts) - 1

    @classmethod
    def of(cls, data: Any, *, basket: str | None = None, item: str | None = None, bins: int = 3) -> Baskets:
        """Read baskets.

        Parameters
        ----------
        data : one of
            Baskets;
            a list of baskets, each a list or set of items, which may be strings or numbers;
            a Boolean frame, matrix or sparse matrix (or one of zeros and ones) without missing values, a column for
            each item;
            a long table with a row for each item of a basket: name its columns by ``basket`` and ``item``; a row
            without an item is an empty basket;
            any other table: its items are "column = level", and numeric columns are cut into ``bins`` parts with
            about the same number of rows each. A missing value is no item.
        """
        if (basket is None) != (item is None):
            raise DataError("only one of basket and item is given.", "the names of both columns of a long table")
        if isinstance(data, Baskets):
            return data
        if basket is not None and item is not None:
            return _from_long_table(Table.of(data), basket, item)
        if sparse.issparse(data) or isinstance(data, np.ndarray):
            return _from_matrix(data, None)
        if isinstance(data, Table):
            return _from_table(data, bins)
        if is_frame(data) or isinstance(data, Mapping):
            table = Table.of(data, infer=False)
            if all(map(_is_boolean, table)):
                _check_known(table)
                return _from_matrix(np.column_stack([c.values for c in table]) == 1, table.names)
            return _from_table(Table.of(data), bins)
        return _from_lists(data)


def _from_codes(labels: Iterable[Any], baskets: np.ndarray, codes: np.ndarray, n: int) -> Baskets:
    """From pairs of a basket and an item, in any order, repeated perhaps."""
    names = list(labels)
    order = sorted(range(len(names)), key=lambda code: (isinstance(names[code], str), _sort_key(names[code])))
    place = np.empty(len(names), dtype=np.int64)
    place[order] = np.arange(len(names))
    pairs = np.unique(baskets * max(len(names), 1) + place[codes]) if len(codes) else np.empty(0, dtype=np.int64)
    owner, items = np.divmod(pairs, max(len(names), 1))
    starts = np.searchsorted(owner, np.arange(n + 1))
    return _check(Baskets(tuple(names[code] for code in order), starts.astype(np.int64), items.astype(np.int32)))


def _check(baskets: Baskets) -> Baskets:
    if baskets.n == 0:
        raise DataError("there are no baskets.", "at least one basket")
    if not len(baskets.items):
        raise DataError(f"all {baskets.n:,} baskets are empty.", "at least one item")
    return baskets


def _sort_key(label: Any) -> Any:
    return label if isinstance(label, (str, int, float, np.number)) else str(label)


def _from_lists(data: Any) -> Baskets:
    expected = "a list of baskets, each a list or set of items"
    if isinstance(data, (str, bytes)) or not isinstance(data, Iterable):
        raise DataError(f"baskets are {type(data).__name__}.", expected)
    codes: dict[Hashable, int] = {}
    coded: list[int] = []
    lengths: list[int] = []
    for number, basket in enumerate(data):
        if isinstance(basket, (str, bytes)) or not isinstance(basket, Iterable):
            hint = "For one basket, write [[…]]." if number == 0 else ""
            raise DataError(f"basket {number} is {basket!r}.", expected, hint)
        before = len(coded)
        for item in basket:
            try:
                code = codes.setdefault(item, len(codes))
            except TypeError:
                raise DataError(f"basket {number} holds {item!r}.", "items that are strings or numbers") from None
            coded.append(code)
        lengths.append(len(coded) - before)
    absent = [item for item in codes if item is None or item != item]
    if absent:
        raise DataError(f"baskets hold missing items ({absent[0]!r}).", "items that are strings or numbers")
    owner = np.repeat(np.arange(len(lengths)), lengths)
    return _from_codes(codes, owner, np.array(coded, dtype=np.int64), len(lengths))


def _from_matrix(data: Any, names: Iterable[Any] | None) -> Baskets:
    if len(data.shape) != 2:
        raise DataError(f"an array with {len(data.shape)} dimensions.", "a Boolean matrix, baskets × items")
    values = data.data if sparse.issparse(data) else data
    if values.dtype != bool and not np.isin(values, (0, 1)).all():
        raise DataError("the matrix holds values other than 0 and 1.", "a Boolean matrix, baskets × items")
    present = sparse.csr_array(data, dtype=bool)
    present.eliminate_zeros()
    present.sort_indices()
    labels = tuple(range(data.shape[1])) if names is None else tuple(names)
    return _check(Baskets(labels, present.indptr.astype(np.int64), present.indices.astype(np.int32)))


def _is_boolean(column: Column) -> bool:
    """Whether the values known are Booleans, or zeros and ones."""
    if column.kind is Kind.BINARY:
        return set(column.levels) <= {False, True}
    return column.kind is Kind.NUMERIC and bool(np.isin(column.values[~column.missing], (0.0, 1.0)).all())


def _check_known(table: Table) -> None:
    for column in table:
        missing = int(column.missing.sum())
        if missing:
            raise DataError(
                f"column {column.name!r} of a Boolean frame: {missing} of {table.n_rows} values are missing.",
                "True or False for each basket and item",
                "Where a missing value means that the item is not in the basket, use frame.fillna(False). For items "
                "such as 'a = True', pass a Table: probus.Table.of(frame).",
            )


def _from_long_table(table: Table, basket: str, item: str) -> Baskets:
    owners, items = table[basket], table[item]
    if owners.missing.any():
        raise DataError(f"column {basket!r}: {int(owners.missing.sum())} rows belong to no basket.", "a basket per row")
    distinct, owner = np.unique(owners.decoded(), return_inverse=True)
    known = ~items.missing
    labels, codes = np.unique(items.decoded()[known], return_inverse=True)
    return _from_codes(labels.tolist(), owner[known], codes, len(distinct))


def _from_table(table: Table, bins: int) -> Baskets:
    if bins < 2:
        raise DataError(f"bins={bins}.", "at least 2 parts of a numeric column")
    labels: list[str] = []
    owners, codes = [], []
    for column in table:
        if column.kind is Kind.TEXT:
            raise DataError(f"column {column.name!r} is text.", "columns with levels, or numbers", "Drop it.")
        names, code = _bin(column, bins) if column.kind is Kind.NUMERIC else _levels(column)
        rows = np.flatnonzero(code >= 0)
        owners.append(rows)
        codes.append(code[rows].astype(np.int64) + len(labels))
        labels += names
    none = [np.empty(0, dtype=np.int64)]
    return _from_codes(labels, np.concatenate(owners or none), np.concatenate(codes or none), table.n_rows)


def _levels(column: Column) -> tuple[list[str], np.ndarray]:
    return [f"{column.name} = {level}" for level in column.levels], column.values


def _bin(column: Column, bins: int) -> tuple[list[str], np.ndarray]:
    """Parts of a numeric column, cut between its quantiles; few distinct values are levels."""
    name, values = column.name, column.values
    known = ~np.isnan(values)
    distinct = np.unique(values[known])
    if len(distinct) <= bins:
        code = np.where(known, np.searchsorted(distinct, values), -1)
        return [f"{name} = {text}" for text in _texts(distinct, column.dates)], code
    wanted = np.quantile(values[known], np.arange(1, bins) / bins, method="inverted_cdf")
    below = np.unique(np.clip(np.searchsorted(distinct, wanted), 0, len(distinct) - 2))
    with np.errstate(over="ignore"):
        cuts = distinct[below] / 2 + distinct[below + 1] / 2
    cuts = np.where(np.isfinite(cuts), cuts, distinct[below])
    texts = _texts(cuts, column.dates)
    inner = [f"{low} < {name} ≤ {high}" for low, high in pairwise(texts)]
    code = np.where(known, np.searchsorted(cuts, values), -1)
    return [f"{name} ≤ {texts[0]}", *inner, f"{name} > {texts[-1]}"], code


def _texts(values: np.ndarray, dates: bool) -> list[str]:
    """Numbers in four digits, or in all where four do not distinguish them."""
    texts = [figure(value, dates=dates) for value in values]
    return texts if len(set(texts)) == len(texts) else [repr(value) for value in values.tolist()]

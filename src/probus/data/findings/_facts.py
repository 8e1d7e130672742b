"""Statistics of a column that checks share, computed once, and formatting for messages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from keyword import iskeyword
from typing import Any, TypeVar
from weakref import WeakKeyDictionary, ref

import numpy as np

from probus.data._column import Column, level_key
from probus.data._kind import Kind
from probus.data._table import Table
from probus.errors import Advice

T = TypeVar("T")
Check = Callable[[Table, str | None], Iterator[Any]]

_FEW_TEXTS = 20  # distinct values that may be long levels
_WORDS_OF_FREE_TEXT = 8  # words per cell, on average: names and titles have fewer, sentences more


def once_per_column(function: Callable[[Column], T]) -> Callable[[Column], T]:
    """The function with its results cached as long as the column exists."""
    known: dict[int, tuple[ref[Column], T]] = {}  # by identity: columns are compared value by value

    def cached(column: Column) -> T:
        key = id(column)
        if key not in known:
            known[key] = ref(column, lambda _: known.pop(key, None)), function(column)
        return known[key][1]

    cached.__doc__ = function.__doc__
    return cached


def once_per_target(function: Callable[[Table, str | None], T]) -> Callable[[Table, str | None], T]:
    """The function with its results for each target cached as long as the table exists."""
    known: WeakKeyDictionary[Table, dict[str | None, T]] = WeakKeyDictionary()

    def cached(table: Table, target: str | None) -> T:
        found = known.setdefault(table, {})
        if target not in found:
            found[target] = function(table, target)
        return found[target]

    cached.__doc__ = function.__doc__
    return cached


@dataclass(frozen=True)
class Facts:
    """The distinct values of a column: ``values[codes]`` is the column where ``codes`` is not -1 (missing).

    Numeric values are sorted; ``counts`` are the frequencies of the values.
    """

    codes: np.ndarray
    values: np.ndarray
    counts: np.ndarray

    @property
    def n_present(self) -> int:
        """The number of values that are not missing."""
        return int(self.counts.sum())

    @property
    def n_distinct(self) -> int:
        """The number of distinct values."""
        return len(self.counts)

    @property
    def rows_per_value(self) -> float:
        """The mean frequency of a value."""
        return self.n_present / max(self.n_distinct, 1)


@once_per_column
def facts(column: Column) -> Facts:
    """The distinct values of a column, their codes and their frequencies."""
    if column.kind is Kind.NUMERIC:
        present = ~np.isnan(column.values)
        values, inverse, counts = np.unique(column.values[present], return_inverse=True, return_counts=True)
        codes = np.full(len(column), -1, dtype=np.int32)
        codes[present] = inverse
        return Facts(codes, values, counts)
    if column.kind is Kind.TEXT:
        seen: dict[str, int] = {}
        codes = np.fromiter((-1 if v is None else seen.setdefault(v, len(seen)) for v in column.values), np.int32)
        levels: Iterable[Any] = seen
    else:
        codes, levels = column.values, column.levels
    table = np.empty(len(tuple(levels)), dtype=object)
    table[:] = list(levels)
    counts = np.bincount(codes[codes >= 0], minlength=len(table))
    used = counts > 0
    if not used.all():
        codes = np.append(np.cumsum(used) - 1, -1)[codes]
    return Facts(codes, table[used], counts[used])


def features(table: Table, target: str | None) -> list[Column]:
    """All columns except the target."""
    return [column for column in table if column.name != target]


def has_classes(column: Column) -> bool:
    """Whether a target holds classes, as defined by Task: levels, or two numbers."""
    return column.kind.has_levels or (column.kind is Kind.NUMERIC and facts(column).n_distinct == 2)


@once_per_column
def is_free_text(column: Column) -> bool:
    """Whether a column is text, or has many levels that are free text rather than labels."""
    if column.kind is not Kind.NOMINAL or facts(column).n_distinct <= _FEW_TEXTS:
        return column.kind is Kind.TEXT
    cells = [str(value).split() for value in facts(column).values[:1000]]
    return sum(map(len, cells)) > _WORDS_OF_FREE_TEXT * len(cells)


# -- formatting ----------------------------------------------------------------------------------------


def number(value: float) -> str:
    """A number without needless digits.

    >>> number(13454352.0), number(3.0), number(1 / 3)
    ('13454352', '3', '0.333333')
    """
    return level_key(value) if value == np.floor(value) else f"{value:.6g}"


READ = "probus.read(…, {})"  # the call that advice on missing values is for


def as_groups(name: str = "") -> Advice:
    """The advice to keep the groups of a column together; without a name, of one that is to be made.

    >>> print(as_groups("patient"))
    Task(…, group='patient'), or --groups patient
    """
    if not name:
        return Advice("group", python="Task(…, group=…)")
    return Advice("group", name, f"Task(…, group={name!r}), or --groups {name if name.isidentifier() else repr(name)}")


def with_kind(name: str, kind: str | list[str]) -> Advice:
    """The advice to set the kind of a column.

    >>> print(with_kind("grade", "ordinal"), with_kind("zip-code", "nominal"))
    table.with_kinds(grade='ordinal') table.with_kinds(**{'zip-code': 'nominal'})
    """
    plain = name.isidentifier() and not iskeyword(name)
    arguments = f"{name}={kind!r}" if plain else f"**{{{name!r}: {kind!r}}}"
    return Advice("kinds", {name: kind}, f"table.with_kinds({arguments})")


def without(*names: str) -> Advice:
    """The advice to leave columns out.

    >>> print(without("cost", "price"))
    table.drop('cost', 'price')
    """
    return Advice("drop", names, f"table.drop({', '.join(map(repr, names))})")


def without_values(name: str, condition: str) -> str:
    """The code that makes the values ``v`` of a numeric column missing where the condition holds."""
    place = f"table[{name!r}].values"
    return f"v = {place}; table.with_columns(Column.numbers({name!r}, np.where({condition}, np.nan, v)))"

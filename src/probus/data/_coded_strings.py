"""A column of strings, coded once: everything else is computed on the distinct strings only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from probus.data._column import Column, Level, gather
from probus.data._kind import Kind

if TYPE_CHECKING:
    import polars as pl


_BEGINNING = 5_000  # rows which have most of the distinct strings, if strings are repeated
_LONGER = 5  # times as many are looked at, if a tenth of the beginning is distinct
_FEW = 200  # strings that Python sorts before polars has started


def string_series(cells: Any) -> pl.Series:
    """Strings, with None for missing, as a polars series."""
    import polars as pl

    if isinstance(cells, pl.Series):
        return cells
    listed = cells.tolist() if isinstance(cells, np.ndarray) else list(cells)
    try:
        return pl.Series(listed, dtype=pl.String)
    except UnicodeEncodeError:  # half of a surrogate pair, which is not text
        return pl.Series([cell and cell.encode("utf-8", "replace").decode() for cell in listed], dtype=pl.String)


def _distinct(frame: pl.DataFrame) -> dict[str, pl.Series]:
    """The distinct strings of each column in order of appearance."""
    import polars as pl

    lists = frame.select(pl.all().unique(maintain_order=True).drop_nulls().implode())
    return {series.name: series[0] for series in lists}


def _codes(frame: pl.DataFrame, seen: dict[str, pl.Series]) -> pl.DataFrame:
    """The code of each cell, null if it is missing or has none."""
    import polars as pl

    enums = {name: pl.Enum(seen[name]) for name in frame.columns}
    return frame.select(
        pl.col(name).cast(enum, strict=False).to_physical().cast(pl.Int32) for name, enum in enums.items()
    )


@dataclass(frozen=True)
class CodedStrings:
    """The distinct strings of a column in order of appearance, and the code of each cell; −1 is missing.

    >>> strings = CodedStrings.of("size", ["S", None, "L", "S"])
    >>> strings.seen.to_list(), strings.codes.tolist(), strings.counts.tolist()
    (['S', 'L'], [0, -1, 1, 0], [2, 1])
    """

    name: str
    seen: pl.Series
    codes: np.ndarray

    @classmethod
    def of(cls, name: str, cells: Any) -> CodedStrings:
        """Code strings: a polars series, an array or a list."""
        (coded,) = cls.of_frame(string_series(cells).to_frame("strings"))  # polars refuses names that are not Unicode
        return replace(coded, name=name)

    @classmethod
    def of_frame(cls, frame: pl.DataFrame) -> list[CodedStrings]:
        """Code every column of a frame of strings; polars does it in parallel."""
        seen = _distinct(frame.head(_BEGINNING))
        if frame.height > _BEGINNING:
            many = [name for name, strings in seen.items() if 2 * len(strings) > _BEGINNING]
            some = [name for name, strings in seen.items() if 10 * len(strings) > _BEGINNING and name not in many]
            seen |= _distinct(frame.select(many)) | _distinct(frame.select(some).head(_LONGER * _BEGINNING))
        codes = _codes(frame, seen)
        columns = zip(frame.get_columns(), codes.get_columns(), codes.fill_null(-1).get_columns(), strict=True)
        return [
            cls(cells.name, seen[cells.name], filled.to_numpy())
            if coded.null_count() == cells.null_count()
            else cls._complete(cells, seen[cells.name], coded)
            for cells, coded, filled in columns
        ]

    @classmethod
    def _complete(cls, cells: pl.Series, seen: pl.Series, codes: pl.Series) -> CodedStrings:
        """The coded column, of which strings that are not among those ``seen`` have no code yet."""
        left = (codes.is_null() & cells.is_not_null()).to_numpy()
        rest = cells.filter(left).to_frame()
        more = _distinct(rest)
        complete = codes.fill_null(-1).to_numpy().copy()
        complete[left] = _codes(rest, more)[cells.name].to_numpy() + len(seen)
        return cls(cells.name, seen.append(more[cells.name]), complete)

    @cached_property
    def listed(self) -> list[str]:
        """The distinct strings as a list."""
        return self.seen.to_list()

    @cached_property
    def counts(self) -> np.ndarray:
        """The frequency of each distinct string."""
        return np.bincount(self.codes + 1, minlength=len(self.seen) + 1)[1:]

    @property
    def present(self) -> int:
        """The number of cells that are not missing."""
        return int(np.count_nonzero(self.codes >= 0))

    def without(self, gone: np.ndarray) -> CodedStrings:
        """The column with some of the distinct strings made missing."""
        if not gone.any():
            return self
        codes = np.append(np.where(gone, -1, np.cumsum(~gone) - 1), -1).astype(np.int32)
        return CodedStrings(self.name, self.seen.filter(~gone), self._recode(codes))

    def mapped(self, strings: pl.Series) -> CodedStrings:
        """The column with other strings in place of the distinct ones; those that become equal are merged.

        >>> import polars as pl
        >>> sizes = CodedStrings.of("size", [" S", "S", None]).mapped(pl.Series(["S", "S"]))
        >>> sizes.listed, sizes.codes.tolist()
        (['S'], [0, 0, -1])
        """
        if strings.n_unique() == len(strings):
            return CodedStrings(self.name, strings, self.codes)
        merged = CodedStrings.of(self.name, strings)
        return CodedStrings(self.name, merged.seen, self._recode(np.append(merged.codes, np.int32(-1))))

    def renamed(self, name: str) -> CodedStrings:
        """The column with another name."""
        return CodedStrings(name, self.seen, self.codes)

    def cells(self) -> pl.Series:
        """Every cell as a string, null if missing."""
        return gather(self.seen, self.codes)

    def looked_up(self, numbers: Any) -> np.ndarray:
        """The number of each cell, given the number of each distinct string."""
        return np.append(np.asarray(numbers, dtype=np.float64), np.nan)[self.codes]

    def alphabetical(self) -> np.ndarray:
        """The codes in alphabetical order of the strings."""
        if len(self.seen) < _FEW:
            return np.array(sorted(range(len(self.seen)), key=self.listed.__getitem__), dtype=np.intp)
        return self.seen.arg_sort().to_numpy()

    def coded_by(self, levels: Sequence[Level], kind: Kind, why: str) -> Column:
        """The column with those levels: the distinct strings in another order."""
        place = {string: code for code, string in enumerate(self.listed)}
        return self.ranked([place[str(level)] for level in levels], kind, why)

    def ranked(self, order: Sequence[int] | np.ndarray, kind: Kind, why: str) -> Column:
        """The column whose first level is the string ``order[0]``, and so on."""
        order = np.asarray(order, dtype=np.intp)
        place = np.full(len(self.seen) + 1, -1, dtype=np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        levels = tuple(map(self.listed.__getitem__, order.tolist()))
        return Column(self.name, kind, self._recode(place), levels, why=why)

    def _recode(self, place: np.ndarray) -> np.ndarray:
        """The code that ``place`` has for each cell; its last one is for missing cells."""
        return np.take(place, self.codes, mode="wrap")


def examine_strings(columns: Sequence[CodedStrings], **facts: pl.Expr) -> list[pl.DataFrame]:
    """Expressions of the distinct strings of each column, ``pl.first()``, in one query for all columns.

    >>> import polars as pl
    >>> columns = [CodedStrings.of("size", ["S", "L"]), CodedStrings.of("word", ["small"])]
    >>> [frame["n"].to_list() for frame in examine_strings(columns, n=pl.first().str.len_chars())]
    [[1, 1], [5]]
    """
    import polars as pl

    if not columns:
        return []
    found = pl.concat([cells.seen.alias("") for cells in columns], rechunk=True).to_frame().select(**facts)
    ends = np.cumsum([len(cells.seen) for cells in columns]).tolist()
    return [found.slice(end - len(cells.seen), len(cells.seen)) for cells, end in zip(columns, ends, strict=True)]

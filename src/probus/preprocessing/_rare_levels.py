"""Rare levels as one level, "other"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from probus.data import Column, Kind, Level, level_key

OTHER = "other"
_SHARE = 0.05  # of the rows: in small tables a level with fewer rows than this is rare


def rare_levels(column: Column, fewest: int, *, has_target: bool = False) -> list[Level]:
    """The levels of a nominal column with fewer rows than ``fewest`` and than 5 % of all; none if every level is rare.

    With a target there are none either if most rows have a rare level: these levels are encoded by the target.

    >>> rare_levels(Column.labels("town", ["Bonn"] * 30 + ["Oslo"] * 2 + ["Rome"]), 20)
    ['Rome']
    """
    if column.kind is not Kind.NOMINAL or (has_target and mostly_rare(column, fewest)):
        return []
    is_rare = _is_rare(level_counts(column), len(column), fewest)
    return [] if is_rare.all() else [level for level, rare in zip(column.levels, is_rare, strict=True) if rare]


def mostly_rare(column: Column, fewest: int) -> bool:
    """Whether more than half of the rows have a rare level.

    >>> mostly_rare(Column.labels("code", [f"c{i % 50}" for i in range(300)]), 20)
    True
    """
    counts = level_counts(column)
    return bool(2 * counts[_is_rare(counts, len(column), fewest)].sum() > len(column))


def level_counts(column: Column) -> np.ndarray:
    """The frequency of each level."""
    return np.bincount(column.values[column.values >= 0], minlength=len(column.levels))


def _is_rare(counts: np.ndarray, n_rows: int, fewest: int) -> np.ndarray:
    return counts < min(fewest, _SHARE * n_rows)


def grouped(column: Column, levels: Sequence[Level]) -> Column:
    """The column with these levels, and every other level as "other".

    >>> grouped(Column.labels("town", ["Bonn", "Rome", None]), ["Bonn"]).decoded().tolist()
    ['Bonn', 'other', None]
    """
    if not column.kind.has_levels:
        column = column.as_kind(Kind.NOMINAL)
    kept = [key for key in map(level_key, levels) if key != OTHER]
    known, _ = column.matched((*kept, OTHER), Kind.NOMINAL)
    return replace(known, values=np.where(column.values < 0, -1, known.values % (len(kept) + 1)).astype(np.int32))

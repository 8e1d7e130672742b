"""Encodings of levels as numbers: a table with one row per level and one column per number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from probus.data import Column, Level, level_key


@dataclass(frozen=True)
class Coding:
    """The numbers of each level, levels × numbers, and the suffixes of the names of the new columns."""

    lookup: np.ndarray
    suffixes: list[str]


def looked_up(column: Column, lookup: np.ndarray, names: Sequence[str]) -> list[Column]:
    """A column with levels, encoded as one column per number; missing is NaN in each of them."""
    padded = np.vstack([lookup, np.full(lookup.shape[1], np.nan)])
    return [Column.numbers(name, padded[column.values, k]) for k, name in enumerate(names)]


def one_hot(levels: Sequence[Level], counts: np.ndarray, max_levels: int) -> Coding:
    """A 1 for the level and 0 for all others; levels beyond the most frequent share one column, "other".

    >>> one_hot(("red", "green", "blue"), np.array([5, 1, 2]), max_levels=2)
    Coding(lookup=array([[1., 0., 0.],
       [0., 0., 1.],
       [0., 1., 0.]]), suffixes=['_red', '_blue', '_other'])
    """
    most_frequent = np.argsort(-counts, kind="stable")[:max_levels]
    kept = np.sort(most_frequent)
    suffixes = [f"_{level_key(levels[i])}" for i in kept]
    if len(kept) < len(levels) and "_other" not in suffixes:
        suffixes.append("_other")
    position = np.full(len(levels), suffixes.index("_other") if len(kept) < len(levels) else 0)
    position[kept] = np.arange(len(kept))
    return Coding(np.eye(len(suffixes))[position], suffixes)


def cumulative(levels: Sequence[Level], *, drop_first: bool) -> Coding:
    """A 1 for the level and for every level below it.

    >>> cumulative(("S", "M", "L"), drop_first=False)
    Coding(lookup=array([[1., 0., 0.],
       [1., 1., 0.],
       [1., 1., 1.]]), suffixes=['>=S', '>=M', '>=L'])
    """
    suffixes = [f">={level_key(level)}" for level in levels]
    return Coding(np.tri(len(levels))[:, int(drop_first) :], suffixes[int(drop_first) :])


def rank(levels: Sequence[Level]) -> Coding:
    """0 for the first level, 1 for the next, and so on."""
    return Coding(np.arange(float(len(levels)))[:, None], [""])


def zero_one(levels: Sequence[Level]) -> Coding:
    """Two levels as the numbers they are, if they are numbers, else as 0 and 1.

    >>> zero_one(("f", "m")).suffixes, zero_one((1, 2)).lookup.tolist()
    (['_m'], [[1.0], [2.0]])
    """
    if all(isinstance(level, (bool, int, float)) for level in levels):
        return Coding(np.array(levels, dtype=float).reshape(-1, 1), [""])
    return Coding(np.arange(float(len(levels)))[:, None], [f"_{level_key(levels[-1])}"])


def unchanged() -> Coding:
    """One column of numbers that need no encoding."""
    return Coding(np.empty((0, 1)), [""])


def dropped(levels: Sequence[Level]) -> Coding:
    """No column."""
    return Coding(np.empty((len(levels), 0)), [])

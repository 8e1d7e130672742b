"""What is drawn: rows, rows within classes, or whole groups; and the streams that draw them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.metrics._arrays import as_flat
from probus.metrics._outcome import Outcome

_NONE = np.empty(0, dtype=np.int32)
_OWN_ORDER = np.empty(0, dtype=np.uint32)


@dataclass(frozen=True, eq=False)
class Draws:
    """How a resample is drawn. A unit is what is drawn whole: a row, or a group of rows.

    order : uint32[U], the units stratum by stratum; empty where they are one stratum.
    starts : int64[S + 1], where each stratum begins, and the end.
    unit : int32[n], the unit of each row; empty where every row is one.
    stratum : int64[U], the stratum of each unit.
    """

    order: np.ndarray
    starts: np.ndarray
    unit: np.ndarray
    stratum: np.ndarray

    @classmethod
    def of(cls, outcome: Outcome, stratify: bool = False, groups: Any = None) -> Draws:
        """Draws from the rows of an outcome. Groups are drawn whole, and then class counts cannot be kept."""
        n = len(outcome)
        if n == 0:
            raise DataError("no rows.", "at least one to draw")
        if groups is not None:
            return cls._whole_groups(groups, n)
        if stratify and outcome.classes:
            _, stratum = np.unique(outcome.actual, return_inverse=True)
            order = np.argsort(stratum, kind="stable").astype(np.uint32)
            starts = np.concatenate([[0], np.cumsum(np.bincount(stratum))])
            return cls(order, starts.astype(np.int64), _NONE, stratum)
        return cls(_OWN_ORDER, np.array([0, n], dtype=np.int64), _NONE, np.zeros(n, dtype=np.int64))

    @classmethod
    def _whole_groups(cls, groups: Any, n: int) -> Draws:
        labels = as_flat(groups, "groups")
        if len(labels) != n:
            raise DataError(f"groups has {len(labels)} values for {n} rows.", "the group of every row")
        names, unit = np.unique(labels, return_inverse=True)
        if len(names) < 2:
            raise DataError(
                "1 group.", "2 or more, since whole groups are drawn", "Leave groups out to draw single rows."
            )
        starts = np.array([0, len(names)], dtype=np.int64)
        return cls(_OWN_ORDER, starts, unit.astype(np.int32), np.zeros(len(names), dtype=np.int64))

    @property
    def n_units(self) -> int:
        """How many units there are, and are drawn."""
        return len(self.stratum)

    @property
    def how(self) -> str:
        """What is special about the draws, for a method's name."""
        if len(self.unit):
            return ", whole groups"
        return ", within classes" if len(self.starts) > 2 else ""

    def by_unit(self, values: np.ndarray) -> np.ndarray:
        """Sums over the rows of each unit of float64[n]."""
        return np.bincount(self.unit, values, minlength=self.n_units) if len(self.unit) else values

    def by_row(self, values: np.ndarray) -> np.ndarray:
        """What each row has of its unit."""
        return values[self.unit] if len(self.unit) else values

    def centred(self, values: np.ndarray) -> np.ndarray:
        """One value per unit, less the mean of its stratum: what draws that keep the strata can move."""
        size = np.bincount(self.stratum)
        return values - (np.bincount(self.stratum, values) / size)[self.stratum]

    def with_more(self, units: int) -> Draws:
        """The same draws of units as if they were rows, and of so many more, which are a stratum where there are some.

        >>> Draws.of(Outcome.of([0, 1, 1], [0, 1, 1]), stratify=True).with_more(2).stratum
        array([0, 1, 1, 2, 2])
        """
        n = self.n_units + units
        if len(self.starts) == 2:
            return Draws(_OWN_ORDER, np.array([0, n], dtype=np.int64), _NONE, np.zeros(n, dtype=np.int64))
        order = np.append(self.order, np.arange(self.n_units, n, dtype=np.uint32))
        stratum = np.append(self.stratum, np.full(units, self.stratum.max() + 1))
        return Draws(order, np.append(self.starts, n), _NONE, stratum)

    def counts(self, seed: np.uint64) -> np.ndarray:
        """How often each row comes in the resample of that seed."""
        from probus.metrics.bootstrap._drawing import draw_counts

        counts = np.empty(self.n_units, dtype=np.uint8)
        draw_counts(seed, self.order, self.starts, counts)
        return self.by_row(counts)

    def blocks(self, at_most: int = 200) -> np.ndarray:
        """The block of each unit for a jackknife that leaves out one block at a time; every stratum is in each."""
        place = np.empty(self.n_units, dtype=np.int64)
        place[np.argsort(self.stratum, kind="stable")] = np.arange(self.n_units)
        return place % min(at_most, self.n_units)


def seeds_of(random_state: Any, n_resamples: int) -> np.ndarray:
    """One seed for each resample, from None, a whole number, or a RandomState or Generator of NumPy."""
    if n_resamples < 1:
        raise DataError(f"n_resamples={n_resamples}.", "1 or more; 2000 for a usable interval")
    if isinstance(random_state, np.random.Generator):
        random_state = random_state.integers(2**32, size=4).tolist()
    elif isinstance(random_state, np.random.RandomState):
        random_state = random_state.randint(2**31, size=4).tolist()
    elif not (random_state is None or (isinstance(random_state, int | np.integer) and random_state >= 0)):
        raise DataError(f"random_state={random_state!r}.", "None, a whole number from 0, a RandomState or a Generator")
    return np.random.SeedSequence(random_state).generate_state(n_resamples, np.uint64)

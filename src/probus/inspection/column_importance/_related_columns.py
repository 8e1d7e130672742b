"""Which columns go together: those that share their information, and so their importance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from probus.data import Table
from probus.inspection._associations import associations

_MOST_ROWS = 2_000
_MOST_COLUMNS = 60


@dataclass(frozen=True, eq=False)
class Related:
    """The strength of association of each pair of columns, from 0 to 1."""

    names: tuple[str, ...]
    strength: np.ndarray

    @classmethod
    def of(cls, table: Table) -> Related:
        """Of some rows of a table; of more than 60 columns, of the first ones."""
        names = table.names
        strength = np.zeros((len(names), len(names)))
        rows = np.random.default_rng(0).permutation(len(table))[:_MOST_ROWS]
        place = {name: j for j, name in enumerate(names)}
        for pair in associations(table.select(*names[:_MOST_COLUMNS]).take(np.sort(rows))):
            i, j = place[pair.first], place[pair.second]
            strength[i, j] = strength[j, i] = abs(pair.value)
        return cls(names, strength)

    def beside(self, columns: tuple[str, ...], least: float) -> tuple[str, ...]:
        """The other columns that are associated with some of these at least so strongly."""
        mine = [self.names.index(name) for name in columns if name in self.names]
        if not mine:
            return ()
        strong = self.strength[mine].max(axis=0) >= least
        return tuple(name for name, goes in zip(self.names, strong, strict=True) if goes and name not in columns)

    def nearest(self, sets: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, float]]:
        """For each set of columns the other column that is associated most, and how strongly."""
        found = {}
        for name, columns in sets.items():
            mine = [self.names.index(each) for each in columns if each in self.names]
            others = [j for j, each in enumerate(self.names) if each not in columns]
            if mine and others:
                best = max(others, key=lambda j: self.strength[mine, j].max())
                found[name] = (self.names[best], float(self.strength[mine, best].max()))
        return found

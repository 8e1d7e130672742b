"""How far each row is from the nearest one with a label."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.data import Kind, Table, is_frame
from probus.data.row_selection import take_rows
from probus.distances import Gower, pairwise_distances
from probus.parameters import parameter

METRIC = parameter(
    'The distance of ``max_distance``: "gower" for columns of any kind, from 0 to 1, or a name of '
    "``probus.distances`` for columns of numbers.",
    default="gower",
    of=[],
)
_BLOCK = 256  # rows


class NearestLabel:
    """The distance of every row to the nearest row that has a label; ``add`` says which have got one."""

    def __init__(self, X: Any, known: np.ndarray, metric: Any):
        self._metric = metric
        if metric == "gower":
            table = Table.of(X, infer=False)
            self._rows: Any = table.drop(*(column.name for column in table.of_kind(Kind.TEXT)))
            self._space = Gower(self._rows)  # the ranges of all rows, with and without labels
        else:
            self._rows = X.numbers() if isinstance(X, Table) else np.asarray(X) if is_frame(X) else X
        self.distances = np.full(len(known), np.inf)
        self.add(np.flatnonzero(known))

    def add(self, rows: np.ndarray) -> None:
        """Take note that these rows have a label now."""
        for start in range(0, len(rows), _BLOCK):
            some = take_rows(self._rows, rows[start : start + _BLOCK])
            if self._metric == "gower":
                found = self._space.distances(some)
                found[np.isnan(found)] = np.inf
            else:
                found = pairwise_distances(some, self._rows, metric=self._metric)
            np.minimum(self.distances, found.min(axis=0), out=self.distances)

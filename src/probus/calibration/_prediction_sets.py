"""The classes that cannot be excluded for each row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Level
from probus.display import Cells, Notes, Result, counted

_SHOWN = 10


@dataclass(frozen=True, eq=False, repr=False)
class PredictionSets(Result):
    """Sets of classes that hold the true one with a probability of at least about ``level``.

    Attributes
    ----------
    members : bool[n, K], whether each class is in the set of each row.
    p_values : float64[n, K], the share of training rows whose own class was at most as expected as this one is for the
        row.
    classes : the columns.
    level : the probability that is promised.
    by_class : whether the probability holds for each class, and not only on average.
    notes : what is promised for which classes.

    >>> sets = PredictionSets(np.array([[True, False], [True, True]]), np.eye(2), ("no", "yes"), 0.9)
    >>> sets.labels, sets.sizes
    ([('no',), ('no', 'yes')], array([1, 2]))
    >>> np.asarray(sets).sum()
    np.int64(3)
    """

    members: np.ndarray
    p_values: np.ndarray
    classes: tuple[Level, ...]
    level: float
    by_class: bool = False
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.members)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.members, dtype=dtype, copy=copy)

    @property
    def labels(self) -> list[tuple[Level, ...]]:
        """The classes of each set."""
        return [tuple(self.classes[code] for code in np.flatnonzero(row)) for row in self.members]

    @property
    def sizes(self) -> np.ndarray:
        """The number of classes in each set."""
        return self.members.sum(axis=1)

    def covers(self, y: Any) -> float:
        """The share of rows whose set holds the label."""
        return float(np.mean([label in mine for label, mine in zip(np.asarray(y).tolist(), self.labels, strict=True)]))

    def _parts(self) -> list[Any]:
        head = f"Sets of classes of {counted(len(self), 'row')} at {100 * self.level:g} %"
        rows = [(str(row), ", ".join(map(str, mine)) or "none") for row, mine in enumerate(self.labels)]
        head += " for each class" * self.by_class
        cells = Cells([("row", "classes"), *rows], most=_SHOWN)
        return [f"{head}: {self.sizes.mean():.2f} classes on average", cells, Notes(self.notes)]

    def _rows(self) -> dict[str, Any]:
        """A row for each set: its classes as text, its size, and whether each class is in it."""
        inside = {f"in_{label}": self.members[:, code] for code, label in enumerate(self.classes)}
        return {"set": [" | ".join(map(str, mine)) for mine in self.labels], "size": self.sizes, **inside}

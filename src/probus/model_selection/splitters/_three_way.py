"""Training, validation and test rows: one to learn from, one to choose by, one to judge by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit
from sklearn.utils import check_random_state

from probus.data import Task
from probus.display import percent
from probus.errors import DataError
from probus.model_selection.splitters._units import Pair
from probus.parameters import RANDOM_STATE, Declared, parameter


class Parts(NamedTuple):
    """The three parts of a task.

    Attributes
    ----------
    train, validation, test : the rows of each part.
    """

    train: Task
    validation: Task
    test: Task


@dataclass(frozen=True)
class TrainValidationTest(Declared):
    """Three parts of given shares, for one honest judgement after any amount of choosing.

    As a splitter it yields one split: what was chosen on the validation rows is fitted on training and validation
    rows together, and tested on the test rows. ``parts`` gives the three as tasks. Groups stay whole; where the
    task has a time, the test rows are the latest and the validation rows those before.

    >>> task = Task({"x": range(10), "y": ["a", "b"] * 5}, target="y")
    >>> [len(part) for part in TrainValidationTest(random_state=0).parts(task)]
    [6, 2, 2]
    """

    validation: float = parameter("The share of the validation rows.", default=0.2, above=0, below=1)
    test: float = parameter("The share of the test rows.", default=0.2, above=0, below=1)
    _: KW_ONLY
    stratify: bool = parameter("Whether the classes keep their shares in each part.", default=True)
    random_state: Any = RANDOM_STATE
    scheme: ClassVar[str] = "holdout"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """One."""
        return 1

    def split(self, X: Any, y: Any = None, groups: Any = None, *, times: Any = None) -> Iterator[Pair]:
        """Yield training and validation rows together, and test rows; a y of floats is not stratified."""
        train, validation, test = self._three(len(X), y, groups, times)
        yield np.sort(np.concatenate([train, validation])), test

    def parts(self, task: Task) -> Parts:
        """The task on the rows of each part."""
        y = task.table[task.target].values if task.classes else None
        return Parts(*(task.take(rows) for rows in self._three(len(task), y, task.groups, task.times)))

    def _three(self, n: int, y: Any, groups: Any, times: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        if self.validation + self.test >= 1:
            raise DataError(
                f"validation={self.validation} and test={self.test}.", "shares that leave some rows to train on"
            )
        rng = check_random_state(self.random_state)
        rest, test = self._held_out(np.arange(n), round(self.test * n), y, groups, times, rng)
        train, validation = self._held_out(rest, round(self.validation * n), y, groups, times, rng)
        return train, validation, test

    def _held_out(self, rows: np.ndarray, size: int, y: Any, groups: Any, times: Any, rng: Any) -> Pair:
        """The rows that stay and about ``size`` that leave."""
        labels, clusters, moments = (None if side is None else np.asarray(side)[rows] for side in (y, groups, times))
        if moments is not None:
            return _latest(rows, size / len(rows), moments, clusters)
        if clusters is not None:
            splitter: Any = GroupShuffleSplit(1, test_size=size / len(rows), random_state=rng)
        elif self.stratify and labels is not None and labels.dtype.kind != "f":
            splitter = StratifiedShuffleSplit(1, test_size=size, random_state=rng)
        else:
            splitter = ShuffleSplit(1, test_size=size, random_state=rng)
        stay, leave = next(splitter.split(rows, labels, clusters))
        return np.sort(rows[stay]), np.sort(rows[leave])

    def __str__(self) -> str:
        train = 1 - self.validation - self.test
        return f"training {percent(train)}, validation {percent(self.validation)}, test {percent(self.test)}"


def _latest(rows: np.ndarray, share: float, times: np.ndarray, groups: np.ndarray | None) -> Pair:
    """The rows of the last times, about that share of all; those of one time together."""
    cut = np.quantile(times, 1 - share, method="higher")
    leave = times >= cut
    stay = ~leave if groups is None else ~leave & ~np.isin(groups, groups[leave])
    if not stay.any():
        raise DataError("no earlier row is left to train on.", "times and groups that leave some")
    return rows[stay], rows[leave]

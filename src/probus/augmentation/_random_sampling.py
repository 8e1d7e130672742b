"""Rows of rare classes repeated, rows of frequent ones left out."""

from __future__ import annotations

from functools import reduce
from typing import ClassVar

import numpy as np

from probus.augmentation._noise import jittered
from probus.augmentation._sampler import ClassSampler, NewRows, concatenate, numeric_columns
from probus.data import Table
from probus.parameters import attribute, parameter
from probus.state import Array, Maybe, Spec


class RandomOverSampler(ClassSampler):
    """Repeats rows of the smaller classes, drawn at random.

    imbalanced-learn's class, parameters and, without ``shrinkage``, rows.

    Attributes
    ----------
    sampling_strategy_ : how many rows each class gets. sample_indices_ : the number of each row that is returned.

    Examples
    --------
    >>> X, y = RandomOverSampler(random_state=0).fit_resample([[1.0], [2.0], [3.0], [4.0]], ["a", "b", "b", "b"])
    >>> X.ravel().tolist(), y.tolist()
    ([1.0, 2.0, 3.0, 4.0, 1.0, 1.0], ['a', 'b', 'b', 'b', 'a', 'a'])
    """

    shrinkage: float | None = parameter(
        "None repeats rows exactly. A number adds noise to their numbers: the standard deviation of a column in the "
        "class, times this, times (4 / ((d + 2) n))^(1 / (d + 4)), the width of a kernel estimate of its density.",
        default=None,
        at_least=0,
    )

    sample_indices_: np.ndarray = attribute()
    fitted: ClassVar[dict[str, Spec]] = {**ClassSampler.fitted, "sample_indices_": Maybe(Array("i8", "*"))}

    def _resample(self, table: Table, target: np.ndarray, random: np.random.RandomState) -> NewRows:
        drawn: list[np.ndarray] = []
        smooth: list[Table] = []
        for code, n in self._wanted(np.bincount(target), self.classes_[target]).items():
            own = np.flatnonzero(target == code)
            drawn.append(own[random.randint(low=0, high=len(own), size=n)])
            if self.shrinkage is not None:
                smooth.append(self._smooth(table.take(own), table.take(drawn[-1]), random))
        added = np.concatenate([np.empty(0, np.int64), *drawn])
        everything = np.concatenate([np.arange(len(target)), added])
        self.sample_indices_ = everything
        if not smooth:
            return NewRows(everything)
        return NewRows(np.arange(len(target)), reduce(concatenate, smooth), target[added])

    def _smooth(self, own: Table, drawn: Table, random: np.random.RandomState) -> Table:
        """The drawn rows with the noise of a kernel estimate of the density of the class."""
        d = max(len(numeric_columns(own)), 1)
        width = self.shrinkage * (4.0 / ((d + 2) * len(own))) ** (1.0 / (d + 4))
        return jittered(drawn, own, width, random)


class RandomUnderSampler(ClassSampler):
    """Leaves out rows of the larger classes, drawn at random.

    imbalanced-learn's class, parameters and rows.

    Attributes
    ----------
    sampling_strategy_ : how many rows of each class stay. sample_indices_ : the number of each row that is returned.

    Examples
    --------
    >>> X, y = RandomUnderSampler(random_state=0).fit_resample([[1.0], [2.0], [3.0], [4.0]], ["a", "b", "b", "b"])
    >>> X.ravel().tolist(), y.tolist()
    ([1.0, 4.0], ['a', 'b'])
    """

    replacement: bool = parameter("Whether rows are drawn with replacement.", default=False)

    sample_indices_: np.ndarray = attribute()
    _removes: ClassVar[bool] = True
    fitted: ClassVar[dict[str, Spec]] = {**ClassSampler.fitted, "sample_indices_": Maybe(Array("i8", "*"))}

    def _resample(self, table: Table, target: np.ndarray, random: np.random.RandomState) -> NewRows:
        counts, kept = np.bincount(target), []
        wanted = self._wanted(counts, self.classes_[target])
        for code in range(len(counts)):
            own = np.flatnonzero(target == code)
            if code in wanted:
                own = own[random.choice(len(own), size=wanted[code], replace=self.replacement)]
            kept.append(own)
        self.sample_indices_ = np.concatenate(kept)
        return NewRows(self.sample_indices_)

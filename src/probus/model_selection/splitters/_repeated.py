"""Repeated folds that never split a group."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold
from sklearn.utils import check_random_state

from probus.model_selection.splitters._units import Pair
from probus.parameters import RANDOM_STATE, Declared, parameter


@dataclass(frozen=True)
class _Repeated(Declared, ABC):
    """Folds drawn anew in each repeat."""

    _: KW_ONLY
    n_splits: int = parameter("The number of folds.", default=5, at_least=2)
    n_repeats: int = parameter("How often they are drawn.", default=10, at_least=1)
    random_state: Any = RANDOM_STATE

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """The number of splits in all repeats."""
        return self.n_splits * self.n_repeats

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[Pair]:
        """Yield training and test rows."""
        for seed in check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=self.n_repeats).tolist():
            yield from self._folds(seed).split(X, y, groups)

    @abstractmethod
    def _folds(self, seed: int) -> Any:
        """The splitter of one repeat."""


@dataclass(frozen=True)
class RepeatedGroupKFold(_Repeated):
    """k folds of whole groups, drawn anew in each repeat.

    >>> RepeatedGroupKFold(n_splits=5, n_repeats=2).get_n_splits()
    10
    """

    def _folds(self, seed: int) -> GroupKFold:
        return GroupKFold(self.n_splits, shuffle=True, random_state=seed)

    def __str__(self) -> str:
        return f"grouped {self.n_splits}-fold cross-validation, {self.n_repeats} times"


@dataclass(frozen=True)
class RepeatedStratifiedGroupKFold(_Repeated):
    """k folds of whole groups with the class shares as even as the groups allow, drawn anew in each repeat.

    >>> RepeatedStratifiedGroupKFold(n_splits=5, n_repeats=2).get_n_splits()
    10
    """

    def _folds(self, seed: int) -> StratifiedGroupKFold:
        return StratifiedGroupKFold(self.n_splits, shuffle=True, random_state=seed)

    def __str__(self) -> str:
        return f"stratified grouped {self.n_splits}-fold cross-validation, {self.n_repeats} times"

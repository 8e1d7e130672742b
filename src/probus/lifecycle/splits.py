"""Repeated cross-validation: the same splits for every model."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from probus.errors import DataError

__all__ = ["Splits", "repeated_splits"]


@dataclass(frozen=True, eq=False)
class Splits:
    """Train and test rows of each split, and how they were drawn."""

    pairs: tuple[tuple[np.ndarray, np.ndarray], ...]
    folds: int
    repeats: int
    how: str

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def test_to_train(self) -> float:
        """The mean ratio of test rows to training rows."""
        return float(np.mean([len(test) / len(train) for train, test in self.pairs]))


def repeated_splits(
    y: np.ndarray, *, classify: bool, groups: np.ndarray | None, folds: int, repeats: int, seed: int
) -> Splits:
    """Folds drawn anew in each repeat: stratified by class, and never parting a group.

    >>> splits = repeated_splits(np.array([0, 1] * 10), classify=True, groups=None, folds=5, repeats=2, seed=0)
    >>> len(splits), splits.how
    (10, 'stratified 5-fold cross-validation, 2 times')
    """
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    _check(y, groups, folds, repeats)
    if groups is None:
        splitter = StratifiedKFold if classify else KFold
    else:
        splitter = StratifiedGroupKFold if classify else GroupKFold
    pairs = []
    for child in np.random.SeedSequence(seed).spawn(repeats):
        state = int(child.generate_state(1)[0])
        with warnings.catch_warnings():
            # a class smaller than the folds is reported by the study, once, in words
            warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
            pairs += list(splitter(folds, shuffle=True, random_state=state).split(y, y, groups))
    how = "".join(["stratified " * classify, "grouped " * (groups is not None), f"{folds}-fold cross-validation"])
    return Splits(tuple(pairs), folds, repeats, how + (f", {repeats} times" if repeats > 1 else ""))


def _check(y: np.ndarray, groups: np.ndarray | None, folds: int, repeats: int) -> None:
    if folds < 2:
        raise DataError(f"folds={folds}.", "at least 2: one part to test on, the rest to learn from")
    if repeats < 1:
        raise DataError(f"repeats={repeats}.", "at least 1")
    units, what = (len(y), "rows") if groups is None else (len(np.unique(groups)), "groups")
    if units < folds:
        raise DataError(f"{units} {what} for {folds} folds.", f"at least as many {what} as folds", "Ask for fewer.")

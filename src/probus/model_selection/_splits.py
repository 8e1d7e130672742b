"""Any way of splitting, applied to a task and its roles."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import BaseShuffleSplit, KFold, StratifiedKFold, TimeSeriesSplit

from probus.data import Task, quote_some
from probus.data.findings import Copies, copies_of
from probus.display import counted
from probus.errors import Advice, DataError
from probus.model_selection._ordered_folds import ordered_splitter
from probus.model_selection.splitters import (
    GroupTimeSplit,
    LeavePOut,
    RepeatedGroupKFold,
    RepeatedStratifiedGroupKFold,
    TimeOrderedSplit,
    TrainValidationTest,
)
from probus.model_selection.splitters._units import Pair

Scheme = Literal["cross-validation", "bootstrap", "out-of-bag", "holdout"]

_FOLDS = 5
_REPEATS = ((2_000, 5), (50_000, 2))  # up to so many rows, so often: repeats reveal how models vary, and cost fits
_HALVED = 2_000  # up to so many rows, unstable models are fitted on halves of them too
_HALVINGS = 10


@dataclass(frozen=True, eq=False)
class Splits:
    """Training and test rows of each split, and how they were drawn.

    Attributes
    ----------
    pairs : the numbers of the training and the test rows of each split.
    folds, repeats : so many runs of so many splits; within a run no row is tested twice.
    how : how they were drawn, in words.
    scheme : what kind of splits they are.
    halved : the seed of the halves of the rows for models that prove unstable; None where there are none.
    copies : the rows that were kept in one fold.
    """

    pairs: tuple[Pair, ...]
    folds: int
    repeats: int
    how: str
    scheme: Scheme = "cross-validation"
    halved: int | None = None
    copies: Copies | None = None

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def test_to_train(self) -> float:
        """The mean ratio of test rows to distinct training rows."""
        repeated = self.scheme in ("bootstrap", "out-of-bag")
        known = [len(np.unique(train)) if repeated else len(train) for train, _ in self.pairs]
        return float(np.mean([len(test) / n for (_, test), n in zip(self.pairs, known, strict=True)]))

    @property
    def forward(self) -> bool:
        """Whether every split tests rows that come after all of its training rows, as where rows are in time order."""
        return all(train.max() < test.min() for train, test in self.pairs)

    def units(self, task: Task) -> np.ndarray | None:
        """The group of each row, or its set of rows that repeat each other; None where rows are independent."""
        return task.groups if self.copies is None else self.copies.unit

    def __repr__(self) -> str:
        return f"{counted(len(self), 'split')}: {self.how}"


def splits_of(cv: Any, task: Task, *, random_state: Any = None) -> Splits:
    """The splits of a task by anything that splits, such that the roles of its columns are kept.

    Groups are never split between training and test rows; a time column orders the rows; folds are stratified by class.
    The default folds keep rows together that repeat each other, exactly or nearly, more often than chance explains.

    Parameters
    ----------
    cv : None for 5 folds, drawn 5 times up to 2,000 rows, twice up to 50,000 and once beyond; a number of folds; a
        splitter of Probus or scikit-learn; pairs of training and test rows; or Splits, which are returned as they
        are. Where the task has a time, None and numbers give time-ordered splits.
    task : the task whose rows are split.
    random_state : decides the folds of None and of numbers. None always gives the same folds, so that models which
        were resampled apart can still be compared pair by pair. Splitters have their own.

    Returns
    -------
    The splits.

    >>> task = Task({"x": range(20), "y": ["a", "b"] * 10}, target="y")
    >>> splits_of(None, task)
    25 splits: stratified 5-fold cross-validation, 5 times
    >>> splits_of([(range(10), range(10, 20))], task)
    1 split: given
    """
    if isinstance(cv, Splits):
        _check_pairs(cv.pairs, task, cv.scheme, cv.how)
        return cv
    if cv is None and task.times is None:
        repeats = next((times for rows, times in _REPEATS if len(task) <= rows), 1)
        drawn = repeated_folds(task, _FOLDS, repeats, random_state, copies_in(task))
        return replace(drawn, halved=seeds(random_state or 0, 1)[0]) if len(task) <= _HALVED else drawn
    if cv is None or (isinstance(cv, (int, np.integer)) and not isinstance(cv, bool)):
        folds = _FOLDS if cv is None else int(cv)
        if task.times is None:
            return repeated_folds(task, folds, 1, random_state)
        cv = ordered_splitter(_checked_folds(folds), task, random_state)
    if hasattr(cv, "split") and not isinstance(cv, str):
        pairs = _pairs_by(cv, task)
        scheme = getattr(cv, "scheme", None)
        how, single = _words(cv, len(pairs)), isinstance(cv, BaseShuffleSplit)
    else:
        pairs, scheme, how, single = _given(cv), None, "given", False
    return _describe(pairs, task, scheme, how, single)


# -- drawing -------------------------------------------------------------------------------------------


def copies_in(task: Task) -> Copies | None:
    """Rows of a task that repeat each other; None where there are few, or where groups or a time decide the splits."""
    return copies_of(tuple(task.X)) if task.groups is None and task.times is None else None


def folds_of(task: Task, folds: int, random_state: Any = None) -> Splits:
    """The folds where nobody chose how to split: as ``splits_of`` a number, with rows that repeat each other in one."""
    if task.times is not None:
        return splits_of(folds, task, random_state=random_state)
    return repeated_folds(task, folds, 1, random_state, copies_in(task))


def repeated_folds(
    task: Task, folds: int, repeats: int, random_state: Any = None, copies: Copies | None = None
) -> Splits:
    """Folds drawn anew in each repeat; stratified where some class is large enough to be in every fold.

    Of ``copies`` the first row is drawn, and the others go with it.

    Parameters
    ----------
    task : the task whose rows are split.
    folds : the number of folds.
    repeats : how often they are drawn.
    random_state : the seed of what is drawn at random.
    copies : for each row, the number of the first row that it repeats.

    Returns
    -------
    The splits.
    """
    codes, groups = task.table[task.target].values, task.groups
    if copies is not None and copies.n_units < 2 * folds:
        copies = None  # hardly any row is different
    first, unit = (np.arange(len(task)),) * 2 if copies is None else copies.first_and_place
    units, what = (len(first), "rows") if groups is None else (len(np.unique(groups)), "groups")
    if repeats < 1:
        raise DataError(f"repeats={repeats}.", "at least 1")
    if units < _checked_folds(folds):
        raise DataError(
            f"{counted(units, what[:-1])} for {folds} folds.", f"at least as many {what} as folds",
            f"Pass a smaller {Advice('cv', '')}." if units > 1 else "",
        )  # fmt: skip
    stratified = bool(task.classes) and bool(np.bincount(codes[first]).max() >= folds)
    if groups is not None:
        repeated = RepeatedStratifiedGroupKFold if stratified else RepeatedGroupKFold
        seed = 0 if random_state is None else random_state
        pairs = _quietly(repeated(n_splits=folds, n_repeats=repeats, random_state=seed), codes, groups)
        _check_pairs(tuple(pairs), task, "cross-validation", "grouped folds")  # few large groups may leave one empty
    else:
        plain = StratifiedKFold if stratified else KFold
        pairs = [
            pair
            for seed in seeds(0 if random_state is None else random_state, repeats)
            for pair in _quietly(plain(folds, shuffle=True, random_state=seed), codes[first], None)
        ]
        if copies is not None:
            pairs = [tuple(_rows_of(part, unit, len(first)) for part in pair) for pair in pairs]  # type: ignore[misc]
    how = "".join(["stratified " * stratified, "grouped " * (groups is not None), f"{folds}-fold cross-validation"])
    how += f", {repeats} times" if repeats > 1 else ""
    how += f", {copies.words}" if copies is not None else ""
    return Splits(tuple(pairs), folds, repeats, how, copies=copies)


def _rows_of(drawn: np.ndarray, unit: np.ndarray, n: int) -> np.ndarray:
    """The rows of some units."""
    chosen = np.zeros(n, dtype=bool)
    chosen[drawn] = True
    return np.flatnonzero(chosen[unit])


def halves(task: Task, splits: Splits) -> Splits | None:
    """Models of either half of the rows, tested on the other half, ten times: disjoint training sets of one size.

    None where the rows are not to be halved.
    """
    return None if splits.halved is None else repeated_folds(task, 2, _HALVINGS, splits.halved, splits.copies)


def _checked_folds(folds: int) -> int:
    if folds < 2:
        raise DataError(f"{folds} folds.", "at least 2: one part to test on, the rest to learn from")
    return folds


def seeds(random_state: Any, n: int) -> list[int]:
    """Seeds for n independent pieces of work, the same for the same whole number.

    >>> seeds(0, 2)
    [3757552657, 673228719]
    """
    if not isinstance(random_state, (int, np.integer)):
        from sklearn.utils import check_random_state

        random_state = check_random_state(random_state).randint(np.iinfo(np.int32).max)
    return [int(child.generate_state(1)[0]) for child in np.random.SeedSequence(int(random_state)).spawn(n)]


def _quietly(cv: Any, y: np.ndarray, groups: np.ndarray | None) -> list[Pair]:
    with warnings.catch_warnings():
        # the result reports a class smaller than the folds, once; groups that are split are an error
        for known in ("The least populated class", "The groups parameter is ignored"):
            warnings.filterwarnings("ignore", message=known, category=UserWarning)
        return list(cv.split(y, y, groups))


def _pairs_by(cv: Any, task: Task) -> list[Pair]:
    """The splits of a task by a splitter object."""
    y: Any = task.table[task.target].values
    if isinstance(cv, LeavePOut):
        cv.check_number(y, task.groups)
    try:
        if isinstance(cv, (GroupTimeSplit, TimeOrderedSplit, TrainValidationTest)):
            return list(cv.split(y, y, task.groups, times=task.times))
        if isinstance(cv, TimeSeriesSplit) and task.times is not None:
            order = np.argsort(task.times, kind="stable")
            return [(np.sort(order[train]), np.sort(order[test])) for train, test in cv.split(y)]
        return _quietly(cv, y, task.groups)
    except DataError:
        raise
    except (TypeError, ValueError) as error:
        hint = "Pass group=… to the Task." if task.groups is None and "group" in str(error) else ""
        raise DataError(f"{cv} cannot split this task: {error}", hint=hint) from error


def _given(cv: Any) -> list[Pair]:
    """Pairs of rows as users hand them over: row numbers or masks."""
    try:
        return [(_row_numbers(train), _row_numbers(test)) for train, test in cv]
    except (TypeError, ValueError):
        raise DataError(
            f"found {type(cv).__name__} {str(cv)[:40]!r} to split by.",
            "None, a number of folds, a splitter, or pairs of training and test rows",
        ) from None


def _row_numbers(rows: Iterable[Any]) -> np.ndarray:
    array = np.asarray(rows if hasattr(rows, "__array__") else list(rows))
    return np.flatnonzero(array) if array.dtype.kind == "b" else array.astype(np.intp)


# -- describing and checking ---------------------------------------------------------------------------

_NAMES = {
    "KFold": "{n}-fold cross-validation",
    "StratifiedKFold": "stratified {n}-fold cross-validation",
    "GroupKFold": "grouped {n}-fold cross-validation",
    "StratifiedGroupKFold": "stratified grouped {n}-fold cross-validation",
    "LeaveOneOut": "leave-one-out cross-validation",
    "LeaveOneGroupOut": "leave-one-group-out cross-validation",
    "ShuffleSplit": "random hold-out, {n} times",
    "StratifiedShuffleSplit": "stratified random hold-out, {n} times",
    "GroupShuffleSplit": "grouped random hold-out, {n} times",
}


def _words(cv: Any, n: int) -> str:
    """A splitter in words."""
    name = type(cv).__name__
    if name in _NAMES:
        return _NAMES[name].format(n=n).removesuffix(", 1 times")
    return str(cv) if type(cv).__module__.startswith("probus.") else f"{name}, {counted(n, 'split')}"


def _describe(pairs: list[Pair], task: Task, scheme: Any, how: str, single: bool) -> Splits:
    folds = 1 if single else _folds_within(pairs)
    if scheme is None:
        scheme = "cross-validation" if folds > 1 else "holdout"
    _check_pairs(tuple(pairs), task, scheme, how)
    return Splits(tuple(pairs), folds, len(pairs) // folds, how, scheme)


def _folds_within(pairs: list[Pair]) -> int:
    """How many consecutive splits make a run in which no row is tested twice; 1 where there is no such order."""
    runs: list[int] = []
    tested: set[int] = set()
    for _, test in pairs:
        rows = set(test.tolist())
        if runs and tested.isdisjoint(rows):
            runs[-1] += 1
            tested |= rows
        else:
            runs.append(1)
            tested = rows
    return runs[0] if len(set(runs)) == 1 else 1


def _check_pairs(pairs: tuple[Pair, ...], task: Task, scheme: str, how: str) -> None:
    if not pairs:
        raise DataError("no split at all.", "at least one pair of training and test rows")
    groups = None if task.groups is None else np.unique(task.groups, return_inverse=True)
    for number, (train, test) in enumerate(pairs):
        if len(train) == 0 or len(test) == 0:
            raise DataError(f"split {number} has {len(train)} training and {len(test)} test rows.", "some of each")
        last = max(train.max(), test.max())
        if last >= len(task) or min(train.min(), test.min()) < 0:
            raise DataError(f"split {number} names row {last}.", f"rows 0 to {len(task) - 1:,} of this task")
        if scheme == "bootstrap":
            continue
        trained = np.zeros(len(task), dtype=bool)
        trained[train] = True
        if trained[test].any():
            raise DataError(
                f"split {number} tests {int(trained[test].sum())} rows that it trains on.", "rows it has not seen"
            )
        if groups is not None:
            names, codes = groups
            shared = np.intersect1d(codes[train], codes[test])
            if len(shared):
                raise DataError(
                    f"{how}: group {quote_some(names[shared].tolist(), 3)} of column {task.group!r} "
                    f"is in training and test rows of split {number}.",
                    "groups that stay whole",
                    "Pass cv=GroupKFold() or StratifiedGroupKFold(), or no groups.",
                )

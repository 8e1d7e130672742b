"""Predictions of every row by a model that was not fitted on it, made here or kept by ``resample``."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    check_cv,
)

from probus.base import Model
from probus.data.row_selection import take_rows, train_every_class
from probus.ensemble import fit_member
from probus.errors import DataError
from probus.model_selection import Resampled
from probus.model_selection.engine import run_jobs
from probus.model_selection.splitters import Pair

METHODS = ("cv+", "cv", "jackknife+", "split")

_FOLDS = 5
_MORE_FOLDS, _FEW_ROWS = 20, 200  # for numbers, of fewer rows, whose columns are
_WIDE, _SQUARE = 0.25, 0.85  # such shares of the rows: without a twentieth, least squares of more columns are worst
_HELD_OUT = 0.25  # of the rows, where there is one split

Predict = Callable[[Any, Any], np.ndarray]


@dataclass(frozen=True, eq=False)
class FitRows:
    """What models are fitted on. y: labels or numbers. strata: the codes of classes; None for numbers."""

    X: Any
    y: np.ndarray
    weights: np.ndarray | None
    groups: np.ndarray | None
    strata: np.ndarray | None

    def __len__(self) -> int:
        return len(self.y)

    def of_rows(self, rows: np.ndarray) -> tuple[np.ndarray | None, np.ndarray | None]:
        """The weights and the groups of those rows."""
        weights, groups = self.weights, self.groups
        return None if weights is None else weights[rows], None if groups is None else groups[rows]


@dataclass(frozen=True, eq=False)
class OutOfFold:
    """Predictions of rows by models that were not fitted on them.

    rows : int64[n], ascending, the rows that were predicted, each as often as it was. fold : int64[n], by which model.
    predicted : float64[n] or float64[n, K]. models : the fitted models, one for each fold; None where not kept.
    """

    rows: np.ndarray
    fold: np.ndarray
    predicted: np.ndarray
    models: tuple[Any, ...] | None

    @property
    def repeated(self) -> bool:
        """Whether some row was predicted more than once."""
        return bool((np.diff(self.rows) == 0).any())


def out_of_fold(
    model: Any, data: FitRows, pairs: list[Pair], predict: Predict, n_jobs: int | None, *, keep: bool
) -> OutOfFold:
    """Fit a clone of the model on the training rows of each pair, and predict its test rows."""
    fold = partial(_fit_and_predict, model, data, predict, keep)
    prefer = "threads" if isinstance(model, Model) else None
    models, parts = zip(*run_jobs(fold, pairs, n_jobs, prefer=prefer), strict=True)
    return _in_order([test for _, test in pairs], parts, models if keep else None)


def of_all_runs(resampled: Resampled, parts: list[np.ndarray]) -> OutOfFold:
    """All predictions that ``resample`` kept, one part for each split; of repeated splits those of each run."""
    models = resampled.models
    complete = models is not None and all(model is not None for model in models)
    return _in_order(list(resampled.rows), parts, models if complete else None)


def _in_order(tests: list[np.ndarray], parts: Any, models: tuple[Any, ...] | None) -> OutOfFold:
    rows, fold = np.concatenate(tests), np.repeat(np.arange(len(tests)), [len(test) for test in tests])
    order = np.argsort(rows, kind="stable")
    return OutOfFold(rows[order], fold[order], np.concatenate(parts)[order], models)


def _fit_and_predict(
    model: Any, data: FitRows, predict: Predict, keep: bool, train: np.ndarray, test: np.ndarray
) -> tuple[Any, np.ndarray]:
    weights = None if data.weights is None else data.weights[train]
    fitted = fit_member(clone(model), take_rows(data.X, train), data.y[train], weights)
    return fitted if keep else None, predict(fitted, take_rows(data.X, test))


# -- splits --------------------------------------------------------------------------------------------


def folds_of(method: str, cv: Any, data: FitRows, random_state: Any) -> list[Pair]:
    """Training and test rows; no row is tested twice. Groups are never split between the two."""
    splitter = _splitter(method, cv, data, 0 if random_state is None else random_state)
    codes = np.zeros(len(data)) if data.strata is None else data.strata
    with warnings.catch_warnings():  # a class with fewer rows than folds has no probability in some
        warnings.filterwarnings("ignore", message="The least populated class", category=UserWarning)
        pairs = [(np.asarray(train), np.asarray(test)) for train, test in splitter.split(codes, codes, data.groups)]
    if method == "split" and cv is None and data.strata is not None:  # the model of one split is the final one
        pairs = [train_every_class(train, test, data.strata, data.groups) for train, test in pairs]
    _check(pairs, data.groups)
    if data.weights is not None and any(not data.weights[train].any() for train, _ in pairs):
        raise DataError("a fold whose training rows all have a weight of zero.", "weights above zero in every fold")
    return pairs


def _splitter(method: str, cv: Any, data: FitRows, random_state: Any) -> Any:
    if method == "jackknife+":
        if cv is not None:
            raise DataError(f"method='jackknife+' with cv={cv!r}.", "cv=None: each row, or group, is left out in turn")
        return LeaveOneOut() if data.groups is None else LeaveOneGroupOut()
    if not (cv is None or isinstance(cv, (int, np.integer))):
        return check_cv(cv, data.strata, classifier=data.strata is not None)
    if method == "split":
        n = 1 if cv is None else cv
        if n != 1:
            raise DataError(f"method='split' with cv={cv}.", "cv=None, a splitter, or one pair of rows")
        how: dict[str, Any] = {"test_size": _HELD_OUT, "random_state": random_state}
        if data.groups is not None:
            return GroupShuffleSplit(1, **how)
        stratified = data.strata is not None and np.bincount(data.strata).min() >= 4
        return StratifiedShuffleSplit(1, **how) if stratified else ShuffleSplit(1, **how)
    folds = _number_of_folds(None if cv is None else int(cv), data)
    stratified = data.strata is not None and bool(np.bincount(data.strata).max() >= folds)
    if data.groups is not None:
        return (StratifiedGroupKFold if stratified else GroupKFold)(folds, shuffle=True, random_state=random_state)
    return (StratifiedKFold if stratified else KFold)(folds, shuffle=True, random_state=random_state)


def _number_of_folds(cv: int | None, data: FitRows) -> int:
    """That many, by default five, or as many as there are rows or groups.

    Least squares with nearly as many columns as rows have much larger errors without a fifth of the rows, so that
    intervals are twice as wide as needed.
    """
    most, what = len(data), "sample"
    if data.groups is not None:
        most, what = len(np.unique(data.groups)), "group"
    wide = data.strata is None and len(data) < _FEW_ROWS and _WIDE < data.X.shape[1] / len(data) < _SQUARE
    folds = min(_MORE_FOLDS if wide else _FOLDS, most) if cv is None else cv
    if not 2 <= folds <= most:
        given = "" if cv is None else f"cv={cv} for "
        found = f"{given}{most} {what}{'s' * (most != 1)}."
        raise DataError(found, f"at least two {what}s, and no more folds than {what}s")
    return folds


def _check(pairs: list[Pair], groups: np.ndarray | None) -> None:
    tested = np.concatenate([test for _, test in pairs])
    twice = len(tested) - len(np.unique(tested))
    if twice:
        raise DataError(f"cv tests {twice} rows more than once.", "each row at most once", "Pass for example KFold(5).")
    for train, test in pairs:
        shared = np.intersect1d(train, test) if groups is None else np.intersect1d(groups[train], groups[test])
        if len(shared):
            what = "rows" if groups is None else "groups"
            raise DataError(f"cv has {len(shared)} {what} among training and test rows of one split.", "none")

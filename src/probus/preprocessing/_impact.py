"""Impact coding: a level is encoded as the mean target of its rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import TargetEncoder
from sklearn.utils.multiclass import type_of_target

from probus.data import Column, level_key
from probus.errors import DataError
from probus.preprocessing._codings import Coding

_FOLDS = 5


def is_one_target(y: Any) -> bool:
    """Whether levels can be encoded by y: it has a class or a number per row.

    >>> is_one_target(["a", "b"]), is_one_target([[1, 0], [0, 1]]), is_one_target(None)
    (True, False, False)
    """
    if y is None:
        return False
    try:
        with np.errstate(invalid="ignore"):  # of numbers beyond whole ones
            return type_of_target(_values(y)) in ("binary", "multiclass", "continuous")
    except ValueError:
        return False


def impact(column: Column, y: Any, target_type: str) -> Coding:
    """The mean target of each level, shrunk towards the overall mean; for several classes, the frequency of each."""
    encoder = TargetEncoder(target_type=target_type).fit(column.values[:, None], _labels(y, column))
    several = encoder.target_type_ == "multiclass"
    suffixes = [f"_impact_{level_key(label)}" for label in encoder.classes_] if several else ["_impact"]
    if not column.levels:
        return Coding(np.empty((0, len(suffixes))), suffixes)
    return Coding(encoder.transform(np.arange(len(column.levels), dtype=np.int32)[:, None]), suffixes)


def cross_fitted_impact(column: Column, y: Any, target_type: str, random_state: Any) -> np.ndarray:
    """The impact of each training row's level, estimated on the other folds, rows × numbers; missing is NaN."""
    labels = _labels(y, column)
    encoder = TargetEncoder(target_type=target_type).fit(column.values[:, None], labels)
    if encoder.target_type_ == "continuous":
        folds = KFold(min(_FOLDS, len(labels)), shuffle=True, random_state=random_state)
    else:
        largest = np.unique(labels, return_counts=True)[1].max()
        folds = StratifiedKFold(min(_FOLDS, int(largest)), shuffle=True, random_state=random_state)
    encoder = TargetEncoder(target_type=target_type, cv=folds)
    values = encoder.fit_transform(column.values[:, None], labels)
    values[column.missing] = np.nan
    return values


def _labels(y: Any, column: Column) -> np.ndarray:
    if y is None:
        raise DataError(
            f"impact coding of column {column.name!r} requires y to be passed, but the target y is None.",
            "one y per row",
            'Pass y to fit, or use nominal="onehot".',
        )
    return _values(y)


def _values(y: Any) -> np.ndarray:
    return y.decoded() if isinstance(y, Column) else np.asarray(y)

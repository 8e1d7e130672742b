"""Early stopping without leaks: validation rows never take part in fitting the preparation."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.model_selection import GroupShuffleSplit
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter

from probus.base import target_array
from probus.data import Column, Table, UnseenLevelWarning
from probus.data.row_selection import take_rows, train_every_class
from probus.ensemble import BoostingClassifier, BoostingRegressor
from probus.ensemble.boosting import LARGE, strata_of, train_validation_rows
from probus.pipeline._row_metadata import GivenRows
from probus.sklearn_seam import num_samples
from probus.wrapping import innermost


@contextmanager
def unseen_levels_expected() -> Iterator[None]:
    """Without the warning of unseen levels: a rare level may occur among validation rows only."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnseenLevelWarning)
        yield


def before_preparation(model: Any, given: GivenRows) -> GivenRows:
    """The rows with those held out that the model would hold out for early stopping after preparation.

    Groups, where they are given, are held out whole; else the classes of a classifier are stratified. Every class
    keeps training rows. Where several members of an ensemble would hold out rows, the largest share is held out once,
    for all of them.
    """
    n = num_samples(given.X)
    models = [] if given.validation else innermost(model)
    shares = {each: share for each in models if (share := _held_out_share(each, n)) is not None}
    y = given.y.decoded() if isinstance(given.y, Column) else target_array(given.y)
    if not shares or y.shape[:1] != (n,):  # a target that does not fit is an error of the model
        return given
    first = max(shares, key=lambda each: shares[each] if shares[each] < 1 else shares[each] / n)
    groups = given.per_row.get("groups")
    train, held = _split(first, y, groups, shares[first])
    if is_classifier(first):
        train, held = train_every_class(train, held, y, None if groups is None else target_array(groups))
    validation = {"X_val": _rows(given.X, held), "y_val": y[held]}
    if "sample_weight" in given.per_row:
        validation["sample_weight_val"] = given.per_row["sample_weight"][held]
    per_row = {name: _rows(values, train) for name, values in given.per_row.items()}
    return replace(given, X=_rows(given.X, train), y=y[train], per_row=per_row, validation=validation)


def _held_out_share(model: Any, n: int) -> float | None:
    """The share of n rows that the model would hold out itself, if its ``fit`` takes validation rows."""
    if isinstance(model, (BoostingClassifier, BoostingRegressor)):
        return 0.1 if model.n_estimators is None and n >= LARGE else None
    if not hasattr(model, "get_params") or not has_fit_parameter(model, "X_val"):
        return None
    params = model.get_params(deep=False)
    stops = params.get("early_stopping", params.get("n_iter_no_change") is not None)
    stops = n > 10_000 if stops == "auto" else bool(stops)
    return params.get("validation_fraction") if stops else None


def _split(model: Any, y: np.ndarray, groups: Any, share: float) -> tuple[np.ndarray, np.ndarray]:
    seed = int(check_random_state(model.get_params().get("random_state")).randint(np.iinfo(np.int32).max))
    if groups is not None:
        splitter = GroupShuffleSplit(1, test_size=share, random_state=seed)
        return next(splitter.split(y, groups=target_array(groups)))
    strata = strata_of(y, share) if is_classifier(model) else None
    return train_validation_rows(np.arange(len(y)), share, seed, strata, "turn early stopping off")


def _rows(values: Any, rows: np.ndarray) -> Any:
    if isinstance(values, dict):
        values = Table.of(values, infer=False)
    return take_rows(values if hasattr(values, "shape") else target_array(values), rows)

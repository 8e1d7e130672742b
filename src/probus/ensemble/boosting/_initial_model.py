"""The initial model of boosting, if it is not a constant."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from probus.data import Column, Field, Schema, Table
from probus.ensemble._members import aligned_predictions, fit_member
from probus.errors import DataError
from probus.losses import Loss
from probus.wrapping import must_take_weights


def table_of(X: np.ndarray, schema: Schema) -> Table:
    """A matrix with codes of levels, as the table it was made from."""

    def column(field: Field, values: np.ndarray) -> Column:
        if field.kind.has_levels:
            values = np.where(np.isnan(values), -1.0, values).astype(np.int32)
        return Column(field.name, field.kind, np.ascontiguousarray(values), field.levels, field.dates)

    return Table(column(field, X[:, j]) for j, field in enumerate(schema))


def fitted_initial_model(init: Any, X: Any, y: np.ndarray, weight: np.ndarray | None, n_classes: int | None) -> Any:
    """A clone of the initial model, fitted to numbers or to codes of classes."""
    if weight is not None:
        _check_takes_weights(init)
    try:
        return fit_member(clone(init), X, y if n_classes is None else y.astype(np.int64), weight)
    except Exception as error:
        raise DataError(
            f"init={init!r} could not be fitted to {len(y)} rows: {error}",
            "a model that can be fitted to them",
            "Prepare its data in a pipeline, or start from the best constant: init=None.",
        ) from error


def initial_raw(model: Any, X: Any, loss: Loss, n_classes: int | None) -> np.ndarray:
    """The predictions of a fitted model as raw predictions of the loss: float64[n, k]."""
    if n_classes is None:
        predicted = np.asarray(model.predict(X), dtype=np.float64)
    else:
        predicted = aligned_predictions(model, "predict_proba", X, np.arange(n_classes))
        tiny = np.finfo(np.float64).eps  # probabilities of 0 and 1 have no finite raw prediction
        predicted = np.clip(predicted, tiny, 1.0 - tiny)
    lost = int((~np.isfinite(predicted)).sum())
    if len(predicted) != len(X) or lost:
        raise DataError(
            f"init={model!r} predicts {len(predicted)} of {len(X)} rows, and {lost} values are not finite.",
            "a prediction for every row",
        )
    raw = loss.linked(predicted)
    return np.ascontiguousarray(raw[:, None] if raw.ndim == 1 else raw)


def _check_takes_weights(init: Any) -> None:
    try:
        must_take_weights([init])
    except DataError as error:
        raise DataError(
            f"The initial estimator {type(init).__name__} does not support sample weights.",
            "an init that takes them",
            "Leave sample_weight out, or choose another.",
        ) from error

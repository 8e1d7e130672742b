"""Where boosting begins, if not at a constant: at what another model says."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from probus.data import Column, Schema, Table
from probus.data.schema import Field
from probus.ensemble.members import aligned_predictions, fit_member
from probus.errors import DataError
from probus.losses import Loss
from probus.wrapping import must_take_weights

__all__ = ["fitted_initial_model", "initial_raw", "table_of"]


def table_of(X: np.ndarray, schema: Schema) -> Table:
    """A matrix that holds the codes of levels, as the table it was made of."""

    def column(field: Field, values: np.ndarray) -> Column:
        if field.kind.has_levels:
            values = np.where(np.isnan(values), -1.0, values).astype(np.int32)
        return Column(field.name, field.kind, np.ascontiguousarray(values), field.levels, field.dates)

    return Table(column(field, X[:, j]) for j, field in enumerate(schema))


def fitted_initial_model(init: Any, X: Any, y: np.ndarray, weight: np.ndarray | None, n_classes: int | None) -> Any:
    """A clone of the model to begin with, fitted to numbers, or to codes of classes."""
    if weight is not None:
        _must_weigh(init)
    try:
        return fit_member(clone(init), X, y if n_classes is None else y.astype(np.int64), weight)
    except Exception as error:
        raise DataError(
            f"init={init!r} could not be fitted to {len(y)} rows: {error}",
            "a model that can be",
            "Prepare its data in a pipeline, or begin with the best constant: init=None.",
        ) from error


def initial_raw(model: Any, X: Any, loss: Loss, n_classes: int | None) -> np.ndarray:
    """What a fitted model says of rows, as raw predictions of the loss: float64[n, k]."""
    if n_classes is None:
        said = np.asarray(model.predict(X), dtype=np.float64)
    else:
        said = aligned_predictions(model, "predict_proba", X, np.arange(n_classes))
        tiny = np.finfo(np.float64).eps  # what was said to be certain is nearly so
        said = np.clip(said, tiny, 1.0 - tiny)
    lost = int((~np.isfinite(said)).sum())
    if len(said) != len(X) or lost:
        raise DataError(
            f"init={model!r} says {lost} of {said.size} numbers that are not finite, for {len(said)} of {len(X)} rows.",
            "a prediction for every row",
        )
    raw = loss.linked(said)
    return np.ascontiguousarray(raw[:, None] if raw.ndim == 1 else raw)


def _must_weigh(init: Any) -> None:
    try:
        must_take_weights([init])
    except DataError as error:
        raise DataError(
            f"The initial estimator {type(init).__name__} does not support sample weights.",
            "an init that takes them",
            "Leave sample_weight out, or choose another.",
        ) from error

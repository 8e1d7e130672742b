"""The predictions of a model inside of a graph, as columns for the nodes behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from probus.base import target_array
from probus.data import Column, Table
from probus.ensemble.inputs import rows_of
from probus.ensemble.members import aligned

__all__ = ["cross_predicted", "predicted_columns", "prediction_names"]

_FOLDS = 5


def predicted_columns(model: Any, X: Any) -> np.ndarray:
    """The probabilities of the classes, of the last class only if there are two; or the predicted numbers."""
    if not is_classifier(model):
        return np.asarray(model.predict(X), dtype=np.float64).reshape(_n_rows(X), -1)
    if hasattr(model, "predict_proba"):
        return _without_complement(np.asarray(model.predict_proba(X)))
    scores = np.asarray(model.decision_function(X))
    return scores[:, None] if scores.ndim == 1 else scores


def prediction_names(model: Any, node: str, width: int) -> list[str]:
    """The names of those columns: the node, and the class."""
    if not is_classifier(model):
        return [node] if width == 1 else [f"{node}_{j}" for j in range(width)]
    return [f"{node}_{label}" for label in model.classes_[-width:]]


def cross_predicted(model: Any, X: Any, y: Any, given: Mapping[str, Any], groups: Any, width: int) -> np.ndarray:
    """The same columns for the training rows, each predicted by a clone that was not fitted on it.

    Five folds: stratified by class for a classifier, by whole groups where groups are given. They keep the order of the
    rows, as in ``cross_val_predict``.
    """
    target = y.decoded() if isinstance(y, Column) else target_array(y)
    columns = np.zeros((_n_rows(X), width))
    classes = np.unique(target) if is_classifier(model) else None
    for train, held in _folds(model, target, groups):
        params = {name: rows_of(target_array(values), train) for name, values in given.items()}
        fitted = clone(model).fit(rows_of(X, train), target[train], **params)
        columns[held] = _of_all_classes(fitted, rows_of(X, held), classes)
    return columns


def _folds(model: Any, y: np.ndarray, groups: Any) -> Any:
    if groups is not None:
        groups = target_array(groups)
        return GroupKFold(min(_FOLDS, len(np.unique(groups)))).split(y, groups=groups)
    if not is_classifier(model):
        return KFold(min(_FOLDS, len(y))).split(y)
    smallest = np.unique(y, return_counts=True)[1].min()
    return StratifiedKFold(int(np.clip(smallest, 2, _FOLDS))).split(y, y)


def _of_all_classes(model: Any, X: Any, classes: np.ndarray | None) -> np.ndarray:
    if classes is None or not hasattr(model, "predict_proba") or len(model.classes_) == len(classes):
        return predicted_columns(model, X)
    return _without_complement(aligned(np.asarray(model.predict_proba(X)), model.classes_, classes))


def _without_complement(probabilities: np.ndarray) -> np.ndarray:
    return probabilities[:, 1:] if probabilities.shape[1] == 2 else probabilities


def _n_rows(X: Any) -> int:
    return len(X) if isinstance(X, Table) else X.shape[0]

"""The predictions of a model inside of a graph, as columns for the nodes behind it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

from probus.base import target_array
from probus.data import Column, Table
from probus.data.row_selection import take_rows
from probus.ensemble import aligned_predictions
from probus.sklearn_seam import check_method_params

_FOLDS = 5


def passes_predictions(part: Any) -> bool:
    """Whether a part inside of a graph passes on predictions: a model, or an ensemble whose ``transform`` has them."""
    return not hasattr(part, "transform") or hasattr(part, "named_estimators")


def predicted_columns(model: Any, X: Any, classes: np.ndarray | None) -> np.ndarray:
    """The probability, else the decision function, of each class, of the last only if there are two; or numbers.

    A classifier that has neither passes on 1 for the class that it predicts and 0 for the others.
    """
    if classes is None:
        return np.asarray(model.predict(X), dtype=np.float64).reshape(_n_rows(X), -1)
    method = next(name for name in ("predict_proba", "decision_function", "predict") if hasattr(model, name))
    found = aligned_predictions(model, method, X, classes)
    columns = np.eye(len(classes))[found] if method == "predict" else found.reshape(_n_rows(X), -1)
    return columns[:, 1:] if columns.shape[1] == 2 else columns


def prediction_names(node: str, classes: np.ndarray | None, width: int | None = None) -> list[str]:
    """The names of those columns: the node, and the class, or the number of the output if a regressor has several.

    >>> prediction_names("tree", np.array(["no", "yes"])), prediction_names("line", None)
    (['tree_yes'], ['line'])
    """
    if classes is None:
        return [node] if width in (None, 1) else [f"{node}_{j}" for j in range(width)]
    return [f"{node}_{label}" for label in (classes[1:] if len(classes) == 2 else classes)]


def classes_of(model: Any) -> np.ndarray | None:
    """The classes of a fitted classifier; None for other models."""
    return np.asarray(model.classes_) if is_classifier(model) else None


def cross_predicted(model: Any, X: Any, y: Any, given: Mapping[str, Any], groups: Any, fitted: Any) -> np.ndarray:
    """The same columns for the training rows, each predicted by a clone that was not fitted on it.

    Five folds: stratified by class for a classifier, by whole groups where groups are given. They keep the order of the
    rows, as in ``cross_val_predict``.
    """
    target = y.decoded() if isinstance(y, Column) else target_array(y)
    classes, places, found = classes_of(fitted), [], []
    for train, held in _folds(model, target, groups):
        params = check_method_params(X, dict(given), train)
        part = clone(model).fit(take_rows(X, train), target[train], **params)
        found.append(predicted_columns(part, take_rows(X, held), classes))
        places.append(held)
    return np.concatenate(found)[np.argsort(np.concatenate(places))]


def _folds(model: Any, y: np.ndarray, groups: Any) -> Any:
    if groups is not None:
        groups = target_array(groups)
        return GroupKFold(min(_FOLDS, len(np.unique(groups)))).split(y, groups=groups)
    if not is_classifier(model):
        return KFold(min(_FOLDS, len(y))).split(y)
    smallest = np.unique(y, return_counts=True)[1].min()
    return StratifiedKFold(int(np.clip(smallest, 2, _FOLDS))).split(y, y)


def _n_rows(X: Any) -> int:
    return len(X) if isinstance(X, Table) else X.shape[0]

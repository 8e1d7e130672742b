"""Members of an ensemble of any models: how they are fitted and how their predictions are aligned."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.parallel import Parallel

from probus.base import Model
from probus.data.row_selection import take_rows
from probus.errors import DataError
from probus.sklearn_seam import check_method_params
from probus.wrapping import fit_weighted

_METHODS = ("predict_proba", "decision_function", "predict")


def methods_text(models: Iterable[Any]) -> str:
    """The prediction methods of models, for messages.

    >>> from sklearn.svm import LinearSVC
    >>> methods_text([LinearSVC()])
    'LinearSVC has decision_function and predict'
    """
    described = []
    for model in models:
        has = [method for method in _METHODS if hasattr(model, method)]
        described.append(f"{type(model).__name__} has {' and '.join(has) or 'none of ' + ', '.join(_METHODS)}")
    return "; ".join(described)


# -- fit and predict -----------------------------------------------------------------------------------


def parallel(models: Iterable[Any], n_jobs: int | None, verbose: int = 0) -> Parallel:
    """Runs jobs on these models and yields their results in order; on threads if all models are ours."""
    prefer = "threads" if all(isinstance(model, Model) for model in models) else None
    return Parallel(n_jobs=n_jobs, prefer=prefer, verbose=verbose, return_as="generator")


def fit_member(
    member: Any,
    X: Any,
    y: np.ndarray,
    sample_weight: Any = None,
    *,
    validation: Mapping[str, Any] = MappingProxyType({}),
    **others: Any,
) -> Any:
    """The member, fitted; weights must be None if it takes none. Others are further parameters of its ``fit``.

    Rows of weight zero are left out, since not every model ignores them. ``validation`` are parameters of ``fit`` too,
    whose rows are not those of X.
    """
    if sample_weight is None:
        return fit_weighted(member, X, y, None, **others, **validation)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if not weights.all():
        positive = np.flatnonzero(weights)
        others = check_method_params(X, others, positive)
        X, y, weights = take_rows(X, positive), y[positive], weights[positive]
    return fit_weighted(member, X, y, weights, **others, **validation)


def aligned_predictions(member: Any, method: str, X: Any, labels: np.ndarray | None, **params: Any) -> np.ndarray:
    """The predictions of a fitted member, probabilities with one column for each of the labels.

    Predicted labels are returned as their positions among ``labels``. A label that the member was not fitted on has
    probability zero.

    >>> from probus.dummy import ZeroRClassifier
    >>> few = ZeroRClassifier().fit([[0], [0]], ["a", "c"])
    >>> aligned_predictions(few, "predict_proba", [[0]], np.array(["a", "b", "c"]))
    array([[0.5, 0. , 0.5]])
    """
    predicted = np.asarray(getattr(member, method)(X, **params))
    if labels is None or not is_classifier(member):
        return predicted
    if method == "predict":
        return np.searchsorted(labels, predicted)
    known = np.asarray(getattr(member, "classes_", labels))
    _must_be_among(known, labels, member)
    if len(known) < len(labels) and method == "decision_function":
        raise DataError(
            f"{type(member).__name__} was fitted on {len(known)} of {len(labels)} classes: its decision_function "
            "cannot be combined with those of others.",
            "all classes in the rows of every member",
            "Use predict_proba, or give each member more rows.",
        )
    return aligned(predicted, known, labels, -np.inf if method == "predict_log_proba" else 0.0)


def aligned(predicted: np.ndarray, known: np.ndarray, labels: np.ndarray, absent: float = 0.0) -> np.ndarray:
    """Columns for some of the labels as columns for all, with one number for unknown labels."""
    if len(known) == len(labels):
        return predicted
    columns = np.full((len(predicted), len(labels)), absent)
    columns[:, np.searchsorted(labels, known)] = predicted
    return columns


def _must_be_among(known: np.ndarray, labels: np.ndarray, member: Any) -> None:
    unknown = [label for label in known.tolist() if label not in labels]
    if unknown:
        raise DataError(f"{type(member).__name__} has the class {unknown[0]!r}.", f"those of y: {labels.tolist()}")

"""Members of an ensemble, whatever models they are: what they take, how they are fitted, what they say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.parallel import Parallel
from sklearn.utils.validation import _check_method_params

from probus.base import Model
from probus.ensemble.inputs import rows_of
from probus.errors import DataError
from probus.wrapping import fit_weighted

__all__ = [
    "aligned",
    "aligned_predictions",
    "fit_member",
    "methods_text",
    "parallel",
]

_METHODS = ("predict_proba", "decision_function", "predict")


def methods_text(models: Iterable[Any]) -> str:
    """What each of some models can be asked, for messages.

    >>> from sklearn.svm import LinearSVC
    >>> methods_text([LinearSVC()])
    'LinearSVC has decision_function and predict'
    """
    told = []
    for model in models:
        has = [method for method in _METHODS if hasattr(model, method)]
        told.append(f"{type(model).__name__} has {' and '.join(has) or 'none of ' + ', '.join(_METHODS)}")
    return "; ".join(told)


# -- fitting and asking --------------------------------------------------------------------------------


def parallel(models: Iterable[Any], n_jobs: int | None, verbose: int = 0) -> Parallel:
    """Runs jobs on these models and yields what they return, in order; on threads where our kernels do the work."""
    prefer = "threads" if all(isinstance(model, Model) for model in models) else None
    return Parallel(n_jobs=n_jobs, prefer=prefer, verbose=verbose, return_as="generator")


def fit_member(member: Any, X: Any, y: np.ndarray, sample_weight: Any = None, **others: Any) -> Any:
    """The member, fitted; weights must be None where it takes none. Others are what its ``fit`` asked for.

    Rows that weigh nothing are left out, since not every model takes them for absent.
    """
    if sample_weight is None:
        return fit_weighted(member, X, y, None, **others)
    weights = np.asarray(sample_weight, dtype=np.float64)
    if not weights.all():
        there = np.flatnonzero(weights)
        others = _check_method_params(X, others, there)
        X, y, weights = rows_of(X, there), y[there], weights[there]
    return fit_weighted(member, X, y, weights, **others)


def aligned_predictions(member: Any, method: str, X: Any, labels: np.ndarray | None, **params: Any) -> np.ndarray:
    """What a fitted member says about rows, one column for each of the labels where it gives chances.

    A classifier's labels come back as their places among ``labels``. A label that it was not shown has no chance.

    >>> from probus.dummy import ZeroRClassifier
    >>> few = ZeroRClassifier().fit([[0], [0]], ["a", "c"])
    >>> aligned_predictions(few, "predict_proba", [[0]], np.array(["a", "b", "c"]))
    array([[0.5, 0. , 0.5]])
    """
    said = np.asarray(getattr(member, method)(X, **params))
    if labels is None or not is_classifier(member):
        return said
    if method == "predict":
        return np.searchsorted(labels, said)
    known = np.asarray(getattr(member, "classes_", labels))
    _must_be_among(known, labels, member)
    if len(known) < len(labels) and method == "decision_function":
        raise DataError(
            f"{type(member).__name__} was shown {len(known)} of {len(labels)} classes: its decision_function cannot be "
            "put beside those of others.",
            "all classes in the rows of every member",
            "Use predict_proba, or give each member more rows.",
        )
    return aligned(said, known, labels, -np.inf if method == "predict_log_proba" else 0.0)


def aligned(said: np.ndarray, known: np.ndarray, labels: np.ndarray, absent: float = 0.0) -> np.ndarray:
    """Columns for some of the labels as columns for all, with one number for those that are not known."""
    if len(known) == len(labels):
        return said
    columns = np.full((len(said), len(labels)), absent)
    columns[:, np.searchsorted(labels, known)] = said
    return columns


def _must_be_among(known: np.ndarray, labels: np.ndarray, member: Any) -> None:
    strange = [label for label in known.tolist() if label not in labels]
    if strange:
        raise DataError(f"{type(member).__name__} knows the class {strange[0]!r}.", f"those of y: {labels.tolist()}")

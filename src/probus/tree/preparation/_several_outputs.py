"""Targets of one or several outputs: read, weighted and predicted."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import compute_class_weight, compute_sample_weight

from probus.base import checked_numbers, encoded_classes, target_array
from probus.data import Column
from probus.errors import DataError, ModelFileError
from probus.state import Either, Labels, Many, Number, Size, Spec
from probus.tree._loading import check_columns
from probus.tree._trees import Trees

# classes_ and n_classes_: of one output, or a list with those of each
CLASSES: dict[str, Spec] = {
    "classes_": Either(Labels("K"), Many(Labels())),
    "n_classes_": Either(Size("K"), Many(Number())),
}


class SparseTargetError(DataError, TypeError):
    """A sparse target; scikit-learn raises a TypeError there."""


def _several(y: Any) -> np.ndarray | None:
    """The target as a matrix if it has several outputs."""
    if issparse(y):
        raise SparseTargetError(
            "sparse multilabel-indicator for y is not supported.", "a dense array", "Pass y.toarray()."
        )
    if y is None or isinstance(y, Column) or (isinstance(y, np.ndarray) and y.ndim == 1):
        return None
    array = target_array(y)
    return array if array.ndim == 2 and array.shape[1] > 1 else None


def encoded_outputs(y: Any, n_rows: int) -> tuple[Any, np.ndarray]:
    """The classes of a target and its codes; with several outputs a list of classes and codes[n, q].

    >>> encoded_outputs([["a", "x"], ["b", "x"]], 2)
    ([array(['a', 'b'], dtype='<U1'), array(['x'], dtype='<U1')], array([[0, 0],
           [1, 0]]))
    """
    matrix = _several(y)
    if matrix is None:
        return encoded_classes(y, n_rows)
    classes, codes = zip(*(encoded_classes(column, n_rows) for column in matrix.T), strict=True)
    return list(classes), np.column_stack(codes)


def number_outputs(y: Any, n_rows: int) -> np.ndarray:
    """The target as float64[n], or float64[n, q] for several outputs."""
    matrix = _several(y)
    if matrix is None:
        return checked_numbers(y, n_rows)
    return np.column_stack([checked_numbers(column, n_rows) for column in matrix.T])


def predicted_classes(classes: Any, probabilities: np.ndarray) -> np.ndarray:
    """The most probable class of each row, and of each output where there are several.

    probabilities : float64[n, K], or float64[n, q, K]
    """
    best = probabilities.argmax(axis=-1)
    if best.ndim == 1:
        return classes[best]
    return np.column_stack([own[best[:, o]] for o, own in enumerate(classes)])


def by_output(probabilities: np.ndarray, n_classes: Any) -> Any:
    """Probabilities as scikit-learn returns them: an array, or for several outputs a list of arrays.

    probabilities : float64[n, K], or float64[n, q, K] with zeros where an output has fewer classes
    """
    if probabilities.ndim == 2:
        return probabilities
    return [probabilities[:, o, :own] for o, own in enumerate(n_classes)]


def log_of(probabilities: Any) -> Any:
    """The logarithms of an array, or of each in a list."""
    if isinstance(probabilities, list):
        return [log_of(own) for own in probabilities]
    with np.errstate(divide="ignore"):
        return np.log(probabilities)


def class_weights(class_weight: Any, classes: Any, codes: np.ndarray) -> np.ndarray | None:
    """The weight of each row by its class, multiplied over outputs; None where all are equal."""
    if class_weight is None:
        return None
    if codes.ndim == 1:
        if isinstance(class_weight, list):
            raise DataError("class_weight should be a dict, or a list of dicts for several outputs.", "a dict")
        return compute_sample_weight(class_weight, classes[codes])
    if isinstance(class_weight, list) and len(class_weight) != codes.shape[1]:
        raise DataError(
            f"{len(class_weight)} class weights: number of elements in class_weight should match number of outputs.",
            f"{codes.shape[1]} dicts",
        )
    return compute_sample_weight(class_weight, np.column_stack([own[codes[:, o]] for o, own in enumerate(classes)]))


def balanced_weights(
    class_weight: Any, classes: Any, codes: np.ndarray, sample_weight: np.ndarray | None
) -> np.ndarray | None:
    """As ``class_weights``, where balanced classes of one output have the same sum of sample weights."""
    if isinstance(class_weight, str) and codes.ndim == 1:
        return compute_class_weight("balanced", classes=classes, y=classes[codes], sample_weight=sample_weight)[codes]
    return class_weights("balanced" if isinstance(class_weight, str) else class_weight, classes, codes)


def check_outputs(model: Any, trees: Trees) -> None:
    """Raise a ModelFileError unless trees, columns and classes of a fitted model belong together."""
    check_columns(trees, model.n_features_in_, getattr(model, "schema_", None))
    classes = getattr(model, "classes_", None)
    several = isinstance(classes, list)
    n_classes = [1] * trees.n_outputs if classes is None else [len(own) for own in (classes if several else [classes])]
    if classes is not None and model.n_classes_ != (n_classes if several else n_classes[0]):
        raise ModelFileError(f"n_classes_ is {model.n_classes_}.", f"{n_classes}, the lengths of classes_")
    if trees.value.shape[1:] != (len(n_classes), max(n_classes)):
        raise ModelFileError(f"trees with values of shape {trees.value.shape}.", f"{n_classes} in each node")


def must_be_counts(y: np.ndarray, positive: str = "positive") -> None:
    """Raise unless the Poisson deviance is defined for these numbers; in the words that scikit-learn has for each."""
    if (y < 0).any():
        raise DataError(
            "Some value(s) of y are negative which is not allowed for Poisson regression.", "numbers from 0 up"
        )
    if (y.sum(axis=0) <= 0).any():
        raise DataError(f"Sum of y is not {positive} which is necessary for Poisson regression.", "some above 0")

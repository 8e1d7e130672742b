"""Multilabel targets: one column for each label, of at most two values."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.utils.multiclass import type_of_target

from probus.base import encoded_classes
from probus.ensemble._inputs import width_of_target
from probus.ensemble._members import aligned

Probabilities = np.ndarray | list[np.ndarray]  # of having each label; or for each label a column for each of its values


def is_multilabel(y: Any) -> bool:
    """Whether a target has a column for each of several labels.

    >>> is_multilabel([[0, 1], [1, 1]]), is_multilabel([0, 1])
    (True, False)
    """
    return width_of_target(y) > 1 and type_of_target(y) == "multilabel-indicator"


def encoded_labels(y: Any, n_rows: int) -> tuple[list[np.ndarray], np.ndarray]:
    """The values of each column and the column's codes into them.

    >>> encoded_labels([[0, 5], [5, 5]], 2)
    ([array([0, 5]), array([5])], array([[0, 0],
           [1, 0]]))
    """
    columns = [encoded_classes(column, n_rows) for column in np.asarray(y).T]
    return [values for values, _ in columns], np.column_stack([codes for _, codes in columns])


def decoded_labels(codes: np.ndarray, values: list[np.ndarray]) -> np.ndarray:
    """The target values of the codes of each column."""
    return np.column_stack([mine[column] for mine, column in zip(values, codes.astype(np.intp).T, strict=True)])


def multilabel_predictions(member: Any, method: str, X: Any, values: list[np.ndarray]) -> np.ndarray:
    """The predictions of a fitted member, for each label in turn.

    Predicted values are returned as their positions among those of the column. Of the probabilities of a label's
    values the first is left out; a value that the member was not fitted on has probability zero.
    """
    predicted = getattr(member, method)(X)
    if method == "predict" and is_classifier(member):
        columns = zip(values, np.asarray(predicted).T, strict=True)
        return np.column_stack([np.searchsorted(mine, column) for mine, column in columns])
    if not isinstance(predicted, list):
        return np.asarray(predicted)
    labels = zip(predicted, member.classes_, values, strict=True)
    return np.hstack([aligned(probabilities, known, mine)[:, 1:] for probabilities, known, mine in labels])


def label_probabilities(predicted: Probabilities, known: list[np.ndarray], values: list[np.ndarray]) -> np.ndarray:
    """The probability of each label: that of the larger value of its column.

    known : the codes of the columns of each entry of ``predicted``, where it is a list.

    >>> label_probabilities([np.array([[0.2, 0.8]]), np.ones((1, 1))], [np.array([0, 1]), np.array([0])],
    ...     [np.array([0, 1]), np.array([0])])
    array([[0.8, 0. ]])
    """
    if not isinstance(predicted, list):
        return predicted
    both = np.unique(np.concatenate(values))
    labels = zip(predicted, known, values, strict=True)
    return np.column_stack([aligned(probabilities, mine[codes], both)[:, -1] for probabilities, codes, mine in labels])

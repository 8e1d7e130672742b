"""One member of a bagged ensemble: how it is fitted on its rows and columns, and how it predicts."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone

from probus.data.row_selection import take_rows
from probus.ensemble._inputs import columns_of
from probus.ensemble._members import aligned_predictions, fit_member
from probus.ensemble.bagging._sampling import BagDraws
from probus.errors import DataError
from probus.sklearn_seam import check_method_params
from probus.wrapping import set_random_states, weighs_rows


def member_method(model: Any, method: str) -> str:
    """The method of a member to call for a method of the ensemble: for probabilities if it has them, else for its vote.

    >>> from sklearn.svm import LinearSVC
    >>> from probus.tree import DecisionTreeClassifier
    >>> member_method(DecisionTreeClassifier(), "predict"), member_method(LinearSVC(), "predict_log_proba")
    ('predict_proba', 'predict')
    """
    if method == "decision_function":
        return method
    wanted = [method] if method == "predict_log_proba" else []
    return next((name for name in [*wanted, "predict_proba"] if hasattr(model, name)), "predict")


def fit_on_draw(
    estimator: Any,
    draws: BagDraws,
    t: int,
    X: Any,
    y: np.ndarray,
    weights: np.ndarray | None,
    n_classes: int | None,
    given: dict[str, Any],
) -> Any:
    """Member t, fitted on its rows and columns, with the weights of rows and other parameters that are routed to it."""
    rows, member = draws.rows(t), set_random_states(clone(estimator), int(draws.bags.seeds[t]))
    X = columns_of(X, draws.columns(t))
    n_drawn = n_classes if n_classes is None else len(np.unique(y[rows]))
    w: np.ndarray | None
    if weighs_rows(member):
        w = np.bincount(rows, minlength=len(y)) * (1.0 if weights is None else weights)
    else:
        given = check_method_params(X, given, rows)
        X, y, w = take_rows(X, rows), y[rows], None if weights is None else weights[rows]
    try:
        return fit_member(member, X, y, w, **given)
    except ValueError as error:
        if n_drawn == n_classes:
            raise
        held = f"a draw of {len(rows)} rows contains {n_drawn} of {n_classes} classes"
        return _fit_with_all_classes(member, X, y, w, given, held, error)


def _fit_with_all_classes(
    member: Any, X: Any, y: np.ndarray, w: np.ndarray | None, given: dict[str, Any], held: str, error: ValueError
) -> Any:
    """A member that refused rows of too few classes, fitted with the others at weight zero."""
    try:
        if w is None or w.all():
            raise error
        member.fit(X, y, sample_weight=w, **given)
    except ValueError:
        raise DataError(
            f"{held}, which {type(member).__name__} does not take: {str(error).partition(chr(10))[0]}",
            "all classes among the rows of every member",
            "Pass a larger max_samples.",
        ) from error
    return member


def member_predictions(
    member: Any, method: str, X: Any, columns: np.ndarray, labels: np.ndarray | None, given: dict[str, Any]
) -> np.ndarray:
    """The predictions of a member for rows of all columns; a predicted label has probability 1."""
    predicted = aligned_predictions(member, method, columns_of(X, columns), labels, **given)
    return predicted if labels is None or method != "predict" else np.eye(len(labels))[predicted]

"""scikit-learn's ``partial_dependence``, for our trees by one walk of each row."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_classifier

from probus.data import Column, Table
from probus.ensemble.boosting import Boosted
from probus.inspection.effects._responses import Response
from probus.sklearn_seam import original
from probus.tree import TreeModel


def partial_dependence(
    estimator: Any,
    X: Any,
    features: Any,
    *,
    sample_weight: Any = None,
    categorical_features: Any = None,
    feature_names: Any = None,
    response_method: str = "auto",
    percentiles: tuple[float, float] = (0.05, 0.95),
    grid_resolution: int = 100,
    custom_values: Any = None,
    method: str = "auto",
    kind: str = "average",
) -> Any:
    """scikit-learn's function with its result: the mean prediction where columns have each of the values of a grid.

    Of our trees, forests and boosting ``method="brute"`` gives the same numbers by one walk of each row, and
    "recursion" averages over training rows. Other models are passed on to scikit-learn. ``partial_effect`` has bands,
    levels and missing values.

    Parameters
    ----------
    estimator : a fitted model.
    X : rows.
    features : one column or two, by number or name.
    sample_weight : the weights of the rows in averages.
    categorical_features, feature_names, response_method, percentiles, grid_resolution, custom_values, kind : as there.
    method : "brute", "recursion", or "auto", which is recursion for the models for which it is so there.

    Returns
    -------
    A Bunch with ``grid_values`` and ``average`` or ``individual``.
    """
    theirs = original("sklearn.inspection", "partial_dependence")
    how = {
        "sample_weight": sample_weight, "categorical_features": categorical_features, "feature_names": feature_names,
        "percentiles": percentiles, "grid_resolution": grid_resolution, "custom_values": custom_values,
    }  # fmt: skip
    as_given = {**how, "response_method": response_method, "method": method, "kind": kind}
    if not isinstance(estimator, TreeModel | Boosted) and not hasattr(estimator, "trees_"):
        return theirs(estimator, X, features, **as_given)
    recursion = method == "recursion" or (
        method == "auto" and kind == "average" and sample_weight is None and _is_recursive_there(estimator)
    )
    classes = is_classifier(estimator)
    raw = classes and (response_method == "decision_function" or recursion)
    n_classes = len(getattr(estimator, "classes_", ()))
    if (raw and not isinstance(estimator, Boosted)) or (recursion and kind != "average"):
        return theirs(estimator, X, features, **as_given)
    stub = _StubClassifier(estimator.classes_) if classes and not raw else _StubRegressor()
    found = theirs(stub, X, features, **how, method="brute", kind=kind)
    table = Table.of(X, infer=False)
    single = [features] if isinstance(features, str | int | np.integer) else list(features)
    if len(single) == 1 and isinstance(single[0], tuple | list):
        single = list(single[0])
    names = [name if isinstance(name, str) else table.names[int(name)] for name in single]
    grid = found["grid_values"]
    shape = tuple(map(len, grid))
    if recursion:
        points = np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1).reshape(-1, len(grid)).astype(np.float64)
        places = np.array([table.names.index(name) for name in names], np.intp)
        average = estimator._compute_partial_dependence_recursion(points, places)
        found["average"] = np.asarray(average).reshape(-1, *shape)
        return found
    curves = None if raw else _curves(estimator, table, names, grid, n_classes if classes else 0)
    if curves is None:
        return theirs(estimator, X, features, **as_given)
    if kind != "individual":
        found["average"] = np.average(curves, axis=1, weights=sample_weight)
    if kind != "average":
        found["individual"] = curves
    return found


def _is_recursive_there(estimator: Any) -> bool:
    """Whether scikit-learn's class of that name uses recursion by itself."""
    named = type(estimator).__name__
    boosted = isinstance(estimator, Boosted) and getattr(estimator, "initial_", None) is None
    return (boosted and "Gradient" in named) or named in ("DecisionTreeRegressor", "RandomForestRegressor")


def _curves(estimator: Any, table: Table, names: list[str], grid: Any, n_classes: int) -> np.ndarray | None:
    """float64[K, n, …]: of the second of two classes, or of each; None where the columns are no numbers."""
    try:
        columns = [
            Column.numbers(name, np.asarray(values, np.float64)) for name, values in zip(names, grid, strict=True)
        ]
    except (TypeError, ValueError):
        return None
    labels = [None] if n_classes in (0, 2) else list(range(n_classes))
    found = []
    for place in labels:
        label = None if place is None else estimator.classes_[place]
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="X has feature names")
            made = Response.of(estimator, table, label)._of_trees(table, columns)
        if made is None:
            return None
        found.append(made)
    return np.stack(found)


class _Stub(BaseEstimator):
    """Predicts nothing, for what scikit-learn does besides predicting: the checks and the grid."""

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any) -> Any:
        """Nothing."""
        return self


class _StubRegressor(RegressorMixin, _Stub):
    """For numbers."""

    def predict(self, X: Any) -> np.ndarray:
        """Zeros."""
        return np.zeros(X.shape[0])


class _StubClassifier(ClassifierMixin, _Stub):
    """For classes."""

    def __init__(self, classes: Any):
        self.classes_ = classes

    def predict_proba(self, X: Any) -> np.ndarray:
        """Zeros."""
        return np.zeros((X.shape[0], len(self.classes_)))

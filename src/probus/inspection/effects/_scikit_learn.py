"""scikit-learn's ``partial_dependence``, for our trees without predicting rows × points."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin, is_classifier

from probus.data import Column, Table
from probus.ensemble.boosting import Boosted
from probus.inspection.column_importance._shuffled_outcomes import ensemble_of
from probus.inspection.effects._tree_predictions import Pieces, predictions_over_grid, with_values
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

    Of our trees, forests and boosting ``method="brute"`` gives the same numbers without predicting rows × points, and
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
    if response_method not in ("auto", "predict_proba", "decision_function")[: 3 if classes else 1]:
        return theirs(estimator, X, features, **as_given)  # which refuses it
    found = theirs(_Stub(), X, features, **how, method="brute", kind=kind)
    table = Table.of(X, infer=False)
    single: list[Any] = [features] if isinstance(features, str | int | np.integer) else list(features)
    if len(single) == 1 and isinstance(single[0], tuple | list):
        single = list(single[0])
    if any(isinstance(name, bool | np.bool_) for name in single):  # a mask of columns
        single = np.flatnonzero(single).tolist()
    names = [name if isinstance(name, str) else table.names[int(name)] for name in single]
    grid = found["grid_values"]
    shape = tuple(map(len, grid))
    if recursion:
        codes = _codes(estimator, table, names, grid)
        if codes is None:
            return theirs(estimator, X, features, **as_given)
        points = np.stack(np.meshgrid(*codes, indexing="ij"), axis=-1).reshape(-1, len(grid)).astype(np.float64)
        places = np.array([table.names.index(name) for name in names], np.intp)
        average = estimator._compute_partial_dependence_recursion(points, places)
        found["average"] = np.asarray(average).reshape(-1, *shape)
        return found
    pieces = None if raw else _pieces(estimator, table, names, grid)
    if pieces is None:
        return theirs(estimator, X, features, **as_given)
    two_classes = classes and n_classes == 2
    found.update(_summed(pieces, len(shape), len(table), sample_weight, two_classes=two_classes, kind=kind))
    return found


def _summed(
    pieces: Pieces, n_axes: int, n: int, sample_weight: Any, *, two_classes: bool, kind: str
) -> dict[str, np.ndarray]:
    """``average`` and ``individual``, outputs first: of two classes the second alone."""
    weight = np.ones(n) if sample_weight is None else np.asarray(sample_weight, np.float64)
    weight = weight / weight.sum()
    mean: Any = 0.0
    individual = []
    for part, predicted in pieces:
        if predicted.ndim == n_axes + 1:
            predicted = predicted[..., None]
        elif two_classes:
            predicted = predicted[..., 1:]
        mean = mean + (weight[part] @ predicted.reshape(len(predicted), -1)).reshape(predicted.shape[1:])
        if kind != "average":
            individual.append(np.moveaxis(predicted, -1, 0))
    found = {} if kind == "individual" else {"average": np.moveaxis(mean, -1, 0)}
    return found if kind == "average" else {**found, "individual": np.concatenate(individual, axis=1)}


def _is_recursive_there(estimator: Any) -> bool:
    """Whether scikit-learn's class of that name uses recursion by itself."""
    named = type(estimator).__name__
    boosted = isinstance(estimator, Boosted) and getattr(estimator, "initial_", None) is None
    return (boosted and "Gradient" in named) or named in ("DecisionTreeRegressor", "RandomForestRegressor")


def _pieces(estimator: Any, table: Table, names: list[str], grid: Any) -> Pieces | None:
    """Predictions over the grid, some rows at a time; None where its values are no numbers or known levels."""
    columns = _columns(table, names, grid)
    return None if columns is None else predictions_over_grid(estimator, table, columns)


def _codes(estimator: Any, table: Table, names: list[str], grid: Any) -> list[np.ndarray] | None:
    """The values of the grid as the trees see them: levels by the number that they had in training."""
    if not any(table[name].kind.has_levels for name in names):
        return list(grid)
    columns = _columns(table, names, grid)
    ensemble = ensemble_of(estimator, table, [(name,) for name in names], several_outputs=True)
    if columns is None or ensemble is None:
        return None
    return [ensemble.coded(with_values(table, column))[:, table.names.index(column.name)] for column in columns]


def _columns(table: Table, names: list[str], grid: Any) -> list[Column] | None:
    columns = []
    for name, values in zip(names, grid, strict=True):
        column = table[name]
        try:
            if column.kind.has_levels:
                codes = np.array([column.levels.index(value) for value in np.asarray(values).tolist()])
                columns.append(replace(column, values=codes.astype(column.values.dtype), written=None))
            else:
                columns.append(Column.numbers(name, np.asarray(values, np.float64)))
        except (TypeError, ValueError):
            return None
    return columns


class _Stub(RegressorMixin, BaseEstimator):
    """Predicts zeros, for what scikit-learn does besides predicting: the checks and the grid."""

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any) -> Any:
        """Nothing."""
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Zeros."""
        return np.zeros(X.shape[0])

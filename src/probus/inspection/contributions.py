"""What each column adds to the prediction of each row: by trees, by coefficients, or by leaving the value out."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit
from sklearn.base import is_classifier
from sklearn.preprocessing import StandardScaler

from probus.base import accepts_of
from probus.data import Column, Kind, Table
from probus.ensemble.boosting.boosting_base import Boosted
from probus.ensemble.shap import shap_values_of
from probus.ensemble.shap.values import TreeExplained
from probus.errors import DataError
from probus.preprocessing import TextFeatures
from probus.tree import CostComplexityCV
from probus.tree.prediction.walk import sums_of
from probus.tree.tree_model import TreeModel
from probus.tree.trees import Trees

__all__ = ["Contributions", "contributions_of", "scores_of", "text_step"]

_LEAST = 1e-6  # in place of a probability of 0


class Contributions(NamedTuple):
    """values: float64[n, d], what each column adds to the score of the class predicted, or to the number.

    table : the columns that the values are of. unit : what they are added to. method : in words. texts : the step that
    makes numbers of texts, if there is one.
    """

    values: np.ndarray
    table: Table
    unit: str
    method: str
    texts: TextFeatures | None = None


def contributions_of(model: Any, table: Table, predicted: np.ndarray) -> Contributions:
    """By the trees or coefficients of the model if it has such, else by leaving out each value."""
    with warnings.catch_warnings():  # inside a wrapper, models may be fitted without the names of the columns
        warnings.filterwarnings("ignore", message="X has feature names")
        used = _used(model, table)
        found, step = _contributions(model, used, predicted), text_step(model)
        return found if step is None else _of_whole_texts(found, step, used)


def text_step(model: Any) -> TextFeatures | None:
    """The step of a pipeline, or of the first of several that vote, which makes scores and topics of texts."""
    inner = getattr(model, "estimator_", model) if hasattr(model, "conformity_") else model
    members = getattr(inner, "estimators_", None)
    pipelines = [inner] if hasattr(inner, "steps") else members if isinstance(members, list) else []
    steps = (step for each in pipelines for _, step in getattr(each, "steps", []) if isinstance(step, TextFeatures))
    return next((step for step in steps if step.sources()), None)


def _of_whole_texts(found: Contributions, step: TextFeatures, given: Table) -> Contributions:
    """The contributions of the scores and topics of a text together, as those of the text."""
    sources = step.sources()
    names = [sources.get(name, name) for name in found.table.names]
    distinct = list(dict.fromkeys(names))
    values = np.zeros((len(found.values), len(distinct)))
    for j, name in enumerate(names):
        values[:, distinct.index(name)] += found.values[:, j]
    columns = [found.table[name] if name in found.table else given[name] for name in distinct]
    return found._replace(values=values, table=Table(columns), texts=step)


def _contributions(model: Any, table: Table, predicted: np.ndarray) -> Contributions:
    inner = getattr(model, "estimator_", model) if hasattr(model, "conformity_") else model
    steps = list(getattr(inner, "steps", [("model", inner)]))
    last, prepared = steps[-1][1], _transformed(inner, table) if len(steps) > 1 else table
    last = last.best_estimator_ if isinstance(last, CostComplexityCV) else last
    codes = np.searchsorted(model.classes_, predicted) if is_classifier(last) else None
    if isinstance(last, TreeExplained):
        shap = last.shap_values(prepared)
        averaged = is_classifier(last) and not isinstance(last, Boosted)
        unit = "probability" if averaged else _unit(last, prepared, shap.prediction)
        return _of_trees(shap.values.reshape(*shap.data.shape, -1), _used(last, prepared), unit, codes)
    if isinstance(last, TreeModel) and (own := _without_surrogates(last.tree_, last._seen(prepared))) is not None:
        unit = "prediction" if codes is None else "probability"
        return _of_trees(shap_values_of(own, last._seen(prepared)), _used(last, prepared), unit, codes)
    if _is_linear(last):
        return _of_coefficients(last, dict(steps), prepared, table, codes)
    return _by_occlusion(model, table, predicted, replaced=isinstance(last, TreeModel))


def _without_surrogates(trees: Trees, X: np.ndarray) -> Trees | None:
    """The trees with their own splits only; None where a row with missing values is sent elsewhere by a surrogate."""
    own = replace(trees, surrogates=None)
    same = trees.surrogates is None or np.array_equal(sums_of(own, X), sums_of(trees, X))
    return own if same else None


def _transformed(pipeline: Any, table: Table) -> Any:
    return pipeline[:-1].transform(table)


def _used(model: Any, rows: Any) -> Table:
    """The columns that the model was fitted on."""
    table, names = Table.of(rows, infer=False), getattr(model, "feature_names_in_", None)
    return table if names is None else table.select(*names)


def _unit(model: Any, rows: Any, sums: np.ndarray) -> str:
    """What contributions are added to: the prediction itself, or the score that it is computed from.

    sums : float64[n] or float64[n, K], a score for each class if there are more than two.
    """
    if not is_classifier(model):
        return "prediction" if np.allclose(sums, model.predict(rows)) else "score of the model"
    if sums.ndim == 2 and sums.shape[1] > 1:  # a softmax of scores depends on those of the other classes too
        return "score of the class"
    p = model.predict_proba(rows)[:, 1] if hasattr(model, "predict_proba") else np.nan
    return "log odds" if np.allclose(expit(np.ravel(sums)), p) else "score of the class"


# -- by the model --------------------------------------------------------------------------------------


def _of_trees(values: np.ndarray, table: Table, unit: str, codes: np.ndarray | None) -> Contributions:
    """Exact Shapley values: averages over the orders in which columns may become known."""
    return Contributions(_of_class(values, codes), table, unit, "exact Shapley values of the trees")


def _is_linear(model: Any) -> bool:
    """Whether there is a coefficient for each column: one row of them, or one for each class."""
    coefficients = getattr(model, "coef_", None)
    if not isinstance(coefficients, np.ndarray) or not hasattr(model, "intercept_"):
        return False
    rows = len(np.atleast_2d(coefficients))
    return rows == 1 or (is_classifier(model) and rows == len(model.classes_))


def _of_coefficients(
    model: Any, steps: dict[str, Any], prepared: Any, table: Table, codes: np.ndarray | None
) -> Contributions:
    """Coefficient times distance from the mean: the Shapley values of a linear model."""
    rows = _used(model, prepared)
    Z = rows.numbers()
    if isinstance(steps.get("scale"), StandardScaler):
        centre, of = np.zeros(Z.shape[1]), "the mean of the training rows"
    elif len(Z) > 1:
        centre, of = Z.mean(axis=0), "the mean of these rows"
    else:  # which would be the row itself
        centre, of = np.zeros(Z.shape[1]), "a row of zeros"
    each = (Z - centre)[:, :, None] * np.atleast_2d(model.coef_).T[None]
    shown, encoder = rows, steps.get("encode")
    if encoder is not None:  # the columns made of one column together
        widths = [len(suffixes) for suffixes in encoder.suffixes_]
        ends = np.cumsum(widths)
        parts = [each[:, end - width : end].sum(axis=1) for width, end in zip(widths, ends, strict=True)]
        each = np.stack(parts, axis=1)
        shown = _as_given(table, [str(name) for name in encoder.feature_names_in_])
    sums = Z @ np.atleast_2d(model.coef_).T + model.intercept_
    unit = _unit(model, prepared, sums[:, 0] if sums.shape[1] == 1 else sums)
    return Contributions(_of_class(each, codes), shown, unit, f"coefficients, relative to {of}")


def _as_given(table: Table, names: list[str]) -> Table:
    """The columns as they were given; those that steps have made, such as topics of a text, without a value."""
    nothing = [""] * len(table)
    return Table(table[name] if name in table else Column.text(name, nothing) for name in names)


def _of_class(values: np.ndarray, codes: np.ndarray | None) -> np.ndarray:
    """Those of the class of each row; a single score of two classes is that of the second."""
    if codes is None:
        return values[:, :, 0]
    if values.shape[2] > 1:
        return values[np.arange(len(values)), :, codes]
    return values[:, :, 0] * np.where(codes == 0, -1.0, 1.0)[:, None]


# -- by leaving out ------------------------------------------------------------------------------------


def _by_occlusion(model: Any, table: Table, predicted: np.ndarray, *, replaced: bool) -> Contributions:
    """The score minus the score without the value of one column: missing, or ``replaced`` by a typical one.

    Trees with surrogates have it replaced: they send a row with a missing value as if they knew it.
    """
    gone = not replaced and (accepts_of(model).missing or hasattr(model, "steps"))
    score, unit = scores_of(model, table, predicted)
    values = np.empty(table.shape)
    for j, column in enumerate(table):
        hidden = _missing(column) if gone else _typical(column)
        values[:, j] = score - scores_of(model, table.with_columns(hidden), predicted)[0]
    what = "missing" if gone else "typical of these rows"
    return Contributions(values, table, unit, f"occlusion: the change if the value were {what}, one column at a time")


def scores_of(model: Any, table: Table, predicted: np.ndarray) -> tuple[np.ndarray, str]:
    """The log odds of the class predicted, or the number, and which of both it is."""
    if not is_classifier(model):
        return np.asarray(model.predict(table), dtype=np.float64), "prediction"
    if not hasattr(model, "predict_proba"):
        raise DataError(f"{type(model).__name__} predicts no probabilities.", "a model that does, or one of trees")
    codes = np.searchsorted(model.classes_, predicted)
    p = np.clip(model.predict_proba(table)[np.arange(len(codes)), codes], _LEAST, 1 - _LEAST)
    return np.log(p / (1 - p)), "log odds"


def _missing(column: Column) -> Column:
    nothing = {Kind.NUMERIC: np.nan, Kind.TEXT: None}.get(column.kind, -1)
    return replace(column, values=np.full_like(column.values, nothing))


def _typical(column: Column) -> Column:
    """The median, or the most frequent level, in every row."""
    values = column.values
    if column.kind is Kind.NUMERIC:
        return replace(column, values=np.full_like(values, np.nanmedian(values)))
    cells, counts = np.unique(values, return_counts=True)
    return replace(column, values=np.full_like(values, cells[counts.argmax()]))

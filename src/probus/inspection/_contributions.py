"""What each column adds to the prediction of each row: by trees, by coefficients, by coalitions, or by leaving out."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, NamedTuple, cast

import numpy as np
from scipy.special import expit
from sklearn.base import is_classifier
from sklearn.preprocessing import StandardScaler

from probus.base import accepts_of
from probus.data import Column, Kind, Table
from probus.display import counted, rounded
from probus.ensemble.boosting import Boosted
from probus.ensemble.glass_box import GlassBox
from probus.ensemble.shap import SumOfTrees, TreeExplained, expected_against, interactions_of, shap_values_of
from probus.errors import DataError
from probus.inspection._coalitions import MOST_ENUMERATED, CoalitionValues, enumerate_coalitions, sample_orders
from probus.inspection._column_sources import sources_of
from probus.preprocessing import TextFeatures
from probus.tree import CostComplexityCV, TreeModel, Trees
from probus.tree.prediction import sums_of

_LEAST = 1e-6  # in place of a probability of 0
_PROBABILITY = "probability"


class Question(NamedTuple):
    """What is explained, and against which rows; see ``explain``.

    codes : the class of each row that is explained. instead : a background for models that need one, if none is given.
    """

    codes: np.ndarray | None
    one_class: bool = False
    background: Table | None = None
    instead: Table | None = None
    output: str | None = None
    interactions: bool = False
    tolerance: float = 0.02
    most_predictions: int = 1_000_000
    random_state: int = 0


class Contributions(NamedTuple):
    """values: float64[n, d], what each column adds to the score of the class explained, or to the number.

    table : the columns that the values are of. unit : what they are added to. method : in words. base : float64[n];
    with it the values sum to the score. errors : float64[n, d], standard errors. interactions : float64[n, d, d].
    texts : the step that makes numbers of texts, if there is one.
    """

    values: np.ndarray
    table: Table
    unit: str
    method: str
    base: np.ndarray | None = None
    errors: np.ndarray | None = None
    interactions: np.ndarray | None = None
    texts: TextFeatures | None = None


def contributions_of(model: Any, table: Table, predicted: np.ndarray, question: Question) -> Contributions:
    """By the trees or coefficients of the model if it has such, else by coalitions or by leaving out each value."""
    with warnings.catch_warnings():  # inside a wrapper, models may be fitted without the names of the columns
        warnings.filterwarnings("ignore", message="X has feature names")
        used = _used(model, table)
        question = question._replace(
            background=None if question.background is None else _used(model, question.background),
            instead=None if question.instead is None else _used(model, question.instead),
        )
        found, step = _contributions(model, used, predicted, question), text_step(model)
        found = found if step is None else _of_whole_texts(found, step, used)
        return _of_given_columns(found, model, used)


def text_step(model: Any) -> TextFeatures | None:
    """The step of a pipeline, or of the first of several that vote, which makes scores and topics of texts."""
    inner = _within(model)
    members = getattr(inner, "estimators_", None)
    pipelines = [inner] if hasattr(inner, "steps") else members if isinstance(members, list) else []
    steps = (step for each in pipelines for _, step in getattr(each, "steps", []) if isinstance(step, TextFeatures))
    return next((step for step in steps if step.sources()), None)


def _of_whole_texts(found: Contributions, step: TextFeatures, given: Table) -> Contributions:
    """The contributions of the scores and topics of a text together, as those of the text."""
    sources = step.sources()
    return _summed(found, [sources.get(name, name) for name in found.table.names], given)._replace(texts=step)


def _of_given_columns(found: Contributions, model: Any, given: Table) -> Contributions:
    """The contributions of columns that were made of one given column together, as those of that column."""
    made = [name for name in found.table.names if name not in given]
    inner = _within(model)
    if not made or len(getattr(inner, "steps", [])) < 2:
        return found
    sources = sources_of(inner, given)
    if len(sources) != len(found.table.names):
        return found
    return _summed(found, [source or name for source, name in zip(sources, found.table.names, strict=True)], given)


def _summed(found: Contributions, names: list[str], given: Table) -> Contributions:
    """The contributions of columns of one name together."""
    distinct = list(dict.fromkeys(names))
    place = np.zeros((len(names), len(distinct)))
    place[np.arange(len(names)), [distinct.index(name) for name in names]] = 1.0
    pairs = found.interactions
    return found._replace(
        values=found.values @ place,
        table=_as_given(Table([*found.table, *(each for each in given if each.name not in found.table)]), distinct),
        errors=None if found.errors is None else np.sqrt(found.errors**2 @ place),
        interactions=None if pairs is None else np.einsum("nij,ia,jb->nab", pairs, place, place, optimize=True),
    )


def _within(model: Any) -> Any:
    """The model inside a wrapper of ``probus.calibration``."""
    return getattr(model, "estimator_", model) if hasattr(model, "conformity_") else model


def _contributions(model: Any, table: Table, predicted: np.ndarray, question: Question) -> Contributions:
    inner = _within(model)
    steps = list(getattr(inner, "steps", [("model", inner)]))
    last = steps[-1][1]
    last = last.best_estimator_ if isinstance(last, CostComplexityCV) else last
    found = None
    if isinstance(last, TreeExplained | TreeModel):
        found = _of_trees(inner, last, table, question)
    elif isinstance(last, GlassBox):
        found = _of_curves(inner, last, table, question)
    elif _is_linear(last):
        found = _of_coefficients(inner, last, dict(steps), table, question)
    if found is not None and question.output not in (None, _scale_of(found.unit)):
        found = None
    if found is not None:
        return found
    if question.interactions:
        raise DataError(
            f"interactions of {type(last).__name__}.", "a model of trees and the output that they add up to"
        )
    others = question.instead if question.background is None else question.background
    if others is not None:
        return _of_coalitions(model, table, others, question)
    if question.output is not None:
        raise DataError(
            f"output={question.output!r} of {type(last).__name__} without a background.",
            "output=None, or rows as background",
            "Pass some training rows: explain(model, X, background=rows).",
        )
    return _by_occlusion(model, table, predicted, question.codes, replaced=isinstance(last, TreeModel))


def _scale_of(unit: str) -> str:
    return _PROBABILITY if unit == _PROBABILITY else "margin"


def _without_surrogates(trees: Trees, X: np.ndarray) -> Trees | None:
    """The trees with their own splits only; None where a row with missing values is sent elsewhere by a surrogate."""
    own = replace(trees, surrogates=None)
    same = trees.surrogates is None or np.array_equal(sums_of(own, X), sums_of(trees, X))
    return own if same else None


def _transformed(pipeline: Any, table: Table) -> Any:
    return pipeline[:-1].transform(table) if len(getattr(pipeline, "steps", [])) > 1 else table


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


def _of_trees(inner: Any, last: Any, table: Table, question: Question) -> Contributions | None:
    """Exact Shapley values: averages over the orders in which columns may become known.

    None where something else than splits on own columns decides: surrogates, or an initial model.
    """
    prepared, background = _transformed(inner, table), question.background
    X, others = last._seen(prepared), None if background is None else last._seen(_transformed(inner, background))
    if isinstance(last, TreeExplained):
        trees: Trees | None = last.trees_ if getattr(last, "initial_", None) is None else None
        sums = last._sum_of_trees()
    else:
        trees = _without_surrogates(last.tree_, X if others is None else np.concatenate([X, others]))
        sums = SumOfTrees(1, 1.0, np.zeros(last.tree_.n_values), ())
    if trees is None:
        return None
    n_jobs = getattr(last, "n_jobs", None)
    values = sums.scale * shap_values_of(trees, X, sums.n_groups, n_jobs, others)
    base = sums.offset + sums.scale * expected_against(trees, others, sums.n_groups)
    averaged = not isinstance(last, Boosted)
    unit = "prediction" if question.codes is None else _PROBABILITY
    if isinstance(last, TreeExplained) and not (averaged and question.codes is not None):
        total = base + values.sum(axis=1)
        unit = _unit(last, prepared, total if total.shape[1] > 1 else total[:, 0])
    pairs = None
    if question.interactions:
        pairs = sums.scale * interactions_of(trees, X, sums.n_groups, n_jobs, others)
        pairs = _of_class(pairs.reshape(len(X), -1, pairs.shape[3]), question).reshape(pairs.shape[:3])
    return Contributions(
        _of_class(values, question),
        _used(last, prepared),
        unit,
        "exact Shapley values of the trees" + _against(background),
        _base_of_class(base, len(X), question),
        interactions=pairs,
    )


def _against(background: Table | None) -> str:
    return "" if background is None else f", against {counted(len(background), 'background row')}"


def _of_curves(inner: Any, last: GlassBox, table: Table, question: Question) -> Contributions:
    """The curves of a glass box, which are its Shapley values; a pair is shared by its columns."""
    prepared = _transformed(inner, table)
    background = None if question.background is None else _transformed(inner, question.background)
    found = last._shares(prepared, background, by_pairs=question.interactions)
    total = found.base + found.values.sum(axis=1)
    pairs = found.pairs
    if pairs is not None:
        pairs = _of_class(pairs.reshape(len(total), -1, pairs.shape[3]), question).reshape(pairs.shape[:3])
    return Contributions(
        _of_class(found.values, question),
        _used(last, prepared),
        _unit(last, prepared, total if total.shape[1] > 1 else total[:, 0]),
        "curves of the model, pairs shared by their columns" + _against(question.background),
        _base_of_class(found.base, len(total), question),
        interactions=pairs,
    )


def _is_linear(model: Any) -> bool:
    """Whether there is a coefficient for each column: one row of them, or one for each class."""
    coefficients = getattr(model, "coef_", None)
    if not isinstance(coefficients, np.ndarray) or not hasattr(model, "intercept_"):
        return False
    rows = len(np.atleast_2d(coefficients))
    return rows == 1 or (is_classifier(model) and rows == len(model.classes_))


def _of_coefficients(inner: Any, model: Any, steps: dict[str, Any], table: Table, question: Question) -> Contributions:
    """Coefficient times distance from the mean: the Shapley values of a linear model."""
    prepared = _transformed(inner, table)
    rows = _used(model, prepared)
    Z = rows.numbers()
    if question.background is not None:
        others = _used(model, _transformed(inner, question.background)).numbers()
        centre, of = others.mean(axis=0), f"the mean of {counted(len(others), 'background row')}"
    elif isinstance(steps.get("scale"), StandardScaler):
        centre, of = np.zeros(Z.shape[1]), "the mean of the training rows"
    elif len(Z) > 1:
        centre, of = Z.mean(axis=0), "the mean of these rows"
    else:  # which would be the row itself
        centre, of = np.zeros(Z.shape[1]), "a row of zeros"
    coefficients = np.atleast_2d(model.coef_)
    each = (Z - centre)[:, :, None] * coefficients.T[None]
    base = np.ravel(centre @ coefficients.T + model.intercept_)
    shown, encoder = rows, cast("Any", steps.get("encode"))
    if hasattr(encoder, "suffixes_"):  # the columns made of one column together
        widths = [len(suffixes) for suffixes in encoder.suffixes_]
        ends = np.cumsum(widths)
        parts = [each[:, end - width : end].sum(axis=1) for width, end in zip(widths, ends, strict=True)]
        each = np.stack(parts, axis=1)
        shown = _as_given(table, [str(name) for name in encoder.feature_names_in_])
    sums = Z @ coefficients.T + model.intercept_
    unit = _unit(model, prepared, sums[:, 0] if sums.shape[1] == 1 else sums)
    values = _of_class(each, question)
    pairs = values[:, :, None] * np.eye(values.shape[1]) if question.interactions else None
    base = _base_of_class(base, len(Z), question)
    return Contributions(values, shown, unit, f"coefficients, relative to {of}", base, interactions=pairs)


def _as_given(table: Table, names: list[str]) -> Table:
    """The columns as they were given; those that steps have made, such as topics of a text, without a value."""
    nothing = [""] * len(table)
    return Table(table[name] if name in table else Column.text(name, nothing) for name in names)


def _of_class(values: np.ndarray, question: Question) -> np.ndarray:
    """Those of the class of each row; a single score of two classes is that of the second."""
    codes = question.codes
    if codes is None or question.one_class:
        return values[:, :, 0]
    if values.shape[2] > 1:
        return values[np.arange(len(values)), :, codes]
    return values[:, :, 0] * np.where(codes == 0, -1.0, 1.0)[:, None]


def _base_of_class(base: np.ndarray, n: int, question: Question) -> np.ndarray:
    """The base of the class of each row: float64[n]."""
    return _of_class(np.broadcast_to(base, (n, 1, len(base))), question)[:, 0]


# -- by coalitions of columns --------------------------------------------------------------------------


def _of_coalitions(model: Any, table: Table, others: Table, question: Question) -> Contributions:
    """Shapley values of whatever predicts: exact where all coalitions can be predicted, else by sampling."""
    codes = question.codes
    others = table.schema.apply(others, keep_unseen=True)

    def predict(rows: Table) -> np.ndarray:
        if codes is None:
            return np.asarray(model.predict(rows), dtype=np.float64).reshape(len(rows), 1)
        p = _probabilities(model, rows)
        return p if question.output != "margin" else np.log(np.clip(p, _LEAST, None) / np.clip(1 - p, _LEAST, None))

    exact = 2 ** min(len(table.names), 60) * len(others) * len(table) <= question.most_predictions
    if exact and len(table.names) <= MOST_ENUMERATED:
        found = enumerate_coalitions(predict, table, others)
        how = "exact Shapley values of all coalitions"
    else:
        found = sample_orders(
            predict, table, others, tolerance=question.tolerance, most_predictions=question.most_predictions,
            random_state=question.random_state,
        )  # fmt: skip
        how = _how_sampled(found)
    unit = "prediction" if codes is None else "log odds" if question.output == "margin" else _PROBABILITY
    errors = None if found.errors is None else np.abs(_of_class(found.errors, question))
    base = _base_of_class(found.base, len(table), question)
    return Contributions(_of_class(found.values, question), table, unit, how + _against(others), base, errors)


def _how_sampled(found: CoalitionValues) -> str:
    assert found.errors is not None
    fewest, most = found.orders.min(), found.orders.max()
    orders = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
    return f"Shapley values of {orders} sampled orders, standard errors at most {rounded(found.errors.max(), 2)}"


def _probabilities(model: Any, table: Table) -> np.ndarray:
    if not hasattr(model, "predict_proba"):
        raise DataError(f"{type(model).__name__} predicts no probabilities.", "a model that does, or one of trees")
    return np.asarray(model.predict_proba(table), dtype=np.float64)


# -- by leaving out ------------------------------------------------------------------------------------


def _by_occlusion(
    model: Any, table: Table, predicted: np.ndarray, codes: np.ndarray | None, *, replaced: bool
) -> Contributions:
    """The score minus the score without the value of one column: missing, or ``replaced`` by a typical one.

    Trees with surrogates have it replaced: they send a row with a missing value as if they knew it.
    """
    gone = not replaced and (accepts_of(model).missing or hasattr(model, "steps"))
    score, unit = scores_of(model, table, predicted, codes)
    values = np.empty(table.shape)
    for j, column in enumerate(table):
        hidden = _missing(column) if gone else _typical(column)
        values[:, j] = score - scores_of(model, table.with_columns(hidden), predicted, codes)[0]
    what = "missing" if gone else "typical of these rows"
    return Contributions(values, table, unit, f"occlusion: the change if the value were {what}, one column at a time")


def scores_of(
    model: Any, table: Table, predicted: np.ndarray, codes: np.ndarray | None = None
) -> tuple[np.ndarray, str]:
    """The log odds of the class predicted, or of those given, or the number; and which of both it is."""
    if not is_classifier(model):
        return np.asarray(model.predict(table), dtype=np.float64), "prediction"
    codes = np.searchsorted(model.classes_, predicted) if codes is None else codes
    p = np.clip(_probabilities(model, table)[np.arange(len(codes)), codes], _LEAST, 1 - _LEAST)
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

"""Models that wrap other models: who takes weights, how seeds reach members, what a wrapper accepts, and names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import reduce
from inspect import Parameter, signature
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import FeatureUnion
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from probus.base import Accepts, Model, accepts_of
from probus.errors import DataError

__all__ = [
    "WeightsError",
    "accepted_by_all",
    "distinct_names",
    "estimator_has",
    "fit_weighted",
    "groups_parameter",
    "innermost",
    "libraries_of",
    "must_have_tags",
    "must_take_weights",
    "name_of",
    "named_models",
    "parts_of",
    "refuse_params",
    "routing_enabled",
    "set_random_states",
    "stops_early",
    "takes_weights",
    "validation_parameters",
    "weighs_rows",
    "weights_parameter",
]


# -- metadata routing ----------------------------------------------------------------------------------


def routing_enabled() -> bool:
    """Whether scikit-learn's metadata routing is switched on."""
    return bool(get_config()["enable_metadata_routing"])


def refuse_params(params: Mapping[str, Any], model: Any, method: str) -> None:
    """Raise if a method of a model was given further parameters without metadata routing."""
    if params and not routing_enabled():
        raise DataError(
            f"Passing extra keyword arguments to {type(model).__name__}.{method} is only supported if "
            f"enable_metadata_routing=True: {', '.join(sorted(params))}.",
            "none of them, or metadata routing",
            "Call sklearn.set_config(enable_metadata_routing=True), and let the members request them.",
        )


def estimator_has(name: str) -> Any:
    """A check for ``available_if``: whether the fitted members, or else the model, have that method."""

    def check(self: Any) -> bool:
        members = getattr(self, "estimators_", None)
        getattr(members[0] if members else self.estimator, name)
        return True

    return check


# -- weights -------------------------------------------------------------------------------------------


class WeightsError(DataError, TypeError):
    """Sample weights for a model that takes none; scikit-learn raises a TypeError there."""


def takes_weights(model: Any) -> bool:
    """Whether ``fit_weighted`` can pass sample weights to the model, through pipelines and searches.

    A wrapper takes weights if all its members do.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> takes_weights(GaussianNB()), takes_weights(KNeighborsClassifier())
    (True, False)
    """
    return weights_parameter(model) is not None


def weighs_rows(model: Any) -> bool:
    """Whether every part of the model counts a row of weight 2 as that row twice.

    In a pipeline only the last step may take weights. With metadata routing, a model must request them.
    """
    if routing_enabled():
        return bool(get_routing_for_object(model).consumes("fit", ["sample_weight"]))
    return model.accepts.weights if isinstance(model, Model) else has_fit_parameter(model, "sample_weight")


def must_take_weights(models: Iterable[Any]) -> None:
    """Raise, naming those that do not, unless all of the models take sample weights."""
    lacking = [type(model).__name__ for model in models if not takes_weights(model)]
    if lacking:
        raise WeightsError(
            f"Underlying estimator {', '.join(lacking)} does not support sample weights.",
            "models that take them, all of them, since sample_weight is given",
            "Leave the weights out, or choose other models.",
        )


def fit_weighted(model: Any, X: Any, y: Any, sample_weight: np.ndarray | None, **others: Any) -> Any:
    """The model, fitted; weights go under the name that its ``fit`` has for them."""
    if sample_weight is not None:
        name = "sample_weight" if routing_enabled() else weights_parameter(model) or "sample_weight"
        others[name] = sample_weight
    model.fit(X, y, **others)
    return model


def weights_parameter(model: Any) -> str | None:
    """The name of the sample weights in the model's ``fit``, or None."""
    if isinstance(model, Model):
        return "sample_weight" if model.accepts.weights else None
    if has_fit_parameter(model, "sample_weight"):
        return "sample_weight"
    if hasattr(model, "steps"):
        name, last = model.steps[-1]
        inner = weights_parameter(last)
        passes_on = "sample_weight" in getattr(model, "passes_on", ())  # to every step that takes them
        return inner and ("sample_weight" if passes_on else f"{name}__{inner}")
    if isinstance(model, ColumnTransformer):
        return None  # without metadata routing it refuses them
    if isinstance(model, FeatureUnion):  # which passes the same on to all of its parts
        parts = [part for _, part in model.transformer_list if part != "drop"]
        every = all(part != "passthrough" and weights_parameter(part) == "sample_weight" for part in parts)
        return "sample_weight" if every else None
    if not _takes_any_keyword(model):
        return None
    return weights_parameter(model.estimator) if hasattr(model, "estimator") else "sample_weight"


def groups_parameter(model: Any) -> str | None:
    """The name of the groups in the ``fit`` of a model that splits its rows itself, such as ``Tuned``, or None.

    >>> from probus.naive_bayes import GaussianNB
    >>> from probus.tuning import Tuned
    >>> groups_parameter(Tuned(GaussianNB())), groups_parameter(GaussianNB())
    ('groups', None)
    """
    if routing_enabled():
        return None  # routing passes them to those that request them
    if "groups" in getattr(model, "passes_on", ()) or has_fit_parameter(model, "groups"):
        return "groups"
    name, last = model.steps[-1] if getattr(model, "steps", None) else ("", None)
    inner = None if last is None else groups_parameter(last)
    return inner and f"{name}__{inner}"


def _takes_any_keyword(model: Any) -> bool:
    parameters = signature(model.fit).parameters.values() if hasattr(model, "fit") else ()
    return any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters)


# -- validation rows for early stopping ----------------------------------------------------------------


def innermost(model: Any) -> list[Any]:
    """The models that a wrapper passes validation rows on to, its ``inner_models``; the model itself if it is none."""
    inner_models = getattr(model, "inner_models", None)
    if inner_models is None:
        return [model] if hasattr(model, "fit") else []
    return [each for inner in inner_models for each in innermost(inner)]


def stops_early(model: Any) -> bool:
    """Whether the model, or one that it passes validation rows on to, stops early on those that ``fit`` is given.

    >>> from probus.ensemble import GradientBoostingRegressor
    >>> stops_early(GradientBoostingRegressor()), stops_early(GradientBoostingRegressor(n_iter_no_change=5))
    (False, True)
    """
    return any(map(_stops_early, innermost(model)))


def _stops_early(model: Any) -> bool:
    if not has_fit_parameter(model, "X_val"):
        return has_fit_parameter(model, "eval_X") or has_fit_parameter(model, "eval_set")
    params = model.get_params(deep=False)
    return params.get("early_stopping", params.get("n_iter_no_change")) not in (None, False)


def validation_parameters(model: Any, validation: Mapping[str, Any]) -> dict[str, Any]:
    """Validation rows under the names that the ``fit`` of the model has for them: ``X_val``, or ``eval_set``."""
    if not validation:
        return {}
    if has_fit_parameter(model, "X_val") or "X_val" in getattr(model, "passes_on", ()):
        return dict(validation)
    pair = validation["X_val"], validation["y_val"]
    if has_fit_parameter(model, "eval_X"):  # LightGBM since 4.7, whose eval_set is deprecated
        given: dict[str, Any] = dict(zip(("eval_X", "eval_y"), pair, strict=True))
    elif has_fit_parameter(model, "eval_set"):
        given = {"eval_set": [pair]}
    else:
        raise DataError(
            f"{type(model).__name__} takes no validation rows.",
            "a model whose fit takes X_val and y_val, or eval_set",
            "Leave out X_val and y_val.",
        )
    weights = next((name for name in _VALIDATION_WEIGHTS if has_fit_parameter(model, name)), None)
    if "sample_weight_val" in validation and weights:
        given[weights] = [validation["sample_weight_val"]]
    return given


_VALIDATION_WEIGHTS = ("eval_sample_weight", "sample_weight_eval_set")  # of LightGBM and XGBoost


# -- seeds and input -----------------------------------------------------------------------------------


def set_random_states(model: Any, random_state: int | np.random.RandomState) -> Any:
    """The model, every ``random_state`` of it and of its parts set to a seed drawn from the given one."""
    random = check_random_state(random_state)
    names = sorted(name for name in model.get_params() if name.rpartition("__")[2] == "random_state")
    return model.set_params(**{name: random.randint(np.iinfo(np.int32).max) for name in names})


def accepted_by_all(models: Iterable[Any]) -> Accepts:
    """What every one of the models takes; a pipeline takes what its first step does.

    >>> from probus.tree import DecisionTreeClassifier
    >>> from probus.naive_bayes import GaussianNB
    >>> print(accepted_by_all([DecisionTreeClassifier(), GaussianNB()]))
    numeric columns, sample weights
    """
    return reduce(Accepts.intersect, map(_accepts_of, models), Accepts.everything())


def _accepts_of(model: Any) -> Accepts:
    first = model
    while getattr(first, "steps", None):
        first = next((step for _, step in first.steps if step not in (None, "passthrough")), None)
    return replace(accepts_of(first), weights=takes_weights(model))


# -- what a model is made of ---------------------------------------------------------------------------


def parts_of(model: Any) -> Iterator[Any]:
    """The model and the estimators among its parameters, at any depth."""
    yield model
    for value in model.get_params().values():
        if hasattr(value, "fit") and hasattr(value, "get_params") and not isinstance(value, type):
            yield value


def libraries_of(model: Any) -> set[str]:
    """The libraries whose classes define how the model is fitted.

    >>> from sklearn.svm import SVC
    >>> libraries_of(SVC())
    {'sklearn'}
    """
    return {cls.__module__.partition(".")[0] for cls in type(model).__mro__ if "fit" in vars(cls)}


def must_have_tags(model: Any) -> None:
    """Raise where a class of the user's own does not inherit what scikit-learn asks of an estimator."""
    if hasattr(model, "__sklearn_tags__"):
        return
    name = type(model).__name__
    raise DataError(
        f"{name} has no scikit-learn tags, so it is unknown whether it is a classifier.",
        "an estimator with the base classes of scikit-learn",
        f"Write class {name}(ClassifierMixin, BaseEstimator), or RegressorMixin; they are in sklearn.base.",
    )


# -- names ---------------------------------------------------------------------------------------------


def name_of(model: Any) -> str:
    """The name of the model's class, or of the last step's where it is a pipeline.

    >>> from sklearn.pipeline import make_pipeline
    >>> from probus.naive_bayes import GaussianNB
    >>> name_of(make_pipeline(GaussianNB()))
    'GaussianNB'
    """
    while getattr(model, "steps", None):
        model = model.steps[-1][1]
    return type(model).__name__


def named_models(models: Mapping[str, Any] | Iterable[Any]) -> dict[str, Any]:
    """The models by name: the keys, names in pairs, or the names of their classes, numbered where they repeat.

    >>> from probus.dummy import ZeroRClassifier
    >>> list(named_models([ZeroRClassifier(), ZeroRClassifier()]))
    ['ZeroRClassifier', 'ZeroRClassifier 2']
    """
    models = from_pairs(models)
    if isinstance(models, Mapping):
        return {str(name): model for name, model in models.items()}
    return dict(zip(distinct_names(map(name_of, models)), models, strict=True))


def from_pairs(models: Mapping[str, Any] | Iterable[Any]) -> Mapping[str, Any] | list[Any]:
    """Models by name, also where they are given in pairs with their names, as the steps of a pipeline; else a list."""
    if isinstance(models, Mapping):
        return models
    listed = list(models)
    pairs = listed and all(isinstance(each, tuple) and len(each) == 2 and isinstance(each[0], str) for each in listed)
    return dict(listed) if pairs else listed


def distinct_names(names: Iterable[str]) -> list[str]:
    """The names, numbered where they repeat.

    >>> distinct_names(["tree", "tree", "bayes"])
    ['tree', 'tree 2', 'bayes']
    """
    distinct: list[str] = []
    for name in names:
        number, numbered = 1, name
        while numbered in distinct:
            number += 1
            numbered = f"{name} {number}"
        distinct.append(numbered)
    return distinct

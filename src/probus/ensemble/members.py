"""Members of an ensemble, whatever models they are: what they take, how they are fitted, what they say."""

from __future__ import annotations

from collections.abc import Iterable
from inspect import Parameter, signature
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.utils.metadata_routing import _routing_enabled, get_routing_for_object
from sklearn.utils.parallel import Parallel
from sklearn.utils.validation import _check_method_params, has_fit_parameter

from probus.base import Accepts, Model, accepts_of
from probus.ensemble.entering import rows_of
from probus.errors import DataError

__all__ = [
    "WeightsError",
    "accepted_by_all",
    "aligned",
    "answer",
    "fitted_member",
    "must_take_weights",
    "parallel",
    "seeded",
    "takes_weights",
    "weighs_rows",
    "written",
]

_METHODS = ("predict_proba", "decision_function", "predict")


def written(models: Iterable[Any]) -> str:
    """What each of some models can be asked, for messages.

    >>> from sklearn.svm import LinearSVC
    >>> written([LinearSVC()])
    'LinearSVC has decision_function and predict'
    """
    told = []
    for model in models:
        has = [method for method in _METHODS if hasattr(model, method)]
        told.append(f"{type(model).__name__} has {' and '.join(has) or 'none of ' + ', '.join(_METHODS)}")
    return "; ".join(told)


# -- what they take ------------------------------------------------------------------------------------


def accepted_by_all(models: Iterable[Any]) -> Accepts:
    """What every one of the models takes.

    >>> from probus.tree import DecisionTreeClassifier
    >>> from probus.naive_bayes import GaussianNB
    >>> print(accepted_by_all([DecisionTreeClassifier(), GaussianNB()]))
    numeric columns, sample weights
    """
    models = list(models)
    each = [_accepted_by(model) for model in models]
    return Accepts(
        nominal=all(accepts.nominal for accepts in each),
        text=all(accepts.text for accepts in each),
        missing=all(accepts.missing for accepts in each),
        sparse=all(accepts.sparse for accepts in each),
        weights=all(takes_weights(model) for model in models),
        negative=all(accepts.negative for accepts in each),
        scaled=any(accepts.scaled for accepts in each),
    )


def _accepted_by(model: Any) -> Accepts:
    """What a model takes; a pipeline takes what its first step does."""
    while hasattr(model, "steps") and model.steps:
        model = next((step for _, step in model.steps if step not in (None, "passthrough")), None)
    return accepts_of(model)


class WeightsError(DataError, TypeError):
    """Weights of rows for a model that takes none; to scikit-learn that is a TypeError."""


def takes_weights(model: Any) -> bool:
    """Whether ``fitted_member`` can hand weights of rows to that model."""
    return _weights_parameter(model) is not None


def weighs_rows(model: Any) -> bool:
    """Whether every part of the model counts a row of weight 2 as that row twice.

    In a pipeline, only the last step may be weighed. Where scikit-learn routes metadata, a model must ask for weights.
    """
    if _routing_enabled():
        return bool(get_routing_for_object(model).consumes("fit", ["sample_weight"]))
    return model.accepts.weights if isinstance(model, Model) else has_fit_parameter(model, "sample_weight")


def _weights_parameter(model: Any) -> str | None:
    """What the ``fit`` of a model calls the weights of rows."""
    if isinstance(model, Model):
        return "sample_weight" if model.accepts.weights else None
    if has_fit_parameter(model, "sample_weight"):
        return "sample_weight"
    if hasattr(model, "steps"):
        name, last = model.steps[-1]
        inner = _weights_parameter(last)
        return inner and f"{name}__{inner}"
    if hasattr(model, "estimator"):
        return "sample_weight" if takes_weights(model.estimator) else None
    return "sample_weight" if _takes_any_name(model) else None


def _takes_any_name(model: Any) -> bool:
    parameters = signature(model.fit).parameters.values() if hasattr(model, "fit") else ()
    return any(parameter.kind is Parameter.VAR_KEYWORD for parameter in parameters)


def must_take_weights(models: Iterable[Any]) -> None:
    """Raise, naming them, unless all of the models take weights of rows."""
    lacking = [type(model).__name__ for model in models if not takes_weights(model)]
    if lacking:
        raise WeightsError(
            f"Underlying estimator {', '.join(lacking)} does not support sample weights.",
            "models that take them, all of them, since sample_weight is given",
            "Leave the weights out, or choose other models.",
        )


# -- fitting and asking --------------------------------------------------------------------------------


def parallel(models: Iterable[Any], n_jobs: int | None, verbose: int = 0) -> Parallel:
    """Runs jobs on these models and yields what they return, in order; on threads where our kernels do the work."""
    prefer = "threads" if all(isinstance(model, Model) for model in models) else None
    return Parallel(n_jobs=n_jobs, prefer=prefer, verbose=verbose, return_as="generator")


def seeded(model: Any, seed: int) -> Any:
    """A clone whose random states, its parts' too, are drawn from the seed."""
    member, rng = clone(model), np.random.RandomState(seed)
    names = sorted(name for name in member.get_params() if name.rpartition("__")[2] == "random_state")
    return member.set_params(**{name: rng.randint(np.iinfo(np.int32).max) for name in names})


def fitted_member(member: Any, X: Any, y: np.ndarray, sample_weight: Any = None, **others: Any) -> Any:
    """The member, fitted; weights must be None where it takes none. Others are what its ``fit`` asked for.

    Rows that weigh nothing are left out, since not every model takes them for absent.
    """
    if sample_weight is None:
        member.fit(X, y, **others)
        return member
    weights = np.asarray(sample_weight, dtype=np.float64)
    if not weights.all():
        there = np.flatnonzero(weights)
        others = _check_method_params(X, others, there)
        X, y, weights = rows_of(X, there), y[there], weights[there]
    named = "sample_weight" if _routing_enabled() else _weights_parameter(member) or "sample_weight"
    member.fit(X, y, **{named: weights}, **others)
    return member


def answer(member: Any, method: str, X: Any, labels: np.ndarray | None, **params: Any) -> np.ndarray:
    """What a fitted member says about rows, one column for each of the labels where it gives chances.

    A classifier's labels come back as their places among ``labels``. A label that it was not shown has no chance.

    >>> from probus.dummy import ZeroRClassifier
    >>> few = ZeroRClassifier().fit([[0], [0]], ["a", "c"])
    >>> answer(few, "predict_proba", [[0]], np.array(["a", "b", "c"]))
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

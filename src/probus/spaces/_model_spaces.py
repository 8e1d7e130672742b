"""The default search space of a model, of a pipeline, of a model of models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from probus.errors import DataError
from probus.spaces._conditions import Conditional
from probus.spaces._known_models import KNOWN, NOT_IN_SCIKIT_LEARN
from probus.spaces._parameters import Choice, Integer, Parameter, Real
from probus.spaces._space import Space

_WITHOUT_TARGET = ("clusterer", "density_estimator", "outlier_detector")


def search_space(model: Any) -> Space:
    """The parameters of a model that should be tuned, with the values it has as default.

    The parameters of models inside a pipeline or an ensemble have their names as prefix. A parameter keeps its value if
    that is not one of the usual choices, and a range is widened to include it.

    Parameters
    ----------
    model : an estimator of Probus, of scikit-learn where Probus has the class too, of LightGBM or XGBoost, a pipeline
        of these, or any that has a method ``search_space``

    Returns
    -------
    The space, whose default are the model's own values.

    >>> from probus.neighbors import KNeighborsClassifier
    >>> from probus.pipeline import tabular
    >>> search_space(tabular(KNeighborsClassifier()))
    Space of 3 parameters
    model__n_neighbors  Integer(1, 100, log=True)
    model__weights      Choice('uniform', 'distance')
    model__p            Choice(1, 2)
    """
    if isinstance(model, type) or not hasattr(model, "get_params"):
        raise DataError(f"found {str(model)[:60]!r}.", "an estimator", "Pass an instance, for example SVC().")
    space = _own_space(model)
    if space is None:
        raise DataError(
            f"{type(model).__name__} has no search space.",
            "a model of Probus, of a known library, or with a method search_space",
            "Pass space=Space({'name': Real(0.1, 10)}) with the names of its parameters.",
        )
    return space


def _own_space(model: Any) -> Space | None:
    """The space of a model and of those inside it; None where the model, or a predictor inside it, is unknown."""
    if _defines_space(type(model)):
        return model.search_space()
    known = _known(model)
    if known is None:
        return None
    space = _fit_to(model, known)
    for prefix, part in _parts(model):
        inner = _own_space(part)
        if inner is None and _predicts(part):
            return None
        if inner is not None:
            space = space | inner.prefixed(f"{prefix}__")
    return space.with_default(model)


def _defines_space(cls: type) -> bool:
    """Whether a class has a space of its own; that of ``probus.base.Model`` comes from here."""
    owner = next((each for each in cls.__mro__ if "search_space" in vars(each)), None)
    return owner is not None and owner.__module__ != "probus.base"


def _known(model: Any) -> Mapping[str, Any] | None:
    """The entry of the nearest class that has one; transformers and models of models need none."""
    for cls in type(model).__mro__:
        library = cls.__module__.partition(".")[0]
        if cls.__name__ in KNOWN and library in ("probus", "sklearn", "lightgbm", "xgboost"):
            absent = NOT_IN_SCIKIT_LEARN.get(cls.__name__, ()) if library == "sklearn" else ()
            return {name: each for name, each in KNOWN[cls.__name__].items() if name not in absent}
    return {} if not _predicts(model) or any(_predicts(part) for _, part in _parts(model)) else None


def _predicts(model: Any) -> bool:
    """Whether the model predicts a target that could choose its parameters."""
    if not hasattr(model, "predict"):
        return False
    kind = model.__sklearn_tags__().estimator_type if hasattr(model, "__sklearn_tags__") else None
    return kind not in _WITHOUT_TARGET


def _fit_to(model: Any, known: Mapping[str, Any]) -> Space:
    """The known parameters, less those whose value is not among the choices, and with the values of the model."""
    values = model.get_params(deep=False)
    kept: dict[str, Any] = {}
    for name, given in known.items():
        if name not in values:
            continue
        conditional = given if isinstance(given, Conditional) else Conditional(given, {})
        parameter = _holding(conditional.parameter, values[name])
        decided = {other: wanted for other, wanted in conditional.conditions.items() if other not in kept}
        if parameter is not None and all(values[other] in wanted for other, wanted in decided.items()):
            open_ = {other: wanted for other, wanted in conditional.conditions.items() if other in kept}
            kept[name] = Conditional(parameter, open_)
    return Space(kept)


def _holding(parameter: Parameter, value: Any) -> Parameter | None:
    """The parameter, its range widened to include a number; None for a choice that does not have the value."""
    if isinstance(parameter, Choice):
        return parameter if parameter.holds(value) else None
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or parameter.holds(value) or not isinstance(parameter, Real | Integer):
        return parameter
    try:
        return replace(parameter, low=min(parameter.low, value), high=max(parameter.high, value))
    except DataError:  # zero, where the logarithm is searched
        return None


def _parts(model: Any) -> Iterator[tuple[str, Any]]:
    """The estimators among a model's parameters, with the prefix of their names."""
    for name, value in model.get_params(deep=False).items():
        if hasattr(value, "get_params") and not isinstance(value, type):
            yield name, value
        elif isinstance(value, list | tuple):
            for item in value:
                named = isinstance(item, list | tuple) and len(item) >= 2 and isinstance(item[0], str)
                if named and hasattr(item[1], "get_params") and not isinstance(item[1], type):
                    yield item[0], item[1]

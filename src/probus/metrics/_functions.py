"""Functions of (y_true, y_pred) as measures: name, input, orientation, and the call.

All are inferred from the signature by scikit-learn's conventions. A second argument called ``y_score`` takes scores and
``y_proba`` probabilities. Names that end in error, loss or deviance are better when smaller.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.metrics._outcome import Outcome

_NEEDS = {"y_score": "scores", "y_proba": "probabilities", "y_prob": "probabilities"}
_LOSSES = ("error", "loss", "deviance")
_GAINS = ("score", "accuracy", "auc", "gain", "likelihood")


def name_of(function: Callable[..., float]) -> str:
    """The name of a function, or of the one that a partial fills in.

    >>> name_of(partial(round, ndigits=2))
    'round'
    """
    inner = function.func if isinstance(function, partial) else function
    return getattr(inner, "__name__", type(inner).__name__)


def needs_of(function: Callable[..., float]) -> str:
    """What its second argument takes: "scores", "probabilities", or "predictions" (labels or values)."""
    positional = list(parameters_of(function))
    return _NEEDS.get(positional[1], "predictions") if len(positional) > 1 else "predictions"


def is_scorer(function: Callable[..., float]) -> bool:
    """Whether it takes (estimator, X, y), as scikit-learn's scorers do, where a measure takes (y_true, y_pred)."""
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    required = [each for each in parameters_of(function).values() if each.default is inspect.Parameter.empty]
    return sum(each.kind in positional for each in required) == 3


def is_gain(function: Callable[..., float]) -> bool | None:
    """Whether more of it is better, by its name; None where that does not show it."""
    name = name_of(function)
    return False if name.endswith(_LOSSES) else True if name.endswith(_GAINS) else None


def call(function: Callable[..., float], needs: str, outcome: Outcome) -> float:
    """The function's value on the original labels; weights, positive class and classes are passed if it takes them."""
    return call_on(function, *_sides(needs, outcome), keywords_for(function, needs, outcome))


def call_on(function: Callable[..., float], actual: np.ndarray, side: np.ndarray, keywords: dict[str, Any]) -> float:
    """The function's value, which must be one number."""
    value = function(actual, side, **keywords)
    if np.ndim(value):
        raise DataError(f"{name_of(function)} gave an array of shape {np.shape(value)}.", "one number")
    return float(value)


def _sides(needs: str, outcome: Outcome) -> tuple[np.ndarray, np.ndarray]:
    actual = write_labels(outcome.actual, outcome)
    # functions of several classes' scores, such as roc_auc_score, take the matrix
    if needs == "probabilities" or (needs == "scores" and outcome.positive is None):
        return actual, outcome.need("probabilities")[:, sorted_codes(outcome)]
    if needs == "scores":
        return actual, outcome.need("scores")
    return actual, write_labels(outcome.need("predicted"), outcome)


def write_labels(side: np.ndarray, outcome: Outcome) -> np.ndarray:
    """Codes as the labels they stand for; numbers unchanged."""
    return np.array(outcome.classes)[side] if outcome.classes else side


def sorted_codes(outcome: Outcome) -> list[int]:
    """The classes in the order of their labels, which scikit-learn takes for that of the columns."""
    return sorted(range(len(outcome.classes)), key=lambda code: outcome.classes[code])


def keywords_for(function: Callable[..., float], needs: str, outcome: Outcome) -> dict[str, Any]:
    """Weights, positive class and classes, if the function takes them and does not have them yet."""
    parameters = parameters_of(function)
    open_ended = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    bound = function.keywords if isinstance(function, partial) else {}
    keywords: dict[str, Any] = {}
    if outcome.weights is not None:
        if "sample_weight" not in parameters and not open_ended:
            raise DataError(f"{name_of(function)} takes no sample_weight, and the rows have weights.", "one that does")
        keywords["sample_weight"] = outcome.weights
    if "labels" in parameters and (needs == "probabilities" or (needs == "scores" and outcome.positive is None)):
        keywords["labels"] = sorted(outcome.classes)
    if "pos_label" in parameters and outcome.positive is not None and "average" not in bound:
        keywords["pos_label"] = outcome.classes[outcome.positive]
    return {name: value for name, value in keywords.items() if name not in bound}


def parameters_of(function: Callable[..., float]) -> dict[str, inspect.Parameter]:
    """The parameters in the function's signature, by name."""
    try:
        return dict(inspect.signature(function).parameters)
    except ValueError:  # some built-in functions show no signature
        return {}

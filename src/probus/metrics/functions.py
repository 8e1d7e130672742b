"""Functions of (y_true, y_pred) as measures: name, input, orientation, and the call.

All are inferred from the signature by scikit-learn's conventions: a second argument called ``y_score`` takes scores and
``y_proba`` probabilities; names that end in error, loss or deviance are better when smaller.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.metrics.outcome import Outcome

__all__ = ["call", "is_gain", "is_scorer", "name_of", "needs_of"]

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
    positional = list(_parameters(function))
    return _NEEDS.get(positional[1], "predictions") if len(positional) > 1 else "predictions"


def is_scorer(function: Callable[..., float]) -> bool:
    """Whether it takes (estimator, X, y), as scikit-learn's scorers do, where a measure takes (y_true, y_pred)."""
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    required = [each for each in _parameters(function).values() if each.default is inspect.Parameter.empty]
    return sum(each.kind in positional for each in required) == 3


def is_gain(function: Callable[..., float]) -> bool | None:
    """Whether more of it is better, by its name; None where that does not show it."""
    name = name_of(function)
    return False if name.endswith(_LOSSES) else True if name.endswith(_GAINS) else None


def call(function: Callable[..., float], needs: str, outcome: Outcome) -> float:
    """The function's value on the original labels; weights, positive class and classes are passed if it takes them."""
    value = function(*_sides(needs, outcome), **_keywords(function, needs, outcome))
    if np.ndim(value):
        raise DataError(f"{name_of(function)} gave an array of shape {np.shape(value)}.", "one number")
    return float(value)


def _sides(needs: str, outcome: Outcome) -> tuple[np.ndarray, np.ndarray]:
    actual = _written(outcome.actual, outcome)
    if needs == "probabilities":
        return actual, outcome.need("probabilities")
    if needs == "scores":
        # functions of several classes' scores, such as roc_auc_score, take the matrix
        return actual, outcome.need("probabilities" if outcome.positive is None else "scores")
    return actual, _written(outcome.need("predicted"), outcome)


def _written(side: np.ndarray, outcome: Outcome) -> np.ndarray:
    return np.array(outcome.classes)[side] if outcome.classes else side


def _keywords(function: Callable[..., float], needs: str, outcome: Outcome) -> dict[str, Any]:
    parameters = _parameters(function)
    open_ended = any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters.values())
    bound = function.keywords if isinstance(function, partial) else {}
    keywords: dict[str, Any] = {}
    if outcome.weights is not None:
        if "sample_weight" not in parameters and not open_ended:
            raise DataError(f"{name_of(function)} takes no sample_weight, and the rows have weights.", "one that does")
        keywords["sample_weight"] = outcome.weights
    if "labels" in parameters and needs == "probabilities":
        keywords["labels"] = list(outcome.classes)
    if "pos_label" in parameters and outcome.positive is not None and "average" not in bound:
        keywords["pos_label"] = outcome.classes[outcome.positive]
    return {name: value for name, value in keywords.items() if name not in bound}


def _parameters(function: Callable[..., float]) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(function).parameters)
    except ValueError:  # some built-in functions show no signature
        return {}

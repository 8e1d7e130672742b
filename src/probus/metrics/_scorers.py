"""Scorers of scikit-learn's ``make_scorer`` as measures: its function, arguments, orientation and what it is passed.

A scorer calls the model, a measure reads predictions that were made once. So a scorer is taken apart: what it passes to
its function is the same here, of two classes the probabilities or decision values of one.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.metrics._functions import call_on, keywords_for, name_of, parameters_of, sorted_codes, write_labels
from probus.metrics._outcome import Outcome

_NEEDS = {"predict": "predictions", "predict_proba": "probabilities", "decision_function": "decisions"}


class MadeScorer:
    """The parts of a scorer.

    function : with its arguments filled in. needs : what it is passed. greater_is_better : its orientation.
    """

    def __init__(self, function: Callable[..., float], needs: str, greater_is_better: bool):
        self.function, self.needs, self.greater_is_better = function, needs, greater_is_better

    @property
    def name(self) -> str:
        """The function with its arguments, as in a call."""
        given = ", ".join(f"{key}={value!r}" for key, value in self._bound.items())
        return name_of(self.function) + (f"({given})" if given else "")

    @property
    def note(self) -> str:
        """That a loss is displayed as such, where the scorer changes its sign; empty where it does not."""
        if self.greater_is_better:
            return ""
        return f"{self.name} is displayed without the minus sign of its scorer: smaller values are better"

    def __call__(self, outcome: Outcome) -> float:
        """The function's value on the predictions."""
        keywords = keywords_for(self.function, "predictions", outcome)
        if self.needs != "predictions" and "labels" in parameters_of(self.function) and "labels" not in self._bound:
            keywords["labels"] = sorted(outcome.classes)
        return call_on(self.function, write_labels(outcome.actual, outcome), self._pass_on(outcome), keywords)

    @property
    def _bound(self) -> dict[str, Any]:
        return self.function.keywords if isinstance(self.function, partial) else {}

    def _pass_on(self, outcome: Outcome) -> np.ndarray:
        """What scikit-learn passes: of two classes, the column of one; of more, all in the order of sorted labels."""
        if self.needs == "predictions":
            return write_labels(outcome.need("predicted"), outcome)
        order = sorted_codes(outcome)
        part = self.needs if outcome.positive is not None or self.needs == "decisions" else "probabilities"
        given = outcome.need(part)
        if given.ndim == 2:
            return given[:, self._event(outcome, order)] if len(order) == 2 else given[:, order]
        return given if self._event(outcome, order) == _orient(outcome) else -given

    def _event(self, outcome: Outcome, order: list[int]) -> int:
        """The class whose values are passed: ``pos_label`` where the function takes one, else the last."""
        if self._bound.get("pos_label") is not None:
            return outcome.classes.index(self._bound["pos_label"])
        if "pos_label" in parameters_of(self.function) and outcome.positive is not None:
            return outcome.positive
        return order[-1]


def _orient(outcome: Outcome) -> int:
    """The class for which scores and decision values are larger."""
    return outcome.positive if outcome.positive is not None else len(outcome.classes) - 1


def made_scorer(given: Any) -> MadeScorer | None:
    """The parts of a scorer of ``make_scorer``; None for any other function of (estimator, X, y).

    >>> from sklearn.metrics import fbeta_score, make_scorer
    >>> made_scorer(make_scorer(fbeta_score, beta=2)).name
    'fbeta_score(beta=2)'
    """
    try:
        function, sign, bound, method = given._score_func, given._sign, given._kwargs, given._response_method
    except AttributeError:
        return None
    methods = (method,) if isinstance(method, str) else tuple(method)
    if not set(methods) <= _NEEDS.keys():
        raise DataError(f"a scorer with response_method={method!r}.", "of " + ", ".join(map(repr, _NEEDS)))
    if {"decision_function", "predict_proba"} <= set(methods):
        needs = "scores"  # either, whichever the model has
    else:
        needs = _NEEDS[methods[0]]
    return MadeScorer(partial(function, **bound) if bound else function, needs, sign > 0)

"""Rates of decisions: what share of some rows gets a decision, or has a label, in each group.

A ``Rate`` is the share of ``hits`` among the rows that it is ``of``: the true positive rate is the share of rows that
are selected among those with the positive label. Parts are data: a criterion names its rates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Level
from probus.errors import DataError
from probus.fairness._groups import Groups
from probus.fairness._intervals import GroupValues
from probus.metrics import Outcome
from probus.metrics.curves import effective_size, wilson

Rows = Callable[[np.ndarray, np.ndarray], np.ndarray]  # of the truth and the decision of each row, as booleans


@dataclass(frozen=True)
class Rate:
    """A share of rows.

    Attributes
    ----------
    name : in code, fairlearn's where it has it.
    label : in tables.
    of : the rows that count, from truth and decision.
    hits : those that are counted.
    what : the rows that count, in words.
    """

    name: str
    label: str
    of: Rows
    hits: Rows
    what: str


RATES = {
    rate.name: rate
    for rate in (
        Rate("selection_rate", "selection rate", lambda y, d: np.ones_like(y), lambda y, d: d, "rows"),
        Rate("true_positive_rate", "TPR", lambda y, d: y, lambda y, d: d, "rows with the positive label"),
        Rate("false_positive_rate", "FPR", lambda y, d: ~y, lambda y, d: d, "rows with the negative label"),
        Rate("false_negative_rate", "FNR", lambda y, d: y, lambda y, d: ~d, "rows with the positive label"),
        Rate("true_negative_rate", "TNR", lambda y, d: ~y, lambda y, d: ~d, "rows with the negative label"),
        Rate("positive_predictive_value", "PPV", lambda y, d: d, lambda y, d: y, "selected rows"),
        Rate("accuracy", "accuracy", lambda y, d: np.ones_like(y), lambda y, d: y == d, "rows"),
        Rate("base_rate", "base rate", lambda y, d: np.ones_like(y), lambda y, d: y, "rows"),
    )
}


@dataclass(frozen=True, eq=False)
class Decisions:
    """Truth and decision of each row, as booleans, with weights.

    Attributes
    ----------
    actual : whether the label is the positive one.
    selected : whether the prediction is.
    weights : float64[n], or None.
    positive : the positive label.
    """

    actual: np.ndarray
    selected: np.ndarray
    weights: np.ndarray | None
    positive: Level

    @classmethod
    def of_outcome(cls, outcome: Outcome) -> Decisions:
        """Those of an outcome with a positive class."""
        if outcome.positive is None:
            raise DataError(
                f"{len(outcome.classes)} classes without a positive one.",
                "two classes, or the label of the wanted one",
                "Pass pos_label=…: the outcome that people want, or fear.",
            )
        predicted = outcome.need("predicted")
        positive = outcome.positive
        return cls(outcome.actual == positive, predicted == positive, outcome.weights, outcome.classes[positive])

    @classmethod
    def of(cls, y_true: Any, y_pred: Any, pos_label: Level | None, sample_weight: Any) -> Decisions:
        """Those of labels as users pass them; of 0 and 1, or −1 and 1, the positive one is 1."""
        return cls.of_outcome(Outcome.of(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight))


def rates_of(rate: Rate, decisions: Decisions, groups: Groups) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The rate of each group, NaN of no rows; its effective number of rows; and the number of rows."""
    of, hits = (part(decisions.actual, decisions.selected) for part in (rate.of, rate.hits))
    weights = np.ones(len(of)) if decisions.weights is None else decisions.weights
    codes, w = groups.codes[of], weights[of]
    total, squares, hit = (np.bincount(codes, each, minlength=len(groups)) for each in (w, w**2, w * hits[of]))
    counts = np.bincount(codes, minlength=len(groups))
    share = np.divide(hit, total, out=np.full(len(groups), np.nan), where=total > 0)
    return share, effective_size(total, squares), counts


def values_of(rate: Rate, decisions: Decisions, groups: Groups) -> GroupValues:
    """The rate of each group with Wilson's intervals."""
    share, n, _ = rates_of(rate, decisions, groups)
    return GroupValues(share, lambda level: wilson(share, n, level))

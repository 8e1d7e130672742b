"""Rates of all rows as functions, under fairlearn's names; they are measures for ``MetricFrame`` too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from probus.data import Level
from probus.fairness._groups import Groups
from probus.fairness._rates import RATES, Decisions, rates_of


def count(y_true: Any, y_pred: Any) -> int:
    """The number of rows, as a measure for groups.

    Parameters
    ----------
    y_true : the true labels or numbers.
    y_pred : the predictions, which are not used.

    Returns
    -------
    The number.

    >>> count([1, 0, 1], [1, 1, 1])
    3
    """
    return len(y_true)


def mean_prediction(y_true: Any, y_pred: Any, sample_weight: Any = None) -> float:
    """The weighted mean of the predictions.

    Parameters
    ----------
    y_true : the truth, which is not used.
    y_pred : the predicted numbers.
    sample_weight : the weight of each row; None is 1.

    Returns
    -------
    The mean.

    >>> mean_prediction([1, 0, 1], [0.5, 1.0, 0.0])
    0.5
    """
    return float(np.average(np.asarray(y_pred, dtype=np.float64), weights=sample_weight))


def selection_rate(y_true: Any, y_pred: Any, *, pos_label: Level | None = None, sample_weight: Any = None) -> float:
    """The share of rows that are predicted positive.

    Parameters
    ----------
    y_true : the true labels, by which the classes are known.
    y_pred : the predicted labels.
    pos_label : the label that selects; by default the last of two.
    sample_weight : the weight of each row; None is 1.

    Returns
    -------
    The share.

    >>> selection_rate([0, 1, 1, 0], [1, 1, 1, 0])
    0.75
    """
    return _of_all("selection_rate", y_true, y_pred, pos_label, sample_weight)


_DOCUMENTATION = """The share of rows with the {label} label that are predicted {hit}; NaN without such rows.

    Parameters
    ----------
    y_true : the true labels.
    y_pred : the predicted labels.
    sample_weight : the weight of each row; None is 1.
    pos_label : the positive label; by default the last of two.

    Returns
    -------
    The share.

    >>> {name}([0, 1, 1, 0, 0, 0], [1, 1, 0, 0, 0, 0])
    {example}
    """


def _rate(name: str, label: str, hit: str, example: str) -> Callable[..., float]:
    """A rate as a function."""

    def rate(y_true: Any, y_pred: Any, sample_weight: Any = None, pos_label: Level | None = None) -> float:
        return _of_all(name, y_true, y_pred, pos_label, sample_weight)

    rate.__name__ = rate.__qualname__ = name
    rate.__doc__ = _DOCUMENTATION.format(name=name, label=label, hit=hit, example=example)
    return rate


true_positive_rate = _rate("true_positive_rate", "positive", "positive", "0.5")
true_negative_rate = _rate("true_negative_rate", "negative", "negative", "0.75")
false_positive_rate = _rate("false_positive_rate", "negative", "positive", "0.25")
false_negative_rate = _rate("false_negative_rate", "positive", "negative", "0.5")


def _of_all(name: str, y_true: Any, y_pred: Any, pos_label: Level | None, sample_weight: Any) -> float:
    decisions = Decisions.of(y_true, y_pred, pos_label, sample_weight)
    everybody = Groups("rows", ("all",), np.zeros(len(decisions.actual), np.int64))
    return float(rates_of(RATES[name], decisions, everybody).values[0])

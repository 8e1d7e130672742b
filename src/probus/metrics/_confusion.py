"""Measures that counts of (true class, predicted class) are enough for, on one confusion matrix or on thousands.

Each takes float64[..., K, K], the truth in rows, and the code of the positive class, so that a resample costs its
counts and no more. What is 0/0 follows one rule. Where the truth holds no row to judge by, the measure is NaN: recall
without positives, specificity without negatives, a correlation with a constant truth. Where the predictions leave it
undefined, the measure is 0: precision of a class that occurs and is never predicted, a correlation with constant
predictions. Averages over classes follow scikit-learn: those that occur in truth or predictions, 0 for 0/0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from probus.data import Level
from probus.errors import DataError
from probus.metrics._outcome import Outcome

Score = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # of hits, predictions and rows, class by class


# -- as functions of labels --------------------------------------------------------------------------------------


def error_rate(y_true: Any, y_pred: Any, *, sample_weight: Any = None) -> float:
    """The share of wrong predictions, 1 − accuracy.

    Parameters
    ----------
    y_true : the true labels.
    y_pred : the predicted labels.
    sample_weight : the weight of each row; None is 1.

    Returns
    -------
    The share, from 0 to 1.

    >>> error_rate(["a", "b", "b", "a"], ["a", "b", "a", "a"])
    0.25
    """
    outcome = Outcome.of(y_true, y_pred, sample_weight=sample_weight)
    return outcome.mean(misses(outcome))


def specificity_score(y_true: Any, y_pred: Any, *, pos_label: Level | None = None, sample_weight: Any = None) -> float:
    """The share of the negatives that are predicted negative, TN / (TN + FP): the recall of the other class.

    ``pos_label`` is the positive class, by default the last of two. NaN where there are no negatives.

    Parameters
    ----------
    y_true : the true labels.
    y_pred : the predicted labels.
    pos_label : the positive class; None is the last of two.
    sample_weight : the weight of each row; None is 1.

    Returns
    -------
    The share.

    >>> specificity_score([0, 0, 0, 1], [0, 0, 1, 1])
    0.6666666666666666
    """
    outcome = Outcome.of(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
    return float(specificity(counts_of(outcome), outcome.positive))


# -- row by row --------------------------------------------------------------------------------------------------


def hits(outcome: Outcome) -> np.ndarray:
    """1 where the prediction is right."""
    return (outcome.actual == outcome.need("predicted")).astype(np.float64)


def misses(outcome: Outcome) -> np.ndarray:
    """1 where the prediction is wrong."""
    return (outcome.actual != outcome.need("predicted")).astype(np.float64)


# -- of counts ---------------------------------------------------------------------------------------------------


def counts_of(outcome: Outcome) -> np.ndarray:
    """The confusion matrix: the weight of rows by true class (down) and predicted class (across).

    >>> counts_of(Outcome.of(["a", "b", "b"], ["a", "a", "b"]))
    array([[1., 0.],
           [1., 1.]])
    """
    k = len(outcome.classes)
    cells = outcome.actual * k + outcome.need("predicted")
    return np.bincount(cells, outcome.weights, minlength=k * k).astype(np.float64).reshape(k, k)


def accuracy(counts: np.ndarray, positive: int | None = None) -> np.ndarray:
    """The share on the diagonal."""
    return _diagonal(counts).sum(-1) / counts.sum((-2, -1))


def error(counts: np.ndarray, positive: int | None = None) -> np.ndarray:
    """The share off the diagonal."""
    wrong = np.where(np.eye(counts.shape[-1], dtype=bool), 0.0, counts)
    return wrong.sum((-2, -1)) / counts.sum((-2, -1))


def balanced_accuracy(counts: np.ndarray, positive: int | None = None) -> np.ndarray:
    """The mean recall of the classes that occur in the truth."""
    hit, _, rows = _tallies(counts)
    return _ratio(hit, rows, 0.0).sum(-1) / (rows > 0).sum(-1)


def specificity(counts: np.ndarray, positive: int | None) -> np.ndarray:
    """The share of the other classes' rows that are not predicted positive."""
    hit, called, rows = (tally[..., _require(positive, counts)] for tally in _tallies(counts))
    negatives = counts.sum((-2, -1)) - rows
    alarms = called - hit
    return _ratio(negatives - alarms, negatives, np.nan)


def matthews(counts: np.ndarray, positive: int | None = None) -> np.ndarray:
    """The correlation of truth and prediction, Σₖ(Pₖₖ − pₖtₖ) / √((1 − Σp²)(1 − Σt²)) (Gorodkin 2004)."""
    hit, p, t = _shares(counts)
    # shares that sum to one only up to rounding may leave a little less than nothing
    scale = np.sqrt(np.maximum((p - p * p).sum(-1), 0.0) * np.maximum((t - t * t).sum(-1), 0.0))
    several_said, several_true = ((side > 0).sum(-1) > 1 for side in (p, t))
    undefined = np.where(several_true, 0.0, np.nan)
    return np.divide((hit - p * t).sum(-1), scale, out=undefined, where=several_said & several_true)


def kappa(counts: np.ndarray, positive: int | None = None) -> np.ndarray:
    """Agreement beyond chance, Σₖ(Pₖₖ − pₖtₖ)/(1 − Σ pₖtₖ) (Cohen 1960); NaN where both hold the same one class."""
    hit, p, t = _shares(counts)
    several = ((p + t) > 0).sum(-1) > 1
    expected = (p * (1 - t)).sum(-1)
    return np.divide((hit - p * t).sum(-1), expected, out=np.full(expected.shape, np.nan), where=several)


# -- of one class, and averaged over classes ---------------------------------------------------------------------


def precision(hit: np.ndarray, called: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The share of a class's predictions that are right, TP / (TP + FP)."""
    return _ratio(hit, called, np.where(rows > 0, 0.0, np.nan))


def recall(hit: np.ndarray, called: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The share of a class's rows that are found, TP / (TP + FN)."""
    return _ratio(hit, rows, np.nan)


def f1(hit: np.ndarray, called: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """The harmonic mean of precision and recall, 2 TP / (2 TP + FP + FN)."""
    return _ratio(2 * hit, called + rows, np.nan)


def of_positive(score: Score, counts: np.ndarray, positive: int | None) -> np.ndarray:
    """The score of the positive class."""
    code = _require(positive, counts)
    return score(*(tally[..., code] for tally in _tallies(counts)))


def macro(score: Score, counts: np.ndarray, positive: int | None = None) -> np.ndarray:
    """The mean over the classes that occur in truth or predictions."""
    hit, called, rows = _tallies(counts)
    return np.nan_to_num(score(hit, called, rows)).sum(-1) / (called + rows > 0).sum(-1)


def micro(score: Score, counts: np.ndarray, positive: int | None = None) -> np.ndarray:
    """The score of all classes' counts thrown together; with one label a row it is the accuracy."""
    return score(*(tally.sum(-1) for tally in _tallies(counts)))


def weighted(score: Score, counts: np.ndarray, positive: int | None = None) -> np.ndarray:
    """The mean over classes, each weighing as its rows."""
    hit, called, rows = _tallies(counts)
    return (np.nan_to_num(score(hit, called, rows)) * rows).sum(-1) / rows.sum(-1)


def _tallies(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By class: rows predicted rightly, rows predicted so, rows that are so."""
    return _diagonal(counts), counts.sum(-2), counts.sum(-1)


def _shares(counts: np.ndarray) -> tuple[np.ndarray, ...]:
    total = counts.sum((-2, -1))[..., None]
    return tuple(tally / total for tally in _tallies(counts))


def _diagonal(counts: np.ndarray) -> np.ndarray:
    return np.diagonal(counts, axis1=-2, axis2=-1)


def _ratio(part: np.ndarray, whole: np.ndarray, undefined: np.ndarray | float) -> np.ndarray:
    out = np.array(np.broadcast_to(undefined, whole.shape), dtype=np.float64)
    return np.divide(part, whole, out=out, where=whole > 0)


def _require(positive: int | None, counts: np.ndarray) -> int:
    if positive is None:
        raise DataError(
            f"no positive class among {counts.shape[-1]}.",
            "a class of interest",
            "Pass pos_label=…, or take an average over classes, such as 'f1_macro'.",
        )
    return positive

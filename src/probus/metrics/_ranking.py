"""Measures of scores: how well they rank the positive class (the signal) above the others (the background).

Without a row of either side the measures that compare them are NaN.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from probus.data import Level
from probus.errors import DataError
from probus.metrics._confusion import of_positive, recall, specificity
from probus.metrics._outcome import Outcome
from probus.metrics.resample_forms import ConfusionCells, Ranking, Ranks

# -- as functions of scores --------------------------------------------------------------------------------------


def signal_efficiency(
    y_true: Any, y_score: Any, *, threshold: float = 0.5, pos_label: Level | None = None, sample_weight: Any = None
) -> float:
    """The share of the signal that scores at or above the threshold: the true positive rate.

    The signal is ``pos_label``, by default the last of two classes.

    Parameters
    ----------
    y_true : the true labels.
    y_score : the scores of the rows, larger for the positive class, or probabilities with a column per class.
    threshold : rows that score at or above it are called signal.
    pos_label : the signal.
    sample_weight : the weight of each row; None is 1.

    Returns
    -------
    The share.

    >>> signal_efficiency([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.3])
    0.5
    """
    return share_above(_outcome(y_true, y_score, pos_label, sample_weight), threshold)


def background_rejection(
    y_true: Any, y_score: Any, *, threshold: float = 0.5, pos_label: Level | None = None, sample_weight: Any = None
) -> float:
    """The share of the background that scores below the threshold: one minus the false positive rate.

    Some of the literature calls the inverse of the false positive rate by this name; ours lies between 0 and 1.

    Parameters
    ----------
    y_true : the true labels.
    y_score : the scores of the rows, larger for the positive class, or probabilities with a column per class.
    threshold : rows that score at or above it are called signal.
    pos_label : the signal; None is the last of two classes.
    sample_weight : the weight of each row; None is 1.

    Returns
    -------
    The share.

    >>> background_rejection([0, 0, 1, 1], [0.1, 0.6, 0.5, 0.3])
    0.5
    """
    return share_below(_outcome(y_true, y_score, pos_label, sample_weight), threshold)


def signal_efficiency_at_rejection(
    y_true: Any, y_score: Any, *, rejection: float = 0.9, pos_label: Level | None = None, sample_weight: Any = None
) -> float:
    """The largest signal efficiency of any threshold that rejects at least that share of the background.

    Thresholds are the scores themselves, without interpolation, and one above them all, which rejects everything.

    Parameters
    ----------
    y_true : the true labels.
    y_score : the scores of the rows, larger for the positive class, or probabilities with a column per class.
    rejection : the least share of the background that is rejected.
    pos_label : the signal; None is the last of two classes.
    sample_weight : the weight of each row; None is 1.

    Returns
    -------
    The share.

    >>> signal_efficiency_at_rejection([0, 0, 0, 1, 1], [0.1, 0.2, 0.6, 0.5, 0.7], rejection=0.6)
    1.0
    """
    if not 0 <= rejection <= 1:
        raise DataError(f"rejection={rejection}.", "a share between 0 and 1")
    return efficiency_at_rejection(_outcome(y_true, y_score, pos_label, sample_weight), rejection)


def _outcome(y_true: Any, y_score: Any, pos_label: Level | None, sample_weight: Any) -> Outcome:
    return Outcome.of(
        y_true, y_score, needs="scores", pos_label=pos_label, sample_weight=sample_weight, called=("y_true", "y_score")
    )


# -- of outcomes -------------------------------------------------------------------------------------------------


def area_under_roc(outcome: Outcome) -> float:
    """The probability that a positive row scores above a negative one, ties counting half."""
    return _area(outcome.ranking, outcome.weights)


def area_over_classes(outcome: Outcome) -> float:
    """The mean over the classes that occur of the area with each against the rest."""
    probabilities = outcome.need("probabilities")
    occur = [code for code in range(probabilities.shape[1]) if outcome.total(outcome.actual == code) > 0]
    rankings = [Ranking.of(outcome.actual == code, probabilities[:, code]) for code in occur]
    return float(np.mean([_area(each, outcome.weights) for each in rankings]))


def mean_precision(outcome: Outcome) -> float:
    """The average precision Σ (Rₖ − Rₖ₋₁) Pₖ over falling thresholds."""
    hits, misses = _amounts(outcome.ranking, outcome.weights)
    if hits[-1] == 0:
        return np.nan
    precision = hits / np.maximum(hits + misses, np.finfo(float).tiny)  # scores of rows without weight come first
    return float(np.diff(hits, prepend=0.0) @ precision / hits[-1])


def share_above(outcome: Outcome, threshold: float = 0.5) -> float:
    """The share of the positives at or above the threshold."""
    positive = positives_of(outcome)
    return _share(outcome, positive, outcome.need("scores") >= threshold)


def share_below(outcome: Outcome, threshold: float = 0.5) -> float:
    """The share of the negatives below the threshold."""
    positive = positives_of(outcome)
    return _share(outcome, ~positive, outcome.need("scores") < threshold)


def efficiency_at_rejection(outcome: Outcome, rejection: float = 0.9) -> float:
    """The largest share of positives at or above a threshold that has that share of negatives below it."""
    positive, scores = positives_of(outcome), outcome.need("scores")
    weights = np.ones(len(outcome)) if outcome.weights is None else outcome.weights
    _, place = np.unique(scores, return_inverse=True)
    signal, background = (np.bincount(place, weights * side) for side in (positive, ~positive))
    if not signal.any() or not background.any():
        return np.nan
    below = np.concatenate([[0.0], np.cumsum(background)])
    above = np.concatenate([np.cumsum(signal[::-1])[::-1], [0.0]])
    enough = below >= rejection * below[-1] * (1 - 1e-12)  # sums of weights carry rounding
    return float(above[enough.argmax()] / above[0])


def area_form(outcome: Outcome) -> Ranks:
    """The area from the sorted scores."""
    return Ranks((outcome.ranking,))


def precision_form(outcome: Outcome) -> Ranks:
    """The average precision from the sorted scores."""
    return Ranks((outcome.ranking,), precision=True)


def areas_form(outcome: Outcome) -> Ranks:
    """The mean area from the sorted probabilities of each class that occurs."""
    P = outcome.need("probabilities")
    return Ranks(tuple(Ranking.of(outcome.actual == code, P[:, code]) for code in np.unique(outcome.actual)))


def efficiency_form(outcome: Outcome) -> ConfusionCells:
    """The signal efficiency from the counts on either side of one half."""
    return ConfusionCells.of(_above_half(outcome), 2, partial(of_positive, recall), 1)


def rejection_form(outcome: Outcome) -> ConfusionCells:
    """The background rejection from the counts on either side of one half."""
    return ConfusionCells.of(_above_half(outcome), 2, specificity, 1)


def _above_half(outcome: Outcome) -> np.ndarray:
    return 2 * positives_of(outcome) + (outcome.need("scores") >= 0.5)


def positives_of(outcome: Outcome) -> np.ndarray:
    """Which rows are of the positive class."""
    if outcome.positive is None:
        raise DataError(
            f"no positive class among {len(outcome.classes)}.",
            "a class of interest",
            "Pass pos_label=…, or take 'roc_auc_ovr', the mean over classes.",
        )
    return outcome.actual == outcome.positive


def _area(ranking: Ranking, weights: np.ndarray | None) -> float:
    hits, misses = _amounts(ranking, weights)
    if hits[-1] == 0 or misses[-1] == 0:
        return np.nan
    steps = np.diff(misses, prepend=0.0)
    return float(steps @ (hits - np.diff(hits, prepend=0.0) / 2) / (hits[-1] * misses[-1]))


def _amounts(ranking: Ranking, weights: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """The weight of positives and of negatives at or above each score, from the highest score to the lowest."""
    amount = np.ones(len(ranking.order)) if weights is None else weights[ranking.order]
    hits = np.cumsum(amount * ranking.positive)[ranking.last]
    return hits, np.cumsum(amount * ~ranking.positive)[ranking.last]


def _share(outcome: Outcome, side: np.ndarray, chosen: np.ndarray) -> float:
    whole = outcome.total(side)
    return outcome.total(side & chosen) / whole if whole else np.nan

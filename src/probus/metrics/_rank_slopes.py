"""How much a row moves the area under the ROC curve and the average precision: derivatives by its weight."""

from __future__ import annotations

import numpy as np


def area_slopes(tp: np.ndarray, fp: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The area, and its derivative by the weight of a positive and of a negative at each distinct score.

    ``tp`` and ``fp`` are the weights of positives and negatives at or above each distinct score, falling. A positive
    counts the negatives below it, a negative the positives above it, ties half (DeLong, DeLong and Clarke-Pearson
    1988).
    """
    tpr, fpr = tp / tp[-1], fp / fp[-1]
    beats, beaten = 1.0 - _midway(fpr), _midway(tpr)
    area = float(np.diff(tpr, prepend=0.0) @ beats)
    return area, (beats - area) / tp[-1], (beaten - area) / fp[-1]


def precision_slopes(tp: np.ndarray, fp: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """The same of the average precision: a row moves the precision at its own score and at every one below it."""
    called, gained = tp + fp, np.diff(tp, prepend=0.0)
    precision = np.divide(tp, called, out=np.zeros(len(tp)), where=called > 0)
    per_call = np.divide(gained, called, out=np.zeros(len(tp)), where=called > 0)
    average = float(gained @ precision / tp[-1])
    shift, drag = _from_below(per_call), _from_below(per_call * precision)
    return average, (precision - average + shift - drag) / tp[-1], -drag / tp[-1]


def _midway(rate: np.ndarray) -> np.ndarray:
    """The rate half-way through the rows of each score."""
    return rate - np.diff(rate, prepend=0.0) / 2


def _from_below(terms: np.ndarray) -> np.ndarray:
    """Sums from each place to the last."""
    return np.cumsum(terms[::-1])[::-1]

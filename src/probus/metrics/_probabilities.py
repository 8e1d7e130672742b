"""Measures of predicted probabilities: log loss, Brier score and calibration."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from probus.data import Level
from probus.errors import DataError
from probus.metrics._outcome import Outcome

_DRAWS = 2000


def expected_calibration_error(
    y_true: Any,
    y_proba: Any,
    *,
    n_bins: int = 10,
    pos_label: Level | None = None,
    labels: Sequence[Level] | None = None,
    sample_weight: Any = None,
) -> float:
    """How far probabilities are from frequencies: the mean over bins of |share of events − mean probability|.

    Bins are of equal width, as in ``calibration``, and weigh as their rows (Naeini, Cooper and Hauskrecht 2015). The
    event is the positive class where there is one: ``pos_label``, or the last of two. With more classes it is that the
    most probable class is the true one (Guo and others 2017).

    Parameters
    ----------
    y_true : the true labels.
    y_proba : one column per class, or the column of the positive class.
    n_bins : number of bins between 0 and 1, each closed above.
    pos_label : the positive class; None is the last of two.
    labels : the classes in the order of the columns; the sorted labels of ``y_true`` unless given.
    sample_weight : the weight of each row; None is 1.

    Returns
    -------
    The error, from 0 to 1.

    >>> expected_calibration_error([0, 0, 1, 1], [0.25, 0.25, 0.75, 0.75])
    0.25
    """
    if n_bins < 1:
        raise DataError(f"n_bins={n_bins}.", "at least one bin")
    outcome = Outcome.of(
        y_true,
        y_proba,
        needs="probabilities",
        classes=labels,
        pos_label=pos_label,
        sample_weight=sample_weight,
        called=("y_true", "y_proba"),
    )
    return calibration_gap(outcome, n_bins)


def calibration_gap(outcome: Outcome, n_bins: int = 10) -> float:
    """The expected calibration error."""
    place, gap = _calibration_gaps(outcome, n_bins)
    return float(np.abs(np.bincount(place, gap)).sum())


def calibration_gap_by_chance(outcome: Outcome, level: float, n_bins: int = 10) -> float:
    """The expected calibration error that exact probabilities exceed in (1 − level)/2 of samples.

    Each bin's gap is then normal around 0, with the sum of the squared gaps of its rows as variance (Bröcker and Smith
    2007 draw labels instead).
    """
    place, gap = _calibration_gaps(outcome, n_bins)
    spread = np.sqrt(np.bincount(place, gap**2))
    drawn = np.abs(np.random.default_rng(0).normal(size=(_DRAWS, len(spread)))) @ spread
    return float(np.quantile(drawn, (1 + level) / 2))


def _calibration_gaps(outcome: Outcome, n_bins: int) -> tuple[np.ndarray, np.ndarray]:
    """The bin of each row, and its share of the gap between what happened and its probability."""
    probabilities = outcome.need("probabilities")
    code = probabilities.argmax(axis=1) if outcome.positive is None else np.full(len(outcome), outcome.positive)
    p, event = probabilities[np.arange(len(outcome)), code], outcome.actual == code
    place = np.searchsorted(np.linspace(0, 1, n_bins + 1)[1:-1], p)
    gap = (event - p) * (1.0 if outcome.weights is None else outcome.weights)
    return place, gap / outcome.total(np.ones(len(outcome)))


def surprise(outcome: Outcome) -> np.ndarray:
    """−log of the probability that each row's true class was given; no probability counts as less than 2⁻⁵²."""
    probabilities = outcome.need("probabilities")[np.arange(len(outcome)), outcome.actual]
    return -np.log(np.maximum(probabilities, np.finfo(np.float64).eps))


def squared_distance(outcome: Outcome) -> np.ndarray:
    """Brier's squared error of each row, Σₖ (pₖ − 1[y = k])²; half of it for two classes, which is (p − y)²."""
    probabilities = outcome.need("probabilities")
    truth = np.arange(probabilities.shape[1]) == outcome.actual[:, None]
    distance = ((probabilities - truth) ** 2).sum(axis=1)
    return distance / 2 if probabilities.shape[1] < 3 else distance

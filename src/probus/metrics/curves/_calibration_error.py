"""How far probabilities are from what is observed, with intervals that do not blame a calibrated model."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.metrics._estimates import Estimate
from probus.metrics.curves._positive_class import OneVsRest
from probus.metrics.curves._resampled_intervals import generator


def calibration_errors(
    side: OneVsRest, bins: np.ndarray, level: float, n_resamples: int, random_state: Any
) -> tuple[Estimate, Estimate]:
    """The expected and the maximum calibration error, Σ (W_b/W) g_b and max g_b, g_b = |mean of w(y − p) in bin b|.

    Both are biased upwards: random differences count as errors, and resamples add more. So the interval runs from the
    resamples mirrored at the value to the percentile of the resamples. It begins at 0 if a calibrated model with these
    predictions would have as large an error (consistency resampling, Bröcker and Smith 2007).
    """
    rng, n = generator(random_state, n_resamples), len(bins)
    excess = side.weights * (side.positive - side.scores)

    def redrawn() -> np.ndarray:
        rows = rng.integers(0, n, n)
        return _errors(bins[rows], side.weights[rows], excess[rows])

    def calibrated() -> np.ndarray:
        return _errors(bins, side.weights, side.weights * ((rng.random(n) < side.scores) - side.scores))

    resamples = np.array([redrawn() for _ in range(n_resamples)])
    by_chance = np.array([calibrated() for _ in range(n_resamples)])
    value = _errors(bins, side.weights, excess)
    tail = (1 - level) / 2
    most = np.quantile(resamples, 1 - tail, axis=0)
    low = np.where(value <= np.quantile(by_chance, 1 - tail, axis=0), 0.0, np.clip(2 * value - most, 0.0, value))
    high = np.maximum(most, value)
    method = f"consistency and bootstrap, {n_resamples} resamples each"
    expected, maximum = (Estimate(float(value[i]), float(low[i]), float(high[i]), level, method, n) for i in range(2))
    return expected, maximum


def _errors(bins: np.ndarray, weights: np.ndarray, excess: np.ndarray) -> np.ndarray:
    weight, gap = np.bincount(bins, weights), np.abs(np.bincount(bins, excess))
    return np.array([gap.sum() / weight.sum(), (gap / np.where(weight > 0, weight, 1.0)).max()])

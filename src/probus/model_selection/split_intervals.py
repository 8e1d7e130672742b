"""Intervals for scores of splits, which share training rows and so are not independent, and of pooled predictions."""

from __future__ import annotations

import numpy as np

from probus.metrics import Estimate, Measure, Outcome

__all__ = ["METHOD", "corrected_interval", "pooled_interval"]

METHOD = "corrected resampled t (Nadeau and Bengio 2003)"


def corrected_interval(
    scores: np.ndarray,
    test_to_train: float,
    *,
    level: float = 0.95,
    low: float = -np.inf,
    high: float = np.inf,
) -> Estimate:
    """The mean over J splits with mean ± t · s · √(1/J + n_test/n_train), t with J − 1 degrees of freedom.

    The second term accounts for the overlap of the training sets, without which the interval would be far too short.
    Scores that are undefined (NaN) are left out and J counts the others; ``low`` and ``high`` are the bounds
    of the score itself, which no interval should cross.

    >>> corrected_interval(np.array([0.80, 0.84, 0.82, 0.78, 0.81]), test_to_train=1 / 4)
    0.810 [0.768, 0.852]
    """
    from scipy.stats import t

    scores = scores[~np.isnan(scores)]
    splits = len(scores)
    if splits < 2:
        value = float(scores.mean()) if splits else np.nan
        return Estimate(value, -np.inf, np.inf, level, METHOD, splits)
    value = float(scores.mean())
    spread = float(scores.std(ddof=1)) * np.sqrt(1 / splits + test_to_train)
    half_width = float(t.ppf((1 + level) / 2, splits - 1)) * spread
    return Estimate(value, max(value - half_width, low), min(value + half_width, high), level, METHOD, splits)


def pooled_interval(
    measure: Measure, outcome: Outcome, *, level: float = 0.95, groups: np.ndarray | None = None
) -> Estimate:
    """The measure of one outcome, with the interval of ``probus.metrics.estimate`` over its rows or groups of them."""
    from probus.metrics.bootstrap import estimate_outcome

    # one seed: the same result prints the same numbers
    return estimate_outcome(measure, outcome, level=level, groups=groups, random_state=0)

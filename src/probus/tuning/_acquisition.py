"""What a configuration promises, given the mean and the deviation that a surrogate model predicts for its score."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from scipy.special import erfcx, ndtr

_LOG_ROOT = 0.5 * math.log(2.0 * math.pi)


def log_expected_improvement(mean: np.ndarray, deviation: np.ndarray, best: float, kappa: float = 0.0) -> np.ndarray:
    """log E max(score - best, 0), also where the improvement is too small for a float (Ament et al. 2023, NeurIPS).

    With z = (mean - best) / deviation it is log deviation + log(φ(z) + z Φ(z)).

    >>> log_expected_improvement(np.array([0.0, -40.0]), np.array([1.0, 1.0]), 0.0).round(3)
    array([  -0.919, -808.299])
    """
    z = (mean - best) / deviation
    near = np.maximum(z, -1.0)
    value = np.log(np.exp(-0.5 * near * near - _LOG_ROOT) + near * ndtr(near))
    low = np.minimum(z, -1.0)
    # φ(z) + z Φ(z) = φ(z) (1 - |z| m(z)), m = Φ/φ at z: Mills' ratio, which tends to 1/|z|
    mills = math.sqrt(math.pi / 2.0) * erfcx(-low / math.sqrt(2.0))
    rest = np.where(low > -1e3, 1.0 + low * mills, 1.0 / np.maximum(low * low, 1.0))
    far = -0.5 * low * low - _LOG_ROOT + np.log(np.maximum(rest, 1e-300))
    return np.log(deviation) + np.where(z > -1.0, value, far)


def confidence_bound(mean: np.ndarray, deviation: np.ndarray, best: float, kappa: float = 2.0) -> np.ndarray:
    """mean + kappa · deviation: the lower bound of a cost, with its sign changed."""
    return mean + kappa * deviation


ACQUISITIONS: Mapping[str, Callable[..., np.ndarray]] = {"ei": log_expected_improvement, "lcb": confidence_bound}

"""Random resamples, and intervals read from them."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.errors import DataError
from probus.metrics._estimates import Estimate


def generator(random_state: Any, n_resamples: int) -> np.random.Generator:
    """The stream of a ``random_state`` as scikit-learn takes it, once the number of resamples makes sense."""
    if n_resamples < 2:
        raise DataError(f"n_resamples={n_resamples}.", "2 or more; hundreds for a usable interval")
    from sklearn.utils import check_random_state

    return np.random.default_rng(check_random_state(random_state).randint(2**31, size=4))


def percentile(value: float, resamples: np.ndarray, level: float, n: int) -> Estimate:
    """The middle of the resamples; stretched to the value where they all miss it."""
    tail = (1 - level) / 2
    low, high = np.quantile(resamples, [tail, 1 - tail], method="inverted_cdf")
    method = f"percentile of {len(resamples)} resamples"
    return Estimate(value, min(float(low), value), max(float(high), value), level, method, n)

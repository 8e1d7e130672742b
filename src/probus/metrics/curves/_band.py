"""The band around a curve."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display import plain
from probus.metrics.curves._shares import wilson


@dataclass(frozen=True, eq=False)
class Band:
    """For each ``x`` the curve's ``value`` and the interval that holds the true one at the level: pointwise.

    Read it at one x at a time: the whole true curve lies inside less often than the level.

    Attributes
    ----------
    x : where the curve was evaluated.
    value : its value there.
    low, high : the interval.
    level : the confidence level.
    method : how the interval was found.
    """

    x: np.ndarray
    value: np.ndarray
    low: np.ndarray
    high: np.ndarray
    level: float
    method: str

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return plain(vars(self))

    def to_frame(self) -> Any:
        """A polars frame: x, value, low, high."""
        import polars as pl

        return pl.DataFrame({name: getattr(self, name) for name in ("x", "value", "low", "high")})


def percentile_band(x: np.ndarray, value: np.ndarray, size: Any, resamples: np.ndarray, level: float) -> Band:
    """A pointwise band of shares by the bootstrap, nowhere narrower than Wilson's interval of ``size`` rows.

    The percentiles of the resamples carry the uncertainty of the threshold that leads to ``x``. Near 0 and 1, where
    resamples of few rows are all equal, they are too narrow: there Wilson's interval is used.
    """
    tail = (1 - level) / 2
    low, high = np.quantile(resamples, [tail, 1 - tail], axis=0)
    least, most = wilson(value, size, level)
    method = f"pointwise, {len(resamples)} resamples, no narrower than Wilson"
    return Band(x, value, np.minimum(low, least), np.maximum(high, most), level, method)

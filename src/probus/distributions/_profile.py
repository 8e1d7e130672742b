"""Intervals by the profile of the likelihood."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np


def profile_interval(fitted: Any, parameter: str, level: float) -> tuple[float, float]:
    """Where twice the logarithm of the likelihood ratio stays below a quantile of χ² with one degree of freedom.

    At each value of the parameter the others are the most likely ones (Wilks 1938). The parameter is positive.
    """
    from scipy.optimize import brentq
    from scipy.stats import chi2

    best, at = fitted.log_likelihood(), getattr(fitted, f"{parameter}_")
    allowed = chi2(1).ppf(level) / 2

    def short(log_value: float) -> float:
        other = replace(fitted, **{parameter: float(np.exp(log_value))})
        return best - other.fit(fitted.values_, fitted.weights_).log_likelihood() - allowed

    ends = []
    for side in (-1, 1):
        step = 0.25
        while step < 40 and short(np.log(at) + side * step) < 0:
            step *= 2
        if step >= 40:
            ends.append(0.0 if side < 0 else np.inf)
        else:
            ends.append(float(np.exp(brentq(short, np.log(at), np.log(at) + side * step, xtol=1e-10))))
    return ends[0], ends[1]

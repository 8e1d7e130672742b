"""The penalty of logistic regression from its parameters, deprecated ones included."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from probus.errors import DataError

__all__ = ["logistic_penalty", "warn_of_n_jobs"]

_RATIOS = {"l2": 0.0, "l1": 1.0}


def logistic_penalty(penalty: Any, C: float, l1_ratio: float | None, *, level: int = 4) -> tuple[float, float]:
    """The weight of the penalty, and its share of absolute values.

    >>> logistic_penalty("deprecated", 4.0, 1.0)
    (0.25, 1.0)
    """
    if isinstance(penalty, str) and penalty == "deprecated":
        if l1_ratio is None:
            text = "'l1_ratio=None' was deprecated in scikit-learn 1.8. Use 0<=l1_ratio<=1 instead."
            warnings.warn(text, FutureWarning, stacklevel=level)
        return 1.0 / C, float(l1_ratio or 0.0)
    warnings.warn(
        "'penalty' was deprecated in scikit-learn 1.8: use l1_ratio=0 for 'l2', l1_ratio=1 for 'l1', and C=np.inf for "
        "None.",
        FutureWarning,
        stacklevel=level,
    )
    if penalty != "elasticnet" and l1_ratio not in (0.0, 1.0, None):
        text = f"l1_ratio parameter is only used when penalty is 'elasticnet'. Got (penalty={penalty})"
        warnings.warn(text, stacklevel=level)
    if penalty is None:
        if C != 1.0:
            warnings.warn("Setting penalty=None will ignore the C and l1_ratio parameters", stacklevel=level)
        return 0.0, 0.0
    if penalty == "elasticnet":
        if l1_ratio is None:
            raise DataError("penalty='elasticnet' and l1_ratio=None: l1_ratio must be specified.", "a number in [0, 1]")
        return 1.0 / C, float(l1_ratio)
    if l1_ratio != _RATIOS[penalty]:
        text = f"Inconsistent values: penalty={penalty} with l1_ratio={l1_ratio}. penalty is deprecated."
        warnings.warn(text, stacklevel=level)
    return (0.0 if np.isinf(C) else 1.0 / C), _RATIOS[penalty]


def warn_of_n_jobs(n_jobs: int | None) -> None:
    """Warn as scikit-learn does where the number of jobs is given, which nothing uses."""
    if n_jobs is not None:
        text = f"'n_jobs' has no effect since scikit-learn 1.8: leave it unspecified (n_jobs={n_jobs})."
        warnings.warn(text, FutureWarning, stacklevel=4)

"""P-values of several tests, adjusted for their number."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.errors import DataError


def holm_pvalues(pvalues: Any) -> np.ndarray:
    """Holm's (1979) step-down p-values: the i-th smallest of m times m − i + 1, made monotone, at most 1.

    Rejecting where they fall below α keeps the probability of any false rejection below α, however the tests depend on
    each other; Holm's rejects all that Bonferroni's would, and more.

    Parameters
    ----------
    pvalues : the p-values of all tests.

    Returns
    -------
    The adjusted ones, in the same order.

    >>> holm_pvalues([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    p = np.asarray(pvalues, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise DataError(f"p-values {np.array2string(p, threshold=8)}.", "a list of numbers between 0 and 1")
    order = np.argsort(p, kind="stable")
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(steps, 1.0)
    return adjusted

"""Logarithms of p-values, which distinguish values that would underflow to zero."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincc, gammaln, log_ndtr

_LOST = 1e-290  # smaller probabilities lose precision
_TERMS = 200


def log_pvalues(statistic: np.ndarray, freedom: np.ndarray, maximum: bool) -> np.ndarray:
    """The logarithm of the p-value of each statistic; NaN stays NaN.

    A quadratic form is χ² with its rank as degrees of freedom. The largest of m standard normal |z| is at least c with
    probability 1 − (1 − 2 Φ(−c))^m if they are independent, and at most this probability under any dependence (Šidák
    1967).
    """
    if maximum:
        log_one = np.minimum(np.log(2.0) + log_ndtr(-statistic), 0.0)
        return _log_any_of(log_one, freedom)
    return _log_chi2_tail(statistic, np.maximum(freedom, 1))


def bonferroni(log_p: np.ndarray) -> np.ndarray:
    """P-values adjusted for the number of tests k: 1 − (1 − p)^k.

    >>> bonferroni(np.log([0.01, 0.5, np.nan])).round(4)
    array([0.0199, 0.75  ,    nan])
    """
    return np.exp(_log_any_of(log_p, np.sum(~np.isnan(log_p))))


def _log_any_of(log_p: np.ndarray, n_tests: np.ndarray) -> np.ndarray:
    """log(1 − (1 − p)^n), accurate also if p is smaller than any float64."""
    with np.errstate(divide="ignore"):
        all_miss = n_tests * np.log1p(-np.exp(log_p))
        many = np.log(-np.expm1(all_miss))
        return np.where(log_p > np.log(_LOST), many, log_p + np.log(np.maximum(n_tests, 1)))


def _log_chi2_tail(x: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    tail = gammaincc(0.5 * freedom, 0.5 * x)
    lost = tail < _LOST
    with np.errstate(divide="ignore"):
        log_tail = np.log(tail)
    if lost.any():
        log_tail[lost] = _log_far_tail(0.5 * freedom[lost], 0.5 * x[lost])
    return log_tail


def _log_far_tail(a: np.ndarray, z: np.ndarray) -> np.ndarray:
    """The logarithm of Γ(a, z) / Γ(a) by Legendre's continued fraction, for z well above a."""
    fraction = z + 2 * _TERMS + 1 - a
    for i in range(_TERMS, 0, -1):
        fraction = z + 2 * i - 1 - a - i * (i - a) / fraction
    return -z + a * np.log(z) - gammaln(a) - np.log(fraction)

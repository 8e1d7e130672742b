"""Expectation: the probability of each component for each row, and the sums that the next components need.

One pass over blocks of rows does both, so that a block is read once and its deviations from the means serve twice.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from probus.compiling import njit
from probus.mixture.components import Components, Sums
from probus.parallel import blas_on_one_thread, chunked, thread_count

__all__ = ["expected_sums", "log_densities", "sums_of_groups"]

_BLOCK = 2048


def expected_sums(X: np.ndarray, w: np.ndarray, components: Components, n_jobs: int | None = None) -> Sums:
    """The log-likelihood of the rows, and the sums for the update, about the means."""

    def block(start: int, stop: int) -> Sums:
        rows, weights = X[start:stop], w[start:stop]
        shares = _weighted_log_densities(rows, components)
        total = responsibilities(shares, weights)
        return _sums(rows, shares, components.means, components.shape, total)

    return _over_blocks(block, X, len(components.means), n_jobs)


def sums_of_groups(X: np.ndarray, shares: np.ndarray, reference: np.ndarray, shape: str) -> Sums:
    """The sums for given responsibilities times weights, rows × components."""

    def block(start: int, stop: int) -> Sums:
        return _sums(X[start:stop], shares[start:stop], reference, shape, 0.0)

    return _over_blocks(block, X, shares.shape[1], None)


def log_densities(X: np.ndarray, components: Components) -> np.ndarray:
    """log(weight · density) of each row and component."""
    out = np.empty((len(X), len(components.means)))

    def block(start: int, stop: int) -> None:
        out[start:stop] = _weighted_log_densities(X[start:stop], components)

    threads = _threads(X, out.shape[1], None)
    with blas_on_one_thread(threads > 1):
        chunked(block, len(X), threads, chunk=_BLOCK)
    return out


def _over_blocks(block: Callable[[int, int], Sums], X: np.ndarray, k: int, n_jobs: int | None) -> Sums:
    threads = _threads(X, k, n_jobs)
    with blas_on_one_thread(threads > 1):
        return reduce(Sums.__add__, chunked(block, len(X), threads, chunk=_BLOCK))


def _threads(X: np.ndarray, k: int, n_jobs: int | None) -> int:
    return thread_count(n_jobs, float(X.size) * k * 4)


def _weighted_log_densities(X: np.ndarray, components: Components) -> np.ndarray:
    out = np.empty((len(X), len(components.means)))
    for k, mean in enumerate(components.means):
        factor = components.factor(k)
        away = X - mean
        away = away @ factor if factor.ndim == 2 else np.multiply(away, factor, out=away)
        np.einsum("ij,ij->i", away, away, out=out[:, k])
    out *= -0.5
    out += components.log_constants()
    return out


def _sums(X: np.ndarray, shares: np.ndarray, reference: np.ndarray, shape: str, log_likelihood: float) -> Sums:
    k, d = reference.shape
    first = np.empty((k, d))
    second = np.zeros((k, d, d) if shape == "full" else (k, d))
    for c, mean in enumerate(reference):
        away = X - mean
        first[c] = shares[:, c] @ away
        if shape == "full":
            away *= np.sqrt(shares[:, c])[:, None]
            second[c] = away.T @ away
        elif shape != "tied":
            second[c] = shares[:, c] @ np.square(away, out=away)
    return Sums(log_likelihood, shares.sum(axis=0), first, second)


@njit(nogil=True, cache=True)
def responsibilities(logs, w):
    """Turn log densities into the probability of each component times the weight of the row.

    logs (IN, OUT) float64[m, k];  w (IN) float64[m];  returns Σ w log Σ exp(logs)
    """
    total = 0.0
    for i in range(logs.shape[0]):
        largest = logs[i, 0]
        for c in range(1, logs.shape[1]):
            largest = max(largest, logs[i, c])
        summed = 0.0
        for c in range(logs.shape[1]):
            logs[i, c] = np.exp(logs[i, c] - largest)
            summed += logs[i, c]
        factor = w[i] / summed
        for c in range(logs.shape[1]):
            logs[i, c] *= factor
        total += w[i] * (largest + np.log(summed))
    return total

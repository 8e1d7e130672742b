"""Expectation: the probability of each component for each row, and the sums that the next components need.

One pass over blocks of rows does both. For full covariances, all components share two matrix products: of the rows with
the factors, and of the responsibilities with the products of columns. Sums about one centre for all components lose
digits where components are far from it, by their own measure; there each is summed about its own mean.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np

from probus.compiling import njit
from probus.mixture._components import Components, ResponsibilitySums
from probus.parallel import blas_on_one_thread, chunked, thread_count

_BLOCK = 2048
_JOINT_BLOCK = 512  # rows: their products of columns stay in the second-level cache
_MANY_COLUMNS = 64  # above, products of columns are many, and those of one component large enough to be fast
_FAR = 1e6  # squared Mahalanobis distance from the centre of all rows above which sums about it lose too many digits


def expected_sums(
    X: np.ndarray, w: np.ndarray, components: Components, n_jobs: int | None = None
) -> ResponsibilitySums:
    """The log-likelihood of the rows, and the sums for the update, about the means."""
    if components.shape == "full" and X.shape[1] <= _MANY_COLUMNS:
        middle = X.mean(axis=0)
        away = components.means - middle
        shifts = np.einsum("kj,kjl->kl", away, components.factors)
        if np.square(shifts).sum(axis=1).max() < _FAR:
            return _joint_sums(X, w, components, middle, shifts, n_jobs)

    def block(start: int, stop: int) -> ResponsibilitySums:
        rows, weights = X[start:stop], w[start:stop]
        shares = _weighted_log_densities(rows, components)
        total = responsibilities(shares, weights)
        return _sums(rows, shares, components.means, components.shape, total)

    return _over_blocks(block, X, len(components.means), n_jobs)


def _joint_sums(
    X: np.ndarray, w: np.ndarray, components: Components, middle: np.ndarray, shifts: np.ndarray, n_jobs: int | None
) -> ResponsibilitySums:
    """The sums of full covariances, by products that all components share."""
    k, d = components.means.shape
    factors = np.ascontiguousarray(components.factors.transpose(1, 0, 2).reshape(d, k * d))
    constants = components.log_constants()

    def block(start: int, stop: int) -> ResponsibilitySums:
        rows = X[start:stop] - middle
        shares = np.empty((len(rows), k))
        log_density(rows @ factors, shifts, constants, shares)
        total = responsibilities(shares, w[start:stop])
        products = np.empty((len(rows), d * (d + 1) // 2))
        column_products(rows, products)
        return ResponsibilitySums(total, shares.sum(axis=0), shares.T @ rows, shares.T @ products)

    threads = _threads(X, k, n_jobs)
    with blas_on_one_thread(threads > 1):
        sums = reduce(ResponsibilitySums.__add__, chunked(block, len(X), threads, chunk=_JOINT_BLOCK))
    upper = np.triu_indices(d)
    second = np.empty((k, d, d))
    second[:, upper[0], upper[1]] = second[:, upper[1], upper[0]] = sums.second
    # from sums about the middle to sums about the means
    away = components.means - middle
    cross = sums.first[:, :, None] * away[:, None, :]
    second += sums.weight[:, None, None] * away[:, :, None] * away[:, None, :] - cross - cross.transpose(0, 2, 1)
    return ResponsibilitySums(sums.log_likelihood, sums.weight, sums.first - sums.weight[:, None] * away, second)


def sums_of_groups(X: np.ndarray, shares: np.ndarray, reference: np.ndarray, shape: str) -> ResponsibilitySums:
    """The sums for given responsibilities times weights, rows × components."""

    def block(start: int, stop: int) -> ResponsibilitySums:
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


def _over_blocks(
    block: Callable[[int, int], ResponsibilitySums], X: np.ndarray, k: int, n_jobs: int | None
) -> ResponsibilitySums:
    threads = _threads(X, k, n_jobs)
    with blas_on_one_thread(threads > 1):
        return reduce(ResponsibilitySums.__add__, chunked(block, len(X), threads, chunk=_BLOCK))


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


def _sums(
    X: np.ndarray, shares: np.ndarray, reference: np.ndarray, shape: str, log_likelihood: float
) -> ResponsibilitySums:
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
    return ResponsibilitySums(log_likelihood, shares.sum(axis=0), first, second)


@njit(nogil=True, cache=True, fastmath={"contract", "reassoc"})
def log_density(Y, shifts, constants, out):
    """Logarithms of weighted densities.

    Y (IN)         float64[m, k · d]  rows times the factors of all components
    shifts (IN)    float64[k, d]      means times the factors;  constants (IN) float64[k]
    out (OUT)      float64[m, k]
    """
    k, d = shifts.shape
    for i in range(Y.shape[0]):
        for c in range(k):
            row, total = Y[i, c * d : (c + 1) * d], 0.0
            for j in range(d):
                difference = row[j] - shifts[c, j]
                total += difference * difference
            out[i, c] = constants[c] - 0.5 * total


@njit(nogil=True, cache=True)
def column_products(X, out):
    """The products of any two columns: X (IN) float64[m, d];  out (OUT) float64[m, d (d + 1) / 2]."""
    d = X.shape[1]
    for i in range(X.shape[0]):
        place = 0
        for a in range(d):
            for b in range(a, d):
                out[i, place] = X[i, a] * X[i, b]
                place += 1


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

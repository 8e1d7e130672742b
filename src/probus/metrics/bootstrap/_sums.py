"""Functions of sums: their derivatives, their influence and their standard errors, by differences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from probus.metrics._outcome import Outcome
from probus.metrics.bootstrap._draws import Draws
from probus.metrics.resample_forms import Sums

_STEP = 1e-5  # of the size of what is moved: errors of the difference and of rounding are both about 1e-10
_ROUNDING = 1e-13


def augment(form: Sums, outcome: Outcome, draws: Draws) -> list[np.ndarray]:
    """Per unit, Σ w·term for each term, and Σ w; rows without weight may be NaN or infinite."""
    terms = (*form.terms, np.ones(len(outcome)))
    if outcome.weights is None:
        return [draws.by_unit(term) for term in terms]
    w = outcome.weights
    return [draws.by_unit(np.multiply(w, term, out=np.zeros(len(w)), where=w > 0)) for term in terms]


def products(parts: Sequence[np.ndarray]) -> list[np.ndarray]:
    """The products of each pair, the upper triangle row by row."""
    return [parts[s] * parts[t] for s in range(len(parts)) for t in range(s, len(parts))]


def gradient(value: Callable[[np.ndarray], np.ndarray], sums: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """∂value/∂sum at float64[..., T], each sum moved by a small part of ``scale``."""
    slopes = np.empty(sums.shape)
    for t in range(sums.shape[-1]):
        step = np.zeros(sums.shape[-1])
        step[t] = _STEP * scale[t]
        width = 2 * step[t]
        slopes[..., t] = (value(sums + step) - value(sums - step)) / width if width > 0 else 0.0
    return slopes


def standard_error(form: Sums, outcome: Outcome, draws: Draws) -> float:
    """The same error as ``standard_errors`` gives resamples, of the units themselves."""
    parts = augment(form, outcome, draws)
    sums, pairs = (np.array([[each.sum() for each in of]]) for of in (parts, products(parts)))
    return float(standard_errors(form, sums, pairs, draws.n_units)[0])


def standard_errors(form: Sums, sums: np.ndarray, pairs: np.ndarray, n: int) -> np.ndarray:
    """The delta-method error of each value: √(∇ᵀ(Σaaᵀ − SSᵀ/n)∇) with S = Σa over the n units drawn.

    sums : float64[B, T], each S. pairs : float64[B, T(T + 1)/2], the upper triangle of each Σaaᵀ.
    """
    T = sums.shape[1]
    second = np.empty((len(sums), T, T))
    above = np.triu_indices(T)
    second[:, above[0], above[1]] = second[:, above[1], above[0]] = pairs
    scale = np.sqrt(n * np.abs(np.diagonal(second, axis1=1, axis2=2)).mean(axis=0))
    slope = gradient(form.value, sums, scale)
    spread = second - sums[:, :, None] * sums[:, None, :] / n
    variance = np.einsum("bs,bst,bt->b", slope, spread, slope)
    size = np.einsum("bs,bst,bt->b", np.abs(slope), np.abs(second), np.abs(slope))
    return np.sqrt(np.where(variance > _ROUNDING * size, variance, 0.0))

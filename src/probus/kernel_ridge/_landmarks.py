"""Nyström's approximation of a kernel matrix from some of its columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import linalg

_BLOCK = 64  # columns that are drawn and computed together, if that is a tenth of all or less
_ROUNDING = 1e-12  # of the diagonal


@dataclass(frozen=True)
class Factor:
    """K ≈ F Fᵀ.

    F : float64[n, m]. landmarks : int64[m], the rows whose columns of K were used.
    error : the share of the trace of K that is missing, trace(K − F Fᵀ) / trace(K): 0 is exact.
    """

    F: np.ndarray
    landmarks: np.ndarray
    error: float


def nystroem_factor(
    columns: Callable[[np.ndarray], np.ndarray], diagonal: np.ndarray, m: int, random: np.random.RandomState
) -> Factor:
    """A factor of rank m by Cholesky's method with random pivots (Chen, Epperly, Tropp and Webber 2025).

    Landmarks are drawn in blocks, with probabilities proportional to what is missing of the diagonal, so that they
    spread over the rows; this is exact as soon as nothing is missing.

    columns : the columns K[:, rows] of the kernel matrix. diagonal : k(x, x) of each row.
    """
    n = len(diagonal)
    F, chosen = np.empty((n, min(m, n))), np.empty(0, np.int64)
    missing = diagonal.astype(np.float64).copy()
    most = min(_BLOCK, max(1, m // 10))
    smallest = _ROUNDING * max(diagonal.max(initial=0.0), 0.0)
    while len(chosen) < F.shape[1]:
        open_ = np.flatnonzero(missing > smallest)
        size = min(most, F.shape[1] - len(chosen), len(open_))
        if size == 0:
            break
        share = missing[open_] / missing[open_].sum()
        block = open_[random.choice(len(open_), size, replace=False, p=share)]
        done = len(chosen)
        G = columns(block) - F[:, :done] @ F[block, :done].T
        L, kept = _independent(G[block], smallest)
        block, G = block[kept], G[:, kept]
        new = linalg.solve_triangular(L, G.T, lower=True, check_finite=False).T
        F[:, done : done + len(block)] = new
        chosen = np.append(chosen, block)
        missing = np.maximum(missing - (new**2).sum(axis=1), 0.0)
        missing[block] = 0.0
    total = float(diagonal.sum())
    return Factor(F[:, : len(chosen)], chosen, float(missing.sum()) / total if total > 0.0 else 0.0)


def _independent(G: np.ndarray, smallest: float) -> tuple[np.ndarray, np.ndarray]:
    """The Cholesky factor of the largest part of a matrix that has one, and the rows of that part."""
    packed, order, rank, _ = linalg.lapack.dpstrf(G, tol=max(smallest, np.finfo(float).eps * np.abs(G).max()), lower=1)
    rank = max(int(rank), 1)
    kept = order[:rank] - 1
    return np.tril(packed[:rank, :rank]), kept

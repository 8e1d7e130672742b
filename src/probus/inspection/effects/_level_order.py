"""An order of nominal levels in which neighbours are alike in the other columns."""

from __future__ import annotations

import numpy as np

from probus.data import Column, Kind, Table


def similar_order(column: Column, codes: np.ndarray, table: Table) -> np.ndarray:
    """The places of levels, sorted along the first dimension of a scaling of their distances (Apley and Zhu 2020).

    The distance of two levels is a sum over the other columns: of numbers the largest difference of their distribution
    functions, of levels half the sum of the differences of their shares.
    """
    K = len(codes)
    apart = np.zeros((K, K))
    of_level = [np.flatnonzero(column.values == code) for code in codes]
    for other in table:
        if other.name == column.name or other.kind is Kind.TEXT:
            continue
        if other.kind.has_levels:
            size = max(len(other.levels), 1)
            shares = np.stack([_shares(other.values[rows], size) for rows in of_level])
            apart += np.abs(shares[:, None] - shares[None]).sum(axis=2) / 2
        else:
            apart += _largest_differences(other.values, of_level)
    squares = apart**2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    vectors = np.linalg.eigh(-centred / 2)[1]
    return np.argsort(vectors[:, -1], kind="stable")


def _shares(codes: np.ndarray, size: int) -> np.ndarray:
    counts = np.bincount(codes[codes >= 0], minlength=size).astype(np.float64)
    return counts / max(counts.sum(), 1.0)


def _largest_differences(x: np.ndarray, of_level: list[np.ndarray]) -> np.ndarray:
    """The Kolmogorov–Smirnov distance of each pair of levels."""
    values = np.unique(x[np.isfinite(x)])
    shares = np.zeros((len(of_level), len(values)))
    for k, rows in enumerate(of_level):
        own = np.sort(x[rows][np.isfinite(x[rows])])
        if len(own):
            shares[k] = np.searchsorted(own, values, side="right") / len(own)
    return np.asarray(np.abs(shares[:, None] - shares[None]).max(axis=2, initial=0.0))

"""Moves that Lloyd's iteration cannot make: merge two near clusters and split a wide one at once."""

from __future__ import annotations

from itertools import product

import numpy as np

from probus.cluster._lloyd import FittedCentres, WeightedRows, lloyd

_TRIED = 3  # merges, and splits, that are tried


def split_and_merge(rows: WeightedRows, fit: FittedCentres, max_iter: int, tol: float) -> FittedCentres:
    """The fit after every move that lowers the sum of squares; each is followed by Lloyd's iteration."""
    while len(fit.centres) > 2:
        better = _best_move(rows, fit, max_iter, tol)
        if better is None:
            return fit
        fit = better
    return fit


def _best_move(rows: WeightedRows, fit: FittedCentres, max_iter: int, tol: float) -> FittedCentres | None:
    for merge, wide in _moves(rows, fit):
        found = lloyd(rows, _after(rows, fit, merge, wide), max_iter, tol)
        if found.inertia < fit.inertia * (1.0 - 1e-9):
            return found
    return None


def _moves(rows: WeightedRows, fit: FittedCentres) -> list[tuple[tuple[int, int], int]]:
    """The merges that cost least with the splits of the clusters that have the largest sums of squares."""
    k = len(fit.centres)
    weight = np.bincount(fit.labels, rows.w, minlength=k)
    away = rows.w * np.einsum("ij,ij->i", rows.X - fit.centres[fit.labels], rows.X - fit.centres[fit.labels])
    spread = np.bincount(fit.labels, away, minlength=k)
    first, second = np.triu_indices(k, 1)
    between = ((fit.centres[first] - fit.centres[second]) ** 2).sum(axis=1)
    total = weight[first] + weight[second]
    cost = between * weight[first] * weight[second] / np.where(total > 0, total, 1.0)
    merges = [(int(first[pair]), int(second[pair])) for pair in np.argsort(cost, kind="stable")[:_TRIED]]
    wide = [int(cluster) for cluster in np.argsort(-spread, kind="stable")[: _TRIED + 2]]
    return [(merge, split) for merge, split in product(merges, wide) if split not in merge and spread[split] > 0]


def _after(rows: WeightedRows, fit: FittedCentres, merge: tuple[int, int], wide: int) -> np.ndarray:
    """The centres after a move: one in the middle of two, and two along the widest direction of the split cluster."""
    inside = fit.labels == wide
    away, w = rows.X[inside] - fit.centres[wide], rows.w[inside]
    values, vectors = np.linalg.eigh((w[:, None] * away).T @ away / w.sum())
    step = np.sqrt(max(values[-1], 0.0)) * vectors[:, -1]
    centres = fit.centres.copy()
    weight = [max(float(rows.w[fit.labels == cluster].sum()), 1e-300) for cluster in merge]
    centres[merge[0]] = np.average(fit.centres[list(merge)], axis=0, weights=weight)
    centres[merge[1]] = fit.centres[wide] + step
    centres[wide] = fit.centres[wide] - step
    return centres

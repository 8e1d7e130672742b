"""Which pairs of columns have an interaction, and the coarse bins in which it is fitted."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from scipy.stats import chi2

from probus.ensemble.glass_box._column_codes import ColumnCodes
from probus.ensemble.glass_box._pair_kernel import PairPlan, interaction_strengths
from probus.parallel import chunked, thread_count

_LEVEL = 0.2  # pairs of noise that are expected for each column
_A_COLUMN = 4  # pairs, at most, on average
_CUTS = 100.0  # independent cuts that the largest of a pair is worth, by simulation
_WORK = 2e9  # rows × pairs that are searched; of more, some rows are drawn
_SEARCHED_BINS = 16


def coarse_bins(columns: ColumnCodes, rows: np.ndarray, curves: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """For each bin of each column its bin in pairs, and how many those are; missing values have the last.

    Neighbours are joined to bins of about equally many rows; levels are in the order of their curve.
    """
    coarse, sizes = np.zeros(len(rows), np.uint8), np.ones(len(columns.n_codes), np.int64)
    for j, n in enumerate(columns.n_codes.tolist()):
        part = slice(int(columns.starts[j]), int(columns.starts[j]) + n)
        order = np.arange(n)
        if columns.nominal[j]:
            values = curves[part]
            order = np.argsort(values[:, np.ptp(values, axis=0).argmax()], kind="stable")
        joined = _joined(rows[part][order], most)
        coarse[part][order] = joined
        sizes[j] = joined[-1] + 2
        coarse[part.stop] = sizes[j] - 1
    return coarse, sizes


def _joined(rows: np.ndarray, most: int) -> np.ndarray:
    """Neighbouring bins joined to at most so many, of about equal weight; those with a full share stay alone."""
    out, group, filled = np.zeros(len(rows), np.uint8), 0, 0.0
    if len(rows) <= most:
        return np.arange(len(rows), dtype=np.uint8)
    left, total = most, float(rows.sum())
    for b, weight in enumerate(rows.tolist()):
        if b and group < most - 1 and filled + 0.5 * weight >= total / left:
            total, left = total - filled, left - 1
            group, filled = group + 1, 0.0
        out[b] = group
        filled += weight
    return out


def strengths_of(
    columns: ColumnCodes, codes: np.ndarray, derivatives: tuple[np.ndarray, np.ndarray, np.ndarray], rows: np.ndarray,
    curves: np.ndarray, candidates: np.ndarray, seed: int, n_jobs: int | None,
) -> np.ndarray:  # fmt: skip
    """The strength of each candidate: about χ² of its best cuts where there is no interaction."""
    gradient, hessian, weight = derivatives
    most = max(1_000, int(_WORK / max(len(candidates), 1)))
    n = codes.shape[1]
    if n > most:
        some = np.sort(np.random.default_rng(seed).permutation(n)[:most])
        codes, gradient, hessian = np.ascontiguousarray(codes[:, some]), gradient[some], hessian[some]
        weight = weight[some]
    coarse, sizes = coarse_bins(columns, rows, curves, _SEARCHED_BINS)
    small = np.empty_like(codes)
    for j in range(len(codes)):
        small[j] = coarse[columns.starts[j] : columns.starts[j + 1]][codes[j]]
    noise = float((gradient**2 / weight[:, None]).sum() / max(hessian.sum(), 1e-300))
    found = np.empty(len(candidates))
    least = max(4.0, 0.005 * weight.sum())

    def part(first: int, last: int) -> None:
        plan = PairPlan(candidates[first:last], np.zeros(1, np.int64), sizes)
        interaction_strengths(small, gradient, hessian, weight, plan, least, found[first:last])

    threads = thread_count(n_jobs, 4.0 * len(candidates) * codes.shape[1])
    chunked(part, len(candidates), threads, chunk=max(1, len(candidates) // (8 * threads)))
    return found / max(noise, 1e-300)


def candidates_of(d: int, without: set[int], excluded: set[tuple[int, int]]) -> np.ndarray:
    """All pairs of the other columns: int64[p, 2]."""
    usable = [j for j in range(d) if j not in without]
    pairs = [pair for pair in combinations(usable, 2) if pair not in excluded]
    return np.array(pairs, np.int64).reshape(-1, 2)


def chosen_pairs(candidates: np.ndarray, strengths: np.ndarray, k: int, most: int | None) -> np.ndarray:
    """The strongest candidates: as many as were wanted, or, for None, those beyond noise."""
    order = np.argsort(-strengths, kind="stable")
    if most is None:
        expected = _LEVEL * len(np.unique(candidates))
        bound = chi2.isf(min(expected / (_CUTS * max(len(candidates), 1)), 0.5), k)
        order = order[strengths[order] > bound][: _A_COLUMN * len(np.unique(candidates))]
    else:
        order = order[:most]
    return candidates[np.sort(order)]

"""Shapley values of columns: a curve belongs to its column, a pair is shared by two."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.ensemble.glass_box._additive_terms import AdditiveTerms


class ColumnShares(NamedTuple):
    """What each column adds to the scores, float64[n, d, k], where no column is known, float64[k], and by pairs.

    ``pairs`` is float64[n, d, d, k], symmetric: its rows sum to the values of the columns.
    """

    values: np.ndarray
    base: np.ndarray
    pairs: np.ndarray | None


def column_shares(
    terms: AdditiveTerms, intercept: np.ndarray, codes: np.ndarray, others: np.ndarray | None, *, by_pairs: bool
) -> ColumnShares:
    """Exact Shapley values, against the rows ``others`` or, for None, the functional ANOVA of the training rows.

    The latter are known terms: curves have mean zero, and a pair, whose means over either column are zero, is shared
    equally. Against other rows a pair is a game of two columns, in which the unknown one has the values of those rows.
    """
    d, n = codes.shape
    k = len(intercept)
    values, base = np.empty((n, d, k)), intercept.copy()
    pairs = np.zeros((n, d, d, k)) if by_pairs else None
    for j in range(d):
        curve = terms.curves[terms.part(j)]
        mean = np.zeros(k) if others is None else curve[others[j]].mean(axis=0)
        values[:, j], base = curve[codes[j]] - mean, base + mean
        if pairs is not None:
            pairs[:, j, j] = values[:, j]
    small = terms.coarse_codes(codes)
    behind = None if others is None else terms.coarse_codes(others)
    for p, (first, second) in enumerate(terms.pairs.tolist()):
        table = terms.tables[terms.cells(p)].reshape(*terms.shape(p), k)
        whole = table[small[first], small[second]]
        alone, other, none = np.zeros((n, k)), np.zeros((n, k)), np.zeros(k)
        if behind is not None:
            shares = [
                np.bincount(behind[j], minlength=size) / behind.shape[1]
                for j, size in zip((first, second), terms.shape(p), strict=True)
            ]
            alone = np.einsum("abk,b->ak", table, shares[1])[small[first]]
            other = np.einsum("abk,a->bk", table, shares[0])[small[second]]
            none = table[behind[first], behind[second]].mean(axis=0)
        together = 0.5 * (whole - alone - other + none)
        for j, mine in ((first, alone - none), (second, other - none)):
            values[:, j] += mine + together
            if pairs is not None:
                pairs[:, j, j] += mine
        if pairs is not None:
            pairs[:, first, second] += together
            pairs[:, second, first] += together
        base = base + none
    return ColumnShares(values, base, pairs)

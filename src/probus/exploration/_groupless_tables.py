"""Tables like a given one but without groups, to compare it with."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.optimize import isotonic_regression
from scipy.special import ndtr, ndtri
from scipy.stats import rankdata

from probus.data import Column, Kind, Table

_BINS = 30


class GrouplessTables:
    """Random tables with the columns of a given one, each with one mode, correlated alike, and otherwise independent.

    Numbers and ordered levels follow a Gaussian copula with the rank correlations of the table, each with the unimodal
    distribution nearest to its own. A table that is only skewed or correlated is like these; a table with groups is
    not. Other levels are drawn independently, as in latent class analysis: what they have in common is the groups'.
    Values are missing where they are in rows of the table.
    """

    def __init__(self, table: Table):
        self._table = table
        self._ordered = [c for c in table if c.kind in (Kind.NUMERIC, Kind.ORDINAL)]
        self._margins = [_Margin.of(column) for column in self._ordered]
        self._root = _root(np.column_stack([_normal_scores(c) for c in self._ordered])) if self._ordered else None
        self._missing = {c.name: c.missing for c in table if c.missing.any()}

    def draw(self, rng: np.random.Generator) -> Table:
        """A table with as many rows."""
        n = self._table.n_rows
        drawn: dict[str, np.ndarray] = {}
        if self._root is not None:
            shares = ndtr(rng.standard_normal((n, len(self._ordered))) @ self._root)
            for j, (column, margin) in enumerate(zip(self._ordered, self._margins, strict=True)):
                drawn[column.name] = margin.values(shares[:, j]).astype(column.values.dtype)
        for column in self._table:
            if column.name not in drawn:
                drawn[column.name] = rng.choice(column.values[~column.missing], n)
        source = rng.permutation(n)  # of the missing values of each row
        for name, missing in self._missing.items():
            drawn[name][missing[source]] = np.nan if self._table[name].kind is Kind.NUMERIC else -1
        return Table([replace(column, values=drawn[column.name]) for column in self._table])


@dataclass(frozen=True)
class _Margin:
    """A distribution: shares of single values, or of the intervals between ``edges``."""

    edges: np.ndarray
    shares: np.ndarray

    @classmethod
    def of(cls, column: Column) -> _Margin:
        values = column.numbers_array()[~column.missing] if column.kind is Kind.NUMERIC else column.values
        values = values[values >= 0] if column.kind is Kind.ORDINAL else values
        distinct, counts = np.unique(values, return_counts=True)
        if len(distinct) <= _BINS:
            return cls(distinct, unimodal(counts))
        counts, edges = np.histogram(values, _BINS)
        return cls(edges, unimodal(counts))

    def values(self, shares: np.ndarray) -> np.ndarray:
        """The values below which these shares of the distribution are."""
        reached = np.concatenate([[0.0], np.cumsum(self.shares)])
        reached /= reached[-1]
        if len(self.edges) > len(self.shares):
            return np.interp(shares, reached, self.edges)
        return self.edges[np.clip(np.searchsorted(reached, shares, side="left") - 1, 0, len(self.edges) - 1)]


def unimodal(counts: np.ndarray) -> np.ndarray:
    """The counts that rise to one mode and fall from it, nearest in least squares, by their sum.

    >>> unimodal(np.array([1, 4, 0, 4, 1])).round(2)
    array([0.1, 0.4, 0.2, 0.2, 0.1])
    """
    best, least = counts.astype(np.float64), np.inf
    for mode in range(len(counts)):
        rising = isotonic_regression(counts[:mode].astype(np.float64)).x if mode else np.empty(0)
        falling = isotonic_regression(counts[mode:].astype(np.float64), increasing=False).x
        fitted = np.concatenate([rising, falling])
        error = float(((fitted - counts) ** 2).sum())
        if error < least - 1e-9:
            best, least = fitted, error
    return best / best.sum()


def _normal_scores(column: Column) -> np.ndarray:
    """Normal quantiles of the ranks, standardised; missing values at the mean, 0."""
    known = ~column.missing
    scores = np.zeros(len(column))
    values = ndtri((rankdata(column.values[known]) - 0.5) / known.sum())
    scores[known] = (values - values.mean()) / (values.std() or 1.0)
    return scores


def _root(scores: np.ndarray) -> np.ndarray:
    """A square root of the correlations, of pairs of which neither is missing; the nearest that has one."""
    known = (scores != 0).astype(np.float64)
    correlations = (scores.T @ scores) / np.maximum(known.T @ known, 1.0)
    np.fill_diagonal(correlations, 1.0)
    values, vectors = np.linalg.eigh(correlations)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    root /= np.sqrt((root**2).sum(axis=1, keepdims=True))
    return root.T

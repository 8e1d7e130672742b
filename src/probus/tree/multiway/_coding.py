"""The coding of columns for multiway trees: levels, bins, or numbers with thresholds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from probus.data import Kind, Schema
from probus.errors import ModelFileError
from probus.state import Array, Part, Spec
from probus.tree.preparation._design import Design


@dataclass(frozen=True, eq=False)
class ColumnCoding(Part):
    """The number of codes of each column and the edges of the bins of numbers.

    Attributes
    ----------
    n_codes : the number of codes of each column; 0 for columns that are split at thresholds.
    ordered, binned : whether each column has an order, and whether its numbers are binned.
    edge_start, edges : the edges of binned column j are ``edge_start[j]`` up to ``edge_start[j + 1]``; a value at an
        edge belongs to the bin below it.
    """

    n_codes: np.ndarray
    ordered: np.ndarray
    binned: np.ndarray
    edge_start: np.ndarray
    edges: np.ndarray

    declared: ClassVar[dict[str, Spec]] = {
        "n_codes": Array("i8", "d", 0),
        "ordered": Array("u1", "d", 0, 2),
        "binned": Array("u1", "d", 0, 2),
        "edge_start": Array("i8", "*", 0),
        "edges": Array("f8", "*"),
    }

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return len(self.n_codes)

    def edges_of(self, feature: int) -> np.ndarray:
        """The edges between the bins of a column."""
        return self.edges[self.edge_start[feature] : self.edge_start[feature + 1]]

    def coded(self, X: np.ndarray) -> np.ndarray:
        """The matrix of a Design with bin codes for binned columns; NaN stays NaN."""
        if not self.binned.any():
            return X
        coded = np.array(X, order="F")
        for j in np.flatnonzero(self.binned):
            known = ~np.isnan(X[:, j])
            coded[known, j] = np.searchsorted(self.edges_of(int(j)), X[known, j])
        return coded

    def check(self) -> None:
        """Raise unless every binned column has the right number of edges."""
        start = self.edge_start
        if len(start) != self.n_features + 1 or start[0] != 0 or start[-1] != len(self.edges):
            raise ModelFileError("a coding with edges that belong to no column.", "edges for each binned column")
        n_edges = np.diff(start)
        wrong = np.where(self.binned == 1, n_edges + 1 != self.n_codes, n_edges != 0)
        if (n_edges < 0).any() or wrong.any():
            raise ModelFileError("a coding whose bins do not match its edges.", "one edge less than bins")


def coding_of(
    design: Design, schema: Schema | None, w: np.ndarray, *, n_bins: int | None, ordinal_levels: bool
) -> ColumnCoding:
    """The coding of training data: nominal columns by level, numbers by quantile bins.

    Without ``n_bins`` numbers keep their values; so do the ranks of ordinal columns, unless ``ordinal_levels``.
    """
    n_codes, ordered = design.n_levels.copy(), design.n_levels == 0
    binned = np.zeros(len(n_codes), bool)
    edges = [np.empty(0)] * len(n_codes)
    for j in np.flatnonzero(ordered):
        if schema is not None and schema[int(j)].kind is Kind.ORDINAL:
            n_codes[j] = max(1, len(schema[int(j)].levels)) if ordinal_levels else 0
        elif n_bins is not None:
            binned[j], edges[j] = True, quantile_edges(design.X[:, j], w, n_bins)
            n_codes[j] = len(edges[j]) + 1
    start = np.concatenate([[0], np.cumsum([len(e) for e in edges])]).astype(np.int64)
    return ColumnCoding(n_codes, ordered.astype(np.uint8), binned.astype(np.uint8), start, np.concatenate(edges))


def quantile_edges(x: np.ndarray, w: np.ndarray, n_bins: int) -> np.ndarray:
    """Edges of bins of nearly equal weight, midway between adjacent values.

    Equal values share a bin; if there are no more values than bins, each has its own.

    >>> quantile_edges(np.array([1.0, 2, 3, 4, 10, 11]), np.ones(6), 3)
    array([2.5, 7. ])
    """
    known = ~np.isnan(x)
    values, place = np.unique(x[known], return_inverse=True)
    if len(values) <= n_bins:
        ends = np.arange(len(values) - 1)
    else:
        mass = np.cumsum(np.bincount(place, w[known]))
        wanted = np.arange(1, n_bins) / n_bins * mass[-1]
        ends = np.unique(np.searchsorted(mass, wanted - 1e-9 * mass[-1]))
    ends = ends[ends < len(values) - 1]
    low, high = values[ends], values[ends + 1]
    middle = 0.5 * low + 0.5 * high
    return np.where(middle < high, middle, low)

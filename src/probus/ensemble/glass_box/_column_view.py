"""A column as its curve is drawn and edited: its name, its kind, where its bins are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Kind
from probus.ensemble.glass_box._additive_terms import AdditiveTerms


@dataclass(frozen=True, eq=False)
class ColumnView:
    """A column of a fitted model.

    labels : the levels of a nominal or ordinal column, one for each bin; none of numbers
    centres : float64[bins], the mean value of each bin; edges : float64[bins - 1], the values between them
    ordered : whether bins have an order
    """

    name: str
    labels: tuple[str, ...]
    centres: np.ndarray
    edges: np.ndarray
    ordered: bool

    @property
    def places(self) -> np.ndarray:
        """What a function of the column is given: its values, or its levels."""
        return np.array(self.labels, dtype=object) if self.labels else self.centres

    def text(self, b: int) -> str:
        """A bin in words."""
        n = len(self.centres)
        if b == n:
            return "missing"
        if self.labels:
            return self.labels[b]
        low, high = (f"{self.edges[b - 1]:.6g}" if b else ""), (f"{self.edges[b]:.6g}" if b < n - 1 else "")
        return f"{low} to {high}" if low and high else f"up to {high}" if high else f"above {low}" if low else "all"


def view_of(terms: AdditiveTerms, j: int, name: str, schema: Any) -> ColumnView:
    """The view of a column."""
    columns, n = terms.columns, int(terms.columns.n_codes[j])
    part = slice(int(terms.starts[j]), int(terms.starts[j]) + n)
    centres, edges = terms.centres[part], columns.edges[j, : n - 1]
    field = None if schema is None else list(schema)[j]
    labels: tuple[str, ...] = ()
    if columns.nominal[j]:
        begin = int(columns.n_levels[:j].sum())
        codes = columns.level_codes[begin : begin + int(columns.n_levels[j])]
        names = [str(level) for level in field.levels] if field is not None else list(map(str, range(len(codes))))
        of_bin = {int(code): label for code, label in zip(codes.tolist(), names, strict=True) if code < n}
        labels = tuple(of_bin.get(b, "") for b in range(n))
    elif field is not None and field.kind is Kind.ORDINAL:
        labels = _ordinal_labels([str(level) for level in field.levels], edges)
    return ColumnView(name, labels, centres, edges, not columns.nominal[j])


def _ordinal_labels(levels: list[str], edges: np.ndarray) -> tuple[str, ...]:
    """Levels by bin; neighbours that share one are joined."""
    bins = np.searchsorted(edges, np.arange(len(levels)))
    groups = [
        [level for level, b in zip(levels, bins.tolist(), strict=True) if b == place] for place in range(len(edges) + 1)
    ]
    return tuple(group[0] if len(group) == 1 else f"{group[0]} to {group[-1]}" for group in groups if group)

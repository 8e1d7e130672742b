"""Which columns go with others: only these can have groups in common."""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2

from probus.data import Column, Kind, Table

_PARTS = 4  # of a numeric column, with about as many rows each
_FEW_VALUES = 10
_RARE = 0.05  # share of the rows: rarer levels are counted together
_LEVEL = 0.01


def grouping_columns(table: Table) -> Table:
    """The columns that groups can be found in: numbers, and levels that go with another column.

    Levels that are independent of all other columns, such as a coin, divide the rows clearly but into nothing that any
    other column knows of. Numbers with few values are levels here.

    >>> rng = np.random.default_rng(0)
    >>> coin, side = rng.choice(["heads", "tails"], 200), rng.choice(["left", "right"], 200)
    >>> grouping_columns(Table.of({"coin": coin, "side": side, "copy": side})).names
    ('side', 'copy')
    """
    d = len(table.names)
    least = pair_pvalues(table).min(axis=1, initial=1.0) * d * (d - 1) / 2
    return Table([column for j, column in enumerate(table) if d == 1 or least[j] <= _LEVEL or not _few(column)])


def pair_pvalues(table: Table) -> np.ndarray:
    """The p-value of the χ² test that two columns are independent, columns × columns, 1 on the diagonal."""
    if not table.names:
        return np.ones((0, 0))
    codes = [_levels(column) for column in table]
    counts = [int(code.max(initial=0)) + 1 for code in codes]
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.intp)
    indicator = np.zeros((table.n_rows, sum(counts)))
    for code, start in zip(codes, starts, strict=True):
        known = np.flatnonzero(code >= 0)
        indicator[known, start + code[known]] = 1.0
    cells = indicator.T @ indicator
    margins = np.add.reduceat(cells, starts, axis=1)  # of a level, over the rows where the other column is known
    rows = np.add.reduceat(margins, starts, axis=0)
    of = np.repeat(np.arange(len(codes)), counts)
    expected = margins[:, of] * margins[:, of].T / np.maximum(rows[np.ix_(of, of)], 1.0)
    terms = np.divide(cells**2, expected, out=np.zeros_like(cells), where=expected > 0)
    statistic = np.add.reduceat(np.add.reduceat(terms, starts, axis=0), starts, axis=1) - rows
    levels = np.add.reduceat((margins > 0).astype(np.float64), starts, axis=0)  # that occur where the other is known
    freedom = (levels - 1) * (levels.T - 1)
    pvalues = np.where(freedom > 0, chi2.sf(statistic, np.maximum(freedom, 1.0)), 1.0)
    np.fill_diagonal(pvalues, 1.0)
    return pvalues


def _few(column: Column) -> bool:
    if column.kind is not Kind.NUMERIC:
        return True
    return len(np.unique(column.values[~column.missing])) <= _FEW_VALUES


def _levels(column: Column) -> np.ndarray:
    """Codes of levels or of parts of numbers, −1 for missing; rare ones together, as the first."""
    known = ~column.missing
    values = column.values[known]
    if not _few(column):
        cuts = np.unique(np.quantile(values, np.arange(1, _PARTS) / _PARTS))
        values = np.searchsorted(cuts, values, side="left")
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    kept = counts >= _RARE * len(values)
    number = np.where(kept, np.cumsum(kept) - 1 + (~kept).any(), 0)
    codes = np.full(len(column), -1, dtype=np.intp)
    codes[known] = number[inverse]
    return codes

"""3xx: duplicate rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import reduce

import numpy as np

from probus.data._column import Column, quote_some
from probus.data._hashing import mixed
from probus.data._table import Table
from probus.data.findings._column_checks import identifying
from probus.data.findings._copies import copies_of, dates_rows
from probus.data.findings._facts import as_groups, facts
from probus.data.findings._finding import Finding
from probus.display import counted, counted_of, exact_percent

FOLDS = 5  # of the cross-validation that duplicates would bias
NOTABLE = 0.01  # of the rows: fewer duplicates hardly change a score
COINCIDENCE = 0.1  # of the equal pairs expected by chance: then all may be chance, as columns are correlated
MANY_VALUES = 50  # distinct values: with such a column, equal rows are unlikely to be chance


def row_keys(columns: Iterable[Column], n_rows: int) -> np.ndarray:
    """A 64-bit number for each row, equal for equal rows."""
    return reduce(mixed, (facts(column).codes for column in columns), np.zeros(n_rows, np.uint64))


def all_few_valued(columns: Iterable[Column]) -> bool:
    """Whether equal rows may be chance: no column has many values."""
    return all(facts(column).n_distinct <= MANY_VALUES for column in columns)


def duplicate_rows(table: Table, target: str | None) -> Iterator[Finding]:
    """PB301, PB302: duplicate rows, with or without identifiers and times; some would be in training and test data."""
    others = [column for column in table if column.name != target]
    naming = [column for column in others if identifying(column) or dates_rows(column)]
    left_out = {column.name for column in naming}
    features = [column for column in table if column.name not in left_out]
    columns = tuple(table)
    copies = _copies(columns)
    if copies.any():
        yield _duplicates("PB301", copies, columns, "an earlier row.")
    elif naming and len(features) > 1 and (copies := _copies(features)).any():
        names = quote_some([column.name for column in naming])
        yield _duplicates("PB302", copies, features, f"an earlier row in all columns except {names}.")


def _copies(columns: Sequence[Column]) -> np.ndarray:
    """For each row, 0 if it is the first of its set of equal rows, else the size of the set."""
    keys = row_keys(columns, len(columns[0]) if columns else 0)
    _, first, inverse, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    sizes = counts[inverse]
    sizes[first] = 0
    return sizes


def _duplicates(code: str, copies: np.ndarray, columns: Sequence[Column], how: str) -> Finding:
    count, share = int((copies > 0).sum()), float((copies > 0).mean())
    coincidence = all_few_valued(columns) or _expected_pairs(columns) > COINCIDENCE * _pairs(copies)
    repeat = counted_of(count, len(copies), f"rows ({exact_percent(share)})", "repeats", "repeat")
    evidence = f"{repeat} {how}"
    if coincidence:
        evidence += " The columns have few values, so this may be chance."
    else:
        tested = counted(round(_expected_copies(copies)), "row")
        evidence += f" About {tested} would have a duplicate in the training data in {FOLDS} folds of single rows."
    advice = "Keep one of each unless the duplicates are real: table.to_polars().unique(maintain_order=True)"
    return Finding(code, None, "note" if coincidence or share < NOTABLE else "warning", evidence, advice)


def _pairs(copies: np.ndarray) -> float:
    """Pairs of equal rows: a set of g has g - 1 rows marked g, and g (g - 1) / 2 pairs."""
    return float(copies.sum() / 2)


def _expected_pairs(columns: Sequence[Column]) -> float:
    """Expected pairs of equal rows if the columns were independent.

    With c_jv rows of value v in column j, n (n - 1) / 2 · Π_j Σ_v c_jv (c_jv - 1) / (n (n - 1)): a row does not equal
    itself, which matters where most values occur once.
    """
    n = len(columns[0])
    every = n * (n - 1)
    chance = 1.0
    for column in columns:
        counts = np.append(facts(column).counts, n - facts(column).n_present).astype(float)
        chance *= float((counts * (counts - 1)).sum()) / every
    return every / 2 * chance


def _expected_copies(copies: np.ndarray) -> float:
    """Expected number of rows with an equal row in another fold; of a set of g, all, unless one fold has them all."""
    g = copies[copies > 0].astype(float)
    return float(((1 - FOLDS ** (1 - g)) * g / (g - 1)).sum())


def near_duplicates(table: Table, target: str | None) -> Iterator[Finding]:
    """PB303: rows that nearly repeat another row: equal levels, and numbers far closer than chance explains."""
    found = copies_of([column for column in table if column.name != target])
    if found is None or found.near < NOTABLE * table.n_rows:
        return
    yield Finding(
        "PB303",
        None,
        "warning",
        f"{found.near:,} of {table.n_rows:,} rows ({exact_percent(found.near / table.n_rows)}) nearly repeat another "
        "row: equal levels, and numbers far closer than chance explains.",
        f"Keep one of each, or give them a common group: {as_groups()}",
    )

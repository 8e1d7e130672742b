"""3xx and 4xx: rows that belong together, so that a random split tests a model on what it was trained on."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from probus.data.column import Column, quote_some
from probus.data.findings.column_checks import identifying
from probus.data.findings.facts import facts, features, is_free_text, number, percent
from probus.data.findings.finding import Finding
from probus.data.findings.leak_shares import labelled_rows, predicted_share
from probus.data.hashing import mixed
from probus.data.kind import Kind
from probus.data.table import Table

__all__ = ["group_leaks", "near_duplicates"]

FEWEST_ROWS = 100
MOST_GROUPS, FEWEST_GROUPS = 0.5, 20  # of the rows: most groups have two rows or more; fewer are ordinary levels
SHARED = 0.8  # of the error: rows of one group have about the same target
CONSTANT = 0.99  # of the rows of a group have its commonest value
CONSTANT_COLUMNS = 2  # that are constant within the groups, beside the target
DIFFERENT = 0.25  # values per group: with fewer, a column describes kinds of groups

GRID, COARSER = 0.002, 16  # of the spread of a column: rows as near as that, and how much farther chance would reach
FEWEST_NUMBERS = 3  # columns of many values, without which near rows may be chance
MANY_VALUES = 50
NOTABLE = 0.01  # of the rows
SATURATED = 0.5  # of the pairs on the coarser grid: chance would give 1/16 in one dimension, less in more
MOST_ROWS = 1_000_000


def group_leaks(table: Table, target: str | None) -> Iterator[Finding]:
    """PB409: a column of groups (patients, customers, …) whose rows share the target and other columns.

    Folds drawn row by row then test a model on groups that it was trained on.
    """
    for name, same in groupings(table, target).items():
        seen = facts(table[name])
        yield Finding(
            "PB409",
            name,
            "warning",
            f"{seen.n_distinct:,} groups of {seen.rows_per_value:.1f} rows on average: within a group {target!r} and "
            f"{quote_some(same)} hardly vary, so folds of single rows test a model on groups that it was trained on.",
            f"Task(…, group={name!r}), or --group {name}",
        )


def groupings(table: Table, target: str | None) -> dict[str, list[str]]:
    """The columns of groups whose rows share the target, each with the columns that are constant within its groups."""
    rows = labelled_rows(table, target)
    if target is None or len(rows) < FEWEST_ROWS:
        return {}
    others = [c for c in features(table, target) if facts(c).n_distinct > 1]
    found = {}
    for column in filter(_repeats, others):
        groups = np.unique(facts(column).codes[rows], return_inverse=True)[1]
        if predicted_share(table[target], rows, groups)[0] >= SHARED:
            same = [c.name for c in others if c is not column and _constant_within(groups, c, rows)]
            if len(same) >= CONSTANT_COLUMNS:
                found[column.name] = same
    return found


def _repeats(column: Column) -> bool:
    """Whether a column may name groups of rows: many levels or whole numbers, most of them in several rows."""
    seen = facts(column)
    whole = column.kind is not Kind.NUMERIC or bool((seen.values == np.floor(seen.values)).all())
    return whole and FEWEST_GROUPS <= seen.n_distinct <= MOST_GROUPS * seen.n_present and not is_free_text(column)


def _constant_within(groups: np.ndarray, column: Column, rows: np.ndarray) -> bool:
    """Whether a column has one value in each group, and often another in another group."""
    size = facts(column).n_distinct + 1
    pairs, counts = np.unique(groups.astype(np.int64) * size + facts(column).codes[rows] + 1, return_counts=True)
    group = pairs // size
    most, total = np.zeros(group[-1] + 1), np.bincount(group, counts)
    np.maximum.at(most, group, counts)
    several = total > 1
    constant = bool(several.any()) and most[several].sum() >= CONSTANT * total[several].sum()
    return bool(constant) and len(np.unique(pairs % size)) >= DIFFERENT * len(total)


def near_duplicates(table: Table, target: str | None) -> Iterator[Finding]:
    """PB303: rows that nearly repeat another row: equal levels, and numbers that differ by less than 0.2 %.

    By chance, rows that lie up to 16 times as far apart would be far more frequent; these are not.
    """
    part = table if table.n_rows <= MOST_ROWS else table.head(MOST_ROWS)
    columns = [c for c in features(part, target) if facts(c).n_distinct > 1 and not identifying(c)]
    numbers = [c for c in columns if c.kind is Kind.NUMERIC and facts(c).n_distinct > MANY_VALUES]
    if len(numbers) < FEWEST_NUMBERS or part.n_rows < FEWEST_ROWS:
        return
    exact = _sets(columns, 0.0)
    near, far = _sets(columns, GRID), _sets(columns, GRID * COARSER)
    new = (near > 1) & (exact <= 1)
    known, chance = int(new.sum()), int(((far > 1) & (exact <= 1)).sum())
    if known < NOTABLE * part.n_rows or known < SATURATED * chance:
        return
    yield Finding(
        "PB303",
        None,
        "warning",
        f"{known:,} of {part.n_rows:,} rows ({percent(known / part.n_rows)}) nearly repeat another row: equal levels, "
        f"and numbers that differ by less than {number(100 * GRID)} % of their spread.",
        "Keep one of each, or give them a common group: Task(…, group=…)",
    )


def _sets(columns: list[Column], grid: float) -> np.ndarray:
    """The size of each row's set of rows that fall into the same cell of a grid; without a grid, that are equal."""
    keys = np.zeros(len(columns[0]), np.uint64)
    for column in columns:
        seen = facts(column)
        if grid and column.kind is Kind.NUMERIC and seen.n_distinct > MANY_VALUES:
            finite = seen.values[np.isfinite(seen.values)]
            low, high = finite[[len(finite) // 20, -1 - len(finite) // 20]]
            keys = mixed(keys, np.floor(column.values / max(grid * (high - low), 1e-300)))
        else:
            keys = mixed(keys, seen.codes)
    _, inverse, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return counts[inverse]

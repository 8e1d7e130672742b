"""PB411: rows that agree in several columns, as those of one patient in age and height, and share the target."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from probus.data._column import Column, quote_some
from probus.data._kind import Kind
from probus.data._table import Table
from probus.data.findings._facts import facts, features, is_free_text, once_per_target
from probus.data.findings._finding import Finding
from probus.data.findings._group_leaks import FALSE_ALARMS, GAIN, OFTEN, UNLIKE_NUMBERS, constant_within, probability
from probus.data.findings._group_names import FEWEST_ROWS, TOGETHER, is_named_as_groups, may_name_groups
from probus.data.findings._leak_shares import labelled_rows
from probus.data.findings._nearest_rows import recognition
from probus.data.findings._order_drift import drifts
from probus.data.findings._target_sharing import Sharing, sharing_of

CORRELATED = 0.1  # within groups that no column names
AGREE = 0.4  # of the pairs of rows that are equal in one column are equal in the other
RARELY = 0.1  # of all pairs of rows are equal in either
FEWEST_VALUES, MOST_COLUMNS = 15, 12
MOST_VALUES, MOST_ROWS = 300, 3_000  # of a column, by which the others are compared
FEWEST_GROUPS = 10
AS_MANY = 0.9  # pairs of rows, so that a column names the same groups


@dataclass(frozen=True)
class UnnamedGroups:
    """The columns that tell groups apart, others that are constant within them, and how groups share the target."""

    names: tuple[str, ...]
    constant: tuple[str, ...]
    sharing: Sharing


def unnamed_group_leaks(table: Table, target: str | None) -> Iterator[Finding]:
    """PB411: groups of rows that no column names."""
    found = unnamed_groups(table, target)
    if found is None:
        return
    words = f"group:{'+'.join(found.names)}"
    alike = f" So do {quote_some(found.constant, 4)}." if found.constant else ""
    yield Finding(
        "PB411",
        None,
        "warning",
        f"{found.sharing.n_groups:,} groups of rows agree in {quote_some(found.names)}, far more than chance explains, "
        f"and share {target!r} (intraclass correlation {found.sharing.correlation:.2f}, p "
        f"{probability(found.sharing.p)}): they may be of one person or thing each, which random folds have in "
        f"training and test rows.{alike}",
        f"If predictions are for others: split={words!r} (in resample cv={words!r}), or --split {words}",
    )


@once_per_target
def unnamed_groups(table: Table, target: str | None) -> UnnamedGroups | None:
    """Groups of rows that agree in two columns of many values, and share the target beyond what the columns explain."""
    rows = labelled_rows(table, target)
    if target is None or len(rows) < FEWEST_ROWS:
        return None
    others = [c for c in features(table, target) if facts(c).n_distinct > 1]
    orders = {each.name for each in drifts(table, target)}
    columns = [c for c in others if _may_repeat(c) and c.name not in orders][:MOST_COLUMNS]
    pair = _agreeing(columns)
    if pair is None:
        return None
    codes = [facts(c).codes.astype(np.int64) for c in pair]
    joint = np.unique(codes[0] * (codes[1].max() + 2) + codes[1], return_inverse=True)[1]
    kept = rows[(codes[0][rows] >= 0) & (codes[1][rows] >= 0)]
    groups = np.unique(joint[kept], return_inverse=True)[1]
    if _are_named(others, kept, groups):
        return None
    sharing = sharing_of(table[target], kept, groups)
    if sharing.n_groups < FEWEST_GROUPS or sharing.p > FALSE_ALARMS or sharing.correlation < CORRELATED:
        return None
    often, gain = recognition(pair, table[target], kept, groups)
    if often < OFTEN or gain < GAIN or sharing.apart < UNLIKE_NUMBERS:  # groups are in the order of the first column
        return None
    rest = [c for c in others if c.name not in {each.name for each in pair}]
    constant = tuple(c.name for c in rest if constant_within(groups, c, kept))
    if len(constant) == len(rest):  # rows that agree in all are copies, which are kept together
        return None
    return UnnamedGroups((pair[0].name, pair[1].name), constant, sharing)


def _may_repeat(column: Column) -> bool:
    """Whether a column has many values, most of them in several rows."""
    seen = facts(column)
    if column.dates or is_free_text(column) or seen.n_distinct < FEWEST_VALUES:
        return False
    return int(seen.counts[seen.counts > 1].sum()) >= max(FEWEST_ROWS, TOGETHER * seen.n_present)


def _agreeing(columns: list[Column]) -> tuple[Column, Column] | None:
    """The two columns that agree most: many of the rows that are equal in the first are equal in the second too.

    Only rows with some of the values of the first are compared.
    """
    best, pair = AGREE, None
    rare = [c for c in columns if _equal_pairs(facts(c).codes) <= RARELY]
    for first in rare:
        codes = facts(first).codes
        every = -(-facts(first).n_distinct // MOST_VALUES)
        rows = np.flatnonzero((codes >= 0) & (codes % every == 0))[:MOST_ROWS]
        for second in (each for each in rare if each is not first):
            both = codes[rows].astype(np.int64) * (facts(second).n_distinct + 1) + facts(second).codes[rows] + 1
            share = _equal_pairs(both) / max(_equal_pairs(codes[rows]), 1e-300)
            if share > best:
                best, pair = share, (first, second)
    return pair


def _equal_pairs(codes: np.ndarray) -> float:
    """The share of pairs of rows that are equal."""
    counts = np.unique(codes, return_counts=True)[1].astype(float)
    return float((counts * (counts - 1)).sum()) / max(len(codes) * (len(codes) - 1), 1)


def _are_named(columns: list[Column], rows: np.ndarray, groups: np.ndarray) -> bool:
    """Whether a column that may name groups has the same ones."""
    own = _equal_pairs(groups)
    for column in columns:
        if may_name_groups(column) and (column.kind is not Kind.NUMERIC or is_named_as_groups(column)):
            codes = facts(column).codes[rows].astype(np.int64)
            together = _equal_pairs(groups * (codes.max() + 2) + codes + 1)
            if together >= AS_MANY * max(own, _equal_pairs(codes)):
                return True
    return False

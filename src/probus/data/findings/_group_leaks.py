"""4xx: rows that belong together, so that a random split tests a model on groups that it was trained on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from probus.data._column import Column, quote_some
from probus.data._kind import Kind
from probus.data._name_words import words_of
from probus.data._table import Table
from probus.data.findings._column_checks import ID_WORDS
from probus.data.findings._facts import as_groups, facts, features, once_per_target
from probus.data.findings._finding import Finding
from probus.data.findings._group_names import (
    FEWEST_ROWS,
    are_whole_numbers,
    has_numbered_levels,
    is_named_as_groups,
    is_named_otherwise,
    may_name_groups,
)
from probus.data.findings._leak_shares import LEAK, labelled_rows, predicted_share
from probus.data.findings._nearest_rows import recognition
from probus.data.findings._target_sharing import Sharing, sharing_of

FALSE_ALARMS = 0.01  # of tables whose target has nothing to do with any column, over all columns of a table
CORRELATED = 0.02  # within groups: less hardly changes a score
UNLIKE_NUMBERS = 0.5  # of the variance between groups, beside those with the nearest numbers
OFTEN = 5  # times as often as by chance is the nearest row, by the other columns, of the same group
GAIN = 0.1  # of the error: so much better does it know the target than the nearest row of another group
MANY_LEVELS = 20  # of a column that may be a kind of thing: a note
MOST_LABELS, MOST_NUMBERS = 60, 10  # columns of a kind that are tested
REPORTED = 3  # columns: patients, their visits and their clinics

SHARED = 0.8  # of the error: rows of one group have about the same target
CONSTANT = 0.99  # of the rows of a group have its commonest value
CONSTANT_COLUMNS = 2  # that are constant within the groups, beside the target
DIFFERENT = 0.25  # values per group: with fewer, a column describes kinds of groups


@dataclass(frozen=True)
class SharingGroups:
    """A column whose groups share the target, whether they are things that rows belong to, and what else they share.

    It is certain by the name of the column, or where other columns give the group away; else only the form of the
    values says so.
    """

    column: Column
    sharing: Sharing
    belong: bool
    certain: bool
    constant: list[str]


def group_leaks(table: Table, target: str | None) -> Iterator[Finding]:
    """PB409: a column of groups (patients, sites, …) whose rows have more similar targets than those of other groups.

    Folds drawn row by row then test a model on groups that it was trained on.
    """
    for found in sorted(shared(table, target), key=lambda each: -each.sharing.correlation)[:REPORTED]:
        name, seen = found.column.name, facts(found.column)
        groups = f"{seen.n_distinct:,} groups of {seen.rows_per_value:.1f} rows on average"
        if not found.belong:
            evidence = (
                f"{groups} share {target!r} (intraclass correlation {found.sharing.correlation:.2f}): "
                "scores of single rows are those of these groups, not of others."
            )
            yield Finding("PB409", name, "note", evidence, f"If predictions are for others: {as_groups(name)}")
            continue
        alike = f" {quote_some(found.constant)} hardly vary either." if found.constant else ""
        if found.certain and found.sharing.correlation >= LEAK:
            how = f"within a group {target!r} hardly varies, so folds of single rows test a model on groups whose "
            yield Finding(
                "PB409", name, "error", f"{groups}: {how}answer it was trained on.{alike}", str(as_groups(name))
            )
            continue
        evidence = (
            f"{groups}: rows of one group share {target!r} (intraclass correlation "
            f"{found.sharing.correlation:.2f}, p {probability(found.sharing.p)}), so folds of single rows test a "
            f"model on groups that it was trained on.{alike}"
        )
        yield Finding("PB409", name, "warning", evidence, str(as_groups(name)))


def probability(p: float) -> str:
    """A p-value as it is printed, after "p"."""
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def groupings(table: Table, target: str | None) -> dict[str, list[str]]:
    """The columns of groups whose rows have about the same target, with the columns that are constant within them."""
    rows = labelled_rows(table, target)
    found = [each for each in shared(table, target) if each.certain]
    return {each.column.name: each.constant for each in found if _share(table, target, each.column, rows) >= SHARED}


@once_per_target
def shared(table: Table, target: str | None) -> list[SharingGroups]:
    """The columns whose groups share the target, beyond chance and by enough to matter; computed once for a table."""
    rows = labelled_rows(table, target)
    if target is None or len(rows) < FEWEST_ROWS:
        return []
    others = [c for c in features(table, target) if facts(c).n_distinct > 1]
    candidates = _candidates(others)
    found = []
    for column in candidates:
        kept, groups = _groups_of(column, rows)
        sharing = sharing_of(table[target], kept, groups)
        if sharing.p > FALSE_ALARMS / len(candidates) or sharing.correlation < CORRELATED:
            continue
        rest = [c for c in others if c is not column]
        formed = _of_this_form(column, sharing)
        # "units" and "doctor_visits" that the target follows are quantities
        counted = column.kind is Kind.NUMERIC and not words_of(column.name) & ID_WORDS
        certain = (is_named_as_groups(column) and not (counted and sharing.apart < UNLIKE_NUMBERS)) or (
            (formed or column.kind is not Kind.NUMERIC) and _are_recognised(column, rest, table[target], kept, groups)
        )
        belong = certain or formed
        if belong or (column.kind is not Kind.NUMERIC and facts(column).n_distinct >= MANY_LEVELS):
            same = [c.name for c in rest if constant_within(groups, c, kept)]
            found.append(SharingGroups(column, sharing, belong, certain, same))
    return found


def _candidates(columns: list[Column]) -> list[Column]:
    """The columns to whose values rows may belong: not quantities, of which a table of whole numbers has many."""
    possible = [c for c in columns if may_name_groups(c)]
    named = [c for c in possible if is_named_as_groups(c)]
    labels = [c for c in possible if not is_named_as_groups(c) and c.kind.has_levels and c.kind is not Kind.ORDINAL]
    numbers = [c for c in possible if not is_named_as_groups(c) and c.kind is Kind.NUMERIC]
    numbers = [c for c in numbers if has_numbered_levels(c) and not is_named_otherwise(c)]
    return named[:MOST_LABELS] + labels[:MOST_LABELS] + (numbers if len(numbers) <= MOST_NUMBERS else [])


def _of_this_form(column: Column, sharing: Sharing) -> bool:
    """Whether the values number the groups: levels such as P1, or whole numbers that the target does not follow."""
    numbered = has_numbered_levels(column) and not is_named_otherwise(column)
    plain = column.kind is not Kind.NUMERIC and not are_whole_numbers(column)
    return numbered and (plain or sharing.apart >= UNLIKE_NUMBERS)


def _are_recognised(column: Column, others: list[Column], label: Column, rows: np.ndarray, groups: np.ndarray) -> bool:
    """Whether rows of one group are alike in the other columns too, so that a model recognises the group."""
    plain = [c for c in others if not may_name_groups(c) or c.kind is Kind.NUMERIC]
    often, gain = recognition(plain, label, rows, groups)
    return often >= OFTEN and gain >= GAIN


def _groups_of(column: Column, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The rows that have a group, and the group of each."""
    codes = facts(column).codes[rows]
    kept = rows[codes >= 0]
    return kept, np.unique(codes[codes >= 0], return_inverse=True)[1]


def are_within(inner: Column, outer: Column) -> bool:
    """Whether each group of one column is in one group of another, as patients are in their families.

    >>> patient, family = Column.labels("patient", "aabbcc"), Column.labels("family", "xxxxyy")
    >>> are_within(patient, family), are_within(family, patient)
    (True, False)
    """
    small, large = facts(inner).codes, facts(outer).codes
    pairs = np.unique(np.stack([small, large])[:, small >= 0], axis=1)
    return bool((large >= 0).all()) and pairs.shape[1] == facts(inner).n_distinct


def _share(table: Table, target: str | None, column: Column, rows: np.ndarray) -> float:
    """The share of a constant prediction's error that the groups of a column remove."""
    assert target is not None
    return predicted_share(table[target], rows, np.unique(facts(column).codes[rows], return_inverse=True)[1])[0]


def constant_within(groups: np.ndarray, column: Column, rows: np.ndarray) -> bool:
    """Whether a column has one value in each group, and often another in another group."""
    size = facts(column).n_distinct + 1
    pairs, counts = np.unique(groups.astype(np.int64) * size + facts(column).codes[rows] + 1, return_counts=True)
    group = pairs // size
    most, total = np.zeros(group[-1] + 1), np.bincount(group, counts)
    np.maximum.at(most, group, counts)
    several = total > 1
    constant = bool(several.any()) and most[several].sum() >= CONSTANT * total[several].sum()
    return bool(constant) and len(np.unique(pairs % size)) >= DIFFERENT * len(total)

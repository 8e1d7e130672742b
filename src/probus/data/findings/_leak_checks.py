"""4xx: features that leak the target, and rows that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from probus.data._column import Column
from probus.data._kind import Kind
from probus.data._table import Table
from probus.data.findings._column_checks import identifying
from probus.data.findings._facts import as_groups, facts, features, has_classes, is_free_text, without
from probus.data.findings._finding import Finding
from probus.data.findings._group_leaks import groupings
from probus.data.findings._group_names import may_name_groups
from probus.data.findings._leak_shares import LEAK, SUSPECT, class_counts, flipped_cut, labelled_rows, share_alone
from probus.data.findings._row_checks import all_few_valued, row_keys
from probus.display import exact_percent

FEWEST_ROWS = 50  # with fewer, one column may predict all by chance
NOTABLE, HARMFUL = 0.001, 0.01  # of the rows that contradict others: reported, and a warning


def leaks(table: Table, target: str | None) -> Iterator[Finding]:
    """PB407: a column that alone predicts the target almost perfectly on held-out rows.

    Each row is predicted from the other rows with the same level or, for numbers, about the same value. A level
    that no other row has predicts nothing, so an identifier is not reported as a leak. What only
    distinguishes groups of rows is a leak of groups.
    """
    rows = labelled_rows(table, target)
    if target is None or len(rows) < FEWEST_ROWS:
        return
    grouped = {name for group, others in groupings(table, target).items() for name in (group, *others)}
    for column in features(table, target):
        if is_free_text(column) or facts(column).n_distinct < 2 or column.name in grouped:
            continue
        share, evidence = share_alone(column, table[target], rows)
        if share >= SUSPECT:
            advice = f"If it is known only after {target!r}: {without(column.name)}"
            if may_name_groups(column):
                advice = f"If it names groups of rows, as patients do: {as_groups(column.name)}. {advice}"
            yield Finding("PB407", column.name, "error" if share >= LEAK else "warning", evidence, advice)
        elif evidence := flipped_cut(column, table[target], rows):
            advice = f"If {target!r} was made of it, with some errors: {without(column.name)}"
            yield Finding("PB407", column.name, "note", evidence, advice)


def contradictions(table: Table, target: str | None) -> Iterator[Finding]:
    """PB406: rows with equal features and different targets; they limit the score of any model."""
    if target is None or table[target].kind is Kind.TEXT:
        return
    columns = [c for c in features(table, target) if not identifying(c)]
    codes = facts(table[target]).codes
    labelled = codes >= 0
    if not columns or not labelled.any():
        return
    _, groups = np.unique(row_keys(columns, table.n_rows)[labelled], return_inverse=True)
    limited = _classes_clash if has_classes(table[target]) else _numbers_clash
    clashing, ceiling, words = limited(groups, table[target], labelled)
    if clashing >= NOTABLE * len(groups):
        yield Finding(
            "PB406",
            target,
            "note" if all_few_valued(columns) or 1 - ceiling < HARMFUL else "warning",
            f"{clashing:,} rows have the same features as a row {words} {exact_percent(ceiling)} on these rows.",
            "Check some of them for wrong labels or a missing feature",
        )


def _classes_clash(groups: np.ndarray, label: Column, labelled: np.ndarray) -> tuple[int, float, str]:
    """The rows that contradict others, the highest accuracy, and the words between the two."""
    group, counts = class_counts(groups, facts(label).codes[labelled])
    clashing = int((np.bincount(group)[groups] > 1).sum())
    ceiling = np.maximum.reduceat(counts, np.flatnonzero(np.diff(group, prepend=-1))).sum() / labelled.sum()
    return clashing, float(ceiling), "of another class; no model can have an accuracy above"


def _numbers_clash(groups: np.ndarray, label: Column, labelled: np.ndarray) -> tuple[int, float, str]:
    """The rows that contradict others, the highest R², and the words between the two."""
    y = label.values[labelled]
    y = np.where(np.isfinite(y), y, 0.0)
    counts = np.bincount(groups)
    apart = y - (np.bincount(groups, y) / counts)[groups]
    clashing = int((np.bincount(groups, np.abs(apart))[groups] > 1e-9 * np.abs(y).max()).sum())
    ceiling = 1 - (apart**2).sum() / max(((y - y.mean()) ** 2).sum(), 1e-300)
    return clashing, float(ceiling), "with another target; no model can have an R² above"

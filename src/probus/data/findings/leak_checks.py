"""4xx: features that leak the target, and rows that contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from probus.data.column import Column
from probus.data.findings.column_checks import identifying
from probus.data.findings.facts import facts, features, has_classes, is_free_text, percent
from probus.data.findings.finding import Finding
from probus.data.findings.row_checks import all_few_valued, row_keys
from probus.data.kind import Kind
from probus.data.table import Table

__all__ = ["contradictions", "leaks", "lone_accuracy", "lone_r2"]

SAMPLE = 20_000  # rows: enough to distinguish 0.99 from 0.95
NEIGHBOURS = 5  # rows with similar values that predict a row by majority
FEWEST_ROWS = 50  # with fewer, one column may predict all by chance
LEAK, SUSPECT = 0.99, 0.95  # of the error of the best constant prediction
NOTABLE, HARMFUL = 0.001, 0.01  # of the rows that contradict others: reported, and a warning


def leaks(table: Table, target: str | None) -> Iterator[Finding]:
    """PB407: a column that alone predicts the target almost perfectly on held-out rows.

    Each row is predicted from the other rows with the same level or, for numbers, about the same value. A level
    that no other row has predicts nothing, so an identifier is not reported as a leak.
    """
    if target is None or table[target].kind is Kind.TEXT:
        return
    label = table[target]
    rows = np.flatnonzero(np.isfinite(label.values) if label.kind is Kind.NUMERIC else label.values >= 0)
    if len(rows) < FEWEST_ROWS or facts(label).n_distinct < 2:
        return
    if len(rows) > SAMPLE:
        rows = np.sort(np.random.default_rng(0).choice(rows, SAMPLE, replace=False))
    measured = _by_class if has_classes(label) else _by_value
    for column in features(table, target):
        if is_free_text(column) or facts(column).n_distinct < 2:
            continue
        share, evidence = measured(label, rows, _neighbourhoods(column, rows))
        if share >= SUSPECT:
            advice = f"If it is known only after {target!r}: table.drop({column.name!r})"
            yield Finding("PB407", column.name, "error" if share >= LEAK else "warning", evidence, advice)


def _neighbourhoods(column: Column, rows: np.ndarray) -> np.ndarray:
    """The group of each row: its level, or a run of similar numbers."""
    codes = facts(column).codes[rows] + 1
    if column.kind is not Kind.NUMERIC:
        return codes
    counts = np.bincount(codes)
    smaller = np.cumsum(counts) - counts
    return (smaller // NEIGHBOURS)[codes]


def _by_class(label: Column, rows: np.ndarray, groups: np.ndarray) -> tuple[float, str]:
    """The share of the errors of the majority class that the groups avoid, and its text."""
    classes = facts(label).codes[rows]
    accuracy, guessing = lone_accuracy(groups, classes), np.bincount(classes).max() / len(classes)
    evidence = (
        f"alone, it predicts {label.name!r} in {percent(accuracy)} of the rows, each from the others "
        f"(majority class: {percent(guessing)})."
    )
    return (accuracy - guessing) / max(1 - guessing, 1e-300), evidence


def _by_value(label: Column, rows: np.ndarray, groups: np.ndarray) -> tuple[float, str]:
    """The share of the variance that the groups explain, and its text."""
    r2 = lone_r2(groups, label.values[rows])
    return r2, f"alone, it explains {percent(r2)} of the variance of {label.name!r}, each row from the others."


def lone_accuracy(groups: np.ndarray, classes: np.ndarray) -> float:
    """The accuracy of predicting each row by the majority of the other rows of its group; a tie is wrong.

    >>> lone_accuracy(np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1, 0]))
    0.5
    >>> lone_accuracy(np.arange(6), np.array([0, 0, 0, 1, 1, 1]))
    0.0
    """
    group, counts = _class_counts(groups, classes)
    order = np.lexsort((-counts, group))
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    best, runner_up = counts[order[starts]], np.append(counts[order], 0)[starts + 1]
    runner_up[np.diff(starts, append=len(counts)) == 1] = 0
    return float(best[best - 1 > runner_up].sum() / len(classes))


def _class_counts(groups: np.ndarray, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For each pair of group and class that occurs: the group, in order, and the frequency."""
    n_classes = int(classes.max()) + 1
    pairs, counts = np.unique(groups.astype(np.int64) * n_classes + classes, return_counts=True)
    return pairs // n_classes, counts


def lone_r2(groups: np.ndarray, y: np.ndarray) -> float:
    """The share of the variance of y explained when each row takes the mean of the other rows of its group.

    >>> lone_r2(np.array([0, 0, 1, 1]), np.array([1.0, 1.0, 3.0, 3.0]))
    1.0
    """
    counts, sums = np.bincount(groups), np.bincount(groups, y)
    n = counts[groups]
    others = np.where(n > 1, (sums[groups] - y) / np.maximum(n - 1, 1), y.mean())
    return float(1 - ((y - others) ** 2).sum() / max(((y - y.mean()) ** 2).sum(), 1e-300))


def contradictions(table: Table, target: str | None) -> Iterator[Finding]:
    """PB406: rows with equal features and different classes; they limit the accuracy of any model."""
    if target is None or not has_classes(table[target]):
        return
    columns = [c for c in features(table, target) if not identifying(c)]
    classes = facts(table[target]).codes
    labelled = classes >= 0
    if not columns or not labelled.any():
        return
    _, groups = np.unique(row_keys(columns, table.n_rows)[labelled], return_inverse=True)
    group, counts = _class_counts(groups, classes[labelled])
    clashing = int((np.bincount(group)[groups] > 1).sum())
    if clashing >= NOTABLE * len(groups):
        ceiling = np.maximum.reduceat(counts, np.flatnonzero(np.diff(group, prepend=-1))).sum() / labelled.sum()
        yield Finding(
            "PB406",
            target,
            "note" if all_few_valued(columns) or 1 - ceiling < HARMFUL else "warning",
            f"{clashing:,} rows have the same features as a row of another class; "
            f"no model can have an accuracy above {percent(ceiling)} on these rows.",
            "Check some of them for wrong labels or a missing feature",
        )

"""4xx: problems with the target."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from probus.data._column import quote_some
from probus.data._kind import Kind
from probus.data._table import Table
from probus.data.findings._facts import facts, has_classes, number, with_kind
from probus.data.findings._finding import Finding
from probus.display import counted_of, exact_percent

UNEVEN, VERY_UNEVEN = 10, 100  # rows of the largest class per row of the smallest
FEWEST_ROWS = 5  # of a class: one for each fold of a five-fold cross-validation
FEW_VALUES = 10  # of a numeric target: ratings, grades and small counts
ENOUGH_ROWS = 50  # before few distinct values are significant


def missing_labels(table: Table, target: str | None) -> Iterator[Finding]:
    """PB401: rows without a label."""
    if target is None:
        return
    missing = table.n_rows - facts(table[target]).n_present
    if missing:
        found = counted_of(missing, table.n_rows, "labels")
        evidence = f"{found} missing ({exact_percent(missing / table.n_rows)})."
        yield Finding("PB401", target, "error", evidence, f"table.take(~table[{target!r}].missing)")


def one_class(table: Table, target: str | None) -> Iterator[Finding]:
    """PB402: a target with one class."""
    if target is not None and facts(table[target]).n_distinct == 1:
        value = quote_some(facts(table[target]).values[:1])
        yield Finding("PB402", target, "error", f"every label is {value}.", "Check how the rows were chosen")


def imbalance(table: Table, target: str | None) -> Iterator[Finding]:
    """PB403: classes of very different size."""
    if target is None or not has_classes(table[target]) or facts(table[target]).n_distinct < 2:
        return
    seen = facts(table[target])
    most, least = int(seen.counts.argmax()), int(seen.counts.argmin())
    ratio = seen.counts[most] / seen.counts[least]
    if ratio >= UNEVEN:
        share = seen.counts[most] / seen.n_present
        constant = (
            f"; predicting always {seen.values[most]} has an accuracy of {exact_percent(share)}" if share > 0.5 else ""
        )
        yield Finding(
            "PB403",
            target,
            "warning" if ratio >= VERY_UNEVEN else "note",
            f"{seen.values[most]} has {seen.counts[most]:,} rows, {seen.values[least]} has {seen.counts[least]:,}"
            f"{constant}.",
            "Use balanced accuracy, ROC AUC or precision and recall, and stratified folds",
        )


def rare_classes(table: Table, target: str | None) -> Iterator[Finding]:
    """PB404: classes with too few rows for every fold."""
    if target is None or not table[target].kind.has_levels:
        return
    seen = facts(table[target])
    rare = np.flatnonzero(seen.counts < FEWEST_ROWS)
    if len(rare):
        shown = ", ".join(f"{seen.values[i]} {seen.counts[i]}" for i in rare[:5]) + ", …" * (len(rare) > 5)
        evidence = f"{len(rare)} of {seen.n_distinct} classes with fewer than {FEWEST_ROWS} rows: {shown}."
        yield Finding("PB404", target, "warning", evidence, "Collect more rows, merge the classes, or drop them")


def few_target_values(table: Table, target: str | None) -> Iterator[Finding]:
    """PB405: a numeric target with few distinct values, which may be classes."""
    if target is None or table[target].kind is not Kind.NUMERIC or table.n_rows < ENOUGH_ROWS:
        return
    seen = facts(table[target])
    if 2 < seen.n_distinct <= FEW_VALUES:
        yield Finding(
            "PB405",
            target,
            "note",
            f"the numeric target takes {seen.n_distinct} values: {', '.join(map(number, seen.values))}.",
            f"If they are classes: {with_kind(target, 'ordinal')}, or 'nominal'",
        )

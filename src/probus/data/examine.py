"""``probus.examine``: check a table for problems."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.data.findings.columns import codes_as_numbers, constants, duplicate_columns, identifiers
from probus.data.findings.facts import Check
from probus.data.findings.finding import Findings
from probus.data.findings.labels import (
    inconsistent_spelling,
    likely_typos,
    many_levels,
    numbers_as_text,
    ordered_levels,
    rare_levels,
)
from probus.data.findings.leaks import contradictions, leaks
from probus.data.findings.missing import (
    all_missing,
    disguised_numbers,
    disguised_words,
    missing_depends_on_target,
    much_missing,
    suspicious_zeros,
)
from probus.data.findings.numbers import impossible_values, infinite_values, outliers
from probus.data.findings.rows import duplicate_rows
from probus.data.findings.target import few_target_values, imbalance, missing_labels, one_class, rare_classes
from probus.data.table import Table

__all__ = ["CHECKS", "examine"]

CHECKS: tuple[Check, ...] = (
    disguised_numbers,
    disguised_words,
    much_missing,
    all_missing,
    missing_depends_on_target,
    suspicious_zeros,
    constants,
    duplicate_columns,
    identifiers,
    codes_as_numbers,
    infinite_values,
    impossible_values,
    outliers,
    numbers_as_text,
    inconsistent_spelling,
    likely_typos,
    many_levels,
    rare_levels,
    ordered_levels,
    duplicate_rows,
    missing_labels,
    one_class,
    imbalance,
    rare_classes,
    few_target_values,
    contradictions,
    leaks,
)


def examine(table: Any, target: str | None = None) -> Findings:
    """Check a table for problems: bad values, useless columns, duplicates, and leaks of the target if one is given.

    Parameters
    ----------
    table : anything ``Table.of`` takes: a Table, a frame, a dict of columns, a path.
    target : the column to predict; without it the target and leaks are not checked.

    >>> weather = {"wind": [3.1, 2.4, -999, 4.0, 2.2, -999], "sky": ["clear", "Clear ", "cloud", "?", "cloud", "clear"]}
    >>> found = examine(weather)
    >>> [(finding.code, finding.column) for finding in found]
    [('PB101', 'wind'), ('PB101', 'sky'), ('PB209', 'sky')]
    >>> print(found[0].evidence)
    -999 in 2 rows is far from the other values (2.2 to 4).
    """
    table = Table.of(table)
    if target is not None:
        table[target]  # raises if there is no such column
    with np.errstate(all="ignore"):  # overflow and division by zero mean far away or no spread
        return Findings((finding for check in CHECKS for finding in check(table, target)), table.shape)

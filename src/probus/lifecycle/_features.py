"""Which columns a study learns from, and why the others are left out."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from probus.data import Kind, Task, as_missing
from probus.data.findings import Findings
from probus.errors import DataError
from probus.preprocessing import has_shared_words

_IDENTIFIES, _NO_WORDS = "identifies the rows", "text without words that rows share"  # another kind may be right


def choose_features(
    task: Task, findings: Findings, dropped: Collection[str] = (), *, keep_sensitive: bool = False
) -> tuple[tuple[str, ...], dict[str, str]]:
    """The features that can teach something, and the reason for each that cannot or should not.

    Identifiers lead to overfitting and mean nothing on new rows. Text is used by its words. Sensitive columns describe
    the groups that scores are compared by, and are features only where they are to be kept.
    """
    _must_be_finite(task, dropped)
    left_out: dict[str, str] = {}
    identifiers = {finding.column for finding in findings if finding.title == "identifier"}
    constants = {finding.column for finding in findings if finding.title == "constant"}
    for column in task.X:
        if column.name in dropped:
            left_out[column.name] = "dropped"
        elif column.name in task.sensitive and not keep_sensitive:
            left_out[column.name] = "sensitive"
        elif column.missing.all():
            left_out[column.name] = "all values are missing"
        elif column.name in constants and not column.missing.any():
            left_out[column.name] = "the same value in every row"
        elif column.kind is Kind.TEXT and not has_shared_words(column):
            left_out[column.name] = _NO_WORDS
        elif column.name in identifiers:
            left_out[column.name] = _IDENTIFIES
    features = tuple(name for name in task.features if name not in left_out)
    if not features:
        hint = "Set their kinds." if {_IDENTIFIES, _NO_WORDS} & set(left_out.values()) else ""
        reasons = ", ".join(f"{name!r} ({reason})" for name, reason in left_out.items())
        raise DataError(f"no column is left to learn from: {reasons}.", "at least one feature", hint)
    return features, left_out


def _must_be_finite(task: Task, dropped: Collection[str]) -> None:
    """Refuse infinite values: no model takes them, and their meaning is unknown."""
    for column in task.X:
        if column.name not in dropped and column.kind is Kind.NUMERIC and np.isinf(column.values).any():
            raise DataError(
                f"column {column.name!r} holds {int(np.isinf(column.values).sum())} infinite values.",
                "finite numbers",
                f"Pass {as_missing(['inf', '-inf'], '{} to read()')}, or replace them by the largest value that "
                "makes sense.",
            )

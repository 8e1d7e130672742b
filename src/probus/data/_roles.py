"""Validation of the roles of a task's columns."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from probus.data._column import Column, Level, in_order, level_key, quote_some
from probus.data._kind import Kind
from probus.data._table import Table
from probus.display import counted_of
from probus.errors import Advice, DataError


def check_roles(table: Table, roles: list[tuple[str, Any]]) -> None:
    """Refuse roles of columns that do not exist, and two roles of one column."""
    role_of: dict[str, str] = {}
    for role, name in roles:
        if not isinstance(name, str):
            raise DataError(
                f"the {role} is of type {type(name).__name__}.",
                "the name of a column",
                "Task(X, y) makes a task of features and a target that are apart.",
            )
        if name not in table:
            raise DataError(f"no column {name!r} for the {role}.", f"one of {quote_some(table.names, 12)}")
        if name in role_of:
            raise DataError(f"column {name!r} is both {role_of[name]} and {role}.", "one role for each column")
        role_of[name] = role


def check_is_no_feature(target: Column, feature: Column) -> None:
    """Refuse target values beside a feature of the same name that has them too, as themselves or as other codes."""
    if len(target) != len(feature):
        return
    known = ~(target.missing | feature.missing)
    codes, others = (_codes(column)[known] for column in (target, feature))
    n_values = len(np.unique(codes))
    one_to_one = n_values == len(np.unique(others)) == len(np.unique(np.stack([codes, others]), axis=1).T)
    order = others[np.argsort(codes, kind="stable")]
    same_order = (np.diff(order) >= 0).all() or (np.diff(order) <= 0).all()
    if one_to_one and n_values > 1 and (same_order or 2 * n_values <= known.sum()):
        raise DataError(
            f"column {feature.name!r} of X is the target itself.",
            "the features alone in X",
            Advice("target", feature.name, when="in place of its values"),
        )


def _codes(column: Column) -> np.ndarray:
    """A whole number for each value; numbers keep their order."""
    values = column.values if column.kind is Kind.NUMERIC else column.decoded().astype(str)
    return np.unique(values, return_inverse=True)[1]


def checked_target(column: Column, kind: str | None) -> Column:
    """The target as the classes that occur, or as finite numbers: at least two values, none missing."""
    if kind not in (None, "classification", "regression"):
        raise DataError(f"kind={kind!r}.", "'classification', 'regression' or None")
    if len(column) == 0:
        raise DataError("the table has no rows.", "at least two labelled rows")
    gone = int(column.missing.sum())
    if gone:
        raise DataError(
            f"target {column.name!r}: {counted_of(gone, len(column), 'labels')} missing.",
            "a label for every row",
            f"Drop those rows: table.take(~table[{column.name!r}].missing).",
        )
    if column.kind is Kind.TEXT:
        raise DataError(
            f"target {column.name!r} is text.",
            "classes or numbers",
            Advice("kinds", {column.name: "nominal"}, when="if it holds classes"),
        )
    if kind == "regression":
        column = _as_numeric(column)
    if column.kind is Kind.NUMERIC:
        _check_finite(column, f"target {column.name!r}")
        n_values = len(np.unique(column.values))
        if kind == "classification" or (kind is None and n_values == 2):
            label = column.as_kind(Kind.BINARY if n_values == 2 else Kind.NOMINAL)
            if kind is None:
                label = replace(label, why="a target of two numbers: treated as classes")
        else:
            label = column
        same = n_values == 1
    else:
        seen = np.unique(column.values)
        label = column.relevelled([column.levels[code] for code in seen], column.kind)
        same = len(seen) == 1
    if same:
        raise DataError(
            f"target {column.name!r} is {quote_some(column.take([0]).decoded().tolist())} in every row.",
            "at least two classes or values",
            "Check the column and the rows that were chosen.",
        )
    return _named_fractions(label)


def _named_fractions(label: Column) -> Column:
    """Classes such as 0.5 by their names, since classifiers refuse fractions: they take them for a regression."""
    if all(not isinstance(level, float) or level.is_integer() for level in label.levels):
        return label
    return replace(label, levels=tuple(level_key(level) for level in label.levels))


def _as_numeric(column: Column) -> Column:
    """The target of a regression: numbers, or two classes that are numbers."""
    if not column.is_number_like:
        raise DataError(f"kind='regression' for target {column.name!r}, which is {column.kind}.", "a numeric target")
    return column.as_kind(Kind.NUMERIC)


def pos_label_of(label: Column, pos_label: Level | None) -> Level | None:
    """The positive class: the one given, or the last of two; None where there is none."""
    if pos_label is None:
        return label.levels[-1] if len(label.levels) == 2 else None
    for level in label.levels:
        if level_key(level) == level_key(pos_label):
            return level
    if not label.levels:
        raise DataError(
            f"pos_label={pos_label!r} was given, but target {label.name!r} is numeric.",
            "a target with classes",
            Advice("kinds", {label.name: "nominal"}, when="for a classification"),
        )
    raise DataError(f"no class {pos_label!r} in target {label.name!r}.", f"one of {quote_some(label.levels, 12)}")


def check_weights(column: Column) -> None:
    """Refuse weights that are not numbers, are negative, or all zero."""
    check_present(column, "weight")
    if not column.is_number_like:
        raise DataError(f"weight {column.name!r} is {column.kind}.", "numbers")
    _check_finite(column, f"weight {column.name!r}")
    weights = column.numbers_array()
    negative = int((weights < 0).sum())
    if negative:
        raise DataError(f"weight {column.name!r}: {negative:,} of {len(column):,} are negative.", "none below zero")
    if not weights.any():
        raise DataError(f"weight {column.name!r} is zero in every row.", "at least one positive weight")


def check_time(column: Column) -> None:
    """Refuse a time that does not order the rows."""
    check_present(column, "time")
    if column.kind not in (Kind.NUMERIC, Kind.ORDINAL):
        raise DataError(
            f"time {column.name!r} is {column.kind}.",
            "dates, numbers or ordered levels",
            f"Parse it as dates, or pass its levels in order: {in_order(column.name)}.",
        )
    _check_finite(column, f"time {column.name!r}")


def check_present(column: Column, role: str) -> None:
    """Refuse missing values."""
    gone = int(column.missing.sum())
    if gone:
        raise DataError(
            f"{role} {column.name!r}: {counted_of(gone, len(column), 'values')} missing.",
            "a value for every row",
            f"Drop those rows: table.take(~table[{column.name!r}].missing).",
        )


def _check_finite(column: Column, what: str) -> None:
    infinite = int(np.isinf(column.numbers_array()).sum())
    if infinite:
        raise DataError(f"{what}: {counted_of(infinite, len(column), 'values')} infinite.", "finite numbers")

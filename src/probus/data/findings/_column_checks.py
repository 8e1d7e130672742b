"""2xx: columns that are constant, duplicated, or identifiers."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b

import numpy as np

from probus.data._column import Column, quote_some
from probus.data._kind import Kind
from probus.data._name_words import words_of
from probus.data._phrases import holds_phrases
from probus.data._table import Table
from probus.data.findings._facts import (
    Facts,
    as_groups,
    facts,
    features,
    is_free_text,
    number,
    once_per_column,
    with_kind,
    without,
)
from probus.data.findings._finding import Finding
from probus.display import counted, exact_percent

NEARLY_ALL = 0.99  # of the rows with one value: in a fold of a hundred rows the others may not occur
SMALLEST_TABLE = 20  # rows: with fewer, distinct or equal values may be chance

NEARLY_UNIQUE = 0.95  # of the values of a label column
MOSTLY_UNIQUE = 0.5  # enough if the name says identifier
ID_WORDS = {"id", "ids", "uuid", "guid", "key", "identifier", "index", "rownames", "rowid"}
CODE_WORDS = {"id", "code", "zip", "zipcode", "postcode", "phone", "ssn"}  # not index: it may be a quantity
TIME_WORDS = {"year", "date", "time", "day", "month", "week", "hour", "timestamp"}

AS_GOOD_AS_ONE = 0.99999  # |correlation|: the difference is rounding
CORRELATION_ROWS = 10_000  # rows of the sample from which correlations are computed


def constants(table: Table, target: str | None) -> Iterator[Finding]:
    """PB201, PB202: the same value in all rows, or in nearly all."""
    for column in features(table, target):
        seen = facts(column)
        if seen.n_present < 2:
            continue
        top = int(seen.counts.argmax())
        value, share = seen.values[top], seen.counts[top] / seen.n_present
        value = number(value) if column.kind is Kind.NUMERIC else quote_some([value])
        if seen.n_distinct == 1:
            missing = len(column) - seen.n_present
            rest = f", the other {counted(missing, 'is', 'are')} missing" if missing else ""
            evidence = f"{seen.n_present:,} rows hold {value}{rest}."
            yield Finding("PB201", column.name, "warning", evidence, str(without(column.name)))
        elif share >= NEARLY_ALL and column.kind is not Kind.TEXT:
            others = counted(seen.n_present - seen.counts[top], "differs", "differ")
            evidence = f"{exact_percent(share)} of the rows hold {value}; {others}."
            advice = f"{without(column.name)} unless the rare values matter"
            yield Finding("PB202", column.name, "note", evidence, advice)


# -- identifiers ---------------------------------------------------------------------------------------


def identifiers(table: Table, target: str | None) -> Iterator[Finding]:
    """PB204: a column that identifies the rows; a model can only overfit to it. Phrases are used by their words."""
    for column in features(table, target):
        evidence = identifying(column)
        if evidence and not holds_phrases(column):
            advice = str(without(column.name))
            if facts(column).n_distinct < facts(column).n_present:
                advice = f"If it names groups of rows, as patients do: {as_groups(column.name)}. Else {advice}"
            yield Finding("PB204", column.name, "warning", evidence, advice)


@once_per_column
def identifying(column: Column) -> str:
    """Why a column seems to identify the rows; empty if it does not."""
    seen = facts(column)
    if seen.n_present < SMALLEST_TABLE or column.dates or is_free_text(column):
        return ""
    uniqueness, words = seen.n_distinct / seen.n_present, words_of(column.name)
    count = f"{seen.n_distinct:,} distinct values in {seen.n_present:,} rows"
    if words & ID_WORDS and uniqueness > MOSTLY_UNIQUE and (column.kind is not Kind.NUMERIC or _whole(seen)):
        return f"{count}, and the name says identifier."
    if column.kind is not Kind.NUMERIC:
        return f"{count}." if uniqueness >= NEARLY_UNIQUE else ""
    numbers_rows = uniqueness == 1 and seen.values[-1] - seen.values[0] == seen.n_distinct - 1
    if numbers_rows and _whole(seen) and not words & TIME_WORDS:
        return f"the integers from {number(seen.values[0])} to {number(seen.values[-1])}, each once."
    return ""


def _whole(seen: Facts) -> bool:
    return bool((seen.values == np.floor(seen.values)).all())


def codes_as_numbers(table: Table, target: str | None) -> Iterator[Finding]:
    """PB214: integers that are labels, judging by the name of the column, and repeat in many rows."""
    for column in features(table, target):
        seen = facts(column)
        named = words_of(column.name) & CODE_WORDS
        repeated = 2 < seen.n_distinct <= MOSTLY_UNIQUE * seen.n_present
        if column.kind is Kind.NUMERIC and named and repeated and _whole(seen):
            yield Finding(
                "PB214",
                column.name,
                "note",
                f"{seen.n_distinct:,} integers that seem to be labels, {seen.rows_per_value:.0f} rows each.",
                f"{with_kind(column.name, 'nominal')}, or {as_groups(column.name)}",
            )


# -- duplicates ----------------------------------------------------------------------------------------


def duplicate_columns(table: Table, target: str | None) -> Iterator[Finding]:
    """PB203: redundant columns: equal, recoded one to one, or perfectly correlated."""
    columns = [c for c in features(table, target) if len(c) >= SMALLEST_TABLE and facts(c).n_distinct > 1]
    first: dict[bytes, Column] = {}
    fresh = []
    for column in columns:
        other = first.setdefault(_signature(column), column)
        if other is column:
            fresh.append(column)
        else:
            yield _duplicate(column, other.name, _how_alike(column, other))
    yield from _straight_lines([c for c in fresh if c.kind is Kind.NUMERIC])


def _duplicate(column: Column, other: str, how: str) -> Finding:
    return Finding("PB203", column.name, "warning", f"{how} {other!r}.", str(without(column.name)))


def _signature(column: Column) -> bytes:
    """A digest that is equal for columns that group the rows equally, or, if few values repeat, order them equally."""
    seen = facts(column)
    if seen.n_distinct <= seen.n_present / 2:
        first_row = np.empty(seen.n_distinct, dtype=np.int64)
        backwards = np.flatnonzero(seen.codes >= 0)[::-1]
        first_row[seen.codes[backwards]] = backwards
        by_appearance = np.argsort(np.argsort(first_row)).astype(np.int32)
        return _digest(np.append(by_appearance, np.int32(-1))[seen.codes], b"groups")
    if column.kind is Kind.NUMERIC:
        return _digest(seen.codes, b"order")
    return _digest(seen.codes, "\x1f".join(map(str, seen.values)).encode("utf-8", "surrogatepass"))


def _digest(codes: np.ndarray, salt: bytes) -> bytes:
    return blake2b(np.ascontiguousarray(codes, np.int32).tobytes() + salt, digest_size=16).digest()


def _how_alike(column: Column, other: Column) -> str:
    a, b = facts(column), facts(other)
    if len(a.values) == len(b.values) and np.array_equal(a.values[a.codes], b.values[b.codes]):
        return "equals"
    if a.n_distinct <= a.n_present / 2:
        return f"each of its {a.n_distinct} values corresponds to one value of"
    return "orders the rows like"


def _straight_lines(columns: list[Column]) -> Iterator[Finding]:
    """Pairs of numeric columns, missing in the same rows, whose correlation is ±1 except for rounding."""
    if len(columns) < 2:
        return
    rows = np.linspace(0, len(columns[0]) - 1, min(len(columns[0]), CORRELATION_ROWS)).astype(np.intp)
    X = np.stack([column.values[rows] for column in columns])
    missing = np.isnan(X)
    X = X - np.nanmean(np.where(np.isinf(X), np.nan, X), axis=1, keepdims=True)
    X = np.nan_to_num(X, nan=0.0, posinf=0.0, neginf=0.0)
    X /= np.sqrt((X**2).sum(axis=1, keepdims=True))
    correlation = np.nan_to_num(X @ X.T)
    patterns = [row.tobytes() for row in missing]
    reported: set[int] = set()
    for i, j in np.argwhere(np.triu(np.abs(correlation) > AS_GOOD_AS_ONE, 1)):
        if patterns[i] == patterns[j] and j not in reported:
            reported.add(int(j))
            yield _duplicate(columns[j], columns[i].name, f"correlation {correlation[i, j]:.5f} with")

"""2xx: levels with inconsistent spelling, too many levels, or levels with an undeclared order."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator

from probus.data._column import Column, as_missing, quote_some
from probus.data._kind import Kind
from probus.data._level_order import order_of
from probus.data._name_words import words_of
from probus.data._phrases import holds_phrases
from probus.data._table import Table
from probus.data.findings._column_checks import CODE_WORDS, ID_WORDS, identifying
from probus.data.findings._facts import READ, facts, features, is_free_text, with_kind, without
from probus.data.findings._finding import Finding
from probus.display import counted_of, exact_percent

NUMBER = re.compile(r"[$€£]?\s*[-+]?(\d+|\d{1,3}(,\d{3})+)?([.,]\d+)?([eE][-+]?\d+)?\s*%?")
MOSTLY_NUMBERS = 0.9  # of the values, before a column of strings is treated as numbers with a few exceptions
MANY_NUMBERS = 20  # distinct: fewer may be grades or class labels

SHORTEST_TYPO = 6  # letters: different short words often differ in one letter (cat, car)
TYPO_RATIO = 20  # frequency of the right spelling divided by that of the wrong one

MANY = 100  # levels, each a column after one-hot encoding
SEVERAL = 20  # levels that are many if there are few rows
ROWS_PER_LEVEL = 10  # rows per level, on average, needed for an estimate
RARE = 5  # rows: a rarer level is missing from some fold of a cross-validation


def _named(table: Table, target: str | None) -> list[Column]:
    """The features that hold labels: levels, or short text."""
    return [c for c in features(table, target) if c.kind is not Kind.NUMERIC and not is_free_text(c)]


def _strings(column: Column) -> dict[str, int]:
    """The frequency of each level that is a string."""
    seen = facts(column)
    return {v: int(n) for v, n in zip(seen.values, seen.counts, strict=True) if isinstance(v, str)}


def numbers_as_text(table: Table, target: str | None) -> Iterator[Finding]:
    """PB208: nearly all levels are numbers, so the column is probably numeric."""
    for column in _named(table, target):
        levels = _strings(column)
        numbers = {level for level in levels if any(map(str.isdigit, level)) and NUMBER.fullmatch(level.strip())}
        padded = any(re.match(r"0\d", level) for level in numbers)
        if len(numbers) < MANY_NUMBERS or padded or words_of(column.name) & (ID_WORDS | CODE_WORDS):
            continue
        share = sum(levels[level] for level in numbers) / sum(levels.values())
        strange = [level for level in levels if level not in numbers]
        if share >= MOSTLY_NUMBERS:
            rest = f"; the rest are {quote_some(strange)}" if strange else ""
            yield Finding(
                "PB208",
                column.name,
                "warning" if strange else "note",  # without exceptions, quotes in the file or the user decided it
                f"{exact_percent(share)} of the values are numbers, stored as {column.kind} levels{rest}.",
                str(as_missing(strange, READ) if strange else with_kind(column.name, "numeric")),
            )


# -- spelling ------------------------------------------------------------------------------------------


def inconsistent_spelling(table: Table, target: str | None) -> Iterator[Finding]:
    """PB209: levels that differ only in case, spaces or hyphens; levels with leading or trailing spaces."""
    for column in filter(_has_repeated_labels, table):
        levels = _strings(column)
        alike: defaultdict[str, list[str]] = defaultdict(list)
        for level in levels:
            alike[_normalise(level)].append(level)
        groups = [sorted(group, key=lambda level: -levels[level]) for group in alike.values() if len(group) > 1]
        if groups:
            shown = "; ".join(" = ".join(f"{level!r} ({levels[level]:,})" for level in group) for group in groups[:3])
            shown += f"; … ({len(groups)} in all)" if len(groups) > 3 else ""
            advice = f"Use one spelling, such as {groups[0][0]!r}, and read the table again"
            yield Finding("PB209", column.name, "warning", f"different spellings of one level: {shown}.", advice)
        elif padded := [level for level in levels if level != level.strip() and level.strip()]:
            found = counted_of(len(padded), len(levels), "levels", "has", "have")
            evidence = f"{found} surrounding spaces: {quote_some(padded, 3)}."
            yield Finding("PB209", column.name, "note", evidence, "Strip the spaces before matching with other data")


def _has_repeated_labels(column: Column) -> bool:
    """Whether the labels of the column repeat, rather than being distinct in nearly every row."""
    seen = facts(column)
    repeats = seen.n_distinct <= SEVERAL or seen.rows_per_value >= 2
    return column.kind is not Kind.NUMERIC and repeats and not is_free_text(column)


def _normalise(level: str) -> str:
    """Lower case, with single spaces between words."""
    joined = re.sub(r"(?<=[^\W\d])[\s_\-]+(?=[^\W\d])", " ", level.casefold())
    return re.sub(r"\s+", " ", joined).strip()


def likely_typos(table: Table, target: str | None) -> Iterator[Finding]:
    """PB210: a rare level that differs from a common one in one letter."""
    for column in filter(_has_repeated_labels, table):
        levels = {v: n for v, n in _strings(column).items() if len(v) >= SHORTEST_TYPO and not re.search(r"\d", v)}
        pairs = sorted(pair for pair in _one_letter_apart(levels) if _is_typo(*pair, levels))
        if pairs:
            shown = ", ".join(f"{a!r} ({levels[a]:,}) for {b!r} ({levels[b]:,})" for a, b in pairs[:3])
            advice = f"If so, correct to {pairs[0][1]!r} and read the table again"
            yield Finding("PB210", column.name, "note", f"possible typing errors: {shown}.", advice)


def _one_letter_apart(levels: dict[str, int]) -> set[tuple[str, str]]:
    """Pairs (rare level, common level) that differ by one letter added, removed, changed or moved.

    Such words are equal after removing at most one letter from each, so that pairs need not be compared.
    """
    shortened: defaultdict[str, set[str]] = defaultdict(set)
    for level in levels:
        shortened[level].add(level)
        for i in range(len(level)):
            shortened[level[:i] + level[i + 1 :]].add(level)
    return {
        (a, b) for group in shortened.values() if len(group) > 1 for a in group for b in group if levels[a] < levels[b]
    }


def _is_typo(rare: str, common: str, levels: dict[str, int]) -> bool:
    """Whether it is much rarer and the difference is not a whole word of one or two letters ("Class A", "Class B")."""
    differing = set(rare.split()) ^ set(common.split())
    short = all(len(word) <= 2 for word in differing)
    same_when_plain = _normalise(rare) == _normalise(common)
    return levels[rare] * TYPO_RATIO <= levels[common] and not short and not same_when_plain


# -- number of levels ----------------------------------------------------------------------------------


def _has_many(column: Column) -> bool:
    seen = facts(column)
    return seen.n_distinct >= MANY or (seen.n_distinct > SEVERAL and seen.rows_per_value < ROWS_PER_LEVEL)


def many_levels(table: Table, target: str | None) -> Iterator[Finding]:
    """PB211: too many levels for the number of rows; not of phrases, which are used by their words."""
    for column in _named(table, target):
        seen = facts(column)
        if _has_many(column) and not identifying(column) and not holds_phrases(column):
            yield Finding(
                "PB211",
                column.name,
                "warning",
                f"{seen.n_distinct:,} distinct values, {seen.rows_per_value:.1f} rows each on average.",
                f"Merge them into groups, use a part of the value (a prefix, a region), or {without(column.name)}",
            )


def rare_levels(table: Table, target: str | None) -> Iterator[Finding]:
    """PB212: levels with few rows in a column whose other levels are common."""
    for column in _named(table, target):
        seen = facts(column)
        rare = seen.counts < RARE
        few_rows = seen.n_present < RARE * ROWS_PER_LEVEL
        if column.kind is Kind.TEXT or seen.n_distinct < 3 or few_rows or _has_many(column) or not rare.any():
            continue
        shown = ", ".join(f"{v} ({n})" for v, n in zip(seen.values[rare][:4], seen.counts[rare][:4], strict=True))
        shown += ", …" if rare.sum() > 4 else ""
        found = counted_of(rare.sum(), seen.n_distinct, "levels", "has", "have")
        evidence = f"{found} fewer than {RARE} rows: {shown}."
        yield Finding("PB212", column.name, "note", evidence, "Merge them with a similar level")


def ordered_levels(table: Table, target: str | None) -> Iterator[Finding]:
    """PB213: nominal levels whose names imply an order."""
    for column in table.of_kind(Kind.NOMINAL):
        levels = list(_strings(column))
        order = order_of(levels) if 2 < len(levels) == facts(column).n_distinct <= MANY else None
        if order and not order.cyclic:
            shown = " < ".join(order.levels[:5]) + (" < …" if len(order.levels) > 5 else "")
            advice = str(with_kind(column.name, list(order.levels)))
            yield Finding("PB213", column.name, "note", f"the levels seem ordered: {shown} ({order.source}).", advice)

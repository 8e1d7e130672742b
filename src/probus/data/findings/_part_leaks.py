"""4xx: labels and texts of which a part gives the target away, such as train/cat/0001.png or pos_17."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from probus.data._column import Column
from probus.data._kind import Kind
from probus.data._table import Table
from probus.data.findings._facts import as_groups, facts, features, is_free_text, without
from probus.data.findings._finding import Finding
from probus.data.findings._group_names import FEWEST_GROUPS
from probus.data.findings._leak_shares import LEAK, SUSPECT, labelled_rows, predicted_share, share_alone

FEWEST_ROWS = 50  # with fewer, one part may predict all by chance
FEWEST_VALUES = 20  # distinct ones: few levels are tried as they are
MOST_COLUMNS = 30
PLACES = 6  # from either end
NEARLY_ALL = 0.9  # of the rows have a part

_PART = re.compile(r"[^\W\d_]+|\d+")


def part_leaks(table: Table, target: str | None) -> Iterator[Finding]:
    """PB407: a column of paths, names or codes of which one part predicts the target almost perfectly.

    Each row is predicted from the other rows with the same part. Tried are the runs of letters and of digits, counted
    from either end.
    """
    rows = labelled_rows(table, target)
    if target is None or len(rows) < FEWEST_ROWS:
        return
    columns = [c for c in features(table, target) if not is_free_text(c) and c.kind is not Kind.NUMERIC]
    columns = [c for c in columns if facts(c).n_distinct >= FEWEST_VALUES]
    for column in columns[:MOST_COLUMNS]:
        if share_alone(column, table[target], rows)[0] >= SUSPECT:
            continue
        best, evidence, different = 0.0, "", 0
        for place, parts in _parts(column):
            codes = parts[facts(column).codes[rows]]
            if (codes < 0).mean() > 1 - NEARLY_ALL or not 1 < len(np.unique(codes)) < len(codes) / 2:
                continue
            share, text = predicted_share(table[target], rows, np.unique(codes, return_inverse=True)[1])
            if share > best:
                best, different = share, len(np.unique(codes))
                evidence = f"{place}, {_examples(column, parts)}, {text.removeprefix('alone, it ')}"
        if best >= SUSPECT:
            advice = f"If it is known only after {target!r}: {without(column.name)}"
            if different >= FEWEST_GROUPS:
                advice = f"If it names groups of rows, as patients do, make it a column: {as_groups()}. {advice}"
            yield Finding("PB407", column.name, "error" if best >= LEAK else "warning", evidence, advice)


def _parts(column: Column) -> Iterator[tuple[str, np.ndarray]]:
    """Where a part is, and the code of that part for each distinct value; the last code, of missing ones, is -1."""
    split = [_PART.findall(str(value).lower()) for value in facts(column).values]
    for k in range(PLACES):
        yield f"part {k + 1} of each value", _codes([parts[k] if k < len(parts) else None for parts in split])
    for k in range(1, PLACES):
        words = [parts[-k] if k <= len(parts) else None for parts in split]
        yield "the last part" if k == 1 else f"part {k} from the end", _codes(words)


def _codes(words: list[str | None]) -> np.ndarray:
    seen: dict[str, int] = {}
    return np.array([-1 if word is None else seen.setdefault(word, len(seen)) for word in words] + [-1])


def _examples(column: Column, parts: np.ndarray) -> str:
    """Some values with different parts."""
    first = np.unique(parts[:-1], return_index=True)[1]
    return f"as in {' and '.join(repr(str(facts(column).values[i])) for i in np.sort(first)[:2])}"

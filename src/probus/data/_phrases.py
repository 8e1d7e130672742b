"""Labels that are text: phrases that rarely repeat."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np

from probus.data._column import Column
from probus.data._kind import Kind
from probus.data._table import Table
from probus.errors import Advice

# Thai, Lao, Burmese, Khmer, Japanese and Chinese are written without spaces: there each character is a word.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u065f\u0900-\u0dff"  # accents, points and vowel signs are parts of words
WORD = rf"[{_UNSPACED}]|(?:(?![{_UNSPACED}])[\w{_MARKS}]){{2,}}"
"""A word of a text: two letters or more, or one character of a script without spaces."""

_FEWEST_LEVELS = 20
_WORDS = 2.0  # of a level, on average; codes, tickets and postcodes have fewer
_LOOKED_AT = 1000  # levels


def holds_phrases(column: Column) -> bool:
    """Whether a nominal column holds phrases, of which more than half are different: text, for any dtype.

    A column whose kind was set, or settled on more rows, is what it was set to.

    >>> notes = [f"visit {i} went well" for i in range(30)]
    >>> holds_phrases(Column.labels("note", notes)), holds_phrases(Column.labels("note", notes * 2))
    (True, False)
    """
    if column.kind is not Kind.NOMINAL or column.settled or column.why == "set by you":
        return False
    if len(column.levels) < _FEWEST_LEVELS:
        return False
    present = column.values[column.values >= 0]
    if 2 * len(np.unique(present)) <= len(present):
        return False
    some = column.levels[:_LOOKED_AT]
    return sum(len(re.findall(WORD, str(level))) for level in some) >= _WORDS * len(some)


def settle(table: Table) -> Table:
    """The table with phrases as text, and kinds that no part changes which is fitted on some of the rows.

    Fewer rows have a larger share of different phrases. A model that is scored by folds would treat a column as text,
    and the saved model, which is fitted on all rows, as levels.

    >>> notes = Column.labels("note", [f"visit {i} went well" for i in range(30)])
    >>> settle(Table([notes]))["note"].kind
    <Kind.TEXT: 'text'>
    """
    return table.with_columns(*(_settle(column) for column in table if not column.settled))


def _settle(column: Column) -> Column:
    if not holds_phrases(column):
        return replace(column, settled=True)
    n_seen, n_present = len(np.unique(column.values[column.values >= 0])), int((column.values >= 0).sum())
    why = (
        f"phrases, {n_seen:,} of {n_present:,} distinct: used by their words; "
        f"if they are labels, {Advice('kinds', {column.name: 'nominal'})}"
    )
    return replace(column.as_kind(Kind.TEXT), why=why, settled=True)

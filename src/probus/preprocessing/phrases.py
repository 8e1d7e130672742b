"""Labels that are text: phrases that rarely repeat."""

from __future__ import annotations

import numpy as np

from probus.data import Column, Kind
from probus.preprocessing.hashed_words import words_of

__all__ = ["holds_phrases"]

_FEWEST_LEVELS = 20
_WORDS = 2.0  # of a level, on average; codes, tickets and postcodes have fewer
_LOOKED_AT = 1000  # levels


def holds_phrases(column: Column) -> bool:
    """Whether a nominal column holds phrases, of which more than half are different: text, whatever its dtype says.

    A column whose kind was set is what it was set to.

    >>> notes = [f"visit {i} went well" for i in range(30)]
    >>> holds_phrases(Column.labels("note", notes)), holds_phrases(Column.labels("note", notes * 2))
    (True, False)
    """
    if column.kind is not Kind.NOMINAL or len(column.levels) < _FEWEST_LEVELS or column.why == "set by you":
        return False
    present = column.values[column.values >= 0]
    if 2 * len(np.unique(present)) <= len(present):
        return False
    some = [words_of(str(level)) for level in column.levels[:_LOOKED_AT]]
    return sum(map(len, some)) >= _WORDS * len(some)

"""Labels that are text: phrases that rarely repeat."""

from __future__ import annotations

import re

import numpy as np

from probus.data.column import Column
from probus.data.kind import Kind

__all__ = ["WORD", "holds_phrases"]

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
    some = column.levels[:_LOOKED_AT]
    return sum(len(re.findall(WORD, str(level))) for level in some) >= _WORDS * len(some)

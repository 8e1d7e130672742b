"""The words in the names of columns."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def words_of(name: str) -> set[str]:
    """The words in a name.

    >>> sorted(words_of("PassengerId")), sorted(words_of("hours-per_week"))
    (['id', 'passenger'], ['hours', 'per', 'week'])
    """
    return set(words_in_order(name))


def words_in_order(name: str) -> list[str]:
    """The words in a name, the first first.

    >>> words_in_order("savings_account/bonds")
    ['savings', 'account', 'bonds']
    """
    return [word.lower() for word in _WORD.findall(name)]

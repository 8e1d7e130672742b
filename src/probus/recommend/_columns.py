"""Which columns of a table have the users, the items, the ratings and the times."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass

from probus.data import Table
from probus.datasets.source import required_column
from probus.display import listed
from probus.errors import Advice, DataError

_WORDS = {
    "user": "user users userid customer customerid client member visitor reader viewer person account who",
    "item": "item items itemid movie movieid film product productid book bookid song track artist article isbn sku",
    "rating": "rating ratings stars score preference value count plays listens quantity weight",
    "time": "time timestamp date datetime when unixtime",
}


class ColumnGuessWarning(UserWarning):
    """Columns of ratings were found by their place and not by their names."""


@dataclass(frozen=True)
class RatingColumns:
    """The names of the columns; None for what the table does not have.

    guessed : those that nobody named, and whose names are not "user", "item", "rating" and "time".
    """

    user: str
    item: str
    rating: str | None = None
    time: str | None = None
    guessed: tuple[str, ...] = ()

    def __str__(self) -> str:
        parts = [f"{role} is {name!r}" for role, name in self.roles().items()]
        return ", ".join(parts) + (" (guessed from the names)" if self.guessed else "")

    def roles(self) -> dict[str, str]:
        """The names by role."""
        named = {"user": self.user, "item": self.item, "rating": self.rating, "time": self.time}
        return {role: name for role, name in named.items() if name is not None}


def find_columns(
    table: Table,
    user: str | None = None,
    item: str | None = None,
    rating: str | None = None,
    time: str | None = None,
    *,
    rated: bool = True,
) -> RatingColumns:
    """The columns as they are named, else by words such as "user_id" and "movie", else by their order.

    ``rated`` is whether a third column without a known name has the ratings.
    """
    given = {"user": user, "item": item, "rating": rating, "time": time}
    for name in filter(None, given.values()):
        required_column(table, name)
    taken = [name for name in given.values() if name is not None]
    if len(set(taken)) < len(taken):
        raise DataError(f"the columns {listed(taken)}.", "a column of its own for user, item, rating and time")
    found, by_place = dict(given), list[str]()
    for role in given:
        if found[role] is None:
            found[role] = _by_name(role, table, [*filter(None, found.values())])
    for role in ("user", "item", "rating"):
        free = [name for name in table.names if name not in found.values()]
        if found[role] is None and free and (role != "rating" or (rated and by_place)):
            found[role] = free[0]
            by_place.append(role)
    if found["user"] is None or found["item"] is None:
        raise DataError(
            f"columns {listed(table.names, most=8)}.",
            "a column of users and one of items",
            [Advice("user", ...), Advice("item", ...)],
        )
    if by_place:
        words = ", ".join(f"{role}={found[role]!r}" for role in by_place)
        warnings.warn(f"columns by their order: {words}. Name them if that is wrong.", ColumnGuessWarning, stacklevel=4)
    guessed = tuple(role for role, name in found.items() if name is not None and not given[role] and name != role)
    return RatingColumns(found["user"], found["item"], found["rating"], found["time"], guessed)


def id_column(table: Table, name: str | None, expected: str, what: str) -> str:
    """The column of ids of a table of users or items: as named, that of the ratings, or one of a known name."""
    if name is not None:
        required_column(table, name)
        return name
    if expected in table:
        return expected
    found = _by_name(what, table, [])
    if found is None:
        raise DataError(
            f"the table of {what}s has no column {expected!r}.",
            f"the id of each {what} in a column of the name that the ratings have",
            f"Rename it: table.rename({{'id': {expected!r}}}).",
        )
    return found


def _by_name(role: str, table: Table, taken: list[str]) -> str | None:
    """The first column whose name is the role, or has a word that means it."""
    free = [name for name in table.names if name not in taken]
    words = _WORDS[role].split()
    for fits in (
        lambda name: name.lower() == role,
        lambda name: re.sub(r"[^a-z]", "", name.lower()) in words,
        lambda name: re.split(r"[^a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower())[0] in words,
    ):
        for name in free:
            if fits(name):
                return name
    return None

"""The strategies by name."""

from __future__ import annotations

from difflib import get_close_matches

from probus.active.queries._committee import Committee
from probus.active.queries._density import Density
from probus.active.queries._expected_error import ExpectedError
from probus.active.queries._query import Query
from probus.active.queries._random_rows import RandomRows
from probus.active.queries._uncertainty import Entropy, LeastConfidence, Margin
from probus.errors import DataError

QUERIES: dict[str, type[Query]] = {
    query.name: query for query in (LeastConfidence, Margin, Entropy, Committee, ExpectedError, Density, RandomRows)
}


def query_of(query: str | Query) -> Query:
    """The strategy of that name, or the one given.

    >>> query_of("margin").name
    'margin'
    """
    if isinstance(query, Query):
        return query
    if query not in QUERIES:
        near = get_close_matches(str(query), QUERIES, 1)
        hint = f"Did you mean {near[0]!r}?" if near else ""
        raise DataError(f"query={query!r}.", f"one of {', '.join(map(repr, QUERIES))}, or a Query", hint)
    return QUERIES[query]()

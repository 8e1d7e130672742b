"""Query strategies: how much a model would learn from the label of a row.

A strategy is a ``Query``: one file, and one line in ``_registry``.
"""

from probus.active.queries._query import Pool, Query, Situation
from probus.active.queries._registry import QUERIES, query_of

__all__ = ["QUERIES", "Query", "Situation"]

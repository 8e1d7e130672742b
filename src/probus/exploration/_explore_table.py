"""``probus.explore``: what is in a table without a target."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

from probus.arguments import verb
from probus.data import Table, Task
from probus.datasets.source import open_source, required_column
from probus.display import counted
from probus.errors import DataError
from probus.exploration._exploration_result import Exploration
from probus.exploration._fair_distance import FairDistance
from probus.exploration._notable_rules import find_rules
from probus.exploration._odd_rows import find_odd_rows
from probus.exploration._row_groups import find_groups
from probus.exploration._row_map import draw_map
from probus.exploration._usable_columns import usable
from probus.report import Profile


@verb
def explore(
    data: Any,
    *,
    drop: str | Sequence[str] = (),
    kinds: Mapping[str, Any] | None = None,
    max_rows: int = 2000,
    random_state: int = 0,
    read: Mapping[str, Any] | None = None,
) -> Exploration:
    """Describe a table without a target: its profile, groups of rows, a map, odd rows and rules.

    Columns of any kind, with missing values, are compared by Gower's distance. Groups are reported where the rows are
    more alike than in tables with the same columns but without groups; each has its stability. Long tables are sampled,
    and the result states how.

    Parameters
    ----------
    data : a Table, a frame, a dict of columns, a path, the name of a bundled data set, or a Task, without its target.
    drop : the names of columns that are not used, a target for example.
    kinds : the kinds of columns, by name, where those inferred are wrong.
    max_rows : rows from which groups are found, at most; time and memory grow with its square.
    random_state : the seed of all samples; the same seed gives the same result.
    read : options of ``probus.read``.

    Returns
    -------
    What was found; it prints itself and can be saved as a page.

    Examples
    --------
    >>> found = explore("iris", drop=["species"])
    >>> [group.rows for group in found.groups.groups]
    [100, 50]
    """
    _must_be_whole("max_rows", max_rows, 20)
    _must_be_whole("random_state", random_state, 0)
    drop = [drop] if isinstance(drop, str) else drop
    table, name = open_source(data.table.drop(data.target) if isinstance(data, Task) else data, read)
    table = table.with_kinds(**dict(kinds or {}))
    for column in drop:
        required_column(table, column)
    table = table.drop(*drop)
    _must_have_cells(table)
    profile = Profile.of(table, name=name)
    used, left_out = usable(table, profile)
    distance = FairDistance.of(used)
    groups = find_groups(used, max_rows, random_state)
    odd = find_odd_rows(used, distance, random_state)
    mapped = draw_map(used, distance, groups.labels, odd.rows, random_state)
    return Exploration(name, profile, left_out, groups, mapped, odd, find_rules(used, random_state), random_state)


def _must_be_whole(name: str, value: Any, least: int) -> None:
    if not isinstance(value, Integral) or value < least:
        raise DataError(f"{name}={value}.", f"a whole number of at least {least}")


def _must_have_cells(table: Table) -> None:
    if not table.n_rows or not table.names:
        size = f"{counted(table.n_rows, 'row')} and {counted(len(table.names), 'column')}"
        raise DataError(f"a table of {size}, without those dropped.", "at least one of each")

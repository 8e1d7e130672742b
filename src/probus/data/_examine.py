"""``probus.examine``: check a table for problems."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.arguments import verb
from probus.data._roles import check_roles
from probus.data._table import Table
from probus.data.findings import CHECKS, Findings
from probus.data.findings._column_checks import duplicate_columns


@verb
def examine(table: Any, target: str | None = None, *, group: str | None = None) -> Findings:
    """Check a table for problems: bad values, useless columns, duplicates, and leaks of the target if one is given.

    Parameters
    ----------
    table : anything ``Table.of`` takes: a Table, a frame, a dict of columns, a path.
    target : the column to predict; without it the target and leaks are not checked.
    group : the column of groups, if folds keep them together; it is no feature then, and is not reported as a leak.

    Returns
    -------
    The findings, the most severe first; they print themselves.

    >>> weather = {"wind": [3.1, 2.4, -999, 4.0, 2.2, -999], "sky": ["clear", "Clear ", "cloud", "?", "cloud", "clear"]}
    >>> found = examine(weather)
    >>> [(finding.code, finding.column) for finding in found]
    [('PB101', 'wind'), ('PB101', 'sky'), ('PB209', 'sky')]
    >>> print(found[0].evidence)
    -999 in 2 rows is far from the other values (2.2 to 4).
    """
    table = Table.of(table)
    check_roles(table, [(role, name) for role, name in (("target", target), ("group", group)) if name is not None])
    with np.errstate(all="ignore"):  # overflow and division by zero mean far away or no spread
        features = table if group is None else table.drop(group)  # a column that follows from the group repeats none
        tables = ((check, features if check is duplicate_columns else table) for check in CHECKS)
        found = (finding for check, part in tables for finding in check(part, target))
        return Findings((each for each in found if group is None or each.column != group), table.shape)

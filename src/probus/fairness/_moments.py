"""Constraints on rates as linear functions of decisions: the rate of each group minus that of all rows."""

from __future__ import annotations

import numpy as np

from probus.errors import DataError
from probus.fairness._groups import Groups

CONSTRAINTS = {
    "demographic_parity": (None,),
    "equal_opportunity": (True,),
    "false_positive_rate_parity": (False,),
    "equalized_odds": (True, False),
}  # by criterion: for each family of rates the label of its rows, None for all rows


def moments(criterion: str, actual: np.ndarray, groups: Groups, weights: np.ndarray) -> np.ndarray:
    """What each row's decision adds to the difference of its group's rate from that of all rows.

    Parameters
    ----------
    criterion : one of ``CONSTRAINTS``.
    actual : bool[n], whether the label is the one that selects.
    groups : of the rows.
    weights : of the rows.

    Returns
    -------
    float64[constraints, n]: times decisions of 0 and 1, or scores, it gives the difference for each group.
    """
    rows = []
    for label in CONSTRAINTS[criterion]:
        counted = np.ones(len(actual), bool) if label is None else actual == label
        for code in range(len(groups)):
            mine = counted & (groups.codes == code)
            if not weights[mine].sum():
                raise DataError(
                    f"no row of {groups.name} = {groups.labels[code]} with the label that {criterion} is about.",
                    "rows with that label in each group",
                    "Use criterion='demographic_parity', or leave the group out.",
                )
            rows.append(weights * mine / weights[mine].sum() - weights * counted / weights[counted].sum())
    return np.array(rows)

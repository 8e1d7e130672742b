"""Constraints on trees, checked: monotone columns, and columns that may interact."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.sklearn_seam import check_monotonic_cst


def monotone_signs(model: Any, n_levels: np.ndarray, n_outputs: int) -> np.ndarray | None:
    """For each column 1, −1 or 0, of the model's ``monotonic_cst``; None where all are 0."""
    signs = check_monotonic_cst(model, model.monotonic_cst)
    if (signs[n_levels > 0] != 0).any():
        raise DataError("Categorical features cannot have monotonic constraints.", "0 for nominal columns")
    if signs.any() and n_outputs > 1:
        raise DataError("monotonic constraints are not supported for multiclass classification.")
    return signs.astype(np.int64) if signs.any() else None


def interaction_sets(constraint: Any, d: int, names: Any) -> np.ndarray | None:
    """The sets of columns that may occur on the same path, as a mask; columns in none of them are one more."""
    if constraint is None:
        return None
    if isinstance(constraint, str):
        groups: Iterable[Any] = combinations(range(d), 2 if constraint == "pairwise" else 1)
    else:
        groups = constraint
    marks = []
    for group in groups:
        if not isinstance(group, Iterable):
            raise DataError(
                f"Interaction constraints must be a sequence of tuples or lists, got {group!r} in one.",
                "sets of columns that may meet, as [(0, 1), (2, 3)]",
            )
        mark = np.zeros(d, np.uint8)
        for column in group if not isinstance(group, str) else [group]:
            found = np.flatnonzero(names == column) if isinstance(column, str) and names is not None else [column]
            if len(found) != 1 or not isinstance(found[0], (int, np.integer)) or not 0 <= found[0] < d:
                raise DataError(
                    f"Interaction constraints must consist of integer indices in [0, n_features - 1] = [0, {d - 1}], "
                    f"specifying the position of features, or of their names, got {column!r}.",
                    "sets of columns, as [(0, 1), (2, 3)]",
                )
            mark[found[0]] = 1
        marks.append(mark)
    table = np.array(marks, np.uint8).reshape(len(marks), d)
    alone = (table.sum(axis=0) == 0).astype(np.uint8)
    return np.vstack([table, alone]) if alone.any() else table

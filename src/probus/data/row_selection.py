"""Some rows of any container of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from probus.data.table import Table

__all__ = ["take_rows"]


def take_rows(X: Any, rows: np.ndarray) -> Any:
    """Those rows of a table, a frame, an array, a sparse matrix, a list, or a dict of columns.

    >>> take_rows(np.array([[1], [2], [3]]), np.array([2, 0])).tolist()
    [[3], [1]]
    """
    if type(X) is dict:
        X = Table.of(X, infer=False)
    return X.take(rows) if isinstance(X, Table) else _safe_indexing(X, rows)

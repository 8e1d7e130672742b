"""A few hashes of the training rows, by which a model recognises them: a test on rows it knows is no test."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.data import content_of

_KEPT = 512


def row_sketch(X: Any) -> np.ndarray:
    """The smallest hashes of the rows, ascending: a sample that any set with these rows would give (Broder 1997)."""
    return np.unique(_hashes(X))[:_KEPT]


def share_known(X: Any, sketch: np.ndarray) -> float | None:
    """The share of rows that are among those of the sketch; None where no row can be judged.

    Of more than 512 training rows only the smallest hashes are known, and rows with larger ones are not judged.

    >>> rows = np.arange(5000.0)[:, None]
    >>> share_known(rows[1000:3000], row_sketch(rows)), share_known(rows + 0.5, row_sketch(rows))
    (1.0, 0.0)
    """
    hashes = _hashes(X)
    judged = hashes[hashes <= sketch[-1]] if len(sketch) == _KEPT else hashes
    return float(np.isin(judged, sketch).mean()) if len(judged) and len(sketch) else None


def _hashes(X: Any) -> np.ndarray:
    return content_of(X)[:, 0] if len(X.shape) == 2 else np.empty(0)

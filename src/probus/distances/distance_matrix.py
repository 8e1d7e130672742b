"""Distances given as a matrix: what has to be true of it."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from probus.base import Model, matrix_input
from probus.errors import DataError

__all__ = ["check_distances", "distance_matrix_input"]

_CELLS = 4_000_000  # of a block


def distance_matrix_input(model: Model, X: Any, *, symmetric: bool = True) -> Any:
    """The matrix that a model with ``metric="precomputed"`` is fitted to, checked."""
    D = matrix_input(model, X, reset=True, order="C", ensure_all_finite=False)
    check_distances(D, symmetric=symmetric)
    return D


def check_distances(D: Any, *, symmetric: bool = True, diagonal: float = 1e-6) -> None:
    """Raise a DataError unless a matrix is one of distances: square, known, not negative, and symmetric around zeros.

    Parameters
    ----------
    D : a matrix, or a sparse one of the distances known, which need not be symmetric
    symmetric : whether both directions have to be equal, and each row at no distance from itself
    diagonal : how far rows may be from themselves by rounding, in relation to the largest distance

    >>> check_distances(np.array([[0.0, 1.0], [2.0, 0.0]]))
    Traceback (most recent call last):
        ...
    probus.errors.DataError: a distance matrix that is not symmetric: row 0, column 1 is 1, the other way 2.
      Expected equal distances in both directions. Use (D + D.T) / 2 where both are estimates of one distance.
    """
    if D.shape[0] != D.shape[1]:
        raise DataError(f"Distance matrix should be square, got matrix of shape {D.shape}.", "as many columns as rows")
    _check_values(D.data if sparse.issparse(D) else D)
    if symmetric and not sparse.issparse(D):
        largest = float(D.max(initial=0.0))
        _check_symmetry(D, 1e-8 * largest)
        _check_diagonal(D, diagonal * largest)


def _check_values(values: np.ndarray) -> None:
    if not values.size:
        return
    least, most = float(values.min()), float(values.max())
    if np.isnan(least):
        missing = int(np.isnan(values).sum())
        raise DataError(
            f"Input X contains NaN: {missing:,} of {values.size:,} distances are missing.",
            "a distance for each pair of rows",
            "Leave out rows, or fill in a large distance where rows cannot be compared.",
        )
    if np.isinf(least) or np.isinf(most):
        raise DataError(
            "Input X contains infinity among the distances.", "finite distances", "Use a large number for far rows."
        )
    if least < 0:
        raise DataError(f"Negative values in data: a distance of {least:g}.", "distances of 0 or more")


def _check_symmetry(D: np.ndarray, tolerance: float) -> None:
    size = max(1, _CELLS // max(1, len(D)))
    for start in range(0, len(D), size):
        gap = np.abs(D[start : start + size] - D[:, start : start + size].T)
        worst = np.unravel_index(int(gap.argmax()), gap.shape)
        if gap[worst] > tolerance:
            i, j = start + int(worst[0]), int(worst[1])
            raise DataError(
                f"a distance matrix that is not symmetric: row {i}, column {j} is {D[i, j]:g}, "
                f"the other way {D[j, i]:g}.",
                "equal distances in both directions",
                "Use (D + D.T) / 2 where both are estimates of one distance.",
            )


def _check_diagonal(D: np.ndarray, tolerance: float) -> None:
    own = np.diagonal(D)
    row = int(own.argmax())
    if own[row] > tolerance:
        raise DataError(
            f"The precomputed distance matrix contains non-zero elements on the diagonal: row {row} is at distance "
            f"{own[row]:g} from itself.",
            "zeros on the diagonal",
            "Use np.fill_diagonal(D, 0); turn similarities S into distances first, as 1 - S.",
        )

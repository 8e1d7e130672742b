"""The distances that a map is made from."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import Tags

from probus.base import Accepts, BaseEstimator, matrix_input, table_input
from probus.distances import distance_of, pairwise_distances
from probus.errors import DataError

__all__ = ["MapModel"]


class MapModel(BaseEstimator):
    """Parent of maps, which have positions of the training rows only; what they accept follows from the distance."""

    metric: Any
    metric_params: dict[str, Any] | None

    @property
    def accepts(self) -> Accepts:
        """Columns of any kind where the distance measures them; otherwise numbers, on one scale."""
        distance = distance_of(self.metric)
        return Accepts(
            nominal=distance.typed, missing=distance.missing, scaled=not distance.typed, negative=distance.negative
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.metric == "precomputed"
        return tags

    def _distances(self, X: Any) -> np.ndarray:
        """The distance of every pair of rows; a matrix of distances is checked."""
        if distance_of(self.metric).typed:
            rows: Any = table_input(self, X, reset=True)
        else:
            rows = matrix_input(self, X, reset=True)
        if self.metric == "precomputed":
            return _checked(rows)
        distances = pairwise_distances(rows, metric=self.metric, **(self.metric_params or {}))
        if not np.isfinite(distances).all():
            i, j = np.argwhere(~np.isfinite(distances))[0]
            raise DataError(
                f"rows {i} and {j} have no known value in common.", "a distance of every pair", "Impute or drop rows."
            )
        return distances


def _checked(distances: np.ndarray) -> np.ndarray:
    n, m = distances.shape
    if n != m:
        raise DataError(f"a matrix of distances with {n} rows and {m} columns.", "a square matrix")
    if (distances < 0).any():
        i, j = np.argwhere(distances < 0)[0]
        raise DataError(
            f"the distance of rows {i} and {j} is negative ({distances[i, j]:g}).", "distances of 0 or more"
        )
    size = distances.max(initial=0.0)
    if np.abs(distances - distances.T).max(initial=0.0) > 1e-8 * size:
        i, j = np.unravel_index(np.argmax(np.abs(distances - distances.T)), distances.shape)
        raise DataError(
            f"the matrix of distances is not symmetric: {distances[i, j]:g} from row {i} to row {j}, and "
            f"{distances[j, i]:g} back.",
            "array must be symmetric",
            "Use (D + D.T) / 2.",
        )
    if np.abs(np.diag(distances)).max(initial=0.0) > 1e-8 * size:
        raise DataError("the distance of a row to itself is not 0.", "zeros on the diagonal")
    return (distances + distances.T) / 2

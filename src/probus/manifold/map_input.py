"""The distances that a map is made from."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from probus.distances.measured_rows import MeasuredModel, MeasuredRows
from probus.errors import DataError
from probus.state import Array, Spec

__all__ = ["MapModel"]


class MapModel(MeasuredModel):
    """Parent of maps, which have positions of the training rows only."""

    fitted: ClassVar[dict[str, Spec]] = {
        "dissimilarity_matrix_": Array("f8", "n n"),
        "embedding_": Array("f8", "n k"),
    }

    _sparse = False

    def _distances(self, X: Any) -> np.ndarray:
        """The distance of every pair of rows, symmetric; rows that are not comparable are as far apart as any are."""
        distances = MeasuredRows(self, X).matrix()
        if np.diag(distances).max(initial=0.0) > 1e-8 * distances.max(initial=0.0):
            raise DataError("the distance of a row to itself is not 0.", "zeros on the diagonal")
        return (distances + distances.T) / 2

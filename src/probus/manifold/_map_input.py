"""The distances that a map is made from."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from probus.distances.magnitudes import check_squares
from probus.distances.measured_rows import MeasuredModel, MeasuredRows
from probus.state import Array, Spec


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
        check_squares(distances)
        return (distances + distances.T) / 2

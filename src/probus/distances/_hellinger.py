"""Hellinger's distance between rows of shares or counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.distances._distance import Distance
from probus.distances._euclidean_form import EuclideanForm
from probus.errors import DataError


@dataclass(frozen=True)
class Hellinger(Distance):
    r"""Between rows of shares that sum to 1: from 0 to 1, where they have nothing in common.

    .. math:: d(x, z) = \sqrt{\tfrac{1}{2} \sum_j (\sqrt{x_j} - \sqrt{z_j})^2}

    >>> Hellinger().pairs([[1.0, 0.0]], [[0.0, 1.0], [0.36, 0.64]]).round(3)
    array([[1.   , 0.632]])
    """

    names: tuple[str, ...] = ("hellinger",)
    sparse: bool = False
    negative: bool = False
    own: bool = True

    def search(self, rows: np.ndarray, params: Mapping[str, Any], algorithm: str) -> EuclideanForm:
        """By matrix products."""
        return EuclideanForm(rows, _halved_roots)


def _halved_roots(X: np.ndarray) -> np.ndarray:
    if X.size and X.min() < 0:
        raise DataError("Negative values in data passed to Hellinger's distance.", "shares or counts")
    return np.sqrt(0.5 * X)

"""Cosine distance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.distances._distance import Distance, Search
from probus.distances._euclidean_form import EuclideanForm


@dataclass(frozen=True)
class Cosine(Distance):
    """1 − cos of the angle between rows: half the squared Euclidean distance of rows scaled to length 1."""

    names: tuple[str, ...] = ("cosine",)

    def search(self, rows: np.ndarray, params: Mapping[str, Any], algorithm: str) -> Search | None:
        """By matrix products, unless a row is all zeros and has no direction."""
        if params or not np.abs(rows).max(axis=1).all():
            return None
        return EuclideanForm(rows, _direction, _one_less_cosine)


def _direction(X: np.ndarray) -> np.ndarray:
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(lengths > 0, lengths, 1.0)


def _one_less_cosine(distances: np.ndarray, queries: np.ndarray) -> np.ndarray:
    """Half the squares; a query of zeros has no direction and is at distance 1 from every row."""
    return np.where(np.linalg.norm(queries, axis=1, keepdims=True) > 0, 0.5 * distances**2, 1.0)

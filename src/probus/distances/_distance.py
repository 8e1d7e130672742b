"""What a distance is: its names, what rows it measures, and how the nearest rows are found by it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from sklearn.utils import check_array


class Search(Protocol):
    """Finds the nearest of the rows it was made for."""

    method: str  # as scikit-learn names algorithms: "brute" or "kd_tree"

    def nearest(self, queries: Any, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Distances to the k nearest rows, ascending, and their row numbers; of equal distances the first rows."""

    def distances(self, queries: Any, n_jobs: int | None = None) -> np.ndarray | None:
        """The distance of every query to every row; None where the search only finds the nearest."""


@dataclass(frozen=True)
class Distance:
    """A distance between rows, by the names that ``metric`` may have.

    This class is a distance that scikit-learn computes and searches by. A subclass defines ``search``.

    Parameters
    ----------
    names : scikit-learn's name and its synonyms.
    typed : whether rows are those of a ``Table``, of columns of any kind, and not those of a matrix.
    missing, sparse, negative : whether missing values, sparse matrices and negative numbers can be measured.
    precomputed : whether the matrix given is one of distances.
    own : whether scikit-learn does not have it.
    """

    names: tuple[str, ...] = ()
    typed: bool = False
    missing: bool = False
    sparse: bool = True
    negative: bool = True
    precomputed: bool = False
    own: bool = False

    def search(self, rows: Any, params: Mapping[str, Any], algorithm: str) -> Any:
        """A ``Search`` among rows of numbers (of a table where ``typed``); None where it is scikit-learn's."""
        return None

    def pairs(self, X: Any, Y: Any = None, n_jobs: int | None = None, **params: Any) -> np.ndarray:
        """The distance of every row of X to every row of Y (to X itself where None), where ``own``."""
        X, Y = (data if data is None else check_array(data, dtype=np.float64) for data in (X, Y))
        return self.search(X if Y is None else Y, params, "brute").distances(X, n_jobs)

"""The search for neighbours, without a prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import NoneAllowed, RealIn
from probus.base import Model
from probus.neighbors._kneighbors import N_NEIGHBORS, NeighborsModel, check_mode
from probus.parameters import parameter
from probus.sklearn_seam import RadiusNeighborsMixin


class NearestNeighbors(NeighborsModel, RadiusNeighborsMixin):
    """Finds the nearest rows, or those within a radius; scikit-learn's class, with our distances.

    >>> NearestNeighbors(n_neighbors=1).fit([[0.0], [1.0], [4.0]]).kneighbors([[3.0]], return_distance=False)
    array([[2]])
    """

    n_neighbors: int = N_NEIGHBORS.but(kw_only=True)
    radius: float = parameter(
        "The radius of ``radius_neighbors``.", default=1.0, of=[RealIn(at_least=0, at_most=np.inf), NoneAllowed()]
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """One for numbers, one for typed columns."""
        return [cls(n_neighbors=3), cls(n_neighbors=3, metric="gower")]

    def fit(self, X: Any, y: Any = None) -> NearestNeighbors:
        """Keep the rows and set up the search."""
        self._keep(X)
        return self

    def radius_neighbors(
        self, X: Any = None, radius: float | None = None, return_distance: bool = True, sort_results: bool = False
    ) -> Any:
        """All rows within the radius of each query: arrays of arrays of distances and of row numbers."""
        check_is_fitted(self)
        radius = self.radius if radius is None else radius
        queries = None if X is None else self._queries(X)
        if not self._distance.own:
            return self._borrow().fit(self.samples_).radius_neighbors(queries, radius, return_distance, sort_results)
        n = self.n_samples_fit_ if queries is None else queries.shape[0]
        distances, rows = np.empty(n, dtype=object), np.empty(n, dtype=object)
        for i, (away, near) in enumerate(self._within(queries, radius)):
            order = np.argsort(away, kind="stable") if sort_results else slice(None)
            distances[i], rows[i] = away[order], near[order]
        return (distances, rows) if return_distance else rows

    def radius_neighbors_graph(
        self, X: Any = None, radius: float | None = None, mode: str = "connectivity", sort_results: bool = False
    ) -> sparse.csr_matrix:
        """The graph from each query to all rows within the radius."""
        check_mode(mode)
        distances, rows = self.radius_neighbors(X, radius, sort_results=sort_results)
        ends = np.cumsum([0, *(len(near) for near in rows)])
        columns = np.concatenate([*rows, np.empty(0, dtype=np.int64)]).astype(np.int64)
        values = np.concatenate([*distances, np.empty(0)]) if mode == "distance" else np.ones(len(columns))
        return sparse.csr_matrix((values, columns, ends), shape=(len(rows), self.n_samples_fit_))

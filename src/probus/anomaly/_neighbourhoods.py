"""Rows that are odd together: in a region, or among the neighbours of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array, eye_array, issparse
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import ArrayValue, NoneAllowed, SparseMatrix
from probus.anomaly._wrapped_detector import WrappedDetector
from probus.anomaly._z_score import ZScore
from probus.base import Accepts, BaseEstimator, Model, clone, matrix_input
from probus.detection import Explanation, explanation_of, typical_values
from probus.errors import DataError
from probus.neighbors import NearestNeighbors
from probus.parameters import inherited, parameter
from probus.state import Array, Number, Object, Spec


class Neighbourhoods(WrappedDetector):
    """A detector of neighbourhoods: the rows near a row are judged together, where each alone may be usual.

    A neighbourhood is a row and the rows nearest by ``coordinates``, or linked to it by ``graph``. The detector gets
    the mean of each other column over the neighbourhood, less its mean over all rows, times the square root of the
    number of rows: as large by chance for few rows as for many. A new row has the training rows near it as neighbours.
    On a graph only its nodes can be scored.

    Attributes
    ----------
    detector_ : fitted on the neighbourhoods of the training rows. offset_ : the threshold.
    rows_ : the training rows. coordinates_ : the numbers of the columns that are coordinates.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> place = rng.uniform(0, 10, (400, 2))
    >>> level = rng.normal(size=400) + 1.5 * (np.hypot(*(place - 3).T) < 1)  # a region that is a little too high
    >>> model = Neighbourhoods(ZScore(), coordinates=[0, 1], n_neighbors=10, contamination=0.03)
    >>> odd = model.fit_predict(np.column_stack([place, level])) < 0
    >>> bool((np.hypot(*(place[odd] - 3).T) < 1.5).mean() > 0.9)
    True
    """

    detector: Any = inherited(
        doc="The detector that is wrapped; any with ``score_samples``. It gets numeric columns.", kw_only=False
    )
    coordinates: Sequence[str | int] | None = parameter(
        "Names or numbers of the columns that say where a row is. They are not scored. None for a graph.",
        default=None,
        of=[ArrayValue(), NoneAllowed()],
    )
    graph: Any = parameter(
        "The links between the training rows: a matrix of rows × rows, of which entries other than 0 are links.",
        default=None,
        of=[ArrayValue(), SparseMatrix(), NoneAllowed()],
    )
    n_neighbors: int = parameter("The number of rows of a neighbourhood by coordinates.", default=10, at_least=1)
    contamination: float = parameter(
        "The share of outliers among the training rows.", default=0.1, above=0, at_most=0.5
    )

    fitted: ClassVar[dict[str, Spec]] = {
        "detector_": Object(BaseEstimator),
        "offset_": Number(),
        "rows_": Array("f8", "n d"),
        "coordinates_": Array("i8", "*", 0),
        "typical_": Array("f8", "d"),
    }

    @property
    def accepts(self) -> Accepts:
        """Numbers only."""
        return replace(super().accepts, nominal=False, text=False, missing=False)

    @classmethod
    def examples(cls) -> list[Model]:
        """Neighbours by the first column."""
        return [cls(ZScore(), coordinates=[0], n_neighbors=3)]

    def fit(self, X: Any, y: Any = None) -> Neighbourhoods:
        """Fit the detector on the neighbourhoods; y is ignored."""
        rows = matrix_input(self, X, reset=True)
        self.coordinates_ = self._places(rows.shape[1])
        self.rows_ = np.ascontiguousarray(rows, dtype=np.float64)
        self.typical_ = typical_values(rows)
        near = self._means(self.rows_)
        self.detector_ = clone(self.detector).fit(near)
        self.offset_ = float(np.percentile(self.detector_.score_samples(near), 100 * self.contamination))
        return self

    def _places(self, n_columns: int) -> np.ndarray:
        """The numbers of the coordinates."""
        if (self.coordinates is None) == (self.graph is None):
            both = "both coordinates and a graph" if self.graph is not None else "neither coordinates nor a graph"
            raise DataError(f"{both}.", "one of the two")
        if self.coordinates is None:
            return np.empty(0, dtype=np.int64)
        names = list(getattr(self, "feature_names_in_", ()))
        places = []
        for each in self.coordinates:
            if isinstance(each, Integral) and not isinstance(each, bool) and 0 <= int(each) < n_columns:
                places.append(int(each))
            elif each in names:
                places.append(names.index(each))
            else:
                raise DataError(f"the coordinate {each!r}.", f"a column: {', '.join(names) or f'0 to {n_columns - 1}'}")
        if not 0 < len(set(places)) < n_columns:
            raise DataError(f"{len(set(places))} coordinates of n_features={n_columns}.", "some columns, and not all")
        return np.array(sorted(set(places)), dtype=np.int64)

    def _links(self, rows: np.ndarray) -> csr_array:
        """Which training rows are in the neighbourhood of each row, itself left out."""
        n = len(self.rows_)
        if self.coordinates is None:
            if len(rows) != n:
                raise DataError(f"{len(rows)} rows of a graph of {n}.", "all nodes of the graph, in their order")
            graph = self.graph if issparse(self.graph) else np.asarray(self.graph)
            if graph.shape != (n, n):
                raise DataError(f"a graph of shape {graph.shape} and {n} rows.", "as many nodes as rows")
            if graph.dtype.kind not in "buif" or np.isnan(graph.sum()):
                raise DataError(f"a graph of {graph.dtype} with missing entries or text.", "numbers: 0 for no link")
            graph = csr_array(graph)
            links = (graph != 0).astype(np.float64)
            return csr_array(links - links.multiply(eye_array(n)))
        k = min(self.n_neighbors, n)
        at = self.coordinates_
        distances, near = NearestNeighbors(n_neighbors=k).fit(self.rows_[:, at]).kneighbors(rows[:, at])
        taken = np.ones(near.shape, dtype=bool)
        same = (self.rows_[near] == rows[:, None, :]).all(axis=2) & (distances == distances[:, :1])
        own = np.where(same.any(axis=1), same.argmax(axis=1), k - 1)  # itself, or the furthest to make room for it
        taken[np.arange(len(rows)), own] = False
        counts = taken.sum(axis=1)
        return csr_array(
            (np.ones(counts.sum()), near[taken], np.concatenate([[0], np.cumsum(counts)])), shape=(len(rows), n)
        )

    def _means(self, rows: np.ndarray) -> np.ndarray:
        """The columns that are scored, as deviations of neighbourhoods from all rows in units of chance."""
        links = self._links(rows)
        scored = np.setdiff1d(np.arange(rows.shape[1]), self.coordinates_)
        middle = self.rows_[:, scored].mean(axis=0)
        sums = links @ (self.rows_[:, scored] - middle) + rows[:, scored] - middle
        return sums / np.sqrt(np.asarray(links.sum(axis=1)).reshape(-1, 1) + 1.0)

    def score_samples(self, X: Any) -> np.ndarray:
        """How usual the neighbourhood of each row is."""
        check_is_fitted(self)
        return self.detector_.score_samples(self._means(matrix_input(self, X, reset=False)))

    def explain(self, X: Any) -> Explanation:
        """Which columns make the neighbourhoods of rows odd, by the detector's explanation."""
        check_is_fitted(self)
        rows = matrix_input(self, X, reset=False)
        found = self.detector_.explain(self._means(rows))
        added = np.zeros(rows.shape)
        added[:, np.setdiff1d(np.arange(rows.shape[1]), self.coordinates_)] = found.contributions
        return explanation_of(self, rows, found.scores, added)

"""Rows and the distances between them, by any metric: blocks of the matrix of distances, made when needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics import DistanceMetric
from sklearn.neighbors import VALID_METRICS
from sklearn.utils import Tags

from probus.allowed_values import CallableValue, InstanceOf, NoneAllowed, OneOf
from probus.base import Accepts, Model, matrix_input, table_input
from probus.distances._distance import Distance
from probus.distances._minkowski import effective_metric
from probus.distances._registry import DISTANCES, distance_of
from probus.distances.distance_matrix import distance_matrix_input
from probus.distances.typed_rows import encode
from probus.parallel import chunked, thread_count
from probus.parameters import parameter

__all__ = ["METRIC", "MeasuredModel", "MeasuredRows"]

_CELLS = 4_000_000  # of a block


class MeasuredRows:
    """The rows of a model's input, measured by its metric.

    samples : the rows as a matrix of numbers; levels of typed rows by code.
    metric, params : the metric by its plainest name, and its parameters.
    """

    def __init__(self, model: MeasuredModel, X: Any, reset: bool = True):
        self.metric, self.params = model._effective_metric()
        self.samples: Any
        self.distance, self.n_jobs = distance_of(self.metric), getattr(model, "n_jobs", None)
        if self.distance.typed:
            self.rows: Any = table_input(model, X, reset=reset)
            self.samples = encode(self.rows)
        elif self.distance.precomputed and reset:
            self.rows = self.samples = distance_matrix_input(model, X)
        else:
            self.rows = self.samples = matrix_input(model, X, reset=reset, order="C")
        self.n = self.samples.shape[0]
        self._search = None
        if not self.distance.precomputed and not sparse.issparse(self.samples):
            self._search = self.distance.search(self.rows, self.params, "brute")

    def to(self, queries: Any) -> np.ndarray:
        """The distances of some rows, given by number or as a slice, to all; infinite where nothing is comparable."""
        if self.distance.precomputed:
            return np.array(self.samples[queries])
        some = self.rows.take(queries) if self.distance.typed else self.rows[queries]
        return self.between(some)

    def between(self, queries: Any) -> np.ndarray:
        """The distances of other valid rows to all."""
        if self._search is not None:
            found = self._search.distances(queries, self.n_jobs)
            found[np.isnan(found)] = np.inf
            return found
        from sklearn.metrics import pairwise_distances

        return pairwise_distances(queries, self.samples, self.metric, **self.params)

    def blocks(self, wanted: np.ndarray | None = None) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Numbers of rows and their distances to all rows, a block at a time."""
        wanted = np.arange(self.n) if wanted is None else wanted
        size = max(1, _CELLS // self.n)
        for start in range(0, len(wanted), size):
            part = wanted[start : start + size]
            yield part, self.to(part)

    def matrix(self) -> np.ndarray:
        """All distances; rows that are not comparable are as far apart as any are."""
        if self.distance.precomputed:
            given = np.array(self.samples, dtype=np.float64)
            np.fill_diagonal(given, 0.0)
            return given
        out = np.empty((self.n, self.n))
        size = max(1, min(_CELLS // self.n, -(-self.n // 8)))

        def part(start: int, stop: int) -> None:
            out[start:stop] = self.to(np.arange(start, stop))

        chunked(part, self.n, thread_count(self.n_jobs, float(self.n) ** 2 * self.samples.shape[1]), chunk=size)
        fill_incomparable(out)
        return out


class _Metric(OneOf):
    """The names of all distances, which are too many to list in documentation."""

    def __str__(self) -> str:
        return "name of a distance"


_NAMES = _Metric(*sorted({*DISTANCES, *(name for names in VALID_METRICS.values() for name in names)}))
METRIC = parameter(
    'The distance: a name of ``probus.distances``, such as "gower" for typed columns with missing values, or of '
    'scikit-learn, "precomputed" for a matrix of distances, or a function of two rows.',
    default="euclidean",
    of=[_NAMES, CallableValue(), InstanceOf(DistanceMetric)],
)


class MeasuredModel(Model):
    """Parent of models of the distances between rows; what they accept follows from the distance."""

    metric: Any = METRIC
    metric_params: dict[str, Any] | None = parameter(
        "Further parameters of the metric.", default=None, of=[InstanceOf(dict), NoneAllowed()]
    )

    _sparse = True  # whether sparse matrices are taken where the metric does
    _weights = False

    def _effective_metric(self) -> tuple[Any, Mapping[str, Any]]:
        return effective_metric(self.metric, getattr(self, "p", None) or 2, getattr(self, "metric_params", None))

    @property
    def _distance(self) -> Distance:
        return distance_of(self.metric)

    @property
    def accepts(self) -> Accepts:
        """Columns of any kind where the distance measures them; otherwise numbers, on one scale."""
        distance = self._distance
        return Accepts(
            nominal=distance.typed,
            missing=distance.missing,
            sparse=distance.sparse and self._sparse,
            scaled=not distance.typed,
            negative=distance.negative,
            weights=self._weights,
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._distance.precomputed
        return tags


def fill_incomparable(D: np.ndarray) -> None:
    """Count rows without a column in which both have a value as far apart as any rows are."""
    unknown = np.isinf(D)
    if unknown.any():
        D[unknown] = D[~unknown].max(initial=0.0) or 1.0
    np.fill_diagonal(D, 0.0)

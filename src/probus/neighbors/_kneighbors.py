"""What the neighbours models have in common: they keep the rows of the fit, and find the nearest of them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.neighbors import BallTree, KDTree
from sklearn.neighbors import NearestNeighbors as BorrowedNeighbors
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import IntegerIn, NoneAllowed, RealIn
from probus.base import matrix_input, table_input
from probus.data.row_selection import take_rows
from probus.distances import Search, distance_of, effective_metric
from probus.distances.distance_matrix import distance_matrix_input
from probus.distances.measured_rows import METRIC, MeasuredModel
from probus.distances.typed_rows import check_codes, decode, encode
from probus.errors import DataError
from probus.neighbors._voters import Voters, voters
from probus.parameters import N_JOBS, RANDOM_STATE, attribute, parameter
from probus.sklearn_seam import KNeighborsMixin
from probus.state import Array, Size, Spec

_ROWS_A_BLOCK = 256  # queries whose distances to all rows are held at once

N_NEIGHBORS = parameter(
    "k, the number of neighbours; with fewer rows, all of them.",
    default=5,
    of=[IntegerIn(at_least=1), NoneAllowed()],
    kw_only=False,
)
LEAF_SIZE = parameter("It has no effect: leaves have the size that is fastest.", default=30, of=[IntegerIn(at_least=1)])


class NeighborsModel(MeasuredModel, KNeighborsMixin):
    """Parent of the neighbours models; a mixin of scikit-learn's, so that its graphs and embeddings take them."""

    n_neighbors: int = attribute()
    algorithm: str = parameter(
        'How neighbours are found: "brute" computes all distances, "kd_tree" and "ball_tree" search Minkowski '
        "distances "
        'by a k-d tree, and "auto" chooses what is fastest. The result does not depend on it.',
        default="auto",
        one_of=("auto", "ball_tree", "kd_tree", "brute"),
    )
    leaf_size: int = LEAF_SIZE
    metric: Any = METRIC.but(default="minkowski")
    p: float = parameter(
        "The order of Minkowski's distance: 1 is Manhattan, 2 Euclidean. It is only used by that metric.",
        default=2,
        of=[RealIn(above=0, at_most=np.inf), NoneAllowed()],
    )
    n_jobs: int | None = N_JOBS

    fitted: ClassVar[dict[str, Spec]] = {"n_samples_fit_": Size("n"), "samples_": Array("f8", "n d")}

    @property
    def effective_metric_(self) -> Any:
        """The metric by its plainest name."""
        return effective_metric(self.metric, self.p, self.metric_params)[0]

    @property
    def effective_metric_params_(self) -> dict[str, Any]:
        """The parameters of the metric that its name does not imply."""
        return effective_metric(self.metric, self.p, self.metric_params)[1]

    @property
    def _fit_X(self) -> Any:  # scikit-learn's graphs and embeddings, and scripts, read these two
        return self.samples_

    @property
    def _fit_method(self) -> str:
        return self._ready().method

    _symmetric = False  # whether a matrix of distances has to be symmetric

    # -- keeping the rows ------------------------------------------------------------------------------

    def _keep(self, X: Any) -> None:
        """Validate the rows, keep them, and set up the search."""
        self.__dict__.pop("_search", None)
        if self._distance.typed:
            self.samples_ = encode(table_input(self, X, reset=True))
        elif isinstance(X, (BallTree, KDTree, NeighborsModel)):
            self._take_over(X)
        elif self._distance.precomputed:
            self.samples_ = distance_matrix_input(self, X, symmetric=self._symmetric)
        else:
            self.samples_ = matrix_input(self, X, reset=True, order="C")
            if self.samples_.shape[0] == 0:
                raise DataError("n_samples must be greater than 0", "at least one row")
        self.n_samples_fit_ = self.samples_.shape[0]
        self._ready()

    def _take_over(self, other: BallTree | KDTree | NeighborsModel) -> None:
        """Use the search of a fitted model, or one of scikit-learn's trees."""
        if isinstance(other, NeighborsModel):
            self._search: Search = other._ready()
            self.samples_ = other.samples_
        else:
            self._search = BorrowedSearch(self._borrow().fit(other))
            self.samples_ = np.asarray(other.data)
        self.n_features_in_ = self.samples_.shape[1]

    def __getstate__(self) -> dict[str, Any]:
        """Without the search, which takes more room than the rows; scikit-learn's may be one that it was given."""
        state = dict(super().__getstate__())
        if not isinstance(state.get("_search"), BorrowedSearch):
            state.pop("_search", None)
        return state

    def _ready(self) -> Search:
        """The search, set up on first use (after loading)."""
        if "_search" not in self.__dict__:
            self._search = self._set_up()
        return self._search

    def _set_up(self) -> Search:
        if self.metric_params is not None and "p" in self.metric_params and self.p is not None:
            warnings.warn(
                "Parameter p is found in metric_params. The corresponding parameter from __init__ is ignored.",
                SyntaxWarning,
                stacklevel=4,
            )
        if not sparse.issparse(self.samples_):
            metric, params = effective_metric(self.metric, self.p, self.metric_params)
            own = distance_of(metric).search(self._own_rows(), params, self.algorithm)
            if own is not None:
                return own
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Parameter p is found", SyntaxWarning)
            return BorrowedSearch(self._borrow().fit(self.samples_))

    def _borrow(self) -> BorrowedNeighbors:
        return BorrowedNeighbors(
            n_neighbors=self.n_neighbors,
            algorithm=self.algorithm,
            leaf_size=self.leaf_size,
            metric=self.metric,
            p=self.p,
            metric_params=self.metric_params,
            n_jobs=self.n_jobs,
        )

    def check_fitted_state(self) -> None:
        """Codes of a typed table must point into its levels."""
        if self._distance.typed:
            check_codes(self.samples_, self.schema_)

    # -- finding the nearest ---------------------------------------------------------------------------

    def _queries(self, X: Any) -> Any:
        if self._distance.typed:
            return table_input(self, X, reset=False)
        if self._distance.precomputed:
            return X
        queries = matrix_input(self, X, reset=False, order="C")
        if sparse.issparse(queries) and not sparse.issparse(self.samples_):
            if self.algorithm in ("kd_tree", "ball_tree"):
                raise ValueError(
                    f"{self.algorithm} does not work with sparse matrices. Densify the data, or set algorithm='brute'"
                )
            return sparse.csr_matrix(queries).toarray()
        return queries

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> np.ndarray | tuple[np.ndarray, np.ndarray]:
        """The nearest rows of each query, in order of distance, and how far they are.

        Without X the queries are the training rows themselves, none of which is its own neighbour.
        """
        check_is_fitted(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if not isinstance(k, Integral):
            raise TypeError(f"n_neighbors does not take {type(k)} value, enter integer value")
        if k <= 0:
            raise ValueError(f"Expected n_neighbors > 0. Got {k}")
        distances, rows = self._nearest(None if X is None else self._queries(X), int(k))
        return (distances, rows) if return_distance else rows

    def _nearest(self, queries: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances to the k nearest rows of validated queries, of the training rows where None, and their numbers."""
        own = queries is None
        if k + own > self.n_samples_fit_:
            raise ValueError(
                f"Expected n_neighbors {'<' if own else '<='} n_samples_fit, but n_neighbors = {k}, "
                f"n_samples_fit = {self.n_samples_fit_}, "
                f"n_samples = {self.n_samples_fit_ if own else queries.shape[0]}"
            )
        search = self._ready()
        if isinstance(search, BorrowedSearch):
            return search.nearest(queries, k)
        if own:
            return _without_self(*search.nearest(self._own_rows(), k + 1, self.n_jobs))
        return search.nearest(queries, k, self.n_jobs)

    def _within(self, queries: Any, radius: float) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Distances to the rows within a radius of each validated query, and their numbers; see ``_nearest``.

        Queries are measured in blocks; a training row is not within the radius of itself.
        """
        search: Any = self._ready()
        if isinstance(search, BorrowedSearch):
            yield from zip(*search.model.radius_neighbors(queries, radius), strict=True)
            return
        own, queries = queries is None, self._own_rows() if queries is None else queries
        for start in range(0, queries.shape[0], _ROWS_A_BLOCK):
            some = np.arange(start, min(start + _ROWS_A_BLOCK, queries.shape[0]))
            away = search.distances(_take(queries, some), self.n_jobs)
            if own:
                away[np.arange(len(some)), some] = np.nan
            for row in away:
                near = np.flatnonzero(row <= radius)
                yield row[near], near

    def _own_rows(self) -> Any:
        return decode(self.samples_, self.schema_) if self._distance.typed else self.samples_

    def kneighbors_graph(
        self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> sparse.csr_matrix:
        """The graph from each query to its nearest rows, as a sparse matrix of ones or of distances."""
        check_mode(mode)
        distances, rows = self.kneighbors(X, n_neighbors)
        n, k = rows.shape
        data = distances.ravel() if mode == "distance" else np.ones(n * k)
        return sparse.csr_matrix((data, rows.ravel(), np.arange(0, n * k + 1, k)), shape=(n, self.n_samples_fit_))

    def _voters(self, X: Any, rule: str, random_state: Any) -> tuple[int, Iterator[Voters]]:
        """The number of queries, and the neighbours that vote on them by the rule for rows as near as the k-th."""
        check_is_fitted(self)
        near = Near(self, None if X is None else self._queries(X))
        if self._distance.precomputed and sparse.issparse(near.queries):
            rule = "first"  # the graph need not contain further neighbours
        return near.n_queries, voters(near, self.n_neighbors, rule, check_random_state(random_state))


class VotingModel(NeighborsModel):
    """Parent of the neighbours models that predict."""

    weights: str | Callable[..., Any] | None = parameter(
        'The weight of each neighbour: equal ("uniform"), 1/(d + epsilon) of its distance d ("distance"), '
        '(d_k − d)/(d_k − d_1) ("linear"), or a function of the distances. None is "uniform".',
        default="uniform",
        one_of=("uniform", "distance", "linear"),
    )
    epsilon: float = parameter(
        'What is added to the distance by weights="distance". With 0, a neighbour at distance 0 outvotes all others.',
        default=0.0,
        at_least=0,
    )
    distance_ties: str = parameter(
        'Which of the rows as near as the k-th vote. With "share" all of them do, and share the votes that are left, '
        'so that k votes are cast and the order of the training rows does not matter. With "all" each has a full '
        'vote; "first" takes them by row number, and "random" draws them.',
        default="share",
        one_of=("share", "first", "all", "random"),
    )
    random_state: Any = RANDOM_STATE


class Near:
    """The rows of a model near validated queries, near its own rows where these are None; see ``voters``."""

    def __init__(self, model: NeighborsModel, queries: Any):
        self.model, self.queries = model, queries
        self.n_rows = model.n_samples_fit_ - (queries is None)
        self.n_queries = model.n_samples_fit_ if queries is None else queries.shape[0]

    def nearest(self, some: np.ndarray | None, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Distances and rows of the k nearest, queries × k, ascending."""
        if self.queries is not None:
            return self.model._nearest(_take(self.queries, some), k)
        distances, rows = self.model._nearest(None, k)
        return (distances, rows) if some is None else (distances[some], rows[some])

    def distances(self, some: np.ndarray) -> np.ndarray | None:
        """The distance to every row, NaN where it is the query itself; None for a search of scikit-learn."""
        own = self.queries is None
        queries = _take(self.model._own_rows() if own else self.queries, some)
        away = self.model._ready().distances(queries, self.model.n_jobs)
        if away is None:
            return None
        away[np.isnan(away)] = np.inf  # nothing to compare
        if own:
            away[np.arange(len(some)), some] = np.nan
        return away

    def distinct(self, some: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Some of the queries without copies, and for each which of these it is; rows of numbers only.

        The model's own rows are copies where their targets are equal too: none votes on itself.
        """
        queries = self.queries
        if queries is None and isinstance(self.model.samples_, np.ndarray) and not self.model._distance.precomputed:
            queries = np.column_stack([self.model.samples_, self.model.targets_])
        if not isinstance(queries, np.ndarray):
            return some, np.arange(len(some))
        _, first, group = np.unique(queries[some], axis=0, return_index=True, return_inverse=True)
        return some[first], group.reshape(-1)


def check_mode(mode: str) -> None:
    """Raise unless the entries of a graph are ones or distances."""
    if mode not in ("connectivity", "distance"):
        raise ValueError(f'Unsupported mode, must be one of "connectivity", or "distance" but got "{mode}" instead')


class BorrowedSearch:
    """scikit-learn's search, for sparse and precomputed data, callables and the distances without a search here."""

    def __init__(self, model: BorrowedNeighbors):
        self.model, self.method = model, model._fit_method

    def nearest(self, queries: Any, k: int, n_jobs: int | None = None) -> tuple[np.ndarray, np.ndarray]:
        """Distances to the k nearest rows, ascending, and their row numbers."""
        return self.model.kneighbors(queries, k)

    def distances(self, queries: Any, n_jobs: int | None = None) -> None:
        """Not available."""


def _take(queries: Any, some: np.ndarray | None) -> Any:
    """Some of the queries, all of them where None."""
    if some is None:
        return queries
    return take_rows(queries, some)


def _without_self(distances: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Drop each row from its own neighbours; where duplicates took its place, drop the first of them."""
    n, k = rows.shape
    keep = rows != np.arange(n)[:, None]
    keep[keep.all(axis=1), 0] = False
    return distances[keep].reshape(n, k - 1), rows[keep].reshape(n, k - 1)

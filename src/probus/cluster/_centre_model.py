"""What the models with a centre per cluster have in common."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import ArrayValue, CallableValue, IntegerIn, OneOf
from probus.base import (
    Accepts,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    Transformer,
    checked_weights,
    matrix_input,
)
from probus.cluster._lloyd import WeightedRows
from probus.cluster._seeding import plus_plus, random_rows
from probus.display import counted
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.parallel import chunked, thread_count
from probus.parameters import MAX_ITER, RANDOM_STATE, TOL, parameter
from probus.state import Array, Number, Size, Spec

_BLOCK = 4096


Start = Callable[[WeightedRows, int, np.random.RandomState], np.ndarray]


N_INIT = parameter(
    'The number of starts, of which the one with the least sum is kept; "auto" is 1 for k-means++ and arrays, and 10 '
    "otherwise.",
    default="auto",
    of=[OneOf("auto"), IntegerIn(at_least=1)],
)
ITERATIONS = MAX_ITER.but(doc="The most iterations of each start.", default=300)
MOVEMENT = TOL.but(
    doc="Centres that move by less than this, relative to the variances of the columns, end the iteration; 0 does not."
)


class CentreModel(ClassNamePrefixFeaturesOutMixin, ClusterMixin, Transformer):
    """Parent of the models whose clusters have centres; ``transform`` returns the distances to them."""

    accepts = Accepts(weights=True, scaled=True)

    n_clusters: int = parameter("The number of clusters.", default=8, at_least=1, kw_only=False)
    init: Any = parameter(
        'Where the centres start: far from each other ("k-means++"), at random rows, at the rows of an array, or at '
        "what a function of (X, n_clusters, random_state) returns. With 1,024 rows or more for each cluster, "
        '"k-means++" starts from a weighted sample, improved there before all rows are used.',
        default="k-means++",
        of=[OneOf("k-means++", "random"), CallableValue(), ArrayValue()],
    )
    n_init: Any = N_INIT
    max_iter: int = ITERATIONS
    random_state: Any = RANDOM_STATE

    fitted: ClassVar[dict[str, Spec]] = {
        "cluster_centers_": Array("f8", "k d"),
        "labels_": Array("i4", "n", low=0, high="k"),
        "inertia_": Number(),
        "n_iter_": Size("i"),
    }

    _measure = "euclidean"  # of transform

    @abstractmethod
    def predict(self, X: Any) -> np.ndarray:
        """The number of the cluster of each row."""

    def transform(self, X: Any) -> np.ndarray:
        """The distance of each row to each centre."""
        check_is_fitted(self)
        centres = self.cluster_centers_
        precision = np.result_type(precision_of(X), centres)
        X = matrix_input(self, X, reset=False)
        if sparse.issparse(X):
            from sklearn.metrics import euclidean_distances

            return euclidean_distances(X, centres).astype(precision, copy=False)
        X = np.asarray(X, dtype=np.float64)
        out = np.empty((len(X), len(centres)), dtype=precision)

        def part(start: int, stop: int) -> None:
            out[start:stop] = cdist(X[start:stop], centres, self._measure)

        chunked(part, len(X), thread_count(None, float(X.size) * len(centres)), chunk=_BLOCK)
        return out

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Find the centres, and return the distance of each row to each of them."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> np.ndarray:
        """Find the centres, and return the number of the cluster of each row."""
        return self.fit(X, sample_weight=sample_weight).labels_

    @property
    def _n_features_out(self) -> int:
        return self.cluster_centers_.shape[0]

    def _training_rows(self, X: Any, sample_weight: Any) -> tuple[Any, np.ndarray]:
        """Valid rows and weights, enough of them."""
        X = matrix_input(self, X, reset=True)
        weights = checked_weights(sample_weight, X)
        weights = np.ones(X.shape[0]) if weights is None else weights
        check_enough_rows(X.shape[0], self.n_clusters)
        check_squares(X)
        return X, weights

    def _starts(
        self, X: np.ndarray, rows: WeightedRows, middle: np.ndarray, plus_plus: Start = plus_plus
    ) -> Iterator[np.ndarray]:
        """The centres to start from, less the middle, one set for each of ``n_init``."""
        random = check_random_state(self.random_state)
        given = not isinstance(self.init, str) and not callable(self.init)
        n_init = self.n_init
        if n_init == "auto":
            n_init = 10 if callable(self.init) or (not given and self.init == "random") else 1
        if given and n_init != 1:
            warnings.warn(
                "Explicit initial center position passed: performing only one init in "
                f"{type(self).__name__} instead of n_init={n_init}.",
                RuntimeWarning,
                stacklevel=4,
            )
            n_init = 1
        for _ in range(n_init):
            if given:
                yield self._given_centres(self.init, X) - middle
            elif callable(self.init):
                yield self._given_centres(self.init(X, self.n_clusters, random_state=random), X) - middle
            else:
                yield (plus_plus if self.init == "k-means++" else random_rows)(rows, self.n_clusters, random)

    def _given_centres(self, centres: Any, X: np.ndarray) -> np.ndarray:
        centres = check_array(centres, dtype=np.float64, copy=True, order="C")
        for size, wanted, what in (
            (centres.shape[0], self.n_clusters, "clusters"),
            (centres.shape[1], X.shape[1], "features of the data"),
        ):
            if size != wanted:
                raise DataError(
                    f"The shape of the initial centers {centres.shape} does not match the number of {what} {wanted}.",
                    f"{self.n_clusters} rows of {X.shape[1]} numbers",
                )
        return centres


def precision_of(X: Any) -> type:
    """Single precision where that is the input's, as scikit-learn keeps it, else double."""
    return np.float32 if getattr(X, "dtype", None) == np.float32 else np.float64


def check_enough_rows(n: int, k: int) -> None:
    """Raise a DataError where there are fewer rows than clusters."""
    if n < k:
        raise DataError(
            f"n_samples={n} should be >= n_clusters={k}.", "at least a row for each cluster", "Lower n_clusters."
        )


def warn_of_duplicates(found: int, k: int) -> None:
    """Warn where fewer clusters than ``n_clusters`` were found."""
    if found < k:
        warnings.warn(
            f"Number of distinct clusters ({found}) found smaller than n_clusters ({k}). "
            "Possibly due to duplicate points in X.",
            ConvergenceWarning,
            stacklevel=4,
        )


def warn_of_splits(distinct: int, k: int, stacklevel: int = 4) -> None:
    """Warn where identical rows have to be split to have that many clusters."""
    if distinct < k:
        warnings.warn(
            f"X has only {counted(distinct, 'distinct row')} for n_clusters={k}: identical rows are in different "
            "clusters.",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )


def centred_rows(X: np.ndarray, w: np.ndarray, middle: np.ndarray) -> tuple[np.ndarray, WeightedRows]:
    """The rows less their middle, in an order by values alone, so that draws do not depend on that of a table.

    The order comes first: numbers of rows. A row without weight changes nothing. Only one copy of the rows is made, and
    by several threads: writing to new memory for the first time takes longer than the arithmetic.
    """
    threads = thread_count(None, float(X.size))
    counted = X if w.min() > 0 else X[w > 0]
    scale = np.maximum(counted.max(axis=0) - middle, middle - counted.min(axis=0))
    direction = (np.sqrt(np.arange(2.0, X.shape[1] + 2.0)) % 1.0 + 0.5) / np.where(scale > 0, scale, 1.0)
    keys = chunked(lambda start, stop: (X[start:stop] - middle) @ direction, len(X), threads, chunk=_BLOCK)
    order = np.argsort(np.concatenate(keys), kind="stable")
    centred = np.empty(X.shape)

    def part(start: int, stop: int) -> None:
        np.subtract(X[order[start:stop]], middle, out=centred[start:stop])

    chunked(part, len(X), threads, chunk=_BLOCK)
    return order, WeightedRows(centred, w[order])

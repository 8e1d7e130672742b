"""Isolation forests."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.utils import check_random_state, gen_batches
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import IntegerIn, OneOf, RealIn
from probus.base import Accepts, Model, checked_weights, matrix_input
from probus.compiling import read_only
from probus.detection import Detector
from probus.ensemble._isolation_growth import grow_isolation_tree
from probus.ensemble._row_weights import are_counts, mean_one
from probus.ensemble.forest._bags import order_by_content
from probus.ensemble.forest._estimators import Estimators
from probus.errors import ModelFileError
from probus.parallel import chunked, thread_count
from probus.parameters import N_JOBS, RANDOM_STATE, VERBOSE, attribute, parameter
from probus.state import Array, Many, Number, Object, Spec
from probus.tree import ExtraTreeRegressor, Trees, check_columns
from probus.tree.prediction import sums_of

_ROWS_MADE_DENSE = 8192  # at a time, of a sparse matrix


class IsolationForest(Detector):
    r"""How few random splits separate a row from the others (Liu, Ting and Zhou 2008).

    Each tree splits a small sample at random until its rows are alone or ⌈log₂ of its size⌉ deep. The score is
    :math:`-2^{-\bar h(x)/c(s)}` with the mean path length h and that of a random search tree of s rows, c: near −1 for
    outliers, about −0.5 or more for usual rows. scikit-learn's class; missing values go to a random side, or are
    separated from a value that does not vary.

    Attributes
    ----------
    trees_ : all trees; the value of a leaf is its path length.
    max_samples_ : the rows of each tree. offset_ : the threshold.
    estimators_ : the trees one by one, as ``ExtraTreeRegressor`` of the path length.
    estimators_samples_, estimators_features_ : the rows and columns of each tree.

    Examples
    --------
    >>> X = [[-1.1], [0.3], [0.5], [100.0]]
    >>> IsolationForest(random_state=0).fit(X).predict([[0.1], [0.0], [90.0]])
    array([ 1,  1, -1])
    """

    n_estimators: int = parameter("The number of trees.", default=100, at_least=1)
    max_samples: Any = parameter(
        'The rows of each tree, a number or a share; "auto" are 256.',
        default="auto",
        of=[OneOf("auto"), IntegerIn(at_least=1), RealIn(above=0, at_most=1, besides_int=True)],
    )
    contamination: Any = parameter(
        'The share of outliers among the training rows; "auto" are scores below −0.5.',
        default="auto",
        of=[OneOf("auto"), RealIn(above=0, at_most=0.5)],
    )
    max_features: float = parameter(
        "The columns of each tree, a number or a share.",
        default=1.0,
        of=[IntegerIn(at_least=1), RealIn(above=0, at_most=1)],
    )
    bootstrap: bool = parameter("Whether the rows of a tree are drawn with replacement.", default=False)
    n_jobs: int | None = N_JOBS
    random_state: Any = RANDOM_STATE
    verbose: int = VERBOSE
    warm_start: bool = parameter(
        "Whether a further ``fit`` keeps the trees and grows those that are missing.", default=False
    )

    estimators_samples_: list[np.ndarray] = attribute()
    estimators_features_: list[np.ndarray] = attribute()

    accepts = Accepts(missing=True, sparse=True, weights=True)
    fitted: ClassVar[dict[str, Spec]] = {
        **Detector.fitted,
        "trees_": Object(Trees),
        "max_samples_": Number(),
        "estimators_samples_": Many(Array("i4", "*", low=0)),
        "estimators_features_": Many(Array("i4", "*", low=0, high="d")),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """A small forest."""
        return [cls(n_estimators=10)]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> IsolationForest:
        """Grow the trees; y is ignored. Rows are drawn with probabilities proportional to weights."""
        kept: Trees | None = getattr(self, "trees_", None) if self.warm_start else None
        X = matrix_input(self, X, reset=True, order="C")
        n = X.shape[0]
        if isinstance(self.max_samples, Integral) and int(self.max_samples) > n:
            warnings.warn(
                f"max_samples ({self.max_samples}) is greater than the total number of samples ({n}). "
                "max_samples will be set to n_samples for estimation.",
                stacklevel=2,
            )
        urn = Urn.of(X, checked_weights(sample_weight, X))
        wanted = self._number(256 if self.max_samples == "auto" else self.max_samples, len(urn.order))
        self.max_samples_ = min(max(1, wanted), urn.most)
        first = 0 if kept is None else len(kept)
        if first > self.n_estimators:
            raise ValueError(f"n_estimators={self.n_estimators} must be larger or equal to {first} when warm_start")
        new = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=self.n_estimators)[first:]
        grown = chunked(
            lambda start, stop: [self._grow(X, urn, int(seed)) for seed in new[start:stop]],
            len(new),
            thread_count(self.n_jobs, 100.0 * len(new) * self.max_samples_),
            chunk=8,
        )
        members = [each for part in grown for each in part]
        if kept is None:
            self.estimators_samples_, self.estimators_features_ = [], []
        self.trees_ = Trees.joined([*([] if kept is None else [kept]), *(tree for tree, _, _ in members)])
        self.estimators_samples_ = [*self.estimators_samples_, *(rows for _, rows, _ in members)]
        self.estimators_features_ = [*self.estimators_features_, *(columns for _, _, columns in members)]
        self._set_typical(X if not issparse(X) else X[: self.max_samples_].toarray())
        self._set_threshold(lambda: self._scores(X), -0.5, urn.weights)
        return self

    def _number(self, wanted: float, n: int) -> int:
        """A number, at most n, or that share of n."""
        return min(int(wanted), n) if isinstance(wanted, Integral) else int(wanted * n)

    def _grow(self, X: Any, urn: Urn, seed: int) -> tuple[Trees, np.ndarray, np.ndarray]:
        """A tree, and its rows and columns."""
        rng = np.random.default_rng(seed)
        d, width = X.shape[1], max(1, self._number(self.max_features, X.shape[1]))
        rows = urn.drawn(rng, self.max_samples_, self.bootstrap)
        columns = rng.choice(d, width, replace=False) if width < d else np.arange(d)
        tree = self._tree(X, rows.copy(), columns.copy(), int(rng.integers(2**63)))
        return tree, rows.astype(np.int32), columns.astype(np.int32)

    def _tree(self, X: Any, rows: np.ndarray, columns: np.ndarray, seed: int) -> Trees:
        if issparse(X):
            X, rows = X[rows].toarray(), np.arange(len(rows))
        most = 2 * len(rows)
        nodes = [np.empty(most, dtype) for dtype in ("i4", "f8", "i4", "i4", "u1", "i4", "i4")]
        used = grow_isolation_tree(read_only(X), rows, columns, self._deepest(), seed, *nodes)
        feature, threshold, left, right, missing_left, size, depth = (part[:used] for part in nodes)
        return Trees(
            children_left=left,
            children_right=right,
            feature=feature,
            threshold=threshold,
            missing_go_to_left=missing_left,
            subset=np.full(used, -1, np.int32),
            subsets=np.empty(0, np.uint32),
            value=(depth + path_length(size))[:, None, None],
            n_node_samples=size,
            weighted_n_node_samples=size.astype(np.float64),
            n_levels=np.zeros(X.shape[1], np.int64),
        )

    def _deepest(self) -> int:
        return int(np.ceil(np.log2(max(self.max_samples_, 2))))

    @property
    def estimators_(self) -> Estimators:
        """The trees as fitted regression trees, created on access."""
        if not hasattr(self, "trees_"):
            raise AttributeError(f"{type(self).__name__} has no trees yet: call fit.")
        return Estimators(len(self.trees_), self._estimator)

    def _estimator(self, t: int) -> ExtraTreeRegressor:
        tree = ExtraTreeRegressor(max_depth=self._deepest(), max_features=1)
        tree.tree_, tree.max_features_, tree.n_features_in_ = self.trees_[t], 1, self.n_features_in_
        return tree

    def _scores(self, rows: Any) -> np.ndarray:
        if issparse(rows):
            parts = gen_batches(rows.shape[0], _ROWS_MADE_DENSE)
            return np.concatenate([self._scores(rows[part].toarray()) for part in parts])
        paths = sums_of(self.trees_, rows, n_jobs=self.n_jobs)[:, 0] / len(self.trees_)
        longest = float(path_length(np.array([self.max_samples_]))[0])
        return -(2.0 ** -(paths / longest)) if longest else np.full(len(rows), -0.5)

    def score_samples(self, X: Any) -> np.ndarray:
        """The negative of the anomaly score: the lower, the fewer splits separate a row."""
        check_is_fitted(self)
        return self._scores(matrix_input(self, X, reset=False))

    def check_fitted_state(self) -> None:
        """The trees must be of the columns of the model."""
        check_columns(self.trees_, self.n_features_in_, None)
        if not len(self.estimators_samples_) == len(self.estimators_features_) == len(self.trees_):
            raise ModelFileError("trees without their rows and columns.", "those of each tree")


@dataclass(frozen=True)
class Urn:
    """Rows to draw from, in an order that does not depend on that of the table.

    order : the rows, repeated where weights count them. share : the probability of each, None where all are equal.
    weights : of the training rows, None where all are equal.
    """

    order: np.ndarray
    share: np.ndarray | None
    weights: np.ndarray | None

    @classmethod
    def of(cls, X: Any, weights: np.ndarray | None) -> Urn:
        """The rows of a matrix; weights that are small whole numbers count them."""
        order = order_by_content(X, np.zeros(X.shape[0]), weights)
        if weights is None:
            return cls(order, None, None)
        if are_counts(weights):
            return cls(np.repeat(order, weights[order].astype(np.int64)), None, weights)
        share = mean_one(weights)[order]
        return cls(order, None, None) if share.min() == share.max() else cls(order, share / share.sum(), weights)

    @property
    def most(self) -> int:
        """The number of rows that can be drawn without repetition."""
        return len(self.order) if self.share is None else int(np.count_nonzero(self.share))

    def drawn(self, rng: np.random.Generator, n: int, replace: bool) -> np.ndarray:
        """Numbers of n rows."""
        return self.order[rng.choice(len(self.order), n, replace=replace, p=self.share)].astype(np.int64)


def path_length(size: np.ndarray) -> np.ndarray:
    """The mean number of comparisons of an unsuccessful search in a random search tree of so many rows, c.

    >>> path_length(np.array([1, 2, 256])).round(3)
    array([ 0.   ,  1.   , 10.245])
    """
    n = np.maximum(size, 2).astype(np.float64)
    harmonic = np.log(n - 1.0) + np.euler_gamma
    return np.where(size <= 1, 0.0, np.where(size == 2, 1.0, 2.0 * harmonic - 2.0 * (n - 1.0) / n))

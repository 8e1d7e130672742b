"""Classification by the vote of the nearest rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from sklearn.base import MultiOutputMixin
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.validation import check_is_fitted

from probus.base import Classifier, Model, encoded_classes, target_array
from probus.neighbors.kneighbors import WEIGHING, NeighborsModel
from probus.neighbors.votes import class_shares, nearest_of_class, vote_weights, winners
from probus.state import Array, Either, Labels, Many, Spec

__all__ = ["KNeighborsClassifier"]

_Votes = list[tuple[np.ndarray, np.ndarray]]  # of each output: the shares of the classes, how near the nearest are


class KNeighborsClassifier(MultiOutputMixin, Classifier, NeighborsModel):
    r"""The majority of the k nearest rows; probabilities are the shares of their votes.

    scikit-learn's class and parameters, and in addition:

    Parameters
    ----------
    metric : as in scikit-learn, or ``"gower"`` (typed columns with missing values; ``metric_params`` may hold
        ``weights``, a number per column, and ``asymmetric``, names of binary columns) or ``"hellinger"`` (shares).
    weights : ``"uniform"``, ``"distance"`` (1/(d + epsilon)), ``"linear"`` ((d_k − d)/(d_k − d_1)), or a callable.
    epsilon : added to the distance before it is inverted. With 0, as in scikit-learn, a neighbour at distance 0
        outvotes all others.
    distance_ties : which of the rows as near as the k-th vote. ``"share"``: all of them, which share the votes that are
        left, so that k votes are cast and the order of the training rows does not matter; ``"all"``: each has a full
        vote; the ``"first"`` by row number, as in scikit-learn; or a ``"random"`` choice.
    vote_ties : which of the classes with equal votes is predicted: the ``"first"`` in order of the classes, that of
        the ``"nearest"`` neighbour (of several, the first in order), by ``"prior"`` the most frequent in training, or a
        ``"random"`` choice.
    random_state : for random ties.

    >>> people = {"sex": ["m", "w", "w", "m"], "age": [61, 22, None, 59]}
    >>> import polars as pl
    >>> model = KNeighborsClassifier(n_neighbors=1, metric="gower").fit(pl.DataFrame(people), ["b", "a", "a", "b"])
    >>> model.predict(pl.DataFrame({"sex": ["w"], "age": [30]}))
    array(['a'], dtype='<U1')
    """

    fitted: ClassVar[dict[str, Spec]] = {
        **NeighborsModel.fitted,
        "classes_": Either(Labels("K"), Many(Labels("*"), "m")),
        "targets_": Either(Array("i8", "n", 0, "K"), Array("i8", "n m", 0)),
    }

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        **NeighborsModel._parameter_constraints,
        **WEIGHING,
        "vote_ties": [StrOptions({"first", "nearest", "prior", "random"})],
    }

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: str | Callable | None = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: Any = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        epsilon: float = 0.0,
        distance_ties: str = "share",
        vote_ties: str = "first",
        random_state: Any = None,
    ):
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.epsilon = epsilon
        self.distance_ties = distance_ties
        self.vote_ties = vote_ties
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Model]:
        """One for numbers, two for typed columns with weighted votes."""
        return [cls(3), cls(3, metric="gower", weights="distance"), cls(3, metric="gower", weights="linear")]

    def fit(self, X: Any, y: Any) -> KNeighborsClassifier:
        """Keep the rows and their classes; y may have several columns."""
        self._validate_params()
        self._keep(X)
        outputs = _outputs(y)
        coded = [encoded_classes(output, self.n_samples_fit_) for output in outputs]
        targets = np.column_stack([codes for _, codes in coded]).astype(np.int64)
        several = len(outputs) > 1
        self.classes_: Any = [classes for classes, _ in coded] if several else coded[0][0]
        self.targets_ = targets if several else targets[:, 0]
        return self

    @property
    def outputs_2d_(self) -> bool:
        """Whether y had several columns."""
        return self.targets_.ndim == 2

    def predict(self, X: Any) -> np.ndarray:
        """The class with most votes; where X is None, of each training row by its neighbours."""
        return self._winners(self._votes(X))

    def predict_proba(self, X: Any) -> np.ndarray | list[np.ndarray]:
        """The share of the vote of each class; a list of such arrays where y had several columns."""
        return self._shares(self._votes(X))

    def predict_with_proba(self, X: Any) -> tuple[np.ndarray, np.ndarray | list[np.ndarray]]:
        """What ``predict`` and ``predict_proba`` return; the neighbours are found once."""
        votes = self._votes(X)
        return self._winners(votes), self._shares(votes)

    def _winners(self, votes: _Votes) -> np.ndarray:
        rng = check_random_state(self.random_state)
        chosen = []
        for (classes, targets), (shares, nearest) in zip(self._targets(), votes, strict=True):
            prior = np.bincount(targets, minlength=len(classes))
            chosen.append(classes[winners(shares, self.vote_ties, prior, nearest, rng)])
        return np.column_stack(chosen) if self.outputs_2d_ else chosen[0]

    def _shares(self, votes: _Votes) -> np.ndarray | list[np.ndarray]:
        shares = [shares for shares, _ in votes]
        return shares if self.outputs_2d_ else shares[0]

    def _targets(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Per output: its classes, and the training codes."""
        check_is_fitted(self)
        if self.outputs_2d_:
            return list(zip(self.classes_, self.targets_.T, strict=True))
        return [(self.classes_, self.targets_)]

    def _votes(self, X: Any) -> _Votes:
        """Per output: the shares of the vote, and (for ties by "nearest") how far the nearest of each class is."""
        outputs = self._targets()
        n_queries, blocks = self._voters(X, self.distance_ties, self.random_state)
        votes = [(np.empty((n_queries, len(classes))), np.zeros((n_queries, len(classes)))) for classes, _ in outputs]
        for block in blocks:
            weights = vote_weights(block.distances, block.parts, self.weights, self.epsilon)
            for (classes, targets), (shares, nearest) in zip(outputs, votes, strict=True):
                codes = targets[block.rows]
                shares[block.queries] = class_shares(codes, weights, len(classes))[block.each]
                if self.vote_ties == "nearest":
                    found = nearest_of_class(codes, block.distances, len(classes))
                    nearest[block.queries] = found[block.each]
        return votes


def _outputs(y: Any) -> list[Any]:
    """The columns of a target; usually one."""
    columns = target_array(y)
    return list(columns.T) if columns.ndim == 2 and columns.shape[1] > 1 else [y]

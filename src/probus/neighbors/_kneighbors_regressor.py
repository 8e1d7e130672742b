"""Regression by the mean of the nearest rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import MultiOutputMixin
from sklearn.utils.validation import check_array, check_consistent_length

from probus.base import Model, Regressor
from probus.errors import DataError
from probus.neighbors._kneighbors import N_NEIGHBORS, NeighborsModel, VotingModel
from probus.neighbors._votes import vote_weights
from probus.state import Array, Either, Spec


class KNeighborsRegressor(MultiOutputMixin, Regressor, VotingModel):
    """The mean, weighted or not, of the targets of the k nearest rows.

    scikit-learn's class and parameters; ``metric="gower"``, ``weights="linear"``, ``epsilon`` and ``distance_ties`` as
    in ``KNeighborsClassifier``.

    >>> KNeighborsRegressor(n_neighbors=2).fit([[0], [1], [5]], [0.0, 1.0, 9.0]).predict([[0.4]])
    array([0.5])
    """

    n_neighbors: int = N_NEIGHBORS

    fitted: ClassVar[dict[str, Spec]] = {
        **NeighborsModel.fitted,
        "targets_": Either(Array("f8", "n"), Array("f8", "n m")),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """One for numbers, two for typed columns with weighted means."""
        return [cls(3), cls(3, metric="gower", weights="distance"), cls(3, metric="gower", weights="linear")]

    def fit(self, X: Any, y: Any) -> KNeighborsRegressor:
        """Keep the rows and their targets; y may have several columns."""
        if y is None:
            raise DataError("requires y to be passed, but the target y is None.", "one number per row")
        self._keep(X)
        self.targets_ = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        check_consistent_length(self.samples_, self.targets_)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The mean target of the neighbours; where X is None, of each training row by its neighbours."""
        n_queries, blocks = self._voters(X, self.distance_ties, self.random_state)
        means = np.empty((n_queries, *self.targets_.shape[1:]))
        for block in blocks:
            weights = vote_weights(block.distances, block.parts, self.weights, self.epsilon)
            near = self.targets_[block.rows]
            if weights is None:
                means[block.queries] = near.mean(axis=1)[block.each]
            else:
                weights = weights / weights.sum(axis=1, keepdims=True)
                means[block.queries] = np.einsum("qk,qk...->q...", weights, near)[block.each]
        return means

"""A random forest as the surrogate model of Bayesian optimisation."""

from __future__ import annotations

import numpy as np


class ForestSurrogate:
    """Extremely random trees: the mean of their predictions and the deviation between them, as in SMAC.

    Suits spaces with many choices and conditions, and scores with jumps.
    """

    def __init__(self, groups: np.ndarray, n_trees: int = 40):
        self.n_trees = n_trees

    def fit(self, X: np.ndarray, y: np.ndarray, starts: int = 1) -> ForestSurrogate:
        """Grow the trees on bootstrap samples."""
        from probus.ensemble import ExtraTreesRegressor

        forest = ExtraTreesRegressor(
            self.n_trees, min_samples_leaf=2, max_features=0.8, bootstrap=True, n_jobs=1, random_state=len(y)
        )
        self._trees = forest.fit(X, y).estimators_
        self._floor = 1e-3 * (float(y.std()) or 1.0)  # trees that agree leave some doubt
        return self

    def predict(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The mean and the standard deviation of the trees' predictions."""
        predictions = np.array([tree.predict(X) for tree in self._trees])
        return predictions.mean(axis=0), np.maximum(predictions.std(axis=0), self._floor)

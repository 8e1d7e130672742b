"""Local outlier factors."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from probus.base import Model
from probus.detection import CONTAMINATION, Detector, Explanation
from probus.errors import DataError
from probus.neighbors._kneighbors import N_NEIGHBORS, NeighborsModel
from probus.parameters import parameter
from probus.state import Array, Maybe, Size, Spec

_TINY = 1e-10  # of more copies of a row than neighbours, the density would be infinite


def _for_new_rows(model: Any) -> bool:
    if not model.novelty:
        raise AttributeError(
            "predict is not available when novelty=False, nor are score_samples, decision_function and explain: the "
            "scores of the training rows are negative_outlier_factor_, and fit_predict predicts them. Use novelty=True "
            "to fit on usual rows and score new ones."
        )
    return True


def _for_training_rows(model: Any) -> bool:
    if model.novelty:
        raise AttributeError("fit_predict is not available when novelty=True. Use novelty=False for training rows.")
    return True


class LocalOutlierFactor(NeighborsModel, Detector):
    r"""How much less dense the surroundings of a row are than those of its neighbours (Breunig et al. 2000).

    .. math:: \text{LOF}(x) = \frac1k\sum_{z\in N_k(x)} \frac{\text{lrd}(z)}{\text{lrd}(x)},\quad
              \text{lrd}(x)^{-1} = \frac1k\sum_{z\in N_k(x)} \max(d(x, z), d_k(z))

    scikit-learn's class with our distances: ``metric="gower"`` takes tables with nominal columns and missing values.

    Attributes
    ----------
    negative_outlier_factor_ : array of n
        Of the training rows; about −1 for usual ones.
    offset_ : float
        The threshold. n_neighbors_ : the number of neighbours used.

    Examples
    --------
    >>> LocalOutlierFactor(n_neighbors=2).fit_predict([[-1.1], [0.2], [101.1], [0.3]])
    array([ 1,  1, -1,  1])
    """

    n_neighbors: int = N_NEIGHBORS.but(default=20)
    contamination: Any = replace(
        CONTAMINATION, doc='The share of outliers among the training rows; "auto" is factors above 1.5.'
    )
    novelty: bool = parameter(
        "Whether the model is fitted on usual rows and used for new ones, by ``predict``, ``score_samples``, "
        "``decision_function`` and ``explain``. Otherwise the training rows are scored: ``fit_predict`` and "
        "``negative_outlier_factor_``.",
        default=False,
    )

    fitted: ClassVar[dict[str, Spec]] = {
        **NeighborsModel.fitted,
        **Detector.fitted,
        "typical_": Maybe(Array("f8", "d")),
        "negative_outlier_factor_": Array("f8", "n"),
        "n_neighbors_": Size("k"),
        "reach_": Array("f8", "n"),
        "densities_": Array("f8", "n"),
    }

    _symmetric = True

    @classmethod
    def examples(cls) -> list[Model]:
        """Of training rows, of new rows, and of typed columns."""
        return [cls(5), cls(5, novelty=True), cls(5, novelty=True, metric="gower")]

    def fit(self, X: Any, y: Any = None) -> LocalOutlierFactor:
        """Compute the factors of the training rows; y is ignored."""
        self._keep(X)
        n = self.n_samples_fit_
        if n < 2:
            raise DataError(
                "Expected n_neighbors < n_samples_fit, but n_neighbors = 1, n_samples_fit = 1, n_samples = 1: a row "
                "without others has no neighbours.",
                "at least 2 rows",
            )
        if self.n_neighbors > n:
            warnings.warn(
                f"n_neighbors ({self.n_neighbors}) is greater than the total number of samples ({n}). "
                "n_neighbors will be set to (n_samples - 1) for estimation.",
                stacklevel=2,
            )
        self.n_neighbors_ = max(1, min(self.n_neighbors, n - 1))
        distances, rows = self._nearest(None, self.n_neighbors_)
        distances = _measure(distances)
        self.reach_ = distances[:, -1].copy()
        self.densities_ = self._density(distances, rows)
        self.negative_outlier_factor_ = -(self.densities_[rows] / self.densities_[:, None]).mean(axis=1)
        self._set_threshold(self.negative_outlier_factor_, -1.5)
        if isinstance(self.samples_, np.ndarray) and not self._distance.precomputed:
            self._set_typical(self._own_rows())
        if self.negative_outlier_factor_.min() < -1e7 and not self.novelty:
            warnings.warn(
                "Duplicate values are leading to incorrect results. "
                "Increase the number of neighbors for more accurate results.",
                stacklevel=2,
            )
        return self

    def _density(self, distances: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """The local reachability density, lrd."""
        return 1.0 / (np.maximum(distances, self.reach_[rows]).mean(axis=1) + _TINY)

    @available_if(_for_training_rows)
    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """Fit, and return −1 for outliers among the training rows, 1 for others."""
        self.fit(X)
        return np.where(self.negative_outlier_factor_ < self.offset_, -1, 1)

    def _scores(self, rows: Any) -> np.ndarray:
        distances, near = self._nearest(rows, self.n_neighbors_)
        density = self._density(_measure(distances), near)
        return -(self.densities_[near] / density[:, None]).mean(axis=1)

    @available_if(_for_new_rows)
    def score_samples(self, X: Any) -> np.ndarray:
        """The negative factors of new rows, none of which is a neighbour of another."""
        check_is_fitted(self)
        return self._scores(self._queries(X))

    @available_if(_for_new_rows)
    def decision_function(self, X: Any) -> np.ndarray:
        """``score_samples`` less the threshold: negative for outliers."""
        return self.score_samples(X) - self.offset_

    @available_if(_for_new_rows)
    def predict(self, X: Any) -> np.ndarray:
        """1 for usual rows, −1 for outliers."""
        return np.where(self.decision_function(X) < 0, -1, 1)

    @available_if(_for_new_rows)
    def explain(self, X: Any) -> Explanation:
        """Which columns make new rows odd."""
        return Detector.explain(self, X)


def _measure(distances: np.ndarray) -> np.ndarray:
    """Rows that cannot be compared are as far away as the furthest that can."""
    known = np.isfinite(distances)
    return distances if known.all() else np.where(known, distances, distances[known].max(initial=0.0))

"""K-means with soft assignments."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import logsumexp
from sklearn.utils.validation import check_is_fitted

from probus.base import Model, matrix_input
from probus.cluster._centre_model import MOVEMENT, CentreModel, centred_rows, warn_of_duplicates
from probus.cluster._lloyd import WeightedRows
from probus.parameters import parameter
from probus.state import Number, Spec


class SoftKMeans(CentreModel):
    r"""K-means in which a row belongs to every cluster, to near ones more.

    .. math:: r_{ik} \propto \exp(-\beta \lVert x_i - \mu_k \rVert^2), \qquad
        \mu_k = \frac{\sum_i w_i r_{ik} x_i}{\sum_i w_i r_{ik}}

    Both steps lower the free energy :math:`-\frac{1}{\beta} \sum_i w_i \log \sum_k \exp(-\beta \lVert x_i - \mu_k
    \rVert^2)`. A large β gives k-means; below a critical β all centres coincide.

    Attributes
    ----------
    cluster_centers_, labels_, n_iter_
        As of ``KMeans``; ``labels_`` are the clusters of greatest membership.
    inertia_ : float
        The sum of squared distances, each by its membership.
    free_energy_ : float

    Examples
    --------
    >>> model = SoftKMeans(n_clusters=2, stiffness=1.0, random_state=0).fit([[0.0], [1.0], [9.0], [10.0]])
    >>> model.predict_proba([[5.0]]).round(2)
    array([[0.5, 0.5]])
    """

    stiffness: float = parameter("β, in the inverse square of the unit of the columns.", default=1.0, above=0)
    tol: float = MOVEMENT.but(default=1e-6)

    fitted: ClassVar[dict[str, Spec]] = {**CentreModel.fitted, "free_energy_": Number()}

    @classmethod
    def examples(cls) -> list[Model]:
        """Of clear clusters, so that rounding decides no label."""
        return [cls(n_clusters=2, stiffness=5.0, tol=1e-12)]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> SoftKMeans:
        """Find the centres; y is ignored."""
        X, weights = self._training_rows(X, sample_weight)
        middle = np.average(X, axis=0, weights=weights)
        _, rows = centred_rows(X, weights, middle)
        tol = self.tol * float(np.average(rows.X**2, axis=0, weights=rows.w).mean())
        found = [self._iterate(rows, start, tol) for start in self._starts(X, rows, middle)]
        centres, self.free_energy_, self.n_iter_ = min(found, key=lambda fit: fit[1])
        self.cluster_centers_ = centres + middle
        squares = cdist(X, self.cluster_centers_, "sqeuclidean")
        shares = np.exp(self._log_shares(squares))
        self.inertia_ = float(weights @ (shares * squares).sum(axis=1))
        self.labels_ = squares.argmin(axis=1).astype(np.int32)
        if len(np.unique(self.labels_)) < self.n_clusters:  # by few distinct rows, or by centres that coincide
            warn_of_duplicates(len(np.unique(X, axis=0)), self.n_clusters)
        return self

    def _iterate(self, rows: WeightedRows, centres: np.ndarray, tol: float) -> tuple[np.ndarray, float, int]:
        n_iter = 0
        while n_iter < self.max_iter:
            n_iter += 1
            shares = np.exp(self._log_shares(cdist(rows.X, centres, "sqeuclidean"))) * rows.w[:, None]
            weight = shares.sum(axis=0)
            held = weight > 0
            moved = centres.copy()
            moved[held] = shares.T[held] @ rows.X / weight[held, None]
            shift = float(((moved - centres) ** 2).sum())
            centres = moved
            if shift <= tol:
                break
        logs = logsumexp(-self.stiffness * cdist(rows.X, centres, "sqeuclidean"), axis=1)
        return centres, -float(rows.w @ logs) / self.stiffness, n_iter

    def _log_shares(self, squares: np.ndarray) -> np.ndarray:
        logs = -self.stiffness * squares
        return logs - logsumexp(logs, axis=1, keepdims=True)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The membership of each row in each cluster."""
        return np.exp(self._log_shares(self.transform(X) ** 2))

    def predict(self, X: Any) -> np.ndarray:
        """The cluster of greatest membership, which has the nearest centre."""
        check_is_fitted(self)
        X = matrix_input(self, X, reset=False)
        return cdist(X, self.cluster_centers_, "sqeuclidean").argmin(axis=1).astype(np.int32)

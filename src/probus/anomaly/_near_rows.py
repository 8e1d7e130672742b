"""Distances to the nearest rows, and the number of rows nearby."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import OneOf, RealIn
from probus.base import Model
from probus.detection import CONTAMINATION, Detector, with_typical
from probus.distances import KDTreeSearch
from probus.neighbors import N_NEIGHBORS, NeighborsModel
from probus.parameters import parameter
from probus.state import Array, Maybe, Number, Spec

_TINIEST = float(np.finfo(float).tiny ** 0.5)
_SAME = 1e-10  # of the distance of the k-th neighbour: nearer rows are the row itself


class NearRows(NeighborsModel, Detector):
    """Parent of detectors that keep the training rows."""

    fitted: ClassVar[dict[str, Spec]] = {
        **NeighborsModel.fitted,
        **Detector.fitted,
        "training_scores_": Array("f8", "n"),
    }

    _sparse = False
    _symmetric = True

    def fit(self, X: Any, y: Any = None) -> Any:
        """Keep the rows; y is ignored."""
        self._keep(X)
        self._set_up_scores()
        self._set_typical(self._own_rows())
        self.training_scores_ = self._scores(self._own_rows())
        self._set_threshold(self.training_scores_, None)
        return self

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """Fit, and return −1 for outliers among the training rows, 1 for others."""
        self.fit(X)
        return np.where(self.training_scores_ < self.offset_, -1, 1)

    def _set_up_scores(self) -> None:
        """What scores need beside the rows."""

    def score_samples(self, X: Any) -> np.ndarray:
        """How near the other rows are: larger for more usual rows."""
        check_is_fitted(self)
        return self._scores(self._queries(X))

    def _scores(self, rows: Any) -> np.ndarray:
        return self._scores_without(rows, None)

    def _scores_without(self, rows: Any, itself: np.ndarray | None) -> np.ndarray:
        """Scores by all training rows but one for each row, by default the one that it equals."""
        raise NotImplementedError

    def _itself(self, rows: Any) -> np.ndarray:
        """The training row that each row equals, −1 where it equals none."""
        return _equal_rows(*self._nearest(rows, min(self.n_neighbors + 1, self.n_samples_fit_)))

    def _contributions(self, rows: Any, scores: np.ndarray) -> np.ndarray:
        """As of any detector, but a changed training row is no neighbour of itself either."""
        itself = self._itself(rows)
        added = np.empty((len(scores), rows.shape[1]))
        for j in range(rows.shape[1]):
            added[:, j] = self._scores_without(with_typical(rows, j, self.typical_[j]), itself) - scores
        return added

    def _others(self, rows: Any, itself: np.ndarray | None = None) -> np.ndarray:
        """The distances to the k nearest training rows, without one for each row, by default the one that it equals."""
        return self._other_rows(rows, itself)[0]

    def _other_rows(self, rows: Any, itself: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """These distances, and which rows they are."""
        k = min(self.n_neighbors, max(self.n_samples_fit_ - 1, 1))
        distances, near = self._nearest(rows, min(k + 1, self.n_samples_fit_))
        itself = _equal_rows(distances, near) if itself is None else itself
        known = np.isfinite(distances)  # rows that cannot be compared are as far away as the furthest that can
        distances = np.where(known, distances, distances[known].max(initial=0.0))
        if distances.shape[1] == k:
            return distances, near
        kept = near != itself[:, None]
        kept[kept.all(axis=1), -1] = False
        return distances[kept].reshape(-1, k), near[kept].reshape(-1, k)


def _equal_rows(distances: np.ndarray, near: np.ndarray) -> np.ndarray:
    """The nearest row where it is at no distance, else −1."""
    furthest = np.where(np.isfinite(distances), distances, 0.0).max(axis=1)
    return np.where(distances[:, 0] <= _SAME * furthest, near[:, 0], -1)


class KNearestDistance(NearRows):
    """Rows far from their nearest neighbours (Ramaswamy, Rastogi and Shim 2000), by any distance, Gower's included.

    A row that equals a training row is scored as that row, which is not its own neighbour. The density of "inverse" is
    the mean of inverse distances; the inverse of the mean distance, which is sometimes given for it, is less for the
    same row. "relative" divides it by the mean density of the neighbours, so that rows at the border of a sparse group
    are as usual as those of a dense one. There a distance of 0 counts as the smallest above 0 between training rows and
    their neighbours: a copy among its neighbours would make any row an outlier.

    Attributes
    ----------
    training_scores_ : the scores of the training rows. offset_ : the threshold.
    densities_, least_ : the density of each training row and the smallest distance, for "relative".

    Examples
    --------
    >>> KNearestDistance(2, contamination=0.2).fit_predict([[0.0], [0.1], [0.2], [0.4], [9.0]])
    array([ 1,  1,  1,  1, -1])
    """

    n_neighbors: int = N_NEIGHBORS
    method: str = parameter(
        'The score is the negative distance to the k-th neighbour ("largest") or to the k neighbours on '
        'average ("mean"), the mean of their inverse distances, a density ("inverse"), or this density divided by the '
        'mean one of the neighbours ("relative").',
        default="largest",
        one_of=("largest", "mean", "inverse", "relative"),
    )
    contamination: Any = CONTAMINATION

    fitted: ClassVar[dict[str, Spec]] = {
        **NearRows.fitted,
        "densities_": Maybe(Array("f8", "n")),
        "least_": Maybe(Number()),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Of numbers, and of typed columns."""
        return [cls(3), cls(3, method="inverse", metric="gower"), cls(3, method="relative")]

    def _set_up_scores(self) -> None:
        self.densities_: Any = None
        self.least_: Any = None
        if self.method == "relative":
            distances = self._others(self._own_rows())
            self.least_ = float(distances[distances > 0].min(initial=_TINIEST if not distances.any() else np.inf))
            self.densities_ = _density(distances, self.least_)

    def _scores_without(self, rows: Any, itself: np.ndarray | None) -> np.ndarray:
        distances, near = self._other_rows(rows, itself)
        if self.method == "inverse":
            return _density(distances)
        if self.method == "relative":
            return _density(distances, self.least_) / self.densities_[near].mean(axis=1)
        return -(distances[:, -1] if self.method == "largest" else distances.mean(axis=1))


def _density(distances: np.ndarray, least: float = _TINIEST) -> np.ndarray:
    """The mean of the inverse distances to the neighbours, shorter ones counted as the least."""
    return (1.0 / np.maximum(distances, least)).mean(axis=1)


class RadiusCount(NearRows):
    """Rows with few others within a radius (Knorr and Ng 1998): the score is their number, without the row itself.

    Attributes
    ----------
    radius_ : the radius. training_scores_, offset_ : as of ``KNearestDistance``.

    Examples
    --------
    >>> RadiusCount(1.0).fit([[0.0], [0.1], [0.2], [0.4], [9.0]]).score_samples([[0.0], [0.3], [9.0]])
    array([3., 4., 0.])
    """

    radius: Any = parameter(
        'The radius; "auto" is the median distance of the training rows to their ``n_neighbors``-th neighbours.',
        default="auto",
        of=[OneOf("auto"), RealIn(above=0)],
        kw_only=False,
    )
    n_neighbors: int = replace(
        N_NEIGHBORS, doc='The neighbour whose distance gives the radius "auto".', default=10, kw_only=True
    )
    contamination: Any = CONTAMINATION

    fitted: ClassVar[dict[str, Spec]] = {**NearRows.fitted, "radius_": Number()}

    @classmethod
    def examples(cls) -> list[Model]:
        """Of numbers, and of typed columns."""
        return [cls(), cls(0.3, metric="gower")]

    def _set_up_scores(self) -> None:
        if self.radius == "auto":
            self.radius_ = float(np.median(self._others(self._own_rows())[:, -1]))
        else:
            self.radius_ = float(self.radius)

    def _scores_without(self, rows: Any, itself: np.ndarray | None) -> np.ndarray:
        itself = self._itself(rows) if itself is None else itself
        search = self._ready()
        if isinstance(search, KDTreeSearch):
            return search.count(rows, self.radius_, itself, self.n_jobs).astype(np.float64)
        near = (found for _, found in self._within(rows, self.radius_))
        return np.array([float(len(found) - (own in found)) for found, own in zip(near, itself, strict=True)])

"""Metric and non-metric multidimensional scaling."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import pdist, squareform
from sklearn.isotonic import isotonic_regression
from sklearn.utils import check_random_state

from probus.allowed_values import OneOf, TrueOrFalse
from probus.base import Model
from probus.errors import DataError
from probus.manifold._classical import classical_positions
from probus.manifold._map_input import MapModel
from probus.parameters import N_JOBS, RANDOM_STATE, VERBOSE, parameter
from probus.state import Number, Spec


class MDS(MapModel):
    r"""Positions whose distances d are close to the given ones δ: :math:`\sum_{i<j} (d_{ij} - \hat d_{ij})^2` is least.

    Metric scaling has :math:`\hat d = \delta`; of non-metric scaling only the order of δ counts, and :math:`\hat d` is
    the best monotone function of it (Kruskal 1964). Each step of majorisation lowers the stress (SMACOF, De Leeuw
    1977). scikit-learn's class, with every distance of Probus and starts from classical scaling.

    Attributes
    ----------
    embedding_ : the position of each row. dissimilarity_matrix_ : the given distances.
    stress_ : at the end. Of Stress-1, 0.05 is good, 0.1 fair and 0.2 poor. n_iter_ : steps of the best start.

    Examples
    --------
    >>> model = MDS(1, random_state=0).fit([[0.0], [3.0], [4.0]])
    >>> np.abs(np.diff(model.embedding_.ravel())).round(2)
    array([3., 1.])
    """

    n_components: int = parameter("The number of dimensions of the map.", default=2, at_least=1, kw_only=False)
    metric_mds: bool = parameter(
        "Whether scaling is metric; non-metric scaling uses only the order of the distances.", default=True
    )
    n_init: int = parameter(
        'The number of random starts where ``init`` is "random"; the best is kept.', default=1, at_least=1
    )
    init: str = parameter(
        "The positions to start from: those of classical scaling, or random ones.",
        default="classical_mds",
        one_of=("random", "classical_mds"),
    )
    max_iter: int = parameter("The most steps from a start.", default=300, at_least=1)
    verbose: int = VERBOSE.but(doc="It has no effect; scikit-learn has it.")
    eps: float = parameter(
        "The change of the stress, divided by the squared distances, that ends the steps from a start.",
        default=1e-6,
        at_least=0.0,
    )
    n_jobs: int | None = N_JOBS.but(doc="It has no effect; products of matrices use all cores.")
    random_state: Any = RANDOM_STATE
    dissimilarity: str = parameter(
        "scikit-learn's former name of ``metric``.",
        default="deprecated",
        one_of=("precomputed", "deprecated", "euclidean"),
    )
    normalized_stress: Any = parameter(
        'Whether ``stress_`` is Stress-1, the root of the stress divided by the squared disparities; "auto" '
        "is for non-metric scaling.",
        default="auto",
        of=[TrueOrFalse(), OneOf("auto")],
    )

    fitted: ClassVar[dict[str, Spec]] = {**MapModel.fitted, "stress_": Number(), "n_iter_": Number()}

    @classmethod
    def examples(cls) -> list[Model]:
        """Of numbers, and of typed columns by the order of their distances."""
        return [cls(max_iter=20), cls(metric="gower", metric_mds=False, max_iter=20)]

    def fit(self, X: Any, y: Any = None, init: Any = None) -> MDS:
        """Find the positions, from those in ``init`` where given; y is ignored."""
        self.fit_transform(X, init=init)
        return self

    def fit_transform(self, X: Any, y: Any = None, init: Any = None) -> np.ndarray:
        """Find the positions and return them."""
        if self.dissimilarity != "deprecated":
            warnings.warn(
                "The `dissimilarity` parameter is deprecated. Use `metric` instead.", FutureWarning, stacklevel=3
            )
            metric, self.metric = self.metric, self.dissimilarity
            try:
                given = self._distances(X)
            finally:
                self.metric = metric
        else:
            given = self._distances(X)
        self.dissimilarity_matrix_ = given
        found = [self._from(squareform(given, checks=False), start) for start in self._starts(given, init)]
        stress, self.embedding_, self.n_iter_ = min(found, key=lambda each: each[0])
        self.stress_ = float(stress)
        return self.embedding_

    def _starts(self, given: np.ndarray, init: Any) -> list[np.ndarray]:
        n, k = len(given), self.n_components
        if init is not None:
            start = np.array(init, dtype=np.float64)
            if start.shape != (n, k):
                raise DataError(f"init of shape {start.shape}.", f"a position of {k} numbers for each of {n} rows")
            return [start]
        random = check_random_state(self.random_state)
        if self.init == "random":
            return [random.uniform(size=(n, k)) for _ in range(self.n_init)]
        start = classical_positions(given, min(k, n))[0]
        flat = np.ptp(start, axis=0) == 0
        if flat.any():  # rows would never leave a plane
            start[:, flat] = 1e-3 * (given.max(initial=0.0) or 1.0) * random.normal(size=(n, int(flat.sum())))
        return [np.hstack([start, np.zeros((n, k - start.shape[1]))])]

    def _from(self, given: np.ndarray, positions: np.ndarray) -> tuple[float, np.ndarray, int]:
        """Stress, positions and number of steps from a start; distances are those of pairs."""
        normalised = (not self.metric_mds) if self.normalized_stress == "auto" else self.normalized_stress
        if not given.any():
            return 0.0, np.zeros_like(positions), 0
        before, steps = np.inf, 0
        while steps < self.max_iter:
            steps += 1
            distances = pdist(positions)
            wanted = given if self.metric_mds else disparities_of(given, distances)
            stress, size = float(((distances - wanted) ** 2).sum()), float((distances**2).sum()) or 1.0
            if before - stress / size <= self.eps:
                break
            before = stress / size
            positions = _majorise(positions, distances, wanted)
        distances = pdist(positions)
        wanted = given if self.metric_mds else disparities_of(given, distances)
        stress = float(((distances - wanted) ** 2).sum())
        return (np.sqrt(stress / (float((wanted**2).sum()) or 1.0)) if normalised else stress), positions, steps


def _majorise(positions: np.ndarray, distances: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Guttman's transform: the least of a function above the stress that touches it at the present positions."""
    ratio = squareform(wanted / np.where(distances > 0, distances, 1.0) * (distances > 0), checks=False)
    return (ratio.sum(axis=1)[:, None] * positions - ratio @ positions) / len(positions)


def disparities_of(given: np.ndarray, distances: np.ndarray) -> np.ndarray:
    """The monotone function of the given distances that is closest to those of the positions, of the same size.

    Equal given distances may have different disparities (Kruskal's primary approach to ties).
    """
    order = np.lexsort((distances, given))
    disparities = np.empty_like(distances)
    disparities[order] = isotonic_regression(distances[order])
    size = float((disparities**2).sum())
    return disparities * np.sqrt(len(disparities) / size) if size > 0 else disparities

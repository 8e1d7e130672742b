"""Classical scaling."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy import linalg

from probus.base import Model
from probus.errors import DataError
from probus.manifold._map_input import MapModel
from probus.parameters import parameter
from probus.state import Array, Number, Spec


class ClassicalMDS(MapModel):
    """Positions by the eigenvectors of the double-centred squared distances (Torgerson 1952): principal coordinates.

    scikit-learn's class; of Euclidean distances they are the principal components. Distances that no positions have,
    such as those along roads, give negative eigenvalues, which are left out.

    Attributes
    ----------
    embedding_ : the position of each row. dissimilarity_matrix_ : the distances.
    eigenvalues_ : of each dimension, the sum of its squared positions; 0 where the distances have fewer dimensions.
    goodness_ : the sum of these divided by that of all positive eigenvalues.

    Examples
    --------
    >>> ClassicalMDS(1).fit_transform([[0.0], [3.0], [4.0]]).ravel().round(2)
    array([ 2.33, -0.67, -1.67])
    """

    n_components: int = parameter("The number of dimensions of the map.", default=2, at_least=1, kw_only=False)

    fitted: ClassVar[dict[str, Spec]] = {
        **MapModel.fitted,
        "eigenvalues_": Array("f8", "k"),
        "goodness_": Number(),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Of numbers, and of typed columns."""
        return [cls(1), cls(1, metric="gower")]

    def fit(self, X: Any, y: Any = None) -> ClassicalMDS:
        """Find the positions; y is ignored."""
        self.fit_transform(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Find the positions and return them."""
        self.dissimilarity_matrix_ = self._distances(X)
        self.embedding_, self.eigenvalues_, self.goodness_ = classical_positions(
            self.dissimilarity_matrix_, self.n_components
        )
        return self.embedding_


def classical_positions(distances: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray, float]:
    """Positions, their eigenvalues, and the share of the positive eigenvalues that they have."""
    n = len(distances)
    if k > n:
        raise DataError(f"{k} dimensions of {n} rows.", f"at most {n}")
    products = -0.5 * distances**2
    products -= products.mean(axis=0)
    products -= products.mean(axis=1, keepdims=True)
    values, vectors = linalg.eigh(products)
    values, vectors = values[::-1], vectors[:, ::-1]
    kept = np.where(values[:k] > 1e-12 * max(values[0], 0.0), values[:k], 0.0)
    largest = vectors[np.abs(vectors[:, :k]).argmax(axis=0), np.arange(k)]
    positions = vectors[:, :k] * np.where(largest < 0, -1.0, 1.0) * np.sqrt(kept)
    total = float(values[values > 0].sum())
    return positions, kept, float(kept.sum() / total) if total > 0 else 1.0

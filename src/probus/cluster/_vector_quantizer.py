"""Vectors replaced by the nearest of a few."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Model, OneToOneFeatureMixin, Transformer, matrix_input
from probus.cluster._centre_model import ITERATIONS, N_INIT
from probus.cluster._k_means import KMeans
from probus.cluster._lloyd import nearest_centres
from probus.errors import DataError
from probus.parameters import RANDOM_STATE, parameter
from probus.state import Array, Size, Spec


class VectorQuantizer(OneToOneFeatureMixin, Transformer):
    """Rows replaced by the nearest of a few code vectors, found by k-means: lossy compression.

    Attributes
    ----------
    codebook_ : array of codes × columns
    n_iter_ : int

    Examples
    --------
    >>> quantizer = VectorQuantizer(n_codes=2, random_state=0).fit([[0.0], [1.0], [9.0], [10.0]])
    >>> quantizer.decode(quantizer.encode([[0.2], [8.0]])).ravel(), quantizer.distortion([[0.5], [9.0]])
    (array([0.5, 9.5]), 0.125)
    """

    n_codes: int = parameter(
        "The number of code vectors; a code takes log₂ of it in bits.", default=16, at_least=1, kw_only=False
    )
    n_init: Any = N_INIT
    max_iter: int = ITERATIONS
    random_state: Any = RANDOM_STATE

    accepts = Accepts(weights=True, scaled=True)

    fitted: ClassVar[dict[str, Spec]] = {"codebook_": Array("f8", "k d"), "n_iter_": Size("i")}

    @classmethod
    def examples(cls) -> list[Model]:
        """With few codes."""
        return [cls(n_codes=3)]

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> VectorQuantizer:
        """Find the code vectors; y is ignored."""
        X = matrix_input(self, X, reset=True)
        model = KMeans(self.n_codes, n_init=self.n_init, max_iter=self.max_iter, random_state=self.random_state)
        model.fit(X, sample_weight=sample_weight)
        self.codebook_, self.n_iter_ = model.cluster_centers_, model.n_iter_
        return self

    def encode(self, X: Any) -> np.ndarray:
        """The number of the nearest code vector of each row, in the smallest type of integers that holds it."""
        check_is_fitted(self)
        codes = nearest_centres(matrix_input(self, X, reset=False), self.codebook_)
        return codes.astype(np.min_scalar_type(max(0, len(self.codebook_) - 1)))

    def decode(self, codes: Any) -> np.ndarray:
        """The code vectors of these numbers."""
        check_is_fitted(self)
        codes = np.asarray(codes)
        if codes.dtype.kind not in "iu" or (codes.size and not 0 <= codes.min() <= codes.max() < len(self.codebook_)):
            kind = codes.dtype.kind in "iu"
            found = f"codes from {codes.min()} to {codes.max()}." if kind else f"codes of type {codes.dtype}."
            raise DataError(found, f"whole numbers from 0 to {len(self.codebook_) - 1}")
        return self.codebook_[codes]

    def transform(self, X: Any) -> np.ndarray:
        """Each row replaced by its code vector."""
        return self.decode(self.encode(X))

    def distortion(self, X: Any) -> float:
        """The mean squared difference of the values to those of the code vectors."""
        check_is_fitted(self)
        X = matrix_input(self, X, reset=False)
        return float(np.mean((X - self.transform(X)) ** 2))

"""Vectors replaced by the nearest of a few."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Model, OneToOneFeatureMixin, Transformer, matrix_input
from probus.cluster.k_means import KMeans
from probus.cluster.lloyd import nearest_centres
from probus.errors import DataError
from probus.state import Array, Size, Spec

__all__ = ["VectorQuantizer"]


class VectorQuantizer(OneToOneFeatureMixin, Transformer):
    """Rows replaced by the nearest of a few code vectors, found by k-means: lossy compression.

    Parameters
    ----------
    n_codes : int
        The number of code vectors; a code takes log₂ of it in bits.
    n_init, max_iter, random_state
        As of ``KMeans``.

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

    accepts = Accepts(weights=True, scaled=True)

    fitted: ClassVar[dict[str, Spec]] = {"codebook_": Array("f8", "k d"), "n_iter_": Size("i")}

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_codes": [Interval(Integral, 1, None, closed="left")],
        **{name: KMeans._parameter_constraints[name] for name in ("n_init", "max_iter", "random_state")},
    }

    def __init__(self, n_codes: int = 16, *, n_init: Any = "auto", max_iter: int = 300, random_state: Any = None):
        self.n_codes = n_codes
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Model]:
        """With few codes."""
        return [cls(n_codes=3)]

    @_fit_context(prefer_skip_nested_validation=True)
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

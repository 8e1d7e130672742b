"""Rows that the main components do not represent."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import IntegerIn, RealIn
from probus.anomaly._z_score import centre_and_spread
from probus.base import Accepts, Model, matrix_input
from probus.decomposition import PCA
from probus.detection import CONTAMINATION, Detector
from probus.distances.magnitudes import check_squares
from probus.parameters import parameter
from probus.state import Array, Spec


class PCAResidual(Detector):
    """Rows far from the space of the main components of the standardised columns.

    Attributes
    ----------
    location_, scale_ : of each column. components_ : of the standardised columns.

    Examples
    --------
    >>> X = [[1.0, 1.1], [2.0, 1.9], [3.0, 3.1], [4.0, 3.9], [2.0, 4.0]]
    >>> PCAResidual(1).fit(X).predict(X)
    array([ 1,  1,  1,  1, -1])
    """

    n_components: float = parameter(
        "The number of components, or the share of the variance that they hold.",
        default=0.8,
        of=[IntegerIn(at_least=1), RealIn(above=0, below=1, besides_int=True)],
        kw_only=False,
    )
    contamination: Any = CONTAMINATION

    accepts = Accepts()
    fitted: ClassVar[dict[str, Spec]] = {
        **Detector.fitted,
        "location_": Array("f8", "d"),
        "scale_": Array("f8", "d"),
        "components_": Array("f8", "k d"),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """One component."""
        return [cls(1)]

    def fit(self, X: Any, y: Any = None) -> PCAResidual:
        """Find the components; y is ignored."""
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        self.location_, self.scale_ = centre_and_spread(X)
        wanted = self.n_components
        wanted = min(int(wanted), *X.shape) if isinstance(wanted, Integral) else wanted
        self.components_ = PCA(wanted, svd_solver="full").fit((X - self.location_) / self.scale_).components_
        self._set_typical(X)
        self._set_threshold(lambda: self._scores(X), None)
        return self

    def _residuals(self, rows: np.ndarray) -> np.ndarray:
        away = (rows - self.location_) / self.scale_
        return away - away @ self.components_.T @ self.components_

    def _scores(self, rows: np.ndarray) -> np.ndarray:
        return -np.linalg.norm(self._residuals(rows), axis=1)

    def _contributions(self, rows: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """The squared residuals of the columns, divided by the distance, so that they add up to it."""
        return np.square(self._residuals(rows)) / np.maximum(-scores, np.finfo(float).tiny)[:, None]

    def score_samples(self, X: Any) -> np.ndarray:
        """The negative distance of each row to the space of the components."""
        check_is_fitted(self)
        return self._scores(matrix_input(self, X, reset=False))

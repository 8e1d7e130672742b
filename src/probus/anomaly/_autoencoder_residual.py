"""Rows that an autoencoder does not reconstruct."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import InstanceOf, NoneAllowed
from probus.anomaly._z_score import centre_and_spread
from probus.base import Accepts, Model, clone, matrix_input
from probus.detection import CONTAMINATION, Detector
from probus.distances.magnitudes import check_squares
from probus.neural_network import Autoencoder
from probus.parameters import RANDOM_STATE, attribute, parameter
from probus.state import Array, Object, Spec


class AutoencoderResidual(Detector):
    """Rows far from their reconstruction by an autoencoder of the standardised columns.

    It is ``PCAResidual`` for columns whose relations are not straight. Training needs PyTorch, scores do not.

    Attributes
    ----------
    location_, scale_ : of each column. autoencoder_ : the fitted autoencoder.

    Examples
    --------
    >>> x = np.linspace(-2, 2, 60)
    >>> curve = np.column_stack([x, x**2])
    >>> detector = AutoencoderResidual(Autoencoder(1), random_state=0).fit(curve)
    >>> detector.top([[0.0, 0.0], [0.0, 4.0]], 1).rows
    array([1])
    """

    autoencoder: Autoencoder | None = parameter(
        "The autoencoder, which is not changed; None is ``Autoencoder(2)``.",
        default=None,
        of=[InstanceOf(Autoencoder), NoneAllowed()],
        kw_only=False,
    )
    contamination: Any = CONTAMINATION
    random_state: Any = RANDOM_STATE.but(doc="The seed of the autoencoder; None leaves it its own.")

    accepts = Accepts()
    location_: np.ndarray = attribute()
    scale_: np.ndarray = attribute()
    autoencoder_: Autoencoder = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        **Detector.fitted,
        "location_": Array("f8", "d"),
        "scale_": Array("f8", "d"),
        "autoencoder_": Object(Autoencoder),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """A code of one number."""
        return [cls(Autoencoder(1, hidden=(4,), max_iter=5, device="cpu"))]

    def fit(self, X: Any, y: Any = None) -> AutoencoderResidual:
        """Standardise the columns and train the autoencoder; y is ignored."""
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        self.location_, self.scale_ = centre_and_spread(X)
        autoencoder = Autoencoder() if self.autoencoder is None else clone(self.autoencoder)
        if self.random_state is not None:
            autoencoder.set_params(random_state=self.random_state)
        self.autoencoder_ = autoencoder.set_params(loss="squared").fit(self._standardise(X))
        self._set_typical(X)
        self._set_threshold(lambda: self._scores(X), None)
        return self

    def _standardise(self, rows: np.ndarray) -> np.ndarray:
        return (rows - self.location_) / self.scale_

    def _residuals(self, rows: np.ndarray) -> np.ndarray:
        away = self._standardise(rows)
        return away - self.autoencoder_.reconstruct(away)

    def _scores(self, rows: np.ndarray) -> np.ndarray:
        return -np.linalg.norm(self._residuals(rows), axis=1)

    def _contributions(self, rows: np.ndarray, scores: np.ndarray) -> np.ndarray:
        """The squared residuals of the columns, divided by the distance, so that they add up to it."""
        return np.square(self._residuals(rows)) / np.maximum(-scores, np.finfo(float).tiny)[:, None]

    def score_samples(self, X: Any) -> np.ndarray:
        """The negative distance of each row to its reconstruction."""
        check_is_fitted(self)
        return self._scores(matrix_input(self, X, reset=False))

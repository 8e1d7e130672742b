"""The multi-layer perceptron for numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.metaestimators import available_if

from probus.base import MultiOutputMixin, Regressor
from probus.errors import DataError
from probus.neural_network._mlp import MultilayerPerceptron
from probus.neural_network._targets import target_numbers
from probus.parameters import inherited, parameter


class MLPRegressor(MultiOutputMixin, MultilayerPerceptron, Regressor):
    """A multi-layer perceptron that predicts numbers, of one target or several.

    Layers of units, each a function of a weighted sum of the units before it. Weights minimise the squared error, or
    the Poisson deviance of counts, by steps against its gradient. Columns and target should have a scale near one.

    Attributes
    ----------
    coefs_, intercepts_ : the weights and biases of each layer.
    history_ : the loss and the validation score of each epoch.

    Examples
    --------
    >>> X = np.linspace(-1, 1, 200)[:, None]
    >>> net = MLPRegressor(hidden_layer_sizes=(20,), solver="lbfgs", random_state=0).fit(X, X[:, 0] ** 2)
    >>> net.predict([[0.0], [1.0]]).round(1) + 0.0
    array([0., 1.])
    """

    loss: str = parameter(
        "Half the squared error, or half the Poisson deviance of counts, which predicts through the logarithm.",
        default="squared_error",
        one_of=("squared_error", "poisson"),
        kw_only=False,
    )
    hidden_layer_sizes: Any = inherited(kw_only=False)
    activation: str = inherited(kw_only=False)

    @available_if(MultilayerPerceptron._check_solver)
    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> MLPRegressor:
        """One epoch over a batch of rows.

        Parameters
        ----------
        X, y, sample_weight : the rows, as in ``fit``.

        Returns
        -------
        The model.
        """
        return self._partial_fit(X, y, sample_weight)

    def predict(self, X: Any) -> np.ndarray:
        """The predicted numbers.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        One per row, or rows × targets.
        """
        outputs = self._outputs(X)
        return outputs[:, 0] if outputs.shape[1] == 1 else outputs

    def _targets(self, y: Any, n_rows: int, *, first: bool, incremental: bool) -> np.ndarray:
        targets = target_numbers(y, n_rows).reshape(n_rows, -1)
        if self.loss == "poisson" and (targets < 0).any():
            raise DataError("loss='poisson' with a negative target.", "numbers from 0", "Use loss='squared_error'.")
        return targets

    def _output(self) -> str:
        return "exp" if self.loss == "poisson" else "identity"

    def _score_of(self, outputs: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> float:
        """R²."""
        from sklearn.metrics import r2_score

        return float(r2_score(y, outputs, sample_weight=weight)) if np.isfinite(outputs).all() else np.nan

"""A layer of units that are connected with all units before it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.neural_network._activations import Activation, activation_of
from probus.parameters import Declared, parameter

_LIKE_RELU = ("relu", "leaky_relu", "elu", "selu", "gelu", "silu", "mish", "softplus")


@dataclass(frozen=True, eq=False)
class Dense(Declared):
    """A layer of a ``Network``: out = activation(Wᵀ · in + b).

    Weights that are not given are drawn when the network first sees rows: uniformly within ±√(6 / (inputs + units))
    (Glorot), within ±√(6 / inputs) where the activation is ReLU or resembles it (He). Biases begin at 0.

    Examples
    --------
    >>> Dense(2, "sigmoid")
    Dense(2, 'sigmoid')
    >>> Dense(weights=[[1.0], [-2.0]], activation="step")
    Dense(1, 'step'), weights of 2 inputs
    """

    units: int | None = parameter(
        "The number of units; None is as many as the weights have columns.", default=None, at_least=1
    )
    activation: str = parameter(
        'The name of the activation function: "sigmoid", "relu", "softmax", …', default="identity"
    )
    weights: Any = parameter("The weights, inputs × units. None draws them.", default=None)  # noqa: RUF009 - immutable
    bias: Any = parameter("The biases, one of each unit. None is 0.", default=None)  # noqa: RUF009 - immutable
    weight_decay: float = parameter(
        "λ: ½ λ ‖W‖² is added to the loss, so that each step shrinks the weights of this layer, not its biases. "
        "Where a text adds λ ‖W‖², its λ is half of this one.",
        default=0.0,
        at_least=0,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        activation_of(self.activation)
        if self.weights is None:
            if self.units is None:
                raise DataError("a Dense layer without units and weights.", "one of both", "Pass Dense(3, 'relu').")
            if self.bias is not None:
                raise DataError("a Dense layer with a bias and no weights.", "both", "Pass weights=….")
            return
        weights = _finite("weights", self.weights, 2)
        units = weights.shape[1]
        if self.units not in (None, units):
            raise DataError(f"{self.units} units and weights of shape {weights.shape}.", "weights as inputs × units")
        bias = np.zeros(units) if self.bias is None else _finite("bias", self.bias, 1)
        if len(bias) != units:
            raise DataError(f"{len(bias)} biases for {units} units.", "one bias of each unit")
        for name, value in (("units", units), ("weights", weights), ("bias", bias)):
            object.__setattr__(self, name, value)

    @property
    def function(self) -> Activation:
        """The activation function."""
        return activation_of(self.activation)

    def __repr__(self) -> str:
        known = "" if self.weights is None else f", weights of {len(self.weights)} inputs"
        return f"Dense({self.units}, {self.activation!r}){known}"


def drawn_layer(layer: Dense, n_inputs: int, rng: np.random.Generator) -> Dense:
    """The layer with weights, drawn if it has none."""
    if layer.weights is not None:
        return layer
    units = int(layer.units or 0)
    limit = np.sqrt(6.0 / (n_inputs if layer.activation in _LIKE_RELU else n_inputs + units))
    return replace(layer, weights=rng.uniform(-limit, limit, (n_inputs, units)))


def _finite(name: str, value: Any, dimensions: int) -> np.ndarray:
    """A copy of the array."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        array = np.array(np.nan)
    if array.ndim != dimensions or not array.size or not np.isfinite(array).all():
        shape = "a matrix, inputs × units" if dimensions == 2 else "a list"
        raise DataError(f"{name} {str(value)[:60]!r} of a Dense layer.", f"finite numbers as {shape}")
    return array

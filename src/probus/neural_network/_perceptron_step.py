"""A fitted perceptron as a ``Network``, whose steps can be read."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.errors import DataError
from probus.neural_network._dense import Dense
from probus.neural_network._network import Network

_LOSSES = {"identity": "squared", "logistic": "cross_entropy", "softmax": "cross_entropy"}


def network_of(model: Any) -> Network:
    """The network with the weights of a fitted perceptron, and the loss of a batch of one row."""
    why = None
    if model.norms_:
        why = f"normalisation={model.normalisation!r}"
    elif model.activation_ in ("step", "sign"):
        why = f"activation={model.activation_!r}, which is trained with the slope of a line"
    elif model.out_activation_ not in _LOSSES:
        why = f"loss={model.loss!r}"
    if why is not None:
        raise DataError(f"explain_step of a network with {why}.", "a plain network")
    activations = [model.activation_] * (len(model.coefs_) - 1) + [model.out_activation_]
    layers = [
        Dense(weights=weights, bias=bias, activation=activation, weight_decay=float(model.alpha))
        for weights, bias, activation in zip(model.coefs_, model.intercepts_, activations, strict=True)
    ]
    return Network(layers, _LOSSES[model.out_activation_])


def one_row(x: Any) -> Any:
    """A row as a matrix; tables and matrices are left unchanged."""
    is_flat = np.ndim(x) == 1 if isinstance(x, (list, tuple)) else getattr(x, "ndim", None) == 1
    return [list(x)] if is_flat else x

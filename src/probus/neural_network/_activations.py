"""Activation functions in NumPy: value, derivative, and the formulas in which they are written.

Constants are PyTorch's defaults, so that a net trained there predicts the same here. Values keep the dtype of their
argument. Some course notes drop a sign: tanh z is (eᶻ − e⁻ᶻ) / (eᶻ + e⁻ᶻ), and the sigmoid 1 / (1 + e⁻ᶻ).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
from scipy.special import erf, expit

from probus.errors import DataError

Slope = Callable[[np.ndarray, np.ndarray], np.ndarray]

_LEAK = 0.01
_SELU_SCALE, _SELU_ALPHA = 1.0507009873554805, 1.6732632423543772
_NORMAL = np.sqrt(2 * np.pi).item()
_ROOT_TWO = np.sqrt(2).item()


@dataclass(frozen=True)
class Activation:
    """A function of the weighted sums z of a layer, element by element; of each row for softmax.

    slope : the derivative, given z and the value at z; where there is a corner, the one from the left.
    formula, slope_formula : both as text, of z and the value a.
    """

    name: str
    value: Callable[[np.ndarray], np.ndarray]
    slope: Slope
    formula: str
    slope_formula: str

    def back(self, z: np.ndarray, a: np.ndarray, gradient: np.ndarray) -> np.ndarray:
        """∂L/∂z from ∂L/∂a: the product with the derivative, or with the Jacobian matrix of softmax."""
        if self.name == "softmax":
            return a * (gradient - (gradient * a).sum(axis=-1, keepdims=True))
        return gradient * self.slope(z, a)


def softmax(z: np.ndarray) -> np.ndarray:
    """exp(z_k) / Σ exp(z_j) of the last axis; large numbers do not overflow.

    >>> softmax(np.array([2.2, 0.0, 0.0])).round(4)
    array([0.8186, 0.0907, 0.0907])
    """
    power = np.exp(z - z.max(axis=-1, keepdims=True))
    return power / power.sum(axis=-1, keepdims=True)


def softmax_jacobian(z: np.ndarray) -> np.ndarray:
    """The derivatives of softmax at one vector: diag(τ) − ττᵀ.

    >>> softmax_jacobian(np.array([0.0, 0.0]))
    array([[ 0.25, -0.25],
           [-0.25,  0.25]])
    """
    tau = softmax(z)
    return np.diag(tau) - np.outer(tau, tau)


def _elu(z: np.ndarray) -> np.ndarray:
    return np.where(z > 0, z, np.expm1(np.minimum(z, 0)))


def _selu(z: np.ndarray) -> np.ndarray:
    return _SELU_SCALE * np.where(z > 0, z, _SELU_ALPHA * np.expm1(np.minimum(z, 0)))


def _selu_slope(z: np.ndarray, a: np.ndarray) -> np.ndarray:
    return np.where(z > 0, z.dtype.type(_SELU_SCALE), a + z.dtype.type(_SELU_SCALE * _SELU_ALPHA))


def _softplus(z: np.ndarray) -> np.ndarray:
    return np.maximum(z, 0) + np.log1p(np.exp(-np.abs(z)))


def _normal_share(z: np.ndarray) -> np.ndarray:
    return 0.5 * (1 + erf(z / _ROOT_TWO))


def _gelu_slope(z: np.ndarray, a: np.ndarray) -> np.ndarray:
    return _normal_share(z) + z * np.exp(-0.5 * z * z) / _NORMAL


def _silu_slope(z: np.ndarray, a: np.ndarray) -> np.ndarray:
    share = expit(z)
    return share + a * (1 - share)


def _mish_slope(z: np.ndarray, a: np.ndarray) -> np.ndarray:
    height = np.tanh(_softplus(z))
    return height + z * expit(z) * (1 - height * height)


_TABLE = (
    Activation("identity", lambda z: z, lambda z, a: np.ones_like(z), "z", "1"),
    Activation("step", lambda z: (z > 0).astype(z.dtype), lambda z, a: np.zeros_like(z), "1 if z > 0, else 0", "0"),
    Activation(
        "sign", lambda z: np.where(z > 0, z.dtype.type(1), z.dtype.type(-1)), lambda z, a: np.zeros_like(z),
        "1 if z > 0, else −1", "0",
    ),
    Activation("sigmoid", expit, lambda z, a: a * (1 - a), "1 / (1 + exp(−z))", "a (1 − a)"),
    Activation("tanh", np.tanh, lambda z, a: 1 - a * a, "tanh z", "1 − a²"),
    Activation(
        "relu", lambda z: np.maximum(z, 0), lambda z, a: (z > 0).astype(z.dtype), "max(0, z)", "1 if z > 0, else 0"
    ),
    Activation(
        "leaky_relu", lambda z: np.where(z > 0, z, _LEAK * z),
        lambda z, a: np.where(z > 0, z.dtype.type(1), z.dtype.type(_LEAK)), "max(0.01 z, z)", "1 if z > 0, else 0.01",
    ),
    Activation(
        "elu", _elu, lambda z, a: np.where(z > 0, z.dtype.type(1), a + 1), "z if z > 0, else exp(z) − 1",
        "1 if z > 0, else a + 1",
    ),
    Activation(
        "selu", _selu, _selu_slope, "1.0507 z if z > 0, else 1.7581 (exp(z) − 1)", "1.0507 if z > 0, else a + 1.7581"
    ),
    Activation("softplus", _softplus, lambda z, a: expit(z), "log(1 + exp(z))", "1 / (1 + exp(−z))"),
    Activation(
        "softsign", lambda z: z / (1 + np.abs(z)), lambda z, a: 1 / (1 + np.abs(z)) ** 2, "z / (1 + |z|)",
        "1 / (1 + |z|)²",
    ),
    Activation(
        "silu", lambda z: z * expit(z), _silu_slope, "z / (1 + exp(−z))", "s + a (1 − s), s = 1 / (1 + exp(−z))"
    ),
    Activation("gelu", lambda z: z * _normal_share(z), _gelu_slope, "z Φ(z)", "Φ(z) + z φ(z)"),
    Activation(
        "mish", lambda z: z * np.tanh(_softplus(z)), _mish_slope, "z tanh(log(1 + exp(z)))",
        "t + z s (1 − t²), t = tanh(log(1 + exp(z))), s = 1 / (1 + exp(−z))",
    ),
    Activation("softmax", softmax, lambda z, a: a * (1 - a), "exp(zₖ) / Σ exp(zⱼ)", "diag(a) − aaᵀ"),
)  # fmt: skip

ACTIVATIONS: dict[str, Activation] = {each.name: each for each in _TABLE}
ACTIVATIONS |= {"logistic": ACTIVATIONS["sigmoid"], "swish": ACTIVATIONS["silu"]}


def activation_of(name: str) -> Activation:
    """The activation function of a name; "logistic" and "swish" are other names of sigmoid and silu."""
    found = ACTIVATIONS.get(name) if isinstance(name, str) else None
    if found is None:
        near = get_close_matches(str(name), ACTIVATIONS, 1)
        hint = f"Did you mean {near[0]!r}?" if near else ""
        raise DataError(f"activation={name!r}.", "one of " + ", ".join(map(repr, ACTIVATIONS)), hint)
    return found

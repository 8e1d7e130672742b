"""The weights of a dense network, its forward pass and its gradient, in NumPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.special import expit

from probus.errors import DataError
from probus.neural_network._activations import ACTIVATIONS, Activation, softmax

OUTPUTS = ("identity", "exp", "logistic", "softmax")
INITIALISATIONS = (
    "glorot_uniform", "glorot_normal", "he_uniform", "he_normal", "lecun_uniform", "lecun_normal", "orthogonal",
)  # fmt: skip
_SMALLEST_VARIANCE = 1e-5  # that normalisation divides by, as in PyTorch


def _straight_through(z: np.ndarray, a: np.ndarray) -> np.ndarray:
    """In place of the derivative of a step, which is 0: that of z cut off at −1 and 1 (Bengio et al. 2013)."""
    return (np.abs(z) <= 1).astype(z.dtype)


HIDDEN: dict[str, Activation] = {
    name: replace(each, slope=_straight_through) if name in ("step", "sign") else each
    for name, each in ACTIVATIONS.items()
    if name != "softmax"
}


def hidden_activation(name: str) -> Activation:
    """The function of hidden units of that name, with a derivative that can be trained with."""
    return HIDDEN[name]


def output_values(z: np.ndarray, output: str) -> np.ndarray:
    """The predictions from the weighted sums of the last layer."""
    if output == "identity":
        return z
    if output == "softmax":
        return softmax(z)
    return np.exp(z) if output == "exp" else expit(z)


def forward(
    X: Any, coefs: Sequence[np.ndarray], intercepts: Sequence[np.ndarray], norms: Sequence[np.ndarray], activation: str,
    output: str,
) -> np.ndarray:  # fmt: skip
    """The predictions of rows.

    norms : for each hidden layer scale and shift, and for the normalisation of batches means and variances too; empty
        without normalisation.
    """
    function, values = HIDDEN[activation], X
    for layer, (weights, bias) in enumerate(zip(coefs, intercepts, strict=True)):
        sums = values @ weights
        sums += bias
        if layer == len(coefs) - 1:
            return output_values(sums, output)
        if len(norms):
            sums = normalised(sums, norms[layer])
        values = function.value(sums)
    raise AssertionError("a network without layers")


def normalised(sums: np.ndarray, norm: np.ndarray) -> np.ndarray:
    """The sums of a layer after the normalisation of batches (four rows of numbers) or of layers (two)."""
    if len(norm) == 4:
        mean, variance = norm[2], norm[3]
    else:
        mean, variance = sums.mean(axis=1, keepdims=True), sums.var(axis=1, keepdims=True)
    return (sums - mean) / np.sqrt(variance + _SMALLEST_VARIANCE) * norm[0] + norm[1]


def drawn_weights(
    sizes: Sequence[int], initialisation: str, activation: str, random: np.random.RandomState
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Random weights and biases of each layer; "auto" is scikit-learn's: Glorot's limits for both."""
    return [_drawn_layer(n_in, n_out, initialisation, activation, random) for n_in, n_out in pairwise(sizes)]


def _drawn_layer(
    n_in: int, n_out: int, initialisation: str, activation: str, random: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    if initialisation == "auto":
        limit = np.sqrt((2.0 if activation in ("logistic", "sigmoid") else 6.0) / (n_in + n_out))
        return random.uniform(-limit, limit, (n_in, n_out)), random.uniform(-limit, limit, n_out)
    if initialisation == "orthogonal":
        q, r = np.linalg.qr(random.normal(size=(max(n_in, n_out), min(n_in, n_out))))
        q *= np.where(np.diag(r) < 0, -1.0, 1.0)
        return (q if n_in >= n_out else q.T).copy(), np.zeros(n_out)
    kind, _, shape = initialisation.partition("_")
    variance = {"glorot": 2.0 / (n_in + n_out), "he": 2.0 / n_in, "lecun": 1.0 / n_in}[kind]
    if shape == "normal":
        return random.normal(0.0, np.sqrt(variance), (n_in, n_out)), np.zeros(n_out)
    limit = np.sqrt(3.0 * variance)
    return random.uniform(-limit, limit, (n_in, n_out)), np.zeros(n_out)


class DenseWeights:
    """All weights of a network as one array, and their gradient as another; layers are views of them.

    coefs, intercepts : the layers. values, gradient : all numbers, and their gradient after ``descend``
    activation, output : names of the functions of hidden units and of the output
    alpha : ½ α ‖W‖² is added to the sum of the losses of a batch, as in scikit-learn
    dropout : the share of the values of hidden units that are set to zero in each step
    """

    def __init__(
        self,
        layers: Sequence[tuple[np.ndarray, np.ndarray]],
        activation: str,
        output: str,
        alpha: float = 0.0,
        dropout: float = 0.0,
        dtype: Any = np.float32,
    ):
        self.activation, self.output, self.alpha, self.dropout = activation, output, alpha, dropout
        parts = [np.ravel(part) for layer in layers for part in layer]
        self.values = np.concatenate(parts).astype(dtype)
        self.gradient = np.zeros_like(self.values)
        shapes = [np.shape(part) for layer in layers for part in layer]
        self.coefs, self.intercepts = _views(self.values, shapes)
        self._coef_slopes, self._intercept_slopes = _views(self.gradient, shapes)
        self._function = hidden_activation(activation)

    def copied(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """The layers, as arrays of their own."""
        return [(w.copy(), b.copy()) for w, b in zip(self.coefs, self.intercepts, strict=True)]

    def outputs(self, X: Any) -> np.ndarray:
        """The predictions of rows."""
        return forward(X, self.coefs, self.intercepts, (), self.activation, self.output)

    def descend(
        self, X: Any, y: np.ndarray, weight: np.ndarray | None = None, random: np.random.Generator | None = None
    ) -> float:
        """Compute the gradient of a batch, and return its mean loss before it.

        y : rows × outputs, of the dtype of the weights. weight : of the rows. random : for dropout
        """
        sums, values, masks = self._passed(X, random)
        total = float(len(y) if weight is None else weight.sum())
        each, delta = loss_and_error(self.output, y, sums[-1])
        loss = float(each.sum(dtype=np.float64) if weight is None else each @ weight.astype(np.float64)) / total
        delta *= values[0].dtype.type(1.0 / total) if weight is None else (weight / total)[:, None]
        penalty = self.values.dtype.type(self.alpha / total)
        ones = np.ones(len(y), delta.dtype)
        for layer in range(len(self.coefs) - 1, -1, -1):
            weights = self.coefs[layer]
            _product_of_columns(values[layer], delta, self._coef_slopes[layer])
            if penalty:
                self._coef_slopes[layer] += penalty * weights
                loss += 0.5 * float(penalty) * float(np.vdot(weights, weights))
            np.dot(ones, delta, out=self._intercept_slopes[layer])
            if layer:
                before = delta @ weights.T
                if masks:
                    before *= masks[layer - 1]
                delta = before
                z = sums[layer - 1]
                delta *= self._function.slope(z, self._function.value(z) if masks else values[layer])
        return loss

    def _passed(self, X: Any, random: Any) -> tuple[list[np.ndarray], list[Any], list[np.ndarray]]:
        """The weighted sums of each layer, its inputs, and what dropout multiplied the values of hidden units by."""
        sums: list[np.ndarray] = []
        values: list[Any] = [X]
        masks: list[np.ndarray] = []
        for layer, (weights, bias) in enumerate(zip(self.coefs, self.intercepts, strict=True)):
            z = values[-1] @ weights
            z += bias
            sums.append(z)
            if layer < len(self.coefs) - 1:
                value = self._function.value(z)
                if self.dropout:
                    kept = random.random(value.shape, dtype=np.float32) >= self.dropout
                    masks.append(kept.astype(value.dtype) / value.dtype.type(1.0 - self.dropout))
                    value = value * masks[-1]
                values.append(value)
        return sums, values, masks


def loss_and_error(output: str, y: np.ndarray, z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The loss of each row, and its derivative by the weighted sums of the output: prediction minus target."""
    delta = output_values(z, output) - y
    if output == "identity":
        return 0.5 * np.square(delta).sum(axis=1), delta
    if output == "exp":  # half the Poisson deviance
        prediction = delta + y
        with np.errstate(divide="ignore", invalid="ignore"):
            log_ratio = np.where(y > 0, y * (np.log(y) - z), 0)
        return (log_ratio - y + prediction).sum(axis=1), delta
    if output == "softmax":
        high = z.max(axis=1)
        # of smoothed labels too, which add up to one
        return high + np.log(np.exp(z - high[:, None]).sum(axis=1)) - (y * z).sum(axis=1), delta
    return (np.maximum(z, 0) - y * z + np.log1p(np.exp(-np.abs(z)))).sum(axis=1), delta


def _product_of_columns(values: Any, delta: np.ndarray, out: np.ndarray) -> None:
    if isinstance(values, np.ndarray):
        np.dot(values.T, delta, out=out)
    else:
        out[:] = values.T @ delta


def _views(flat: np.ndarray, shapes: Sequence[tuple[int, ...]]) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The matrices and the vectors of layers within one array."""
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])
    found = [flat[end - int(np.prod(shape)) : end].reshape(shape) for shape, end in zip(shapes, ends, strict=True)]
    return found[::2], found[1::2]


def check_chain(coefs: Sequence[np.ndarray], intercepts: Sequence[np.ndarray], d: int, n_outputs: int) -> None:
    """Raise a DataError unless each layer takes what the one before it returns."""
    widths = [d, *(len(bias) for bias in intercepts)]
    shapes = [each.shape for each in coefs]
    if not coefs or shapes != list(pairwise(widths)) or widths[-1] != n_outputs:
        raise DataError(f"layers of shapes {shapes}.", "layers that fit each other")

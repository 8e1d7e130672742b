"""A small network in NumPy, to be looked into."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from probus.data import Table, has_names
from probus.display import counted
from probus.errors import DataError
from probus.neural_network._dense import Dense, drawn_layer
from probus.neural_network._network_loss import LOSSES, losses_of_rows, output_error, targets_for
from probus.neural_network._network_step import NetworkStep

_DIVERGED = 1e100  # a gradient beyond this size is one that soon overflows

Gradient = tuple[np.ndarray, np.ndarray]  # of the weights and of the biases


class Network:
    """Layers of units, computed with NumPy, whose steps can be read.

    It is made for teaching and for checks. ``explain`` shows one row and one update, with each number; ``fit`` is
    plain gradient descent. For work on tables use ``MLPClassifier`` and its kin.

    Parameters
    ----------
    layers : the ``Dense`` layers, from the first hidden one to the output.
    loss : "squared", "absolute", "cross_entropy" (after sigmoid or softmax) or "hinge" (targets −1 and 1).
    random_state : the seed of weights that are drawn.

    Attributes
    ----------
    layers : the layers with their present weights.
    losses_ : the loss before each epoch of ``fit``, and after the last.

    Examples
    --------
    A threshold unit is NOT: the first input is constant (McCulloch and Pitts, 1943).

    >>> NOT = Network([Dense(weights=[[1.0], [-2.0]], activation="step")])
    >>> NOT.predict([[1, 0], [1, 1]]).ravel()
    array([1., 0.])
    """

    def __init__(self, layers: Sequence[Dense], loss: str = "squared", random_state: Any = None):
        self.layers = _checked_layers(layers)
        self.loss = loss
        self.random_state = random_state
        if loss not in LOSSES:
            raise DataError(f"loss={loss!r}.", "one of " + ", ".join(map(repr, LOSSES)))
        last = self.layers[-1].function.name
        if loss == "cross_entropy" and last not in ("sigmoid", "softmax"):
            raise DataError(
                f"cross-entropy after {last!r}.",
                "probabilities",
                "End with Dense(1, 'sigmoid') or Dense(k, 'softmax').",
            )

    def __repr__(self) -> str:
        return f"Network([{', '.join(map(repr, self.layers))}], loss={self.loss!r})"

    def forward(self, X: Any) -> list[tuple[np.ndarray, np.ndarray]]:
        """The weighted sums and the values of the units of each layer, both rows × units.

        Parameters
        ----------
        X : rows of numbers, or one row.

        Returns
        -------
        A pair for each layer.
        """
        passed, values = [], self._rows(X)
        for layer in self.layers:
            sums = values @ layer.weights + layer.bias
            values = layer.function.value(sums)
            passed.append((sums, values))
        return passed

    def predict(self, X: Any) -> np.ndarray:
        """The values of the output units, rows × outputs; of one row, one for each output.

        Parameters
        ----------
        X : rows of numbers, or one row.

        Returns
        -------
        The outputs.
        """
        outputs = self.forward(X)[-1][1]
        return outputs[0] if np.ndim(X) == 1 else outputs

    def mean_loss(self, X: Any, y: Any) -> float:
        """The mean loss of the rows, and ½ λ ‖W‖² of each layer with weight decay.

        Parameters
        ----------
        X, y : rows and their targets.

        Returns
        -------
        The loss that ``fit`` makes smaller.
        """
        passed = self.forward(X)
        targets = self._targets(y, passed)
        rows = losses_of_rows(self.loss, self.layers[-1].function, targets, *passed[-1])
        return float(rows.mean()) + sum(0.5 * each.weight_decay * np.square(each.weights).sum() for each in self.layers)

    def errors(self, X: Any, y: Any) -> list[np.ndarray]:
        """The layer errors δ = ∂L/∂z of each row: how its loss changes with the weighted sums z of each layer.

        Backpropagation: δ of the output follows from the loss. δ of a layer before is (W δ) · activation′(z), with the
        weights W and the δ of the layer after it.

        Parameters
        ----------
        X, y : rows and their targets.

        Returns
        -------
        Of each layer, rows × units.
        """
        passed = self.forward(X)
        sums, values = passed[-1]
        error = output_error(self.loss, self.layers[-1].function, self._targets(y, passed), sums, values)
        errors = [error]
        for place in range(len(self.layers) - 1, 0, -1):
            sums, values = passed[place - 1]
            error = self.layers[place - 1].function.back(sums, values, error @ self.layers[place].weights.T)
            errors.append(error)
        return errors[::-1]

    def gradients(self, X: Any, y: Any) -> list[Gradient]:
        """The derivatives of ``mean_loss`` by the weights and by the biases of each layer.

        Parameters
        ----------
        X, y : rows and their targets.

        Returns
        -------
        Of each layer a pair, shaped as its weights and its biases.
        """
        rows = self._rows(X)
        inputs = [rows, *(values for _, values in self.forward(rows)[:-1])]
        each = zip(self.layers, inputs, self.errors(rows, y), strict=True)
        return [
            (values.T @ error / len(rows) + layer.weight_decay * layer.weights, error.mean(axis=0))
            for layer, values, error in each
        ]

    def explain(self, x: Any, y: Any, *, learning_rate: float = 0.1) -> NetworkStep:
        """One step of gradient descent on one row, with each number on the way; the network is left unchanged.

        Parameters
        ----------
        x : one row.
        y : its target: a number, one number of each output, or a class 0, 1, … after softmax.
        learning_rate : how far the step goes.

        Returns
        -------
        The step, which prints forward pass, loss, layer errors, derivatives and new weights.

        >>> neuron = Network([Dense(weights=[[2.0]], bias=[-1.0], activation="sigmoid")])
        >>> neuron.explain([1.0], 1.0).updated.predict([1.0]).round(4)  # 0.7311 before
        array([0.7331])
        """
        _check_rate(learning_rate)
        row = self._rows(x)
        if len(row) != 1:
            raise DataError(f"explain of {len(row)} rows.", "one row", "Pass X[0], y[0].")
        passed = self.forward(row)
        target = self._targets(y, passed)
        gradients = self.gradients(row, target)
        after = Network(_moved(self.layers, gradients, learning_rate), self.loss)
        return NetworkStep(
            x=row[0],
            y=target[0],
            learning_rate=float(learning_rate),
            loss_name=self.loss,
            layers=tuple(self.layers),
            sums=tuple(sums[0] for sums, _ in passed),
            values=tuple(values[0] for _, values in passed),
            errors=tuple(error[0] + 0.0 for error in self.errors(row, target)),  # no negative zeros
            gradients=tuple((weights + 0.0, biases + 0.0) for weights, biases in gradients),
            loss=self.mean_loss(row, target),
            updated=after,
            new_loss=after.mean_loss(row, target),
        )

    def fit(
        self, X: Any, y: Any, *, learning_rate: float = 0.1, epochs: int = 100, batch_size: int | None = None
    ) -> Network:
        """Gradient descent from the present weights.

        Parameters
        ----------
        X, y : rows and their targets.
        learning_rate : how far a step goes.
        epochs : how often all rows are used.
        batch_size : the number of rows of a step, drawn without replacement in each epoch; None is all rows.

        Returns
        -------
        The network, with new weights.
        """
        _check_rate(learning_rate)
        _check_count("epochs", epochs)
        _check_count("batch_size", 1 if batch_size is None else batch_size)
        rows = self._rows(X)
        targets = self._targets(y, self.forward(rows))
        rng = np.random.default_rng(self.random_state)
        size = len(rows) if batch_size is None else batch_size
        self.losses_ = [self.mean_loss(rows, targets)]
        for epoch in range(epochs):
            order = rng.permutation(len(rows)) if size < len(rows) else np.arange(len(rows))
            with np.errstate(over="ignore", invalid="ignore"):
                for first in range(0, len(rows), size):
                    batch = order[first : first + size]
                    gradients = self.gradients(rows[batch], targets[batch])
                    _check_finite(gradients, epoch, learning_rate)
                    self.layers = _moved(self.layers, gradients, learning_rate)
                self.losses_.append(self.mean_loss(rows, targets))
        return self

    def to_dict(self) -> dict[str, Any]:
        """Layers and loss as plain data.

        Returns
        -------
        A dict that JSON can hold, apart from arrays.
        """
        names = ("units", "activation", "weights", "bias", "weight_decay")
        return {"loss": self.loss, "layers": [{name: getattr(each, name) for name in names} for each in self.layers]}

    def _rows(self, X: Any) -> np.ndarray:
        """Rows as a matrix; the weights that are missing are drawn."""
        try:
            X = Table.of(X, infer=False).numbers() if has_names(X) else X
            rows = np.atleast_2d(np.asarray(X, dtype=np.float64))
        except (TypeError, ValueError):
            raise DataError(f"X holds {str(X)[:60]!r}.", "numbers") from None
        if rows.ndim != 2 or not rows.size:
            raise DataError(f"X of shape {rows.shape}.", "rows × columns")
        if not np.isfinite(rows).all():
            raise DataError("X has missing or infinite values.", "finite numbers")
        self._draw(rows.shape[1])
        wanted = len(self.layers[0].weights)
        if rows.shape[1] != wanted:
            raise DataError(
                f"rows of {counted(rows.shape[1], 'number')}.", f"{wanted}, as many as the network has inputs"
            )
        return rows

    def _draw(self, n_inputs: int) -> None:
        if any(each.weights is None for each in self.layers):
            rng = np.random.default_rng(self.random_state)
            for place, layer in enumerate(self.layers):
                self.layers[place] = drawn_layer(layer, n_inputs, rng)
                n_inputs = self.layers[place].weights.shape[1]
            _checked_layers(self.layers)

    def _targets(self, y: Any, passed: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
        return targets_for(self.loss, self.layers[-1].function, y, passed[-1][1].shape)


def _moved(layers: Sequence[Dense], gradients: Sequence[Gradient], rate: float) -> list[Dense]:
    """The layers after a step against the gradient."""
    return [
        replace(layer, weights=layer.weights - rate * weights, bias=layer.bias - rate * bias)
        for layer, (weights, bias) in zip(layers, gradients, strict=True)
    ]


def _check_finite(gradients: Sequence[Gradient], epoch: int, rate: float) -> None:
    if not all((np.abs(part) < _DIVERGED).all() for pair in gradients for part in pair):
        raise DataError(
            f"the gradient is not finite in epoch {epoch + 1}.",
            "smaller steps, or columns of one scale",
            f"Pass learning_rate={rate / 10:g}, or standardise the columns.",
        )


def _checked_layers(layers: Any) -> list[Dense]:
    found = list(layers) if isinstance(layers, (list, tuple)) else [layers]
    if not found or not all(isinstance(each, Dense) for each in found):
        raise DataError(f"layers={layers!r}.", "a list of Dense layers", "Pass [Dense(3, 'relu'), Dense(1)].")
    units = None
    for place, layer in enumerate(found):
        if layer.weights is not None and units not in (None, len(layer.weights)):
            inputs = counted(len(layer.weights), "input")
            raise DataError(f"layer {place + 1} has weights of {inputs}.", f"{units}, the units of the layer before")
        units = layer.units
    return found


def _check_rate(rate: Any) -> None:
    if isinstance(rate, bool) or not isinstance(rate, (int, float, np.number)) or not 0 < rate < np.inf:
        raise DataError(f"learning_rate={rate!r}.", "a number above 0")


def _check_count(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise DataError(f"{name}={value!r}.", "a whole number, 1 or more")

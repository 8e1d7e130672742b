"""One step of a Network on one row, as a result: text, HTML, a table and a picture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from probus.display import Cells, Notes, Paragraph, Picture, Result, counted, figure
from probus.neural_network._dense import Dense
from probus.neural_network._network_drawing import draw_network, picture_size
from probus.neural_network._network_loss import loss_formula, loss_slope
from probus.neural_network._unit_names import bias_name, unit_name, weight_name

if TYPE_CHECKING:
    from probus.neural_network._network import Network


_SHOWN = 40  # rows of a table
_TERMS = 4  # of a sum that is written out


@dataclass(frozen=True, repr=False, eq=False)
class NetworkStep(Result):
    """What ``Network.explain`` returns: a forward pass, a backward pass and one update.

    z are the weighted sums of a layer, a = activation(z) the values of its units. The layer errors are δ = ∂L/∂z. The
    derivative by a weight is the value at its start times the δ at its end; the one by a bias is the δ. Some texts
    give δ the other sign, and add η δ a to a weight.

    Attributes
    ----------
    x, y : the row and its target.
    learning_rate, loss_name : as passed.
    layers : the layers before the step.
    sums, values, errors : of each layer z, a and δ.
    gradients : of each layer the derivatives by the weights, inputs × units, and by the biases.
    loss, new_loss : the loss before and after the step.
    updated : the network after the step.
    """

    x: np.ndarray
    y: np.ndarray
    learning_rate: float
    loss_name: str
    layers: tuple[Dense, ...]
    sums: tuple[np.ndarray, ...]
    values: tuple[np.ndarray, ...]
    errors: tuple[np.ndarray, ...]
    gradients: tuple[tuple[np.ndarray, np.ndarray], ...]
    loss: float
    updated: Network
    new_loss: float

    @property
    def output(self) -> np.ndarray:
        """The values of the output units."""
        return self.values[-1]

    @property
    def sizes(self) -> tuple[int, ...]:
        """The number of inputs, and of units of each layer."""
        return (len(self.x), *(len(each) for each in self.values))

    @property
    def _inputs(self) -> tuple[np.ndarray, ...]:
        """What goes into each layer."""
        return (self.x, *self.values[:-1])

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each weight and bias."""
        return [
            {
                "layer": place,
                "parameter": name,
                "from": start,
                "to": unit,
                "value": value,
                "gradient": slope,
                "new": new,
            }
            for place, name, start, unit, value, slope, new in self._parameters()
        ]

    def _parameters(self) -> Iterator[tuple[int, str, str | None, str, float, float, float]]:
        """Layer, name, start (None for biases), end, value, derivative and new value of each parameter."""
        sizes = self.sizes
        for place, (old, slopes, new) in enumerate(
            zip(self.layers, self.gradients, self.updated.layers, strict=True), 1
        ):
            weights, biases = (old.weights, slopes[0], new.weights), (old.bias, slopes[1], new.bias)
            for k in range(sizes[place]):
                unit = unit_name(place, k, sizes)
                for j in range(sizes[place - 1]):
                    value, slope, after = (float(each[j, k]) for each in weights)
                    start = unit_name(place - 1, j, sizes)
                    yield place, weight_name(place, j, k, sizes), start, unit, value, slope, after
                value, slope, after = (float(each[k]) for each in biases)
                yield place, bias_name(place, k, sizes), None, unit, value, slope, after

    # -- display ---------------------------------------------------------------------------------------

    def _parts(self) -> Iterator[Any]:
        shape = " → ".join([str(self.sizes[0]), *(f"{each.units} {each.activation}" for each in self.layers)])
        yield f"One step of a network {shape}: loss {figure(self.loss)}, after the step {figure(self.new_loss)}"
        yield Picture(self.plot, picture_size(self.sizes), themed=True)
        yield "Forward pass"
        yield from _table(("unit", "z = sum of weight · input + bias", "z", "a"), list(self._forward()), [2, 3])
        yield Notes([f"{name}: a = {formula}" for name, formula in self._formulas(slope=False)])
        yield f"Loss  {self._loss_text()}"
        yield "Backward pass: the layer errors δ = ∂L/∂z"
        yield from _table(("unit", "∂L/∂a", "", "∂a/∂z", "δ"), list(self._backward()), [2, 3, 4])
        yield Notes([f"{name}: ∂a/∂z = {formula}" for name, formula in self._formulas(slope=True)])
        yield f"Update: new = old − {figure(self.learning_rate)} · derivative: δ of the end · value of the start"
        yield from _table(("", "from → to", "old", "derivative", "", "new"), list(self._updates()), [2, 4, 5])
        outputs = ", ".join(figure(each) for each in self.updated.predict(self.x))
        yield Paragraph(f"After the step: output {outputs}, loss {figure(self.new_loss)}")

    def _formulas(self, slope: bool) -> list[tuple[str, str]]:
        """The activations that occur, each with its formula."""
        found = {each.function.name: each.function for each in self.layers}
        return [(name, each.slope_formula if slope else each.formula) for name, each in found.items()]

    def _forward(self) -> Iterator[tuple[str, ...]]:
        for place, layer in enumerate(self.layers, 1):
            inputs = self._inputs[place - 1]
            for k in range(layer.weights.shape[1]):
                terms = [_product(weight, value) for weight, value in zip(layer.weights[:, k], inputs, strict=True)]
                sum_text = f"{_sum(terms)} {_signed(layer.bias[k])}"
                z, a = self.sums[place - 1][k], self.values[place - 1][k]
                yield unit_name(place, k, self.sizes), sum_text, figure(z), figure(a)

    def _loss_text(self) -> str:
        """The formula with its numbers, if they are few."""
        formula = loss_formula(self.loss_name, self.layers[-1].function)
        pairs = zip(self.y, self.output, strict=True)
        written = ""
        if len(self.y) == 1 and self.loss_name == "squared":
            written = f" = ½ ({figure(self.y[0])} − {figure(self.output[0])})²"
        elif len(self.y) <= _TERMS and self.layers[-1].function.name == "softmax":
            named = [f"{figure(y)} log {figure(f)}" if y != 1 else f"log {figure(f)}" for y, f in pairs if y]
            written = f" = −({' + '.join(named)})" if len(named) > 1 else f" = −{named[0]}"
        decay = sum(0.5 * each.weight_decay * float(np.square(each.weights).sum()) for each in self.layers)
        text = f"L = {formula}{written} = {figure(self.loss - decay)}"
        return f"{text}, and ½ λ ‖W‖² of the layers = {figure(decay)}" if decay else text

    def _backward(self) -> Iterator[tuple[str, ...]]:
        """From the output to the first layer, since each layer uses the errors of the one after it."""
        last = len(self.layers)
        for place in range(last, 0, -1):
            function = self.layers[place - 1].function
            slopes = function.slope(self.sums[place - 1], self.values[place - 1])
            if place == last:
                outward = loss_slope(self.loss_name, function, self.y[None], self.output[None])[0]
                texts = [""] * len(outward)
            else:
                weights, error = self.layers[place].weights, self.errors[place]
                outward = weights @ error
                texts = [_sum([_product(w, e) for w, e in zip(row, error, strict=True)]) + " =" for row in weights]
            for k in range(len(outward)):
                slope = "diag(a) − aaᵀ" if function.name == "softmax" else figure(slopes[k])
                error_text = figure(self.errors[place - 1][k])
                yield unit_name(place, k, self.sizes), texts[k], figure(outward[k]), slope, error_text

    def _updates(self) -> Iterator[tuple[str, ...]]:
        values = {unit_name(0, j, self.sizes): value for j, value in enumerate(self.x)}
        errors = {}
        for place in range(1, len(self.sizes)):
            for k in range(self.sizes[place]):
                name = unit_name(place, k, self.sizes)
                values[name], errors[name] = self.values[place - 1][k], self.errors[place - 1][k]
        for place, name, start, unit, value, slope, new in self._parameters():
            decay = self.layers[place - 1].weight_decay if start else 0.0
            text = _product(errors[unit], values[start]) if start else figure(errors[unit])
            text += f" + {_product(decay, value)}" if decay else ""
            way = f"{start} → {unit}" if start else f"bias of {unit}"
            yield name, way, figure(value), f"{text} =" if start else "δ =", figure(slope), figure(new)

    def plot(self, ax: Any = None) -> Any:
        """The network: values in the units, weights on the edges, wide where large; biases and δ below the units.

        Parameters
        ----------
        ax : matplotlib axes, by default new ones.

        Returns
        -------
        The axes.
        """
        return draw_network(self, ax)


def _table(header: tuple[str, ...], rows: list[tuple[str, ...]], right: Sequence[int]) -> Iterator[Any]:
    """The first rows, and how many more there are."""
    yield Cells([header, *rows[:_SHOWN]], right=right, margin=2)
    if len(rows) > _SHOWN:
        yield Paragraph(f"… and {counted(len(rows) - _SHOWN, 'more row', 'more rows')}: see to_frame()", margin=2)


def _product(first: float, second: float) -> str:
    return f"{figure(first)}·{_bracketed(second)}"


def _bracketed(value: float) -> str:
    return f"({figure(value)})" if value < 0 else figure(value)


def _signed(value: float) -> str:
    return f"− {figure(-value)}" if value < 0 else f"+ {figure(value)}"


def _sum(terms: list[str]) -> str:
    """Terms joined by their signs; the middle of many is left out."""
    shown = terms if len(terms) <= _TERMS else [*terms[: _TERMS - 1], "…", terms[-1]]
    return " + ".join(shown).replace("+ -", "− ")

"""The blocks of the network on cells: attention among rows, among the columns of a row, and a perceptron.

Cells are float32[T, width, L], the rows of a block last.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from probus.in_context._kernels import attend_to_columns, attend_to_rows, gelu, normalise, write_keys

HEADS = 4

Keys = tuple[np.ndarray, np.ndarray]


def normalised(x: np.ndarray, gain: np.ndarray) -> np.ndarray:
    """The numbers of each cell divided by their root mean square, times the gain."""
    out = np.empty_like(x)
    normalise(x, gain, out)
    return out


@dataclass(frozen=True)
class Perceptron:
    """A hidden layer with a shortcut."""

    gain: np.ndarray
    up: np.ndarray
    down: np.ndarray

    @classmethod
    def of(cls, weights: Mapping[str, np.ndarray], name: str) -> Perceptron:
        """The one of that name."""
        return cls(weights[f"{name}.norm.gain"], weights[f"{name}.up.weight"], weights[f"{name}.down.weight"])

    def __call__(self, x: np.ndarray) -> np.ndarray:
        hidden = self.up @ normalised(x, self.gain)
        gelu(hidden.reshape(-1))
        return x + self.down @ hidden


@dataclass(frozen=True)
class ColumnAttention:
    """Each cell attends to the cells of its row."""

    gain: np.ndarray
    projection: np.ndarray  # to queries, keys and values
    out: np.ndarray

    @classmethod
    def of(cls, weights: Mapping[str, np.ndarray], name: str) -> ColumnAttention | None:
        """The one of that name; None where a block has none."""
        if f"{name}.qkv.weight" not in weights:
            return None
        projection = weights[f"{name}.qkv.weight"].copy()
        width = projection.shape[1]
        projection[:width] *= np.float32((width // HEADS) ** -0.5)
        return cls(weights[f"{name}.norm.gain"], projection, weights[f"{name}.out.weight"])

    def __call__(self, x: np.ndarray, wanted: int) -> np.ndarray:
        """The first cells of each row, after they have attended to all."""
        mixed = np.empty((wanted, *x.shape[1:]), np.float32)
        attend_to_columns(self.projection @ normalised(x, self.gain), HEADS, mixed)
        return x[:wanted] + self.out @ mixed


@dataclass(frozen=True)
class Block:
    """A block of the network."""

    gain: np.ndarray
    query: np.ndarray
    keys_and_values: np.ndarray
    out: np.ndarray
    scale: np.ndarray
    slope: np.ndarray
    columns: ColumnAttention | None
    perceptron: Perceptron

    @classmethod
    def of(cls, weights: Mapping[str, np.ndarray], name: str) -> Block:
        """The one of that name."""
        rows = f"{name}.rows"
        query = weights[f"{rows}.query.weight"]
        size = len(query) // HEADS
        scale, slope = (np.repeat(weights[f"{rows}.{part}"], size) * size**-0.5 for part in ("scale", "slope"))
        return cls(
            weights[f"{rows}.norm.gain"], query,
            np.vstack([weights[f"{rows}.key.weight"], weights[f"{rows}.value.weight"]]),
            weights[f"{rows}.out.weight"], scale, slope,
            ColumnAttention.of(weights, f"{name}.columns"), Perceptron.of(weights, f"{name}.perceptron"),
        )  # fmt: skip

    def room_for_keys(self, rows: int, columns: int) -> Keys:
        """Arrays for the keys and values of training rows."""
        pairs, size = columns * HEADS, len(self.query) // HEADS
        return np.empty((pairs, rows, size), np.float32), np.empty((pairs, size, rows), np.float32)

    def write_keys(self, x: np.ndarray, keys: Keys, first: int, n: int) -> None:
        """Write the keys and values of n training rows to their place."""
        write_keys(self.keys_and_values @ normalised(x, self.gain), *keys, first, n)

    def __call__(self, x: np.ndarray, keys: Keys, log_rows: float, wanted: int | None = None) -> np.ndarray:
        """The cells after the block, given the keys and values of the training rows; or the first of each row."""
        query = self.query @ normalised(x, self.gain)
        query *= (self.scale + self.slope * log_rows).astype(np.float32)[:, None]
        mixed = np.empty_like(query)
        attend_to_rows(query, *keys, mixed)
        x = x + self.out @ mixed
        return self.perceptron(x if self.columns is None else self.columns(x, wanted or len(x)))

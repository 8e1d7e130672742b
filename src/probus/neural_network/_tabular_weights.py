"""The weights of a network of members on encoded rows, their first values, and its outputs in NumPy.

The members are networks that share their matrices. Each multiplies the input by factors of its own and has an output
layer of its own (TabM, Gorishniy et al. 2025).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

import numpy as np

from probus.neural_network._tabular_encoding import Cells, TabularEncoding

_MOST_NUMBERS = 4_000_000  # in an array of hidden units
_LEVEL_SIZE = 8  # the most numbers that a level is embedded in

Shapes = dict[str, tuple[int, ...]]


def shapes_of(encoding: TabularEncoding, hidden: Sequence[int], members: int, size: int, n_outputs: int) -> Shapes:
    """The shape of each array of weights, by name.

    hidden : the widths of the hidden layers; members : their number; size : the numbers that a number is embedded in
    """
    d, n_bins = encoding.lower.shape
    shapes: Shapes = {"slope": (d, size), "shift": (d, size), "bins": (d, n_bins, size)} if d else {}
    sizes = [(n, 1 if n <= 3 else min(_LEVEL_SIZE, n - 1)) for n in encoding.n_levels]
    shapes |= {f"levels_{i}": shape for i, shape in enumerate(sizes)}
    width = d * size + len(encoding.flagged) + sum(width for _, width in sizes)
    shapes["members"] = (members, width)
    for i, (before, after) in enumerate(pairwise([width, *hidden])):
        shapes |= {f"weight_{i}": (before, after), f"bias_{i}": (after,)}
    last = hidden[-1]
    return shapes | {"head_weight": (members, last, n_outputs), "head_bias": (members, n_outputs)}


def first_weights(shapes: Shapes, random: np.random.Generator) -> dict[str, np.ndarray]:
    """Random weights; those of unseen levels and of bins begin at zero, so that effects of numbers begin linear."""
    return {name: _drawn(name, shape, shapes, random).astype(np.float32) for name, shape in shapes.items()}


def _drawn(name: str, shape: tuple[int, ...], shapes: Shapes, random: np.random.Generator) -> np.ndarray:
    if name == "bins":
        return np.zeros(shape)
    if name == "members":
        return random.normal(size=shape)
    if name.startswith("levels"):
        n, width = shape
        table = random.normal(size=shape) / np.sqrt(width) if width > 1 else np.linspace(-3.0, 1.0, 3)[:n, None]
        table[0] = 0.0
        return table
    fan_in = {"slope": 1, "shift": 1}.get(name)
    if fan_in is None:
        matrix = shapes[name.replace("bias", "weight")]
        fan_in = matrix[-2]
    return random.uniform(-1.0, 1.0, shape) / np.sqrt(max(fan_in, 1))


def mean_outputs(
    weights: Mapping[str, np.ndarray],
    cells: Cells,
    encoding: TabularEncoding,
    link: Callable[[np.ndarray], np.ndarray],
) -> np.ndarray:
    """The outputs of rows after a link function, averaged over networks and members: float64[n, outputs].

    weights : arrays by name, with an axis for the networks before the others
    """
    members = weights["members"]
    n_networks, k, width = members.shape
    if len(cells) == 1:
        return np.add.reduce(link(_outputs(weights, cells, encoding)), axis=(0, 1)) / (n_networks * k)
    widest = max(width, *(weights[name].shape[-1] for name in weights if name.startswith("bias")))
    at_once = max(1, _MOST_NUMBERS // (n_networks * k * widest))
    chunks = [cells.some(slice(first, first + at_once)) for first in range(0, len(cells), at_once)]
    return np.concatenate([link(_outputs(weights, chunk, encoding)).sum(axis=(0, 1)) for chunk in chunks]) / (
        n_networks * k
    )


def _outputs(weights: Mapping[str, np.ndarray], cells: Cells, encoding: TabularEncoding) -> np.ndarray:
    """The outputs of each network and member: float32[networks, members, n, outputs]."""
    members = weights["members"]
    (n_networks, k, width), n = members.shape, len(cells)
    x = _input(weights, cells, encoding)
    values = (x[:, :, None] * members[:, None]).reshape(n_networks, n * k, width)
    layer = 0
    while f"weight_{layer}" in weights:
        values = values @ weights[f"weight_{layer}"]
        values += weights[f"bias_{layer}"][:, None]
        np.maximum(values, 0.0, out=values)
        layer += 1
    last = values.reshape(n_networks, n, k, -1).transpose(0, 2, 1, 3)
    return last @ weights["head_weight"] + weights["head_bias"][:, :, None]


def _input(weights: Mapping[str, np.ndarray], cells: Cells, encoding: TabularEncoding) -> np.ndarray:
    """The embedded rows of each network: float32[networks, n, width]."""
    n, n_networks = len(cells), len(weights["members"])
    parts = []
    if "slope" in weights:
        z = cells.numbers
        bins = np.minimum(np.maximum((z[:, :, None] - encoding.lower) / encoding.width, 0.0), 1.0)
        embedded = bins.transpose(1, 0, 2) @ weights["bins"]
        embedded += z.T[:, :, None] * weights["slope"][:, :, None] + weights["shift"][:, :, None]
        parts.append(embedded.transpose(0, 2, 1, 3).reshape(n_networks, n, -1))
    if cells.gone.shape[1]:
        parts.append(np.broadcast_to(cells.gone, (n_networks, *cells.gone.shape)))
    parts += [weights[f"levels_{i}"][:, codes] for i, codes in enumerate(cells.codes.T)]
    return np.concatenate(parts, axis=2)

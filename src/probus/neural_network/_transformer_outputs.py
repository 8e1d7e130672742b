"""What transformers compute, in NumPy (Vaswani et al. 2017, with the normalisation first)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, softmax

from probus.neural_network._recurrent_outputs import embedded, mean_of
from probus.neural_network._word_pieces import END

_EPSILON = 1e-5  # of the normalisation in PyTorch
Weights = Mapping[str, np.ndarray]


@dataclass(frozen=True)
class EncoderShape:
    """The sizes of an encoder; ``n_pieces`` is None for series of ``channels`` numbers."""

    n_pieces: int | None
    channels: int
    width: int
    depth: int
    heads: int


def position_coding(length: int, width: int) -> np.ndarray:
    """Sines and cosines of the places, in waves from 2π to 20,000 π steps long; steps × width.

    >>> position_coding(2, 4).round(3).tolist()
    [[0.0, 1.0, 0.0, 1.0], [0.841, 0.54, 0.01, 1.0]]
    """
    frequency = 1e4 ** (-np.arange(0, width, 2) / width)
    angle = np.arange(length)[:, None] * frequency
    return np.stack([np.sin(angle), np.cos(angle)], axis=2).reshape(length, -1)[:, :width]


def encoder_states(
    weights: Weights, shape: EncoderShape, first: np.ndarray, second: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[np.ndarray]]:
    """The vectors of the steps, which of them are there, the numbers beside, and the attention of each layer.

    Attention is rows × heads × steps × steps: how much of each step (the last axis) goes into each.
    """
    inside = [name for name in weights if name.startswith("encoder.")]
    own = {name.removeprefix("encoder."): weights[name].astype(np.float64) for name in inside}
    steps, here, beside = embedded(own, first, second)
    steps = steps + position_coding(steps.shape[1], shape.width)
    if "second" in own:
        ends = (first == END).astype(np.int64)
        steps = steps + ((ends.cumsum(axis=1) - ends) > 0)[:, :, None] * own["second"]
    looked_at = here.copy()
    looked_at[:, 0] = True
    attentions = []
    for layer in range(shape.depth):
        steps, attention = _layer(own, f"layers.{layer}", shape.heads, steps, looked_at)
        attentions.append(attention)
    return _normalised(own, "norm", steps), here, beside, attentions


def transformer_outputs(weights: Weights, shape: EncoderShape, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The outputs of rows, as PyTorch computes them."""
    steps, here, beside, _ = encoder_states(weights, shape, first, second)
    return _linear(weights, "head", np.concatenate([steps[:, 0], mean_of(steps, here), beside], axis=1))


def language_outputs(
    weights: Weights, shape: EncoderShape, pieces: np.ndarray, places: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """The weights of the pieces at some places, and of whether the second text followed, as in PyTorch."""
    steps, _, _, _ = encoder_states(weights, shape, pieces, np.zeros((len(pieces), 0)))
    mixed = _normalised(weights, "norm", _gelu(_linear(weights, "mix", steps[places])))
    table = weights["encoder.embedding.layer.weight"].astype(np.float64)
    return mixed @ table.T + weights["bias"], _linear(weights, "follows", steps[:, 0])


def _layer(
    weights: Weights, name: str, heads: int, steps: np.ndarray, looked_at: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    rows, length, width = steps.shape
    parts = _linear(weights, f"{name}.attention", _normalised(weights, f"{name}.attention_norm", steps))
    query, key, value = parts.reshape(rows, length, 3, heads, width // heads).transpose(2, 0, 3, 1, 4)
    scores = query @ key.swapaxes(2, 3) / np.sqrt(width // heads)
    attention = softmax(np.where(looked_at[:, None, None, :], scores, -np.inf), axis=3)
    mixed = (attention @ value).transpose(0, 2, 1, 3).reshape(rows, length, width)
    steps = steps + _linear(weights, f"{name}.mix", mixed)
    wide = _gelu(_linear(weights, f"{name}.wide", _normalised(weights, f"{name}.norm", steps)))
    return steps + _linear(weights, f"{name}.narrow", wide), attention


def _linear(weights: Weights, name: str, values: np.ndarray) -> np.ndarray:
    return values @ weights[f"{name}.weight"].astype(np.float64).T + weights[f"{name}.bias"]


def _normalised(weights: Weights, name: str, values: np.ndarray) -> np.ndarray:
    centred = values - values.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt(np.square(centred).mean(axis=-1, keepdims=True) + _EPSILON)
    return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]


def _gelu(values: np.ndarray) -> np.ndarray:
    return values * ndtr(values)

"""What recurrent networks compute, in NumPy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.special import expit

Weights = Mapping[str, np.ndarray]


def embedded(weights: Weights, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The vectors of the steps, which of them are there, and the numbers beside."""
    table = weights["embedding.layer.weight"].astype(np.float64)
    if "embedding.layer.bias" in weights:
        return first @ table.T + weights["embedding.layer.bias"], second.astype(bool), np.zeros((len(first), 0))
    return table[first] * table.shape[1] ** 0.5, first != 0, second


def mean_of(steps: np.ndarray, here: np.ndarray) -> np.ndarray:
    """The mean of the steps that are there; zero where none is."""
    return (steps * here[:, :, None]).sum(axis=1) / np.maximum(here.sum(axis=1), 1)[:, None]


def recurrent_outputs(weights: Weights, cell: str, depth: int, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The outputs of rows, as PyTorch computes them."""
    steps, here, beside = embedded(weights, first, second)
    steps = steps * here[:, :, None]
    places = np.arange(here.shape[1])
    lengths = np.where(here, places + 1, 1).max(axis=1)
    mirrored = np.maximum(lengths[:, None] - 1 - places, 0)
    rows = np.arange(len(here))
    for layer in range(depth):
        ahead = _states(weights, f"forwards.{layer}", cell, steps)
        behind = _states(weights, f"backwards.{layer}", cell, steps[rows[:, None], mirrored])[rows[:, None], mirrored]
        steps = np.concatenate([ahead, behind], axis=2)
    last = np.concatenate([ahead[rows, lengths - 1], behind[:, 0]], axis=1)
    pooled = np.concatenate([mean_of(steps, here), last, beside], axis=1)
    return pooled @ weights["head.weight"].astype(np.float64).T + weights["head.bias"]


def _states(weights: Weights, name: str, cell: str, steps: np.ndarray) -> np.ndarray:
    """The states of a layer after each step."""
    by_input, by_state, input_bias, state_bias = (
        weights[f"{name}.{each}_l0"].astype(np.float64) for each in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    given = steps @ by_input.T + input_bias
    state = memory = np.zeros((len(steps), by_state.shape[1]))
    found = np.empty((*steps.shape[:2], by_state.shape[1]))
    for step in range(steps.shape[1]):
        own = state @ by_state.T + state_bias
        state, memory = (_gru if cell == "gru" else _lstm)(given[:, step], own, state, memory)
        found[:, step] = state
    return found


def _gru(given: np.ndarray, own: np.ndarray, state: np.ndarray, memory: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The gated recurrent unit (Cho et al. 2014)."""
    reset, update = (expit(each) for each in np.split((given + own)[:, : 2 * state.shape[1]], 2, axis=1))
    width = 2 * state.shape[1]
    new = np.tanh(given[:, width:] + reset * own[:, width:])
    return (1.0 - update) * new + update * state, memory


def _lstm(given: np.ndarray, own: np.ndarray, state: np.ndarray, memory: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Long short-term memory (Hochreiter and Schmidhuber 1997; Gers et al. 2000)."""
    enter, forget, new, leave = np.split(given + own, 4, axis=1)
    memory = expit(forget) * memory + expit(enter) * np.tanh(new)
    return expit(leave) * np.tanh(memory), memory

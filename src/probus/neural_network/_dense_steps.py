"""Training of dense networks in NumPy: for layers of a few hundred units, faster than PyTorch on a processor."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import issparse

from probus.compiling import njit
from probus.neural_network._dense_weights import DenseWeights
from probus.neural_network._epochs import Epochs, Score
from probus.neural_network._settings import TrainingSettings
from probus.parallel import blas_on_one_thread

OWN_OPTIMISERS = ("sgd", "adam", "adamw")
_SHORT = 50_000_000  # operations of a step below which threads cost more than they save


@njit(nogil=True, cache=True, fastmath={"reassoc", "contract", "arcp"})
def take_adam_step(w, g, m, v, constants):
    """Move w against the gradient by Adam's rule.

    w, m, v (OUT)       float32[p] or float64[p]  weights, running means of gradients and of their squares
    g (IN)              the same                  the gradient
    constants (IN)      the same [6]              step size, corrected for the first steps; β₁, 1 − β₁, β₂, 1 − β₂, ε
    """
    rate, beta1, rest1, beta2, rest2, epsilon = constants
    for j in range(len(w)):
        m[j] = beta1 * m[j] + rest1 * g[j]
        v[j] = beta2 * v[j] + rest2 * g[j] * g[j]
        w[j] -= rate * m[j] / (np.sqrt(v[j]) + epsilon)


class DenseTraining(Epochs):
    """The training of a dense network.

    network : the weights, which are changed in place. X, y, weight : the rows, of the dtype of the weights; weight is
    None or one per row. random : of the order of the rows
    """

    def __init__(
        self,
        network: DenseWeights,
        X: Any,
        y: np.ndarray,
        weight: np.ndarray | None,
        settings: TrainingSettings,
        random: np.random.RandomState,
        score: Score | None = None,
        data: str = "",
        rows_before: int = 0,
    ):
        super().__init__(len(y), settings, score, data, rows_before)
        self.network, self._X, self._y, self._weight, self._random = network, X, y, weight, random
        self._first, self._second = np.zeros_like(network.values), np.zeros_like(network.values)
        self._n_steps = 0
        self._order = np.arange(len(y))
        self._dropout = np.random.default_rng(settings.seed) if network.dropout else None

    def _epoch(self) -> None:
        if self.settings.shuffle:
            drawn = np.arange(self.n_rows)
            self._random.shuffle(drawn)
            self._order = self._order[drawn]
        size = self.settings.batch_size
        firsts = range(0, self.n_rows, size)
        losses, sizes = np.empty(len(firsts)), np.empty(len(firsts))
        short = 6.0 * size * len(self.network.values) < _SHORT
        with blas_on_one_thread(short), np.errstate(all="ignore"):  # what overflows is reported with its step
            for step, first in enumerate(firsts):
                rows = self._order[first : first + size]
                rate = self._set_rate(step, len(firsts))
                losses[step], sizes[step] = self._step(rows, rate), len(rows)
        self._record(losses, sizes)

    def _step(self, rows: np.ndarray, rate: float) -> float:
        """One step; the loss before it."""
        net, weight = self.network, None if self._weight is None else self._weight[rows]
        X = self._X[rows]
        X = X.toarray() if issparse(X) else X  # a batch is small, and sums are then those of an array
        loss = net.descend(X, self._y[rows], weight, self._dropout)
        if self.settings.clip is not None:
            length = float(np.linalg.norm(net.gradient))
            net.gradient *= min(1.0, self.settings.clip / max(length, 1e-30))
        self._move(rate)
        return loss

    def _move(self, rate: float) -> None:
        plan, net, number = self.settings, self.network, self.network.values.dtype.type
        self._n_steps += 1
        if plan.optimiser == "sgd":
            momentum, rate_ = number(plan.momentum), number(rate)
            self._first *= momentum
            self._first -= rate_ * net.gradient
            net.values += momentum * self._first - rate_ * net.gradient if plan.nesterov else self._first
            return
        if plan.optimiser == "adamw":
            for weights in net.coefs:
                weights *= number(1.0 - rate * plan.weight_decay)
        t = self._n_steps
        corrected = rate * np.sqrt(1.0 - plan.beta_2**t) / (1.0 - plan.beta_1**t)
        beta1, beta2 = plan.beta_1, plan.beta_2
        constants = np.array([corrected, beta1, 1.0 - beta1, beta2, 1.0 - beta2, plan.epsilon], net.values.dtype)
        take_adam_step(net.values, net.gradient, self._first, self._second, constants)

    def _evaluated(self, score: Score) -> float:
        return float(score())

    # -- state -----------------------------------------------------------------------------------------

    def _weights(self) -> dict[str, np.ndarray]:
        net = self.network
        named = {f"coefs/{layer}": each for layer, each in enumerate(net.coefs)}
        return named | {f"intercepts/{layer}": each for layer, each in enumerate(net.intercepts)}

    def _load(self, weights: dict[str, np.ndarray]) -> None:
        for name, own in self._weights().items():
            own[:] = weights[name]

    def memory(self) -> dict[str, np.ndarray]:
        """See ``Epochs``."""
        memory = {
            "first": self._first,
            "second": self._second,
            "steps": np.array([self._n_steps]),
            "order": self._order,
        }
        found: Any = self._random.get_state(legacy=False)
        if found["bit_generator"] == "MT19937":  # the usual one of NumPy
            rest = [found["state"]["pos"], found["has_gauss"], found["gauss"]]
            memory |= {"keys": found["state"]["key"], "rest": np.array(rest, dtype=np.float64)}
        if self._dropout is not None:
            state = self._dropout.bit_generator.state
            words = [state["state"]["state"], state["state"]["inc"], state["has_uint32"], state["uinteger"]]
            memory["dropout"] = np.array([[word >> 64, word & (2**64 - 1)] for word in words], dtype=np.uint64)
        return memory

    def remember(self, memory: dict[str, np.ndarray]) -> None:
        """See ``Epochs``."""
        self._first[:], self._second[:] = memory["first"], memory["second"]
        self._n_steps = int(memory["steps"][0])
        if len(memory["order"]) == self.n_rows:  # another batch of rows is in its own order
            self._order = memory["order"].copy()
        if "keys" in memory:
            position, has_normal, normal = memory["rest"].tolist()
            self._random.set_state(("MT19937", memory["keys"], int(position), int(has_normal), normal))
        if self._dropout is not None and "dropout" in memory:
            state, inc, has_word, word = ((int(high) << 64) | int(low) for high, low in memory["dropout"])
            self._dropout.bit_generator.state = {
                "bit_generator": "PCG64", "state": {"state": state, "inc": inc}, "has_uint32": has_word,
                "uinteger": word,
            }  # fmt: skip

"""Training of a module of PyTorch: its steps on batches of rows, and what is done where memory is short."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from probus.callbacks import Callback
from probus.errors import DataError
from probus.neural_network._epochs import Epochs, Score
from probus.neural_network._history import TrainingHistory
from probus.neural_network._optimisers import optimiser_of
from probus.neural_network._settings import TrainingSettings
from probus.neural_network._torch import load_torch, random_states, seeded, set_random_states

Loss = Callable[[Any], Any]


def train(
    module: Any,
    batch_loss: Loss,
    n_rows: int,
    settings: TrainingSettings,
    *,
    score: Score | None = None,
    data: str = "",
    groups: Iterable[dict[str, Any]] | None = None,
    callbacks: Iterable[Callback] = (),
) -> TrainingHistory:
    """Train a module of PyTorch in place and return the history.

    module : on its device, with its first weights
    batch_loss : the mean loss of some training rows, a tensor that has a gradient, from their indices, an integer
        tensor on the device. The rows are what it looks up: tensors that stay on the device.
    n_rows : the number of training rows
    score : the score of held-out rows, the larger the better; it is called in evaluation mode, without gradients, and
        decides about early stopping and the weights that are kept
    data : what identifies the data in a checkpoint: ``fingerprint`` of the arrays
    groups : groups of weights with a weight decay or a factor of the learning rate of their own, see ``optimiser_of``
    callbacks : called as epochs finish, with the ``Training``; training stops where one returns True
    """
    return Training(module, batch_loss, n_rows, settings, score, data, groups).trained(callbacks)[0]


class Training(Epochs):
    """The training of a module."""

    def __init__(
        self,
        module: Any,
        batch_loss: Loss,
        n_rows: int,
        settings: TrainingSettings,
        score: Score | None = None,
        data: str = "",
        groups: Iterable[dict[str, Any]] | None = None,
    ):
        super().__init__(n_rows, settings, score, data)
        self.torch, self.module = load_torch(), module
        self.device = next(module.parameters()).device
        self._batch_loss = batch_loss
        self._trained = [weight for weight in module.parameters() if weight.requires_grad]
        self._optimiser = optimiser_of(module, settings, groups)
        self._factors = [group.get("rate", 1.0) for group in self._optimiser.param_groups]
        self._batch = min(settings.batch_size, n_rows)
        self._at_once = self._batch + 1  # rows that fit into memory; the last batch may have one more
        self._precision = _precision(settings.precision, self.device)

    def trained(
        self, callbacks: Iterable[Callback] = (), memory: dict[str, np.ndarray] | None = None
    ) -> tuple[TrainingHistory, dict[str, np.ndarray]]:
        """All epochs, with random numbers of the seed, and what they leave for the next steps.

        ``memory`` is what an earlier training has left.
        """
        with seeded(self.settings.seed, self.device):
            if memory is not None:
                self.remember(memory)
            history, left = self.fit(callbacks), self.memory()
        self.module.eval()
        return history, left

    def _epoch(self) -> None:
        torch = self.torch
        self.module.train()
        shuffled = self.settings.shuffle
        order = (torch.randperm if shuffled else torch.arange)(self.n_rows, device=self.device)
        batches = _batches(order, self._batch)
        losses = torch.empty(len(batches), dtype=torch.float32, device=self.device)
        for step, rows in enumerate(batches):
            rate = self._set_rate(step, len(batches))
            for group, own in zip(self._optimiser.param_groups, self._factors, strict=True):
                group["lr"] = rate * own
            losses[step] = self._step(rows)
        self._record(losses.cpu().numpy(), [len(rows) for rows in batches])

    def _step(self, rows: Any) -> Any:
        """One step of the optimiser; the loss before it."""
        while True:
            self._optimiser.zero_grad(set_to_none=True)
            try:
                loss = self._backward(rows)
                break
            except self.torch.OutOfMemoryError:
                self._halve(len(rows))
        if self.settings.clip is not None:
            self.torch.nn.utils.clip_grad_norm_(self._trained, self.settings.clip)
        self._optimiser.step()
        return loss

    def _backward(self, rows: Any) -> Any:
        """Loss and gradients of a batch, in parts that fit into memory."""
        total = 0.0
        for part in rows.split(self._at_once):
            with self._precision():
                loss = self._batch_loss(part)
            if len(part) < len(rows):
                loss = loss * (len(part) / len(rows))
            loss.backward()
            total = total + loss.detach()
        return total

    def _halve(self, size: int) -> None:
        """Compute gradients in parts of half the size; the steps are the same."""
        size = min(size, self._at_once)
        if size == 1:
            raise DataError(
                f"out of memory on {self.device} with a single row.",
                "a network that fits into memory",
                "Use a smaller network.",
            ) from None
        self._at_once = -(-size // 2)
        if self.device.type == "cuda":
            self.torch.cuda.empty_cache()
        warnings.warn(
            f"out of memory on {self.device}: batches of {self._batch} rows are computed in parts of {self._at_once}. "
            f"A smaller batch_size trains without this.",
            ResourceWarning,
            stacklevel=9,
        )

    def _evaluated(self, score: Score) -> float:
        self.module.eval()
        with self.torch.no_grad(), self._precision():
            return float(score())

    # -- state -----------------------------------------------------------------------------------------

    def _weights(self) -> dict[str, Any]:
        return self.module.state_dict()

    def _load(self, weights: dict[str, Any]) -> None:
        self.module.load_state_dict({name: self._tensor(each) for name, each in weights.items()})

    def _tensor(self, value: Any) -> Any:
        return self.torch.from_numpy(np.array(value)) if isinstance(value, np.ndarray) else value

    def memory(self) -> dict[str, np.ndarray]:
        """See ``Epochs``."""
        states = self._optimiser.state_dict()["state"]
        memory = {
            f"optimiser/{place}/{name}": tensor.cpu().numpy()
            for place, state in states.items()
            for name, tensor in state.items()
            if tensor is not None
        }
        return memory | {f"random/{place}": state for place, state in enumerate(random_states(self.device))}

    def remember(self, memory: dict[str, np.ndarray]) -> None:
        """See ``Epochs``."""
        states: dict[int, dict[str, Any]] = {}
        for name, array in memory.items():
            kind, place, *key = name.split("/")
            if kind == "optimiser":
                states.setdefault(int(place), {})[key[0]] = self._tensor(array)
        self._optimiser.load_state_dict({**self._optimiser.state_dict(), "state": states})
        set_random_states(self.device, [array for name, array in memory.items() if name.startswith("random/")])


def _batches(order: Any, size: int) -> list[Any]:
    """Rows in batches; a last row alone joins the batch before it, as normalisation over a batch needs two."""
    batches = list(order.split(size))
    if len(batches) > 1 and len(batches[-1]) == 1:
        batches[-2:] = [order[(len(batches) - 2) * size :]]
    return batches


def _precision(wanted: str, device: Any) -> Callable[[], AbstractContextManager[Any]]:
    """A function that returns a context for the forward pass."""
    torch = load_torch()
    has_short = device.type == "cuda" and torch.cuda.is_bf16_supported()
    if wanted == "float32" or (wanted == "auto" and not has_short):
        return nullcontext
    return lambda: torch.autocast(device.type, dtype=torch.bfloat16)

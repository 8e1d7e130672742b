"""The training loop: epochs of steps, early stopping, checkpoints, and what goes wrong on the way."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from probus.callbacks import Callback, EarlyStopping, no_new_best
from probus.errors import DataError
from probus.neural_network._checkpoint import read_checkpoint, write_checkpoint
from probus.neural_network._display import display
from probus.neural_network._history import TrainingHistory
from probus.neural_network._optimisers import optimiser_of
from probus.neural_network._schedules import rate_factor
from probus.neural_network._settings import TrainingSettings
from probus.neural_network._torch import load_torch, random_states, seeded, set_random_states

__all__ = ["Training", "train"]

_SMALLEST_RATE = 1e-6  # at which "adaptive" stops

Loss = Callable[[Any], Any]
Score = Callable[[], float]


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
    training = Training(module, batch_loss, n_rows, settings, score, data, groups)
    with seeded(settings.seed, training.device), display(training) as lines:
        training.resume()
        try:
            training.run([*lines, *callbacks])
        except KeyboardInterrupt:
            if not training.n_epochs:  # there is nothing to keep
                raise
            training.ending = "interrupted"
            warnings.warn("Training interrupted by user.", stacklevel=3)
        training.keep_best()
    return training.history()


class Training:
    """A training on its way."""

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
        self.torch = load_torch()
        self.module, self.settings, self.n_rows = module, settings, n_rows
        self.device = next(module.parameters()).device
        self.loss: list[float] = []
        self.validation: list[float] = []
        self.rates: list[float] = []
        self.ending = "all epochs done"
        self.has_score = score is not None
        self._batch_loss, self._score, self._data = batch_loss, score, data
        self._weights = [weight for weight in module.parameters() if weight.requires_grad]
        self._optimiser = optimiser_of(module, settings, groups)
        self._factors = [group.get("rate", 1.0) for group in self._optimiser.param_groups]
        self._batch = min(settings.batch_size, n_rows)
        self._at_once = self._batch + 1  # rows that fit into memory; the last batch may have one more
        self._cut = 1.0  # the factor by which "adaptive" has lowered the rate
        self._since = 0  # the epochs before the last cut
        self._best: dict[str, Any] | None = None
        self._precision = _precision(settings.precision, self.device)

    @property
    def n_epochs(self) -> int:
        """The epochs that are finished."""
        return len(self.loss)

    def run(self, callbacks: Iterable[Callback] = ()) -> None:
        """The epochs that are left."""
        callbacks = list(callbacks)
        for callback in callbacks:
            callback.begin(self)
        while self.n_epochs < self.settings.max_epochs and self.ending != "no more improvement":
            self._epoch()
            self._validate()
            stops = [callback.after(self) for callback in callbacks]
            if self._stalled():
                self.ending = "no more improvement"
            elif any(stops):
                self.ending = "stopped by a callback"
            self._save()
            if any(stops):
                break

    # -- an epoch --------------------------------------------------------------------------------------

    def _epoch(self) -> None:
        """Use every row once."""
        torch = self.torch
        self.module.train()
        shuffled = self.settings.shuffle
        order = (torch.randperm if shuffled else torch.arange)(self.n_rows, device=self.device)
        batches = _batches(order, self._batch)
        losses = torch.empty(len(batches), dtype=torch.float32, device=self.device)
        first, total = self.n_epochs * len(batches), self.settings.max_epochs * len(batches)
        for step, rows in enumerate(batches):
            self._set_rate(first + step, total)
            losses[step] = self._step(rows)
        self._record(losses.cpu().numpy(), np.array([len(rows) for rows in batches]))

    def _set_rate(self, step: int, total: int) -> None:
        plan = self.settings
        seen = self.n_epochs * self.n_rows
        factor = rate_factor(plan.schedule, step, total, rows_seen=seen, power=plan.power_t, warm_up=plan.warm_up)
        self._rate = plan.learning_rate * factor * self._cut
        for group, own in zip(self._optimiser.param_groups, self._factors, strict=True):
            group["lr"] = self._rate * own

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
            self.torch.nn.utils.clip_grad_norm_(self._weights, self.settings.clip)
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
                f"out of memory on {self.device} with a single row.", "a network that fits", "Use a smaller network."
            ) from None
        self._at_once = -(-size // 2)
        if self.device.type == "cuda":
            self.torch.cuda.empty_cache()
        warnings.warn(
            f"out of memory on {self.device}: batches of {self._batch} rows are computed in parts of {self._at_once}. "
            f"A smaller batch_size trains without this.",
            ResourceWarning,
            stacklevel=8,
        )

    def _record(self, losses: np.ndarray, sizes: np.ndarray) -> None:
        """Keep the mean loss of the epoch; an error names the first step whose loss is not a number."""
        bad = np.flatnonzero(~np.isfinite(losses))
        if len(bad):
            raise DataError(
                f"the loss is {losses[bad[0]]} in epoch {self.n_epochs + 1}, step {bad[0] + 1} of {len(losses)}.",
                "finite numbers",
                f"Lower the learning rate ({self._rate:g} now), clip gradients, or scale columns and target: values "
                "that are too large make the steps diverge.",
            )
        self.loss.append(float(np.average(losses.astype(np.float64), weights=sizes)))
        self.rates.append(self._rate)

    # -- when to stop ----------------------------------------------------------------------------------

    def _validate(self) -> None:
        """Score the held-out rows, and keep the weights if they are the best so far."""
        if self._score is None:
            return
        self.module.eval()
        with self.torch.no_grad(), self._precision():
            score = float(self._score())
        is_best = not self.validation or score > max(self.validation) or math.isnan(max(self.validation))
        self.validation.append(score)
        if is_best:
            self._best = {name: tensor.clone() for name, tensor in self.module.state_dict().items()}

    def _stalled(self) -> bool:
        """Whether to stop since neither the score nor, without one, the loss improves."""
        if self.settings.patience is None or math.isinf(self.settings.patience):
            return False
        recorded = self.validation or [-loss for loss in self.loss]
        since = [max(recorded[: self._since + 1]), *recorded[self._since + 1 :]]
        if not EarlyStopping(since, no_new_best, int(self.settings.patience), self.settings.tol).after(self):
            return False
        if self.settings.schedule != "adaptive" or self._rate <= _SMALLEST_RATE:
            return True
        self._cut, self._since = self._cut / 5.0, len(recorded) - 1
        return False

    def keep_best(self) -> None:
        """Return to the weights with the best score, and to evaluation mode."""
        if self._best is not None:
            self.module.load_state_dict(self._best)
        self.module.eval()

    def history(self) -> TrainingHistory:
        """What was recorded."""
        best = None if self._best is None else int(np.argmax(self.validation)) + 1
        loss, validation, rates = (np.array(each, np.float64) for each in (self.loss, self.validation, self.rates))
        return TrainingHistory(loss, validation, rates, best, self.ending)

    # -- checkpoints -----------------------------------------------------------------------------------

    def _header(self) -> dict[str, Any]:
        """What a checkpoint must agree in."""
        shapes = {name: list(tensor.shape) for name, tensor in self.module.state_dict().items()}
        return {"network": shapes, "data": [self._data, self.n_rows], "settings": self.settings.key()}

    def _save(self) -> None:
        """Write everything that the next epochs depend on."""
        if self.settings.checkpoint is None:
            return
        arrays = {f"weights/{name}": tensor for name, tensor in self.module.state_dict().items()}
        arrays |= {f"best/{name}": tensor for name, tensor in (self._best or {}).items()}
        for place, state in self._optimiser.state_dict()["state"].items():
            arrays |= {f"optimiser/{place}/{name}": tensor for name, tensor in state.items() if tensor is not None}
        plain = {name: _array(tensor) for name, tensor in arrays.items()}
        plain |= {f"random/{place}": state for place, state in enumerate(random_states(self.device))}
        recorded = {"loss": self.loss, "validation": self.validation, "rates": self.rates, "ending": self.ending}
        state = {**recorded, "cut": self._cut, "since": self._since}
        write_checkpoint(self.settings.checkpoint, {**self._header(), "state": state}, plain)

    def resume(self) -> None:
        """Go on from the checkpoint, if there is one."""
        if self.settings.checkpoint is None:
            return
        found = read_checkpoint(self.settings.checkpoint, self._header())
        if found is None:
            return
        header, arrays = found
        state = header["state"]
        self.loss, self.validation, self.rates = state["loss"], state["validation"], state["rates"]
        self.ending = state["ending"] if state["ending"] == "no more improvement" else self.ending
        self._cut, self._since = state["cut"], state["since"]
        tensors = {name: self.torch.from_numpy(np.array(array)) for name, array in arrays.items()}
        self.module.load_state_dict(_below(tensors, "weights/"))
        self._best = {name: each.to(self.device) for name, each in _below(tensors, "best/").items()} or None
        self._load_optimiser(_below(tensors, "optimiser/"))
        set_random_states(self.device, [array for name, array in arrays.items() if name.startswith("random/")])

    def _load_optimiser(self, tensors: dict[str, Any]) -> None:
        states: dict[int, dict[str, Any]] = {}
        for name, tensor in tensors.items():
            place, key = name.split("/")
            states.setdefault(int(place), {})[key] = tensor
        own = self._optimiser.state_dict()
        self._optimiser.load_state_dict({**own, "state": states})


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


def _array(value: Any) -> np.ndarray:
    return value.detach().cpu().numpy() if hasattr(value, "detach") else np.asarray(value)


def _below(tensors: dict[str, Any], prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): tensor for name, tensor in tensors.items() if name.startswith(prefix)}

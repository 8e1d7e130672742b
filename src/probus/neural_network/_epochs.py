"""The loop over epochs of every network: early stopping, checkpoints, and a loss that is no number."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from probus.callbacks import EarlyStopping, no_new_best
from probus.errors import DataError
from probus.neural_network._checkpoint import read_checkpoint, write_checkpoint
from probus.neural_network._display import display
from probus.neural_network._history import TrainingHistory
from probus.neural_network._schedules import rate_factor
from probus.neural_network._settings import TrainingSettings

_SMALLEST_RATE = 1e-6  # at which "adaptive" stops
_STALLED = "no more improvement"

Score = Callable[[], float]


class NotFiniteError(DataError):
    """The loss is no number."""

    def __init__(self, found: str, hint: str):
        super().__init__(found, "finite numbers", hint)
        self.found, self.hint = found, hint


class Epochs(ABC):
    """A training on its way; a subclass takes the steps, in PyTorch or in NumPy.

    settings, n_rows : how it is trained, and the number of training rows
    score : the score of held-out rows, the larger the better; it decides about stopping and the weights that are kept
    data : what identifies the data in a checkpoint
    rows_before : the rows that former trainings of the same weights have used
    """

    def __init__(
        self, n_rows: int, settings: TrainingSettings, score: Score | None = None, data: str = "", rows_before: int = 0
    ):
        self.n_rows, self.settings = n_rows, settings
        self.loss: list[float] = []
        self.validation: list[float] = []
        self.rates: list[float] = []
        self.ending = "all epochs done"
        self.has_score = score is not None
        self._score, self._data, self._rows_before = score, data, rows_before
        self._rate = settings.learning_rate
        self._cut = 1.0  # the factor by which "adaptive" has lowered the rate
        self._since = 0  # the epochs before the last cut
        self._best: dict[str, Any] | None = None

    @property
    def n_epochs(self) -> int:
        """The epochs that are finished."""
        return len(self.loss)

    @property
    def scores(self) -> list[float]:
        """The score of held-out rows after each epoch, or else minus the loss."""
        return self.validation or [-loss for loss in self.loss]

    @property
    def columns(self) -> dict[str, Callable[[Epochs], float]]:
        """What is printed of an epoch, by name."""
        names: dict[str, Callable[[Epochs], float]] = {"Loss": lambda training: training.loss[-1]}
        if self.has_score:
            names["Validation"] = lambda training: training.validation[-1]
        return names

    @property
    def has_converged(self) -> bool:
        """Whether training stopped since nothing improved."""
        return self.ending == _STALLED

    # -- what a subclass does --------------------------------------------------------------------------

    @abstractmethod
    def _epoch(self) -> None:
        """Use every row once: steps with ``_set_rate`` before and ``_record`` after them."""

    @abstractmethod
    def _evaluated(self, score: Score) -> float:
        """The score of the network as it predicts."""

    @abstractmethod
    def _weights(self) -> dict[str, Any]:
        """The weights by name, as arrays or tensors that training goes on to change."""

    @abstractmethod
    def _load(self, weights: dict[str, Any]) -> None:
        """Set the weights; arrays and what ``_weights`` returns are allowed."""

    @abstractmethod
    def memory(self) -> dict[str, np.ndarray]:
        """What the next steps depend on beside the weights: of the optimiser, and of random numbers."""

    @abstractmethod
    def remember(self, memory: dict[str, np.ndarray]) -> None:
        """Return to that state."""

    # -- the loop --------------------------------------------------------------------------------------

    def fit(self, callbacks: Any = ()) -> TrainingHistory:
        """All epochs, displayed; an interrupt keeps what there is after the first."""
        callbacks = (
            [callbacks] if hasattr(callbacks, "after") or not isinstance(callbacks, Iterable) else list(callbacks)
        )
        with display(self) as lines:
            self._resume()
            try:
                self.run([*lines, *callbacks])
            except KeyboardInterrupt:
                if not self.n_epochs:
                    raise
                self.ending = "interrupted"
                warnings.warn("Training interrupted by user.", stacklevel=4)
            self._keep_best()
        return self._history()

    def run(self, callbacks: Sequence[Any] = ()) -> None:
        """The epochs that are left."""
        for callback in callbacks:
            if isinstance(callback, type) or not (hasattr(callback, "begin") and hasattr(callback, "after")):
                raise DataError(
                    f"callbacks with {callback!r}.",
                    "objects with the methods begin(rounds) and after(finished)",
                    "Pass callbacks=[EarlyStopping(patience=5)] of probus.callbacks.",
                )
            callback.begin(self)
        while self.n_epochs < self.settings.max_epochs and not self.has_converged:
            self._epoch()
            self._validate()
            stops = [callback.after(self) for callback in callbacks]
            if self._stalled():
                self.ending = _STALLED
            elif any(stops):
                self.ending = "stopped by a callback"
            self._save()
            if any(stops):
                break

    def _set_rate(self, step: int, steps: int) -> float:
        """The step size of a step of this epoch, which has that many."""
        plan = self.settings
        factor = rate_factor(
            plan.schedule, self.n_epochs * steps + step, plan.max_epochs * steps,
            rows_seen=self._rows_before + self.n_epochs * self.n_rows, power=plan.power_t, warm_up=plan.warm_up,
        )  # fmt: skip
        self._rate = plan.learning_rate * factor * self._cut
        return self._rate

    def _record(self, losses: np.ndarray, sizes: Any) -> None:
        """Keep the mean loss of the epoch; an error names the first step whose loss is not a number."""
        bad = np.flatnonzero(~np.isfinite(losses))
        if len(bad):
            raise NotFiniteError(
                f"the loss is {losses[bad[0]]} in epoch {self.n_epochs + 1}, step {bad[0] + 1} of {len(losses)}.",
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
        score = self._evaluated(self._score)
        is_best = not self.validation or score > max(self.validation) or math.isnan(max(self.validation))
        self.validation.append(score)
        if is_best:
            self._best = {name: each.clone() if hasattr(each, "clone") else each.copy()
                          for name, each in self._weights().items()}  # fmt: skip

    def _stalled(self) -> bool:
        """Whether to stop since neither the score nor, without one, the loss improves."""
        patience = self.settings.patience
        if patience is None or math.isinf(patience):
            return False
        recorded = self.scores
        since = [max(recorded[: self._since + 1]), *recorded[self._since + 1 :]]
        if not EarlyStopping(since, no_new_best, int(patience), self.settings.tol).after(self):
            return False
        if self.settings.schedule != "adaptive" or self._rate <= _SMALLEST_RATE:
            return True
        self._cut, self._since = self._cut / 5.0, len(recorded) - 1
        return False

    def _keep_best(self) -> None:
        """Return to the weights with the best score."""
        if self._best is not None:
            self._load(self._best)

    def _history(self) -> TrainingHistory:
        """What was recorded."""
        best = None if self._best is None else int(np.argmax(self.validation)) + 1
        loss, validation, rates = (np.array(each, np.float64) for each in (self.loss, self.validation, self.rates))
        return TrainingHistory(loss, validation, rates, best, self.ending)

    # -- checkpoints -----------------------------------------------------------------------------------

    def _header(self) -> dict[str, Any]:
        """What a checkpoint must agree in."""
        shapes = {name: list(each.shape) for name, each in self._weights().items()}
        network = {"class": self.settings.model.get("network"), **shapes}
        return {"network": network, "settings": self.settings.key(), "data": [self._data, self.n_rows]}

    def _save(self) -> None:
        """Write everything that the next epochs depend on."""
        if self.settings.checkpoint is None:
            return
        recorded = {"loss": self.loss, "validation": self.validation, "rates": self.rates, "ending": self.ending}
        state = {**recorded, "cut": self._cut, "since": self._since}
        groups = {"weights": self._weights(), "best": self._best or {}, "memory": self.memory()}
        arrays = {f"{group}/{name}": _array(each) for group, named in groups.items() for name, each in named.items()}
        write_checkpoint(self.settings.checkpoint, {**self._header(), "state": state}, arrays)

    def _resume(self) -> None:
        """Go on from the checkpoint, if there is one."""
        found = None if self.settings.checkpoint is None else read_checkpoint(self.settings.checkpoint, self._header())
        if found is None:
            return
        header, arrays = found
        state = header["state"]
        self.loss, self.validation, self.rates = state["loss"], state["validation"], state["rates"]
        self.ending = _STALLED if state["ending"] == _STALLED else self.ending
        self._cut, self._since = state["cut"], state["since"]
        self._best = _below(arrays, "best/") or None
        self._load(_below(arrays, "weights/"))
        self.remember(_below(arrays, "memory/"))


def _array(value: Any) -> np.ndarray:
    return value.detach().cpu().numpy() if hasattr(value, "detach") else np.asarray(value)


def _below(arrays: dict[str, np.ndarray], prefix: str) -> dict[str, Any]:
    return {name.removeprefix(prefix): each for name, each in arrays.items() if name.startswith(prefix)}

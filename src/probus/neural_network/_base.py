"""The parent of the networks that PyTorch trains: their parameters, and their weights as arrays."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from probus.allowed_values import NoneAllowed, OneOf, RealIn
from probus.base import Model
from probus.callbacks import Callback
from probus.errors import DataError, ModelFileError
from probus.neural_network._checkpoint import fingerprint
from probus.neural_network._history import TrainingHistory
from probus.neural_network._optimisers import OPTIMISERS
from probus.neural_network._schedules import SCHEDULES
from probus.neural_network._settings import TrainingSettings
from probus.neural_network._torch import device_named, load_torch, seed_of, seeded, threads
from probus.neural_network._training import Training
from probus.parameters import N_JOBS, RANDOM_STATE, VERBOSE, parameter
from probus.state import Arrays, Object, Size, Spec

DEVICE = parameter(
    'Where the network is trained and predicts: "cpu", "cuda" (or "cuda:1"), "mps", or "auto", a GPU if there is one.',
    default="auto",
)
PRECISION = parameter(
    'The numbers of the forward pass: "float32", "bfloat16", or "auto", which is bfloat16 on a GPU that has it.',
    default="auto",
    of=[OneOf("auto", "float32", "bfloat16")],
)
CHECKPOINT = parameter(
    "A file in which the training is kept after each epoch, and from which the next ``fit`` on the same rows goes on; "
    "the result is that of a fit without a stop. Needs a whole number as ``random_state``.",
    default=None,
)


def checked_checkpoint(model: Any) -> Any:
    """The parameter ``checkpoint``; an error where the next fit would draw other rows and weights."""
    if model.checkpoint is not None and not isinstance(model.random_state, Integral):
        raise DataError(
            f"checkpoint={str(model.checkpoint)!r} with random_state={model.random_state!r}.",
            "a whole number as random_state",
            "Pass random_state=0, say, so that the next fit draws what this one has drawn.",
        )
    return model.checkpoint


ONE_EPOCH = {"max_epochs": 1, "schedule": "constant", "warm_up": 0.0, "patience": None, "checkpoint": None}
_FREE = frozenset((
    "checkpoint", "device", "max_iter", "n_iter_no_change", "n_jobs", "random_state", "tol", "verbose", "warm_start",
    "batch_size", "clip_gradient", "learning_rate", "learning_rate_init", "precision", "solver", "warm_up",
    "weight_decay",
))  # fmt: skip


def training_parameters(model: Any) -> dict[str, Any]:
    """The class of a model, and its parameters that change the training: what a checkpoint must agree in.

    Not those that ``TrainingSettings`` have, nor those with which a training may go on.
    """
    changing = {name: value for name, value in model.get_params(deep=False).items() if name not in _FREE}
    return {"network": type(model).__name__, **{name: _plain(value) for name, value in changing.items()}}


def _plain(value: Any) -> Any:
    """A parameter as JSON has it."""
    if isinstance(value, NeuralModel):
        return f"{type(value).__name__} {fingerprint(*value.weights_.values())}"
    if isinstance(value, (np.generic, np.ndarray)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value if isinstance(value, (bool, int, float, str, type(None))) else repr(value)


class NeuralModel(Model):
    """Parent of the networks that PyTorch trains.

    A subclass has ``_untrained``, which builds the module from parameters and fitted attributes, and a ``fit`` that
    ends with ``_train``. ``_module`` is the trained module.
    """

    batch_size: int = parameter("The rows of a step.", default=256, at_least=1)
    solver: str = parameter("The optimiser, by its name in PyTorch.", default="adamw", one_of=OPTIMISERS)
    learning_rate_init: float = parameter("The size of the steps.", default=1e-3, above=0)
    learning_rate: str = parameter(
        'How the size of the steps changes: "constant"; "invscaling", divided by a power of the rows used so far; '
        '"adaptive", divided by five where training stalls; "cosine", down to zero; "one_cycle", up and then down.',
        default="constant",
        one_of=SCHEDULES,
    )
    warm_up: float = parameter(
        "The share of all steps in which their size rises from zero.", default=0.0, at_least=0, below=1
    )
    weight_decay: float = parameter("How much the weights shrink in each step.", default=1e-4, at_least=0)
    clip_gradient: float | None = parameter(
        "The largest norm of a gradient; longer ones are shortened. None keeps all.",
        default=None,
        of=[RealIn(above=0), NoneAllowed()],
    )
    max_iter: int = parameter("The maximum number of epochs, in which each row is used once.", default=100, at_least=1)
    early_stopping: bool = parameter(
        "Whether training stops when the score of held-out rows no longer improves; the best weights are kept.",
        default=True,
    )
    validation_fraction: float = parameter("The share of rows held out.", default=0.1, above=0, below=1)
    n_iter_no_change: int = parameter(
        "The epochs without improvement after which training stops.", default=10, at_least=1
    )
    tol: float = parameter("The increase of the score that counts as an improvement.", default=0.0, at_least=0)
    device: str = DEVICE
    precision: str = PRECISION
    checkpoint: Any = CHECKPOINT
    n_jobs: int | None = N_JOBS.but(doc="The threads of PyTorch on a processor; None is its own number, -1 is all.")
    random_state: Any = RANDOM_STATE
    verbose: int = VERBOSE.but(
        doc="1 shows a bar with loss and score in terminals, and lines elsewhere; 2 prints a line for every epoch."
    )

    fitted: ClassVar[dict[str, Spec]] = {
        "weights_": Arrays(),
        "history_": Object(TrainingHistory),
        "n_iter_": Size("e"),
    }

    @abstractmethod
    def _untrained(self) -> Any:
        """The module of PyTorch with random weights; its sizes follow from parameters and fitted attributes."""

    def _n_threads(self) -> int | None:
        """The threads of PyTorch; None is its own number."""
        return self.n_jobs

    def _settings(self, seed: int, **changes: Any) -> TrainingSettings:
        """How the module is trained, by the parameters."""
        return TrainingSettings(
            **{
                "optimiser": self.solver,
                "learning_rate": float(self.learning_rate_init),
                "schedule": self.learning_rate,
                "warm_up": float(self.warm_up),
                "weight_decay": float(self.weight_decay),
                "clip": self.clip_gradient,
                "batch_size": int(changes.pop("batch_size", None) or self.batch_size),
                "max_epochs": int(changes.pop("max_epochs", None) or self.max_iter),
                "patience": self.n_iter_no_change if self.early_stopping else None,
                "tol": float(self.tol),
                "precision": self.precision,
                "seed": seed,
                "verbose": int(self.verbose),
                "checkpoint": checked_checkpoint(self),
                "model": training_parameters(self),
                **changes,
            }
        )

    def _train(
        self,
        batch_loss: Callable[[Any, Any], Any],
        n_rows: int,
        *,
        score: Callable[[Any], float] | None = None,
        data: str = "",
        groups: Callable[[Any], Iterable[dict[str, Any]]] | None = None,
        start: dict[str, np.ndarray] | None = None,
        memory: dict[str, np.ndarray] | None = None,
        callbacks: Iterable[Callback] = (),
        **changes: Any,
    ) -> dict[str, np.ndarray]:
        """Train a new module, and store its weights and history; returns what is left for the next steps.

        The functions take the module first; see ``train``. ``start`` are first weights in place of random ones, all or
        some by their names, and ``memory`` is what an earlier training has left for the next steps. ``changes`` are
        settings that differ from the parameters.
        """
        seed, device = seed_of(self.random_state), device_named(self.device)
        with threads(self._n_threads()), seeded(seed, device):
            module = self._untrained().to(device)
            if start:
                load_weights(module, start, strict=False)
            training = Training(
                module, lambda rows: batch_loss(module, rows), n_rows, self._settings(seed, **changes),
                None if score is None else lambda: score(module), data, None if groups is None else groups(module),
            )  # fmt: skip
            self.history_, left = training.trained(callbacks, memory)
        self.n_iter_ = len(self.history_.loss)
        self.weights_ = {name: tensor.detach().cpu().numpy().copy() for name, tensor in module.state_dict().items()}
        self._built = device, module
        return left

    def _module(self) -> Any:
        """The trained module in evaluation mode, rebuilt from the weights where the model was loaded."""
        device = device_named(self.device)
        kept = self.__dict__.get("_built")
        if kept is None or kept[0] != device:
            with seeded(0, device):
                module = self._untrained().to(device)
            load_weights(module, self.weights_)
            kept = self._built = device, module.eval()
        return kept[1]

    def _outputs(self, function: Callable[[Any, slice], Any], n_rows: int, *, at_once: int = 8192) -> np.ndarray:
        """The outputs of all rows: of ``function(module, slice)``, which is called for chunks of rows."""
        torch, module = load_torch(), self._module()
        chunks = [slice(first, first + at_once) for first in range(0, n_rows, at_once)]
        with threads(self._n_threads()), torch.inference_mode():
            return np.concatenate([function(module, rows).float().cpu().numpy() for rows in chunks])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in super().__getstate__().items() if name not in ("_built", "_precise")}


def load_weights(module: Any, weights: dict[str, np.ndarray], *, strict: bool = True) -> None:
    """Set the weights of a module by name; a ModelFileError where they do not fit."""
    torch = load_torch()
    expected = {name: tuple(tensor.shape) for name, tensor in module.state_dict().items()}
    found = {name: array.shape for name, array in weights.items()}
    wrong = [name for name, shape in found.items() if expected.get(name) != shape]
    wrong += [name for name in expected if name not in found] if strict else []
    if wrong:
        raise ModelFileError(f"weights {', '.join(wrong[:3])} do not fit the network.", "those of its parameters")
    module.load_state_dict({name: torch.from_numpy(np.array(each)) for name, each in weights.items()}, strict=strict)

"""The parents of networks that predict a target: rows to tensors, training with held-out rows, and outputs."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import IntegerIn, NoneAllowed
from probus.base import MultiOutputMixin, Regressor, checked_weights
from probus.callbacks import Callback
from probus.errors import DataError, ModelFileError
from probus.neural_network._activations import softmax
from probus.neural_network._base import ONE_EPOCH, NeuralModel
from probus.neural_network._checkpoint import fingerprint
from probus.neural_network._mlp_rows import TrainingRows, counted
from probus.neural_network._row_sets import RowSets
from probus.neural_network._targets import NetworkClassifier, target_numbers
from probus.neural_network._torch import device_named, load_torch, pytorch_is_installed, threads
from probus.parameters import inherited, parameter
from probus.sklearn_seam import check_partial_fit_first_call
from probus.state import Array, Flag, Spec

_FEWEST_ROWS = 20  # different ones, of which some are held out

_AT_ONCE = 1024  # rows that are compared
_STEPS, _EPOCHS = 800, (10, 200)  # by default, and the bounds of the epochs
LARGE_STEP = 1e8  # multiplications, from which several threads are used


@dataclass(frozen=True)
class Rows:
    """What a network is given: arrays with an entry for each row; ``source`` is what they were made from."""

    arrays: tuple[np.ndarray, ...]
    source: Any = None

    def __len__(self) -> int:
        return len(self.arrays[0])

    def some(self, at: np.ndarray) -> Rows:
        """Some of the rows."""
        return Rows(tuple(each[at] for each in self.arrays), self.source and [self.source[row] for row in at.tolist()])


def check_sizes_of_weights(model: Any, layers: int, widths: Iterable[int]) -> None:
    """Raise a ModelFileError unless a loaded model has arrays for its layers, and of its widths."""
    known = {size for array in model.weights_.values() for size in array.shape}
    if layers > len(model.weights_) or not set(widths) <= known:
        raise ModelFileError(f"{type(model).__name__}: the weights do not match the layers.", "those of each layer")


class NeuralPredictor(NeuralModel):
    """Parent of networks that predict a target."""

    dropout: float = parameter(
        "The share of the numbers that are set to zero in each step of the training.", default=0.1, at_least=0, below=1
    )
    batch_size: int = inherited(default=64)
    learning_rate_init: float = inherited(default=3e-3)
    learning_rate: str = inherited(default="one_cycle")
    weight_decay: float = inherited(default=1e-2)
    max_iter: Any = inherited(
        doc="The maximum number of epochs, in which each row is used once. None is 800 steps, but 10 to 200 epochs.",
        default=None,
        of=[IntegerIn(at_least=1), NoneAllowed()],
    )
    n_iter_no_change: Any = inherited(
        doc="The epochs without improvement after which training stops. None is a third of all, but 10 at least.",
        default=None,
        of=[IntegerIn(at_least=1), NoneAllowed()],
    )
    n_jobs: int | None = inherited(
        doc="The threads of PyTorch on a processor; None is its own number, -1 is all. A small network has one. The "
        "last digits of the weights of a large one depend on the number."
    )

    # -- what a subclass does --------------------------------------------------------------------------

    @abstractmethod
    def _raw_rows(self, X: Any, *, reset: bool) -> Rows:
        """The rows as they are; with ``reset``, those of the training, whose shape is kept."""

    @abstractmethod
    def _learn_scale(self, raw: Rows) -> None:
        """Set what rows are scaled by, and what else is learnt from those of the training."""

    @abstractmethod
    def _scaled_rows(self, raw: Rows) -> Rows:
        """What the network is given."""

    @abstractmethod
    def _forward(self, *arrays: np.ndarray) -> np.ndarray:
        """The outputs of rows in NumPy, rows × outputs."""

    @abstractmethod
    def _target(self, y: Any, n_rows: int, *, first: bool) -> np.ndarray:
        """The target as numbers, rows × targets; of a later batch, it is like that of the first."""

    @abstractmethod
    def _coded(self, target: np.ndarray, *, first: bool) -> np.ndarray:
        """The target as the loss takes it; that of a first fit sets what is kept of it."""

    @abstractmethod
    def _n_outputs(self) -> int:
        """The outputs of the network."""

    @abstractmethod
    def _n_products(self) -> int:
        """Roughly the multiplications of a row."""

    @abstractmethod
    def _losses(self, output: Any, target: Any) -> Any:
        """The loss of each row, from tensors."""

    def _batch(self, tensors: tuple[Any, ...], at: Any, rows: Rows) -> tuple[Any, ...]:
        """The input of a training step: some rows, augmented."""
        return tuple(each[at] for each in tensors)

    # -- fit -------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, callbacks: Iterable[Callback] = ()) -> Any:
        """Train the network.

        Parameters
        ----------
        X : the rows.
        y : the target of each row.
        sample_weight : the weight of each row; whole ones, of at most ten on average, count as repeated rows. Early
            stopping holds out a row and its copies together.
        callbacks : called after each epoch with the training, which stops where one returns True.

        Returns
        -------
        The model.
        """
        load_torch(type(self).__name__)
        for name in (*self.fitted, "_memory", "_built", "_precise"):
            self.__dict__.pop(name, None)
        rows, target, weight = self._training_rows(X, y, sample_weight, first=True)
        training, held_out = self._split(rows, target)
        self._memory = self._learn(rows, target, weight, training, held_out, callbacks=callbacks)
        return self

    def _partial_fit(self, X: Any, y: Any, sample_weight: Any, *, first: bool) -> Any:
        """One epoch over more rows, from the present weights."""
        load_torch(type(self).__name__)
        rows, target, weight = self._training_rows(X, y, sample_weight, first=first)
        every, none = np.arange(len(rows)), np.arange(0)
        going_on = {} if first else {"start": self.weights_, "memory": self.__dict__.get("_memory")}
        self._memory = self._learn(rows, target, weight, every, none, **ONE_EPOCH, **going_on)
        return self

    def _read(self, X: Any) -> Rows:
        """Rows to predict."""
        return self._scaled_rows(self._raw_rows(X, reset=False))

    def _training_rows(
        self, X: Any, y: Any, sample_weight: Any, *, first: bool
    ) -> tuple[Rows, np.ndarray, np.ndarray | None]:
        """Rows, coded targets and weights, in an order that does not depend on that of X."""
        raw = self._raw_rows(X, reset=first)
        target = self._target(y, len(raw), first=first)
        weight = checked_weights(sample_weight, target)
        again = TrainingRows(np.arange(len(raw)), target, weight)
        again = again if weight is None else counted(again)
        at = again.X
        at = at[_own_order(raw.some(at), again.y)]
        raw, target = raw.some(at), target[at]
        if first:
            self._learn_scale(raw)
        if weight is not None:
            weight = None if again.weight is None else (weight[at] / again.weight.mean()).astype(np.float32)
        return self._scaled_rows(raw), self._coded(target, first=first), weight

    def _learn(
        self,
        rows: Rows,
        target: np.ndarray,
        weight: np.ndarray | None,
        training: np.ndarray,
        held_out: np.ndarray,
        **settings: Any,
    ) -> dict[str, np.ndarray]:
        """Train on some rows, scored on others; returns what is left for the next steps."""
        torch = load_torch()
        arrays = (*rows.arrays, target, np.ones(len(rows), np.float32) if weight is None else weight)
        settings.setdefault("max_epochs", self.max_iter or _usual_epochs(len(training), self.batch_size))
        if self.early_stopping and self.n_iter_no_change is None:
            settings.setdefault("patience", max(10, settings["max_epochs"] // 3))
        places: dict[Any, tuple[Any, Any, Any]] = {}

        def on(device: Any) -> tuple[Any, Any, Any]:
            if device not in places:
                tensors = [torch.from_numpy(np.ascontiguousarray(each)) for each in arrays]
                index = torch.from_numpy(training).to(device)
                held = tuple(each[torch.from_numpy(held_out)].to(device) for each in tensors)
                places[device] = tuple(each.to(device) for each in tensors), index, held
            return places[device]

        def batch_loss(module: Any, at: Any) -> Any:
            (*inputs, targets, weights), index, _ = on(at.device)
            chosen = index[at]
            losses = self._losses(module(*self._batch(tuple(inputs), chosen, rows)), targets[chosen])
            return (losses * weights[chosen]).mean()

        def score(module: Any) -> float:
            *inputs, targets, weights = on(next(module.parameters()).device)[2]
            size, total = 4 * self.batch_size, 0.0
            for at in range(0, len(targets), size):
                some = slice(at, at + size)
                losses = self._losses(module(*(each[some] for each in inputs)), targets[some])
                total += float((losses * weights[some]).sum())
            return -total / float(weights.sum())

        left = self._train(
            batch_loss, len(training), score=score if len(held_out) else None,
            data=fingerprint(*arrays) if self.checkpoint else "", **settings,
        )  # fmt: skip
        self.__dict__.pop("_precise", None)
        self._precise_module(device_named(self.device))
        return left

    def _split(self, rows: Rows, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Training rows, and those held out for early stopping: the same share of each class, and whole sets of copies.

        Of fewer than 20 different rows, none are held out.
        """
        n_rows = len(rows)
        if self.early_stopping and n_rows >= _FEWEST_ROWS:
            sets = RowSets.of(rows.arrays, target, target if target.dtype.kind == "i" else None, rows.source)
            if len(sets) >= _FEWEST_ROWS:
                order = check_random_state(self.random_state).permutation(len(sets))
                return sets.split(sets.share_of(order, self.validation_fraction))
        return np.arange(n_rows), np.arange(0)

    # -- prediction ------------------------------------------------------------------------------------

    def _raw_outputs(self, X: Any) -> np.ndarray:
        """The outputs of the network, rows × outputs."""
        check_is_fitted(self)
        return self._through(self._read(X).arrays, lambda module, *inputs: module(*inputs), self._forward)

    def _through(self, arrays: tuple[np.ndarray, ...], module_output: Any, array_output: Any) -> np.ndarray:
        """What a function returns for all rows: in PyTorch, or in NumPy where it is not installed.

        A processor computes in long floats, so that a row has the same output alone and among others.
        """
        chunks = [slice(at, at + 4 * self.batch_size) for at in range(0, len(arrays[0]), 4 * self.batch_size)]
        if self.device in ("auto", "cpu") and not pytorch_is_installed():
            wide = [_long(each) for each in arrays]
            return np.concatenate([array_output(*(each[rows] for each in wide)) for rows in chunks])
        torch, device = load_torch(type(self).__name__), device_named(self.device)
        module = self._precise_module(device)

        def computed(rows: slice) -> np.ndarray:
            inputs = [_long(each[rows]) if device.type == "cpu" else each[rows] for each in arrays]
            tensors = [torch.from_numpy(np.ascontiguousarray(each)).to(device) for each in inputs]
            return module_output(module, *tensors).double().cpu().numpy()

        with threads(self._n_threads()), torch.inference_mode():
            return np.concatenate([computed(rows) for rows in chunks])

    def _n_threads(self) -> int | None:
        return self.n_jobs if self.batch_size * self._n_products() > LARGE_STEP else 1

    def _precise_module(self, device: Any) -> Any:
        """The trained module, with long floats on a processor."""
        if device.type != "cpu":
            return self._module()
        if "_precise" not in self.__dict__:
            self._precise = copy.deepcopy(self._module()).double()
        return self._precise


def _own_order(raw: Rows, target: np.ndarray) -> np.ndarray:
    """The rows sorted by what they hold, so that their order in X does not matter."""
    flat = [each.reshape(len(each), int(np.prod(each.shape[1:]))) for each in (*raw.arrays, target)]
    factors = np.random.default_rng(0).random(sum(each.shape[1] for each in flat)) + 0.5
    keys, first = np.zeros(len(target)), 0
    for each in flat:
        own, first = factors[first : first + each.shape[1]], first + each.shape[1]
        for rows in (slice(at, at + _AT_ONCE) for at in range(0, len(keys), _AT_ONCE)):  # a copy of few rows
            with np.errstate(all="ignore"):
                keys[rows] += np.nan_to_num(each[rows], nan=-0.5, posinf=0.0, neginf=0.0) @ own
    order = np.argsort(keys, kind="stable")
    if raw.source is None:
        return order
    texts = ["\n".join(raw.source[row]) for row in order.tolist()]
    return order[np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.intp)]


def _long(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def _usual_epochs(n_rows: int, batch_size: int) -> int:
    return int(np.clip(round(_STEPS * batch_size / n_rows), *_EPOCHS))


class NeuralClassifier(NeuralPredictor, NetworkClassifier):
    """Parent of networks that predict classes."""

    fitted: ClassVar[dict[str, Spec]] = {**NeuralModel.fitted, **NetworkClassifier.fitted}

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Any:
        """One epoch over a batch of rows; the first call must pass all ``classes``.

        Parameters
        ----------
        X, y, sample_weight : the rows, as in ``fit``.
        classes : the classes of all batches.

        Returns
        -------
        The model.
        """
        return self._partial_fit(X, y, sample_weight, first=check_partial_fit_first_call(self, classes))

    def _probabilities(self, X: Any) -> np.ndarray:
        return softmax(self._raw_outputs(X))

    def _target(self, y: Any, n_rows: int, *, first: bool) -> np.ndarray:
        return self._class_codes(y, n_rows, learn=not hasattr(self, "classes_"))

    def _coded(self, target: np.ndarray, *, first: bool) -> np.ndarray:
        return target[:, 0]

    def _n_outputs(self) -> int:
        return len(self.classes_)

    def _losses(self, output: Any, target: Any) -> Any:
        cross_entropy = load_torch().nn.functional.cross_entropy
        return cross_entropy(output.float(), target, label_smoothing=float(self.label_smoothing), reduction="none")


class NeuralRegressor(MultiOutputMixin, NeuralPredictor, Regressor):
    """Parent of networks that predict numbers, one for each row or several."""

    fitted: ClassVar[dict[str, Spec]] = {
        **NeuralModel.fitted,
        "target_mean_": Array("f8", "o"),
        "target_scale_": Array("f8", "o"),
        "one_target_": Flag(),
    }

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless the scales are positive."""
        if not (self.target_scale_ > 0).all() or (self.one_target_ and len(self.target_mean_) != 1):
            raise ModelFileError(f"{type(self).__name__}: the scale of the target is not positive.")

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """One epoch over a batch of rows; the scale of the target is that of the first.

        Parameters
        ----------
        X, y, sample_weight : the rows, as in ``fit``.

        Returns
        -------
        The model.
        """
        return self._partial_fit(X, y, sample_weight, first=not hasattr(self, "target_mean_"))

    def predict(self, X: Any) -> np.ndarray:
        """The predicted numbers.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        A number for each row, or rows × targets.
        """
        values = self._raw_outputs(X) * self.target_scale_ + self.target_mean_
        return values[:, 0] if self.one_target_ else values

    def _target(self, y: Any, n_rows: int, *, first: bool) -> np.ndarray:
        values = target_numbers(y, n_rows)
        if first:
            self.one_target_ = np.ndim(values) == 1
        columns = values.reshape(n_rows, -1)
        if not first and columns.shape[1] != len(self.target_mean_):
            raise DataError(f"a target of {columns.shape[1]} columns.", f"{len(self.target_mean_)}, as before")
        return columns

    def _coded(self, target: np.ndarray, *, first: bool) -> np.ndarray:
        if first:
            with np.errstate(over="ignore", invalid="ignore"):
                self.target_mean_, spread = target.mean(axis=0), target.std(axis=0)
            if not np.isfinite(spread).all():
                raise DataError("a target whose squares overflow.", "numbers below 1e150", "Divide the target.")
            self.target_scale_ = np.where(spread > 0, spread, 1.0)
        return ((target - self.target_mean_) / self.target_scale_).astype(np.float32)

    def _n_outputs(self) -> int:
        return len(self.target_mean_)

    def _losses(self, output: Any, target: Any) -> Any:
        return ((output.float() - target) ** 2).mean(dim=1)

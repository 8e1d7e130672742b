"""The parents of networks that predict a target: rows to tensors, training with held-out rows, and outputs."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax
from sklearn.utils import Tags, check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from probus.allowed_values import IntegerIn, NoneAllowed
from probus.base import Classifier, Regressor, checked_numbers, encoded_classes, target_array
from probus.callbacks import Callback
from probus.data import Column
from probus.errors import DataError, ModelFileError
from probus.neural_network._base import NeuralModel
from probus.neural_network._checkpoint import fingerprint
from probus.neural_network._torch import device_named, load_torch, pytorch_is_installed, threads
from probus.parameters import inherited, parameter
from probus.sklearn_seam import check_partial_fit_first_call
from probus.state import Array, Flag, Labels, Spec

_FEWEST_ROWS = 20  # of which some are held out

_STEPS, _EPOCHS = 800, (10, 200)  # by default, and the bounds of the epochs
LARGE_STEP = 1e8  # multiplications, from which several threads are used


@dataclass(frozen=True)
class Rows:
    """What a network is given: arrays with an entry for each row; ``source`` is what they were made from."""

    arrays: tuple[np.ndarray, ...]
    source: Any = None

    def __len__(self) -> int:
        return len(self.arrays[0])


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
    def _read(self, X: Any, *, reset: bool) -> Rows:
        """The rows; with ``reset``, those of the training, whose shape and scale are kept."""

    @abstractmethod
    def _forward(self, *arrays: np.ndarray) -> np.ndarray:
        """The outputs of rows in NumPy, rows × outputs."""

    @abstractmethod
    def _learn_target(self, y: Any, n_rows: int) -> np.ndarray:
        """The target of a first fit, coded; sets what is kept of it."""

    @abstractmethod
    def _coded_target(self, y: Any, n_rows: int) -> np.ndarray:
        """The target of a later batch, coded as that of the first."""

    @abstractmethod
    def _n_outputs(self) -> int:
        """The outputs of the network."""

    @abstractmethod
    def _n_products(self) -> int:
        """Roughly the multiplications of a row."""

    @abstractmethod
    def _loss(self, output: Any, target: Any) -> Any:
        """The mean loss of rows, from tensors."""

    def _batch(self, tensors: tuple[Any, ...], at: Any, rows: Rows) -> tuple[Any, ...]:
        """The input of a training step: some rows, augmented."""
        return tuple(each[at] for each in tensors)

    # -- fit -------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, *, callbacks: Iterable[Callback] = ()) -> Any:
        """Train the network.

        Parameters
        ----------
        X : the rows.
        y : the target of each row.
        callbacks : called after each epoch with the training, which stops where one returns True.

        Returns
        -------
        The model.
        """
        load_torch(type(self).__name__)
        for name in ("_memory", "_built", "_precise"):
            self.__dict__.pop(name, None)
        rows = self._read(X, reset=True)
        target = self._learn_target(y, len(rows))
        training, held_out = self._split(target)
        self._memory = self._learn(rows, target, training, held_out, callbacks=callbacks)
        return self

    def _partial_fit(self, X: Any, y: Any, *, first: bool) -> Any:
        """One epoch over more rows, from the present weights."""
        rows = self._read(X, reset=first)
        target = self._coded_target(y, len(rows))
        every, none = np.arange(len(rows)), np.arange(0)
        going_on = {} if first else {"start": self.weights_, "memory": self.__dict__.get("_memory")}
        self._memory = self._learn(
            rows, target, every, none, max_epochs=1, schedule="constant", warm_up=0.0, checkpoint=None, **going_on
        )
        return self

    def _learn(
        self, rows: Rows, target: np.ndarray, training: np.ndarray, held_out: np.ndarray, **settings: Any
    ) -> dict[str, np.ndarray]:
        """Train on some rows, scored on others; returns what is left for the next steps."""
        torch = load_torch()
        arrays = (*rows.arrays, target)
        settings.setdefault("max_epochs", self.max_iter or _usual_epochs(len(training), self.batch_size))
        if self.early_stopping and self.n_iter_no_change is None:
            settings["patience"] = max(10, settings["max_epochs"] // 3)
        places: dict[Any, tuple[Any, Any, Any]] = {}

        def on(device: Any) -> tuple[Any, Any, Any]:
            if device not in places:
                tensors = [torch.from_numpy(np.ascontiguousarray(each)) for each in arrays]
                index = torch.from_numpy(training).to(device)
                held = tuple(each[torch.from_numpy(held_out)].to(device) for each in tensors)
                places[device] = tuple(each.to(device) for each in tensors), index, held
            return places[device]

        def batch_loss(module: Any, at: Any) -> Any:
            (*inputs, targets), index, _ = on(at.device)
            chosen = index[at]
            return self._loss(module(*self._batch(tuple(inputs), chosen, rows)), targets[chosen])

        def score(module: Any) -> float:
            *inputs, targets = on(next(module.parameters()).device)[2]
            size = 4 * self.batch_size
            losses = [
                float(self._loss(module(*(each[at : at + size] for each in inputs)), targets[at : at + size]))
                * len(targets[at : at + size])
                for at in range(0, len(targets), size)
            ]
            return -sum(losses) / len(targets)

        left = self._train(
            batch_loss, len(training), score=score if len(held_out) else None,
            data=fingerprint(*arrays) if self.checkpoint else "", **settings,
        )  # fmt: skip
        self.__dict__.pop("_precise", None)
        self._precise_module(device_named(self.device))
        return left

    def _split(self, target: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Training rows, and those held out for early stopping: the same share of each class."""
        n_rows = len(target)
        if not self.early_stopping or n_rows < _FEWEST_ROWS:
            return np.arange(n_rows), np.arange(0)
        order = check_random_state(self.random_state).permutation(n_rows)
        groups = [order]
        if target.dtype.kind == "i":
            groups = [order[target[order] == code] for code in np.unique(target)]
        held = np.concatenate([group[: round(self.validation_fraction * len(group))] for group in groups])
        return np.setdiff1d(order, held), np.sort(held)

    # -- prediction ------------------------------------------------------------------------------------

    def _raw_outputs(self, X: Any) -> np.ndarray:
        """The outputs of the network, rows × outputs."""
        check_is_fitted(self)
        return self._through(self._read(X, reset=False).arrays, lambda module, *inputs: module(*inputs), self._forward)

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


def _long(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float64) if array.dtype.kind == "f" else array


def _usual_epochs(n_rows: int, batch_size: int) -> int:
    return int(np.clip(round(_STEPS * batch_size / n_rows), *_EPOCHS))


class NeuralClassifier(NeuralPredictor, Classifier):
    """Parent of networks that predict classes."""

    label_smoothing: float = parameter(
        "The share of each row's target that is spread over all classes, which keeps probabilities from 0 and 1.",
        default=0.0,
        at_least=0,
        below=1,
    )

    fitted: ClassVar[dict[str, Spec]] = {**NeuralModel.fitted, "classes_": Labels("K")}

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Any:
        """One epoch over a batch of rows; the first call must pass all ``classes``.

        Parameters
        ----------
        X, y : the rows, as in ``fit``.
        classes : the classes of all batches.

        Returns
        -------
        The model.
        """
        return self._partial_fit(X, y, first=check_partial_fit_first_call(self, classes))

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        The classes.
        """
        best = self._raw_outputs(X).argmax(axis=1)
        return self.classes_[best]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        Rows × classes.
        """
        return softmax(self._raw_outputs(X), axis=1)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of the probabilities.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        Rows × classes.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _learn_target(self, y: Any, n_rows: int) -> np.ndarray:
        self.classes_, codes = encoded_classes(y, n_rows)
        return codes.astype(np.int64)

    def _coded_target(self, y: Any, n_rows: int) -> np.ndarray:
        found, codes = encoded_classes(y, n_rows)
        unknown = np.setdiff1d(found, self.classes_).tolist()
        if unknown:
            raise DataError(
                f"class {unknown[0]!r} is not among the classes of the first batch.",
                f"one of {', '.join(map(repr, self.classes_.tolist()[:10]))}",
                "Pass all classes in the first call of partial_fit.",
            )
        return np.searchsorted(self.classes_, found)[codes].astype(np.int64)

    def _n_outputs(self) -> int:
        return len(self.classes_)

    def _loss(self, output: Any, target: Any) -> Any:
        cross_entropy = load_torch().nn.functional.cross_entropy
        return cross_entropy(output.float(), target, label_smoothing=float(self.label_smoothing))


class NeuralRegressor(NeuralPredictor, Regressor):
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

    def partial_fit(self, X: Any, y: Any) -> Any:
        """One epoch over a batch of rows; the scale of the target is that of the first.

        Parameters
        ----------
        X, y : the rows, as in ``fit``.

        Returns
        -------
        The model.
        """
        first = not hasattr(self, "target_mean_")
        if first:
            load_torch(type(self).__name__)
            self._learn_target(y, len(target_array(y, "numbers")))
        return self._partial_fit(X, y, first=first)

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

    def _learn_target(self, y: Any, n_rows: int) -> np.ndarray:
        values = self._numbers(y, n_rows)
        self.one_target_ = np.ndim(values) == 1
        columns = values.reshape(n_rows, -1)
        with np.errstate(over="ignore", invalid="ignore"):
            self.target_mean_, spread = columns.mean(axis=0), columns.std(axis=0)
        if not np.isfinite(spread).all():
            raise DataError("a target whose squares overflow.", "numbers below 1e150", "Divide the target.")
        self.target_scale_ = np.where(spread > 0, spread, 1.0)
        return self._scaled(columns)

    def _coded_target(self, y: Any, n_rows: int) -> np.ndarray:
        columns = self._numbers(y, n_rows).reshape(n_rows, -1)
        if columns.shape[1] != len(self.target_mean_):
            raise DataError(f"a target of {columns.shape[1]} columns.", f"{len(self.target_mean_)}, as before")
        return self._scaled(columns)

    def _scaled(self, columns: np.ndarray) -> np.ndarray:
        return ((columns - self.target_mean_) / self.target_scale_).astype(np.float32)

    def _numbers(self, y: Any, n_rows: int) -> np.ndarray:
        values: Any = y if y is None or isinstance(y, Column) else target_array(y, "numbers")
        if getattr(values, "ndim", 1) != 2 or values.shape[1] == 1:
            return checked_numbers(values, n_rows)
        values = check_array(values, dtype=np.float64, input_name="y")
        if len(values) != n_rows:
            raise DataError(
                "Found input variables with inconsistent numbers of samples: "
                f"X has {n_rows} rows and y has {len(values)}.",
                "one y per row",
            )
        return values

    def _n_outputs(self) -> int:
        return len(self.target_mean_)

    def _loss(self, output: Any, target: Any) -> Any:
        return ((output.float() - target) ** 2).mean()

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags

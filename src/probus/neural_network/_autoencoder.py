"""Autoencoders: networks that predict their own input through fewer numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_array, check_is_fitted

from probus.allowed_values import InstanceOf, IntegerIn, NoneAllowed, OneOf
from probus.base import Accepts, ClassNamePrefixFeaturesOutMixin, Model, Transformer, matrix_input
from probus.callbacks import Callback
from probus.display import counted
from probus.errors import DataError, ModelFileError
from probus.neural_network._activations import activation_of
from probus.neural_network._base import NeuralModel
from probus.neural_network._checkpoint import fingerprint
from probus.parameters import inherited, parameter
from probus.state import Array, Flag, Number, Spec

_FEWEST_ROWS = 20  # of which some are held out
_STEPS, _EPOCHS = 3000, (20, 1000)  # by default, and the bounds of the epochs


class Autoencoder(ClassNamePrefixFeaturesOutMixin, Transformer, NeuralModel):
    """A network that predicts its own input through a code of few numbers: components that need not be linear.

    The encoder has the layers ``hidden`` and ends with the code; the decoder has them in reverse. The code is linear
    if there are hidden layers; else it has the activation. Rows are centred and divided by one number, so that with
    ``hidden=()`` and ``activation="identity"`` the reconstructions are those of PCA. Columns should share a scale:
    ``tabular`` standardises them. Numbers between 0 and 1 can have cross-entropy as loss, after a sigmoid.

    A denoising autoencoder gets corrupted rows and predicts the original ones (Vincent et al. 2008).

    Training needs PyTorch; ``transform``, ``inverse_transform`` and ``reconstruct`` do not.

    Attributes
    ----------
    mean_, scale_ : what is subtracted from each column, and what all are divided by.
    cross_entropy_ : whether the loss is cross-entropy.
    weights_ : the weights and biases of each layer by name.
    history_, n_iter_ : loss and score of each epoch, and their number.

    Examples
    --------
    >>> from probus.datasets import iris
    >>> X = iris().drop("species").numbers()
    >>> code = Autoencoder(2, hidden=(), activation="identity", max_iter=5, random_state=0)
    >>> code.fit_transform(X).shape, code.reconstruct(X).shape
    ((150, 2), (150, 4))
    """

    n_components: int = parameter("The numbers of the code.", default=2, at_least=1, kw_only=False)
    hidden: Any = parameter(
        "The widths of the hidden layers of the encoder.", default=(64,), of=[InstanceOf(tuple), InstanceOf(list)]
    )
    activation: str = parameter('The activation function: "elu", "tanh", "relu", "identity" or another.', default="elu")
    loss: str = parameter(
        '"squared"; "cross_entropy", for numbers from 0 to 1; "auto" is cross-entropy if all numbers are 0 or 1.',
        default="auto",
        one_of=("auto", "squared", "cross_entropy"),
    )
    corruption: str | None = parameter(
        'How the input is corrupted in training: "masking" sets numbers to their mean, or to 0 with cross-entropy; '
        '"gaussian" adds normal noise.',
        default=None,
        of=[OneOf("masking", "gaussian"), NoneAllowed()],
    )
    corruption_level: float = parameter(
        "The share of numbers that masking sets, or the standard deviation of the noise, in units of ``scale_``.",
        default=0.2,
        above=0,
    )
    batch_size: int = inherited(default=64)
    learning_rate_init: float = inherited(default=3e-3)
    learning_rate: str = inherited(default="cosine")
    weight_decay: float = inherited(default=0.0)
    max_iter: Any = inherited(
        doc="The number of epochs, in which each row is used once. None is 3,000 steps, but 20 to 1,000 epochs.",
        default=None,
        of=[IntegerIn(at_least=1), NoneAllowed()],
    )
    early_stopping: bool = inherited(default=False)

    accepts = Accepts(scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        **NeuralModel.fitted,
        "mean_": Array("f8", "d"),
        "scale_": Number(),
        "cross_entropy_": Flag(),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """A small one, and a linear one."""
        return [
            cls(1, hidden=(4,), max_iter=5, device="cpu"),
            cls(2, hidden=(), activation="identity", max_iter=5, device="cpu", corruption="masking"),
        ]

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless the weights are those of the layers."""
        found = {name: array.shape for name, array in self.weights_.items()}
        expected: dict[str, tuple[int, ...]] = {}
        for layer, (before, after) in enumerate(pairwise(self._sizes())):
            expected |= {f"linear.{layer}.weight": (after, before), f"linear.{layer}.bias": (after,)}
        if found != expected or self.scale_ <= 0:
            raise ModelFileError("Autoencoder: the weights do not match the layers.")

    @property
    def _n_features_out(self) -> int:
        return self.n_components

    # -- fit -------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, *, callbacks: Iterable[Callback] = ()) -> Autoencoder:
        """Train on the rows.

        Parameters
        ----------
        X : the rows.
        y : ignored.
        callbacks : called after each epoch with the training, which stops where one returns True.

        Returns
        -------
        The model.
        """
        from probus.neural_network._autoencoder_module import corrupted_by, reconstruction_loss, torch

        _check_layers(self.hidden, self.activation)
        X = matrix_input(self, X, reset=True)
        self._set_scale(X)
        rows = torch.from_numpy(self._scaled(X).astype(np.float32))
        training, held_out = self._split(len(rows))
        cross_entropy, level = self.cross_entropy_, float(self.corruption_level)
        places: dict[Any, tuple[Any, Any]] = {}

        def on(device: Any) -> tuple[Any, Any]:
            if device not in places:
                places[device] = rows[training].to(device), rows[held_out].to(device)
            return places[device]

        def batch_loss(module: Any, at: Any) -> Any:
            batch = on(at.device)[0][at]
            return reconstruction_loss(module(corrupted_by(batch, self.corruption, level)), batch, cross_entropy)

        def score(module: Any) -> float:
            held = on(next(module.parameters()).device)[1]
            return -float(reconstruction_loss(module(held), held, cross_entropy))

        self._train(
            batch_loss, len(training), score=score if len(held_out) else None,
            data=fingerprint(X) if self.checkpoint else "", max_epochs=self._n_epochs(len(training)),
            start=None if self.hidden else self._main_directions(self._scaled(X)), callbacks=callbacks,
        )  # fmt: skip
        return self

    def _set_scale(self, X: np.ndarray) -> None:
        """Decide about the loss, and set what rows are centred and divided by."""
        binary = bool(np.isin(X, (0.0, 1.0)).all())
        self.cross_entropy_ = self.loss == "cross_entropy" or (self.loss == "auto" and binary)
        if self.cross_entropy_:
            outside = X.min() if X.min() < 0 else X.max()
            if not 0 <= outside <= 1:
                raise DataError(f"loss='cross_entropy' and a number {outside:g}.", "numbers from 0 to 1")
            self.mean_, self.scale_ = np.zeros(X.shape[1]), 1.0
            return
        with np.errstate(over="ignore", invalid="ignore"):
            self.mean_ = X.mean(axis=0)
            self.scale_ = float(np.sqrt(np.square(X - self.mean_).mean())) or 1.0
        if not np.isfinite(self.scale_):
            raise DataError("numbers whose squares overflow.", "numbers below 1e150", "Divide the columns.")

    def _split(self, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
        """Training rows, and those held out for early stopping."""
        order = np.arange(n_rows)
        if not self.early_stopping or n_rows < _FEWEST_ROWS:
            return order, order[:0]
        order = check_random_state(self.random_state).permutation(n_rows)
        n_held = max(1, round(self.validation_fraction * n_rows))
        return np.sort(order[n_held:]), np.sort(order[:n_held])

    def _main_directions(self, rows: np.ndarray) -> dict[str, np.ndarray]:
        """First weights without hidden layers: the leading singular vectors, where a linear code is at its best."""
        directions = np.linalg.svd(rows - rows.mean(axis=0), full_matrices=False)[2][: self.n_components]
        missing = self.n_components - len(directions)
        directions = np.vstack([directions, np.zeros((missing, rows.shape[1]))]).astype(np.float32)
        return {"linear.0.weight": directions, "linear.1.weight": np.ascontiguousarray(directions.T)}

    def _n_epochs(self, n_rows: int) -> int:
        return self.max_iter or int(np.clip(_STEPS * self.batch_size // n_rows, *_EPOCHS))

    def _sizes(self) -> list[int]:
        """The widths from the input over the code to the output."""
        return [len(self.mean_), *self.hidden, self.n_components, *self.hidden[::-1], len(self.mean_)]

    def _activations(self) -> list[str]:
        """Of the output of each layer but the last."""
        each = [self.activation] * len(self.hidden)
        return [*each, "identity" if self.hidden else self.activation, *each]

    def _untrained(self) -> Any:
        from probus.neural_network._autoencoder_module import AutoencoderModule

        return AutoencoderModule(self._sizes(), self._activations())

    # -- use -------------------------------------------------------------------------------------------

    def transform(self, X: Any) -> np.ndarray:
        """The code of each row, rows × components."""
        check_is_fitted(self)
        n_layers = len(self.hidden) + 1
        return self._through(self._scaled(matrix_input(self, X, reset=False)), range(n_layers))

    def inverse_transform(self, X: Any) -> np.ndarray:
        """The rows that codes stand for, rows × columns."""
        check_is_fitted(self)
        codes = check_array(X, dtype=np.float64, input_name="X")
        if codes.shape[1] != self.n_components:
            raise DataError(f"codes of {counted(codes.shape[1], 'number')}.", f"{self.n_components}")
        return self._decoded(codes)

    def reconstruct(self, X: Any) -> np.ndarray:
        """What the network predicts for each row, in the units of the columns."""
        return self._decoded(self.transform(X))

    def score(self, X: Any, y: Any = None) -> float:
        """The share of the variance of the rows that their reconstructions explain; y is ignored."""
        rows = matrix_input(self, X, reset=False)
        total = np.square(rows - rows.mean(axis=0)).sum()
        return float(1.0 - np.square(rows - self.reconstruct(X)).sum() / total) if total > 0 else 0.0

    def _decoded(self, codes: np.ndarray) -> np.ndarray:
        n_layers = len(self.hidden) + 1
        values = self._through(codes, range(n_layers, 2 * n_layers))
        return expit(values) if self.cross_entropy_ else values * self.scale_ + self.mean_

    def _scaled(self, X: np.ndarray) -> np.ndarray:
        return (X - self.mean_) / self.scale_

    def _through(self, values: np.ndarray, layers: range) -> np.ndarray:
        """The values after some layers."""
        functions = [*self._activations(), "identity"]
        for layer in layers:
            weights = self.weights_[f"linear.{layer}.weight"].astype(np.float64)
            values = values @ weights.T + self.weights_[f"linear.{layer}.bias"]
            values = activation_of(functions[layer]).value(values)
        return values


def _check_layers(hidden: Sequence[Any], activation: str) -> None:
    if not all(isinstance(size, (int, np.integer)) and not isinstance(size, bool) and size > 0 for size in hidden):
        raise DataError(f"hidden={hidden!r}.", "widths of layers: whole numbers, 1 or more", "Pass hidden=(64, 32).")
    if activation_of(activation).name in ("step", "sign", "softmax"):
        raise DataError(f"activation={activation!r}.", "a function of each unit that has a slope", "Pass 'elu'.")

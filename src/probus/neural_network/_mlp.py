"""What the multi-layer perceptrons have in common: training in NumPy or PyTorch, and outputs."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from probus.base import checked_weights, matrix_input
from probus.callbacks import Callback
from probus.errors import DataError, ModelFileError
from probus.neural_network._base import checked_checkpoint, training_parameters
from probus.neural_network._dense_steps import OWN_OPTIMISERS, DenseTraining
from probus.neural_network._dense_weights import (
    DenseWeights,
    check_chain,
    drawn_weights,
    forward,
)
from probus.neural_network._epochs import Epochs, NotFiniteError
from probus.neural_network._mlp_parameters import PerceptronParameters
from probus.neural_network._mlp_rows import TrainingRows, counted, fingerprint_of, number_type, own_order
from probus.neural_network._network_step import NetworkStep
from probus.neural_network._perceptron_step import network_of, one_row
from probus.neural_network._settings import TrainingSettings
from probus.neural_network._torch import gpu_named

_AT_ONCE = 8192  # rows that are predicted together


class MultilayerPerceptron(PerceptronParameters):
    """Parent of the multi-layer perceptrons.

    Plain networks are trained in NumPy. PyTorch is needed for ``normalisation``, a GPU, and optimisers that are not
    "sgd", "adam", "adamw" or "lbfgs".
    """

    # -- what a subclass does --------------------------------------------------------------------------

    @abstractmethod
    def _targets(self, y: Any, n_rows: int, *, first: bool, incremental: bool) -> np.ndarray:
        """The target as rows × outputs, and the attributes that follow from it."""

    @abstractmethod
    def _output(self) -> str:
        """The function of the output, of ``OUTPUTS``."""

    @abstractmethod
    def _score_of(self, outputs: np.ndarray, y: np.ndarray, weight: np.ndarray | None) -> float:
        """The score of held-out rows."""

    def _strata(self, y: np.ndarray) -> np.ndarray | None:
        """Classes that held-out rows have in the same shares, or None."""
        return None

    def _smoothed(self, y: np.ndarray) -> np.ndarray:
        """Targets to train on."""
        return y

    # -- fitting ---------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None, *, callbacks: Iterable[Callback] = ()) -> Any:
        """Train the network.

        Parameters
        ----------
        X : the rows.
        y : the target, of one column or several.
        sample_weight : the weight of each row.
        callbacks : called after each epoch with the training, which stops where one returns True.

        Returns
        -------
        The model.
        """
        return self._fit(X, y, sample_weight, incremental=False, callbacks=callbacks)

    def _fit(self, X: Any, y: Any, sample_weight: Any, *, incremental: bool, callbacks: Iterable[Callback] = ()) -> Any:
        first = not hasattr(self, "coefs_") or (not self.warm_start and not incremental)
        hidden = self._hidden_sizes()
        self._check_decay()
        X = matrix_input(self, X, reset=first, order="C", dtype=[np.float64, np.float32], accept_large_sparse=False)
        if incremental and self.early_stopping:
            raise ValueError("partial_fit does not support early_stopping=True")
        targets = self._targets(y, X.shape[0], first=first, incremental=incremental)
        weight = checked_weights(sample_weight, X)
        random = check_random_state(self.random_state)
        if first:
            self._begin([X.shape[1], *hidden, targets.shape[1]], X.dtype, random)
        elif [len(each) for each in self.intercepts_] != [*hidden, targets.shape[1]]:
            raise DataError(
                f"hidden_layer_sizes={self.hidden_layer_sizes!r} for weights of {self._sizes_text()}.",
                "the sizes of the previous fit",
                "Pass warm_start=False to begin again.",
            )
        rows = self._training_rows(TrainingRows(X, targets, weight), random, incremental)
        try:
            if self.solver == "lbfgs":
                self._fit_lbfgs(rows, callbacks)
            else:
                self._fit_steps(rows, random, incremental, callbacks)
        except NotFiniteError as error:
            raise DataError(
                "Solver produced non-finite parameter weights. The input data may contain large values and need to be "
                f"preprocessed: {error.found}",
                "finite numbers",
                f"{error.hint} probus.tabular({type(self).__name__}()) scales columns.",
            ) from None
        return self

    def _hidden_sizes(self) -> list[int]:
        sizes = np.atleast_1d(np.asarray(self.hidden_layer_sizes)).tolist()
        if any(isinstance(size, str) or size != int(size) or size <= 0 for size in sizes):
            raise DataError(f"hidden_layer_sizes must be > 0, got {sizes}.", "whole numbers from 1")
        return [int(size) for size in sizes]

    def _check_decay(self) -> None:
        if self.weight_decay and self.solver in ("adam", "sgd", "lbfgs"):
            raise DataError(
                f"weight_decay={self.weight_decay} with solver={self.solver!r}.",
                "an optimiser that has it",
                "Use solver='adamw', or alpha, the penalty on squared weights.",
            )

    def _sizes_text(self) -> str:
        return " → ".join(str(size) for size in [len(self.coefs_[0]), *map(len, self.intercepts_)])

    def _begin(self, sizes: list[int], dtype: Any, random: np.random.RandomState) -> None:
        """Draw the first weights, and forget an earlier fit."""
        for name in MultilayerPerceptron.fitted.keys() & vars(self).keys():
            delattr(self, name)
        self.__dict__.pop("_memory", None)
        layers = drawn_weights(sizes, self.initialisation, self.activation, random)
        self.coefs_ = [weights.astype(dtype) for weights, _ in layers]
        self.intercepts_ = [bias.astype(dtype) for _, bias in layers]
        self.norms_ = [] if self.normalisation is None else [_first_norm(self.normalisation, n) for n in sizes[1:-1]]
        self.activation_, self.out_activation_ = self.activation, self._output()
        self.n_outputs_, self.n_layers_ = sizes[-1], len(sizes)
        self.n_iter_ = self.t_ = 0
        if self.solver != "lbfgs":
            self.loss_curve_ = []
            self.best_loss_ = None if self.early_stopping else np.inf
            self.validation_scores_ = [] if self.early_stopping else None
            self.best_validation_score_ = -np.inf if self.early_stopping else None

    # -- rows ------------------------------------------------------------------------------------------

    def _training_rows(self, rows: TrainingRows, random: np.random.RandomState, incremental: bool) -> TrainingRows:
        """The rows to train on, in an order of their own, and those held out."""
        held = None
        if self.early_stopping and self.solver != "lbfgs" and not incremental:
            from sklearn.model_selection import train_test_split

            train, kept = train_test_split(
                np.arange(len(rows.y)), random_state=random, test_size=self.validation_fraction,
                stratify=self._strata(rows.y),
            )  # fmt: skip
            if len(kept) < 2:
                raise ValueError(
                    "The validation set is too small. Increase 'validation_fraction' or the size of your dataset."
                )
            rows, held = rows.some(train), rows.some(kept)
        if self.shuffle:
            rows = rows.some(own_order(rows))
        if rows.weight is not None:
            rows = counted(rows) if self.shuffle else rows.some(np.flatnonzero(rows.weight))
        return TrainingRows(rows.X, self._smoothed(rows.y), rows.weight, held)

    def _settings(self, rows: TrainingRows, n_epochs: int, seed: int) -> TrainingSettings:
        n = len(rows.y)
        size = min(200, n) if self.batch_size == "auto" else min(int(self.batch_size), n)
        if self.batch_size != "auto" and self.batch_size > n:
            warnings.warn(
                "Got `batch_size` less than 1 or larger than sample size. It is going to be clipped", stacklevel=6
            )
        for_sgd = self.learning_rate in ("invscaling", "adaptive") and self.solver != "sgd"
        return TrainingSettings(
            optimiser=self.solver, learning_rate=float(self.learning_rate_init),
            schedule="constant" if for_sgd else self.learning_rate, power_t=float(self.power_t),
            warm_up=float(self.warm_up), momentum=float(self.momentum), nesterov=bool(self.nesterovs_momentum),
            beta_1=float(self.beta_1), beta_2=float(self.beta_2), epsilon=float(self.epsilon),
            weight_decay=float(self.weight_decay), clip=self.clip_gradient, batch_size=size, max_epochs=n_epochs,
            shuffle=bool(self.shuffle), patience=float(self.n_iter_no_change), tol=float(self.tol),
            precision=self.precision, seed=seed, verbose=int(self.verbose), checkpoint=checked_checkpoint(self),
            model=training_parameters(self),
        )  # fmt: skip

    # -- training --------------------------------------------------------------------------------------

    @property
    def _needs_pytorch(self) -> bool:
        own = self.solver in (*OWN_OPTIMISERS, "lbfgs")
        return self.normalisation is not None or not own or gpu_named(self.device) is not None

    def _fit_steps(
        self, rows: TrainingRows, random: np.random.RandomState, incremental: bool, callbacks: Iterable[Callback]
    ) -> None:
        """Train by steps on batches of rows."""
        seed = int(random.randint(np.iinfo(np.int32).max)) if self._needs_pytorch or self.dropout else 0
        settings = self._settings(rows, 1 if incremental else int(self.max_iter), seed)
        data = "" if settings.checkpoint is None else fingerprint_of(rows)
        training: Epochs
        if self._needs_pytorch:
            from probus.neural_network._dense_module import fitted_module

            memory = self.__dict__.get("_memory") if incremental else None
            training, self._memory = fitted_module(self, rows, settings, data, memory, callbacks)
        else:
            training = self._fit_numpy(rows, settings, data, random, incremental, callbacks)
            self._memory = training.memory()
        self._note(training, incremental)

    def _fit_numpy(
        self,
        rows: TrainingRows,
        settings: TrainingSettings,
        data: str,
        random: np.random.RandomState,
        incremental: bool,
        callbacks: Iterable[Callback],
    ) -> Epochs:
        dtype = number_type(rows.X)
        network = self._network(dtype)
        X, y = rows.X.astype(dtype, copy=False), rows.y.astype(dtype, copy=False)
        weight, held = None if rows.weight is None else rows.weight.astype(dtype), rows.held
        score = None
        if held is not None:
            X_held = held.X.astype(dtype, copy=False)
            score = lambda: self._score_of(network.outputs(X_held), held.y, held.weight)  # noqa: E731
        training = DenseTraining(network, X, y, weight, settings, random, score, data, rows_before=self.t_)
        memory = self.__dict__.get("_memory")
        if incremental and memory is not None:
            training.remember(memory)
        self.history_ = training.fit(callbacks)
        self._keep(network)
        return training

    def _network(self, dtype: Any) -> DenseWeights:
        layers = list(zip(self.coefs_, self.intercepts_, strict=True))
        alpha = float(self.alpha)
        return DenseWeights(layers, self.activation, self.out_activation_, alpha, float(self.dropout), dtype)

    def _keep(self, network: DenseWeights) -> None:
        """Store the weights, in the numbers of X."""
        dtype, layers = self.coefs_[0].dtype, network.copied()
        self.coefs_ = [weights.astype(dtype) for weights, _ in layers]
        self.intercepts_ = [bias.astype(dtype) for _, bias in layers]

    def _note(self, training: Epochs, incremental: bool) -> None:
        """Store what was recorded, in scikit-learn's attributes too."""
        self.activation_ = self.activation
        self.n_iter_, self.t_ = training.n_epochs, self.t_ + training.n_epochs * training.n_rows
        self.loss_curve_ = [*(getattr(self, "loss_curve_", None) or []), *training.loss]
        self.loss_ = self.loss_curve_[-1]
        if self.early_stopping:
            self.validation_scores_ = [*(self.validation_scores_ or []), *training.validation]
            self.best_validation_score_ = float(max(self.validation_scores_))
        else:
            self.best_loss_ = float(min(self.loss_curve_))
        if training.ending == "all epochs done" and not incremental:
            warnings.warn(
                f"Stochastic Optimizer: Maximum iterations ({self.max_iter}) reached and the optimization hasn't "
                "converged yet.",
                ConvergenceWarning,
                stacklevel=6,
            )

    def _fit_lbfgs(self, rows: TrainingRows, callbacks: Iterable[Callback]) -> None:
        """Train on all rows at once, by SciPy's L-BFGS-B."""
        from scipy.optimize import minimize

        if callbacks:
            raise DataError("solver='lbfgs' with callbacks.", "a solver that has epochs", "Use solver='adam'.")
        if self._needs_pytorch or self.dropout:
            raise DataError(
                "solver='lbfgs' with dropout, normalisation or a GPU.", "a network without them", "Use solver='adam'."
            )
        network = self._network(np.float64)
        X, y = rows.X.astype(np.float64, copy=False), rows.y.astype(np.float64, copy=False)

        def objective(values: np.ndarray) -> tuple[float, np.ndarray]:
            network.values[:] = values
            with np.errstate(all="ignore"):
                loss = network.descend(X, y, rows.weight)
            return loss, network.gradient.copy()

        options = {"maxfun": self.max_fun, "maxiter": self.max_iter, "gtol": self.tol}
        found = minimize(objective, network.values.copy(), method="L-BFGS-B", jac=True, options=options)
        if not np.isfinite(found.x).all() or not np.isfinite(found.fun):
            raise NotFiniteError(f"the loss is {found.fun}.", "Scale columns and target.")
        self.n_iter_, self.loss_ = min(found.nit, self.max_iter), float(found.fun)
        if found.status != 0:
            warnings.warn(
                f"lbfgs failed to converge after {self.n_iter_} iteration(s) (status={found.status}): {found.message}. "
                "Increase the number of iterations (max_iter), or scale the columns.",
                ConvergenceWarning,
                stacklevel=6,
            )
        network.values[:] = found.x
        self.activation_ = self.activation
        self._keep(network)

    def _partial_fit(self, X: Any, y: Any, sample_weight: Any) -> Any:
        return self._fit(X, y, sample_weight, incremental=True)

    def _check_solver(self) -> bool:
        if self.solver == "lbfgs":
            raise AttributeError(
                f"partial_fit is only available for stochastic optimizers. {self.solver} is not stochastic."
            )
        return True

    def explain_step(self, x: Any, y: Any, *, learning_rate: float | None = None) -> NetworkStep:
        """The forward and backward pass of one row, and a step of gradient descent, number by number.

        The loss is that of a batch of this row: without dropout, and with the whole penalty ``alpha``. The network is
        left unchanged.

        Parameters
        ----------
        x : one row.
        y : its target.
        learning_rate : how far the step goes; None is ``learning_rate_init``.

        Returns
        -------
        The step, which is displayed, saved and listed as that of a ``Network``.
        """
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        row: Any = matrix_input(self, one_row(x), reset=False)
        if row.shape[0] != 1:
            raise DataError(f"explain_step of {row.shape[0]} rows.", "one row", "Pass X[0], y[0].")
        several = self.n_outputs_ > 1 and self.out_activation_ != "softmax"
        target = self._targets(np.array([y]) if several else [y], 1, first=False, incremental=True)
        rate = float(self.learning_rate_init if learning_rate is None else learning_rate)
        return network_of(self).explain(
            row.toarray()[0] if issparse(row) else row[0], target[0].astype(float), learning_rate=rate
        )

    # -- prediction ------------------------------------------------------------------------------------

    def _outputs(self, X: Any) -> np.ndarray:
        """The outputs of rows: rows × outputs."""
        from sklearn.utils.validation import check_is_fitted

        check_is_fitted(self)
        X = matrix_input(self, X, reset=False, dtype=[np.float64, np.float32], accept_large_sparse=False)
        network = self.coefs_, self.intercepts_, self.norms_, self.activation_, self.out_activation_
        with np.errstate(over="ignore"):
            if X.shape[0] <= _AT_ONCE:
                return forward(X, *network)
            chunks = (X[first : first + _AT_ONCE] for first in range(0, X.shape[0], _AT_ONCE))
            return np.concatenate([forward(chunk, *network) for chunk in chunks])

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError where layers do not fit each other."""
        check_chain(self.coefs_, self.intercepts_, self.n_features_in_, self.n_outputs_)
        widths = [len(bias) for bias in self.intercepts_[:-1]]
        shapes = [each.shape for each in self.norms_]
        if shapes and (shapes[0][0] not in (2, 4) or shapes != [(shapes[0][0], width) for width in widths]):
            raise ModelFileError(f"norms of shapes {shapes}.", "one for each hidden layer")


def _first_norm(kind: str, width: int) -> np.ndarray:
    """Scale and shift, and means and variances for batches."""
    rows = [np.ones(width), np.zeros(width)]
    return np.array([*rows, np.zeros(width), np.ones(width)] if kind == "batch" else rows)

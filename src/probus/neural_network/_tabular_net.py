"""What the networks for typed tables have in common: rows, folds, training in PyTorch, and outputs in NumPy."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import InstanceOf, IntegerIn, NoneAllowed
from probus.base import Accepts, Model, checked_weights, table_input
from probus.callbacks import Callback
from probus.data import Table
from probus.errors import DataError, ModelFileError
from probus.neural_network._base import ONE_EPOCH, NeuralModel, checked_checkpoint
from probus.neural_network._checkpoint import fingerprint
from probus.neural_network._history import TrainingHistory
from probus.neural_network._mlp_rows import TrainingRows, counted, own_order
from probus.neural_network._row_sets import RowSets
from probus.neural_network._settings import TrainingSettings
from probus.neural_network._tabular_encoding import Cells, TabularEncoding
from probus.neural_network._tabular_weights import first_weights, mean_outputs, shapes_of
from probus.neural_network._torch import device_named, load_torch, threads
from probus.parameters import inherited, parameter
from probus.state import Arrays, Many, Number, Object, Spec

_FEWEST_ROWS = 10  # different ones, of which some are held out
_FEW_EPOCHS = 50  # on fewer rows
_STEPS = 12  # in an epoch, where the batches that follow are neither too small nor too large
_BATCHES = 16, 256  # rows
_LARGE = 5000  # rows from which on several threads are worth it
_INPUTS = 512  # numbers that all numeric columns are embedded in, about


class TabularNet(NeuralModel):
    """Parent of the networks for typed tables.

    Training needs PyTorch; prediction is in NumPy.
    """

    n_models: int | None = parameter(
        "The number of networks whose predictions are averaged. Each holds out other rows for early stopping. None "
        "is 5 up to 3,000 rows, 2 up to 20,000 and 1 for more.",
        default=None,
        at_least=1,
    )
    n_members: int = parameter(
        "The members of a network, which share most weights and are averaged.", default=16, at_least=1
    )
    hidden_layer_sizes: Any = parameter(
        "The widths of the hidden layers.", default=(128, 128), of=[InstanceOf(tuple), InstanceOf(list)]
    )
    embedding_size: int | None = parameter(
        "The numbers that a number is embedded in. None is 8, but fewer from 65 numeric columns on.",
        default=None,
        at_least=1,
    )
    n_bins: int = parameter(
        "The bins of a numeric column, of about equally many rows; its effect can bend between them.",
        default=24,
        at_least=1,
    )
    dropout: float = parameter(
        "The share of the hidden units that are set to zero in each step.", default=0.1, at_least=0, below=1
    )
    batch_size: Any = inherited(
        doc="The rows of a step. None is a twelfth of the rows, but 16 to 256.",
        default=None,
        of=[IntegerIn(at_least=1), NoneAllowed()],
    )
    learning_rate_init: float = inherited(default=2e-3)
    weight_decay: float = inherited(default=3e-4)
    clip_gradient: float | None = inherited(default=1.0)
    max_iter: int = inherited(default=200)
    n_iter_no_change: Any = inherited(
        doc="The epochs without improvement after which training stops. None is 16, and 8 from 5,000 rows on, where "
        "epochs are long and scores precise.",
        default=None,
        of=[IntegerIn(at_least=1), NoneAllowed()],
    )
    validation_fraction: float = inherited(
        doc="The share of rows that each network holds out; at least a fifth, networks hold out different rows.",
        default=0.2,
    )
    n_jobs: int | None = inherited(
        doc="The threads of PyTorch on a processor from 5,000 rows on, below which there is one. None is its own "
        "number, -1 is all."
    )
    device: str = inherited(
        doc='Where the network is trained: "cpu", "cuda" (or "cuda:1"), "mps", or "auto", a GPU if there is one.',
        default="auto",
    )

    accepts = Accepts(nominal=True, missing=True, weights=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "encoding_": Object(TabularEncoding),
        "weights_": Arrays(),
        "histories_": Many(Object(TrainingHistory)),
        "n_iter_": Number(),
    }

    # -- what a subclass does --------------------------------------------------------------------------

    @abstractmethod
    def _n_outputs(self) -> int:
        """The outputs of a member."""

    @abstractmethod
    def _loss(self, device: Any) -> Any:
        """The loss, a ``MemberLoss``."""

    @abstractmethod
    def _prepared(self, targets: np.ndarray, *, first: bool) -> np.ndarray:
        """The targets of the training rows as the loss takes them; fitted attributes are set at first."""

    def _strata(self, targets: np.ndarray) -> np.ndarray | None:
        """Classes that folds have in the same shares, or None."""
        return None

    # -- fitting ---------------------------------------------------------------------------------------

    @property
    def history_(self) -> TrainingHistory:  # type: ignore[override]
        """The loss and the score of each epoch of the first network; ``histories_`` has all."""
        check_is_fitted(self)
        return self.histories_[0]

    def _fit(
        self, X: Any, targets: Callable[[int], np.ndarray], sample_weight: Any, *,
        first: bool = True, one_epoch: bool = False, callbacks: Iterable[Callback] = (),
    ) -> Any:  # fmt: skip
        """Train the networks; ``targets`` are those of a number of rows, rows × targets.

        With ``one_epoch`` they are trained on all rows, from their present weights where these are not the ``first``.
        """
        load_torch(type(self).__name__)
        self._check_layers()
        table = table_input(self, X, reset=first)
        y = targets(len(table))
        at, cells, y, weight = self._training_cells(table, y, checked_weights(sample_weight, y), first=first)
        if first or not one_epoch:
            self.__dict__.pop("_memories", None)
        prepared = self._prepared(y, first=first)
        sets = None if one_epoch else self._row_sets(table.take(at), y)
        self._train_networks(cells, prepared, weight, sets, first, one_epoch, callbacks)
        return self

    def _check_layers(self) -> None:
        sizes = self.hidden_layer_sizes
        whole = [isinstance(size, (int, np.integer)) and not isinstance(size, bool) for size in sizes]
        if not len(sizes) or not all(whole) or min(sizes) < 1:
            raise DataError(f"hidden_layer_sizes={sizes!r}.", "widths of layers: whole numbers, 1 or more")

    def _training_cells(
        self, table: Table, y: np.ndarray, weight: np.ndarray | None, *, first: bool
    ) -> tuple[np.ndarray, Cells, np.ndarray, np.ndarray | None]:
        """Places, encoded rows, targets and weights in an order that does not depend on that of X.

        Whole weights are repeated rows.
        """
        rows = TrainingRows(np.arange(len(table)), y, weight)
        if weight is not None:
            rows = counted(rows)
            table = table.take(rows.X)
        if first:
            self.encoding_ = TabularEncoding.fitted_to(table, int(self.n_bins))
        cells = self.encoding_.cells(table)
        order = own_order(TrainingRows(cells.matrix().astype(np.float64), _in_range(rows.y), None))
        weight = None if rows.weight is None else (rows.weight / rows.weight.max())[order]
        weight = None if weight is None else weight / weight.mean()
        return rows.X[order], cells.some(order), rows.y[order], weight

    def _row_sets(self, table: Table, y: np.ndarray) -> RowSets | None:
        """The sets of rows of which some are held out; None where none are: of fewer than 10 different rows."""
        if not self.early_stopping or len(table) < _FEWEST_ROWS:
            return None
        values = np.column_stack([column.values for column in table])
        sets = RowSets.of([values], y, self._strata(y))
        return sets if len(sets) >= _FEWEST_ROWS else None

    def _train_networks(
        self, cells: Cells, targets: np.ndarray, weight: np.ndarray | None, sets: RowSets | None,
        first: bool, one_epoch: bool, callbacks: Iterable[Callback],
    ) -> None:  # fmt: skip
        from probus.neural_network._tabular_module import TabularRows, trained_weights

        n = len(cells)
        n_models = self.n_models or (5 if n <= 3000 else 2 if n <= 20_000 else 1)
        if not first:
            n_models = len(self.weights_["members"])
        random = check_random_state(self.random_state)
        seeds = random.randint(np.iinfo(np.int32).max, size=n_models).tolist()
        device = device_named(self.device)
        checkpoint = None if one_epoch else checked_checkpoint(self)
        arrays = (cells.matrix(), targets, *(() if weight is None else (weight,)))
        data = "" if checkpoint is None else fingerprint(*arrays)
        rows, found = TabularRows(cells, targets, weight, device), []
        memories = self.__dict__.get("_memories", [None] * n_models)
        # threads of small steps wait for each other, above all where processes are many, and change last digits
        with threads(1 if n < _LARGE else self.n_jobs):
            for number, (training, held_out) in enumerate(self._splits(n, n_models, seeds, sets)):
                start = (
                    first_weights(self._shapes(), np.random.default_rng(seeds[number]))
                    if first
                    else {name: each[number] for name, each in self.weights_.items()}
                )
                at = _numbered(checkpoint, number, n_models)
                settings = self._settings_of(seeds[number], n, len(training), len(held_out), at, one_epoch)
                found.append(
                    trained_weights(start, self.encoding_, rows, training, held_out, self._loss(device), settings,
                                    float(self.dropout), data, callbacks, memories[number])
                )  # fmt: skip
        weights, histories, memories = zip(*found, strict=True)
        if one_epoch:
            self._memories = list(memories)
        self.weights_ = {name: np.stack([each[name] for each in weights]) for name in weights[0]}
        self.histories_ = list(histories)
        self.n_iter_ = max(len(history.loss) for history in self.histories_)
        self._doubled()

    def _settings_of(
        self, seed: int, n: int, n_training: int, n_held: int, checkpoint: Any, one_epoch: bool
    ) -> TrainingSettings:
        """How a network is trained on some of n rows."""
        settings = {
            "batch_size": self._batch_size(n_training),
            "max_epochs": None if n >= _FEWEST_ROWS else min(_FEW_EPOCHS, self.max_iter),
            "patience": (self.n_iter_no_change or (16 if n < _LARGE else 8)) if n_held else None,
            "checkpoint": checkpoint,
        }
        return self._settings(seed, **{**settings, **(ONE_EPOCH if one_epoch else {})})

    def _splits(
        self, n: int, n_models: int, seeds: list[int], sets: RowSets | None
    ) -> list[tuple[np.ndarray, np.ndarray]]:
        """The rows that each network is trained on, and those it holds out: a fold of its own, as long as there are."""
        if sets is None:
            return [(np.arange(n), np.arange(0))] * n_models
        n_folds = max(2, round(1.0 / self.validation_fraction))
        splits = []
        for number in range(n_models):
            order = np.random.default_rng(seeds[number - number % n_folds]).permutation(len(sets))
            splits.append(sets.split(sets.fold(order, number % n_folds, n_folds)))
        return splits

    def _batch_size(self, n: int) -> int:
        if self.batch_size is not None:
            return int(self.batch_size)
        return int(np.clip(2 ** round(np.log2(max(n, 1) / _STEPS)), *_BATCHES))

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        d = len(self.encoding_.numeric)
        size = self.embedding_size or int(np.clip(_INPUTS // max(d, 1), 2, 8))
        hidden = [int(width) for width in self.hidden_layer_sizes]
        return shapes_of(self.encoding_, hidden, int(self.n_members), size, self._n_outputs())

    def _untrained(self) -> Any:
        from probus.neural_network._tabular_module import TabularModule

        first = {name: values[0] for name, values in self.weights_.items()}
        return TabularModule(first, self.encoding_, float(self.dropout))

    # -- prediction ------------------------------------------------------------------------------------

    def _means(self, X: Any, link: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """The outputs of rows after a link function, averaged: rows × outputs."""
        if not hasattr(self, "weights_"):
            check_is_fitted(self)  # raises
        table = table_input(self, X, reset=False)
        return mean_outputs(self._doubled(), self.encoding_.cells(table), self.encoding_, link)

    def _doubled(self) -> dict[str, np.ndarray]:
        """The weights in long floats, in which a row is predicted the same alone as among others."""
        kept = self.__dict__.get("_built")
        if kept is None or kept[0] is not self.weights_:
            kept = self._built = self.weights_, {name: each.astype(np.float64) for name, each in self.weights_.items()}
        return kept[1]

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless encoding and weights belong to the columns and parameters."""
        encoding, d = self.encoding_, self.n_features_in_
        places = sorted([*encoding.numeric.tolist(), *encoding.nominal.tolist()])
        fields = self.schema_.fields if hasattr(self, "schema_") else ()
        levels = [len(fields[place].levels) for place in encoding.nominal] if len(fields) == d else []
        if places != list(range(d)) or levels != [len(codes) for codes in encoding.levels]:
            raise ModelFileError("the encoding does not fit the columns.", "one entry for each column and level")
        expected = self._shapes()
        found = {name: values.shape[1:] for name, values in self.weights_.items()}
        numbers = {values.shape[:1] for values in self.weights_.values()}
        floats = all(values.dtype == np.float32 for values in self.weights_.values())
        if found != expected or len(numbers) != 1 or not floats or numbers == {(0,)}:
            raise ModelFileError(f"{type(self).__name__}: the weights do not fit the parameters.")


def _in_range(y: np.ndarray) -> np.ndarray:
    """Targets divided by the largest, so that sums of them are finite."""
    largest = np.abs(y).max(initial=0.0)
    return y / largest if largest > 1.0 else y


def _numbered(checkpoint: Any, number: int, n_models: int) -> Any:
    """The checkpoint of a network: that of several has its number."""
    if checkpoint is None or n_models == 1:
        return checkpoint
    path = Path(checkpoint)
    return path.with_name(f"{path.stem}-{number + 1}{path.suffix}")


def small(cls: type[Model], **settings: Any) -> Model:
    """A small model for tests."""
    fast = {"n_models": 2, "n_members": 3, "hidden_layer_sizes": (8,), "max_iter": 6, "device": "cpu"}
    return cls(**{**fast, **settings})

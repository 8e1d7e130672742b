"""The parent of networks for texts and series: how rows are read, and what is kept of them."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np

from probus.allowed_values import InstanceOf
from probus.base import Accepts, Model
from probus.data import Kind
from probus.errors import DataError, ModelFileError
from probus.neural_network._augmentation import ArrayAugmentation, TextAugmentation
from probus.neural_network._predictor import NeuralClassifier, Rows, check_sizes_of_weights
from probus.neural_network._sequences import as_series, encoded, is_series, texts_of
from probus.neural_network._word_pieces import WordPieces
from probus.parameters import attribute, inherited, parameter
from probus.preprocessing import text_input
from probus.state import Array, Maybe, Object, Spec, String


class SequenceClassifier(NeuralClassifier):
    """Parent of networks that classify texts and series.

    Texts are cut into word pieces. Numeric columns beside texts are given to the last layer. Rows of numbers alone are
    series of one number at each step; a missing number is a step that is left out.
    """

    n_pieces: int = parameter(
        "The most word pieces, which are learnt from the texts of the training.", default=2000, at_least=6
    )
    lowercase: bool = parameter("Whether capital letters are read as small ones.", default=True)
    max_length: int = parameter("The most word pieces of a row; the rest is cut off.", default=128, at_least=4)
    width: int = parameter("The numbers that stand for a step in each layer.", default=64, at_least=1)
    depth: int = parameter("The number of layers.", default=1, at_least=1)
    augment: Any = parameter(
        "What changes the rows of the training, in each step anew: a list such as [DropWords(0.1)], or [Noise(0.1)] "
        "for series.",
        default=(),
        of=[InstanceOf(tuple), InstanceOf(list)],
    )
    dropout: float = inherited(default=0.2)

    accepts = Accepts(text=True, missing=True, scaled=True, weights=True)
    fitted: ClassVar[dict[str, Spec]] = {
        **NeuralClassifier.fitted,
        "kind_": String(("text", "series")),
        "pieces_": Maybe(Object(WordPieces)),
        "mean_": Array("f8", "c"),
        "scale_": Array("f8", "c"),
    }

    pieces_: Any = attribute()

    @classmethod
    def examples(cls) -> list[Model]:
        """A small one."""
        small: dict[str, Any] = {
            "width": 8,
            "depth": 1,
            "batch_size": 16,
            "max_iter": 8,
            "dropout": 0.0,
            "learning_rate_init": 0.02,
        }
        return [cls(**small, n_pieces=60, device="cpu", early_stopping=False)]

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless there are pieces for texts."""
        if (self.kind_ == "text") != (self.pieces_ is not None) or not (self.scale_ > 0).all():
            raise ModelFileError(f"{type(self).__name__}: the word pieces do not match the kind of rows.")
        check_sizes_of_weights(self, self.depth, [self.width])

    # -- rows ------------------------------------------------------------------------------------------

    def _raw_rows(self, X: Any, *, reset: bool) -> Rows:
        if reset:
            self._check_augmentations()
        if is_series(X):
            return self._series(X, reset=reset)
        if not reset and hasattr(self, "kind_") and not hasattr(self, "schema_"):
            raise DataError(
                "rows of a table, matrix or list.",
                "series, as in the training",
                "Pass an array of rows × steps × channels, or a list of arrays.",
            )
        table = text_input(self, X, reset=reset)
        texts = table.of_kind(Kind.TEXT)
        if reset:
            self.kind_ = "text" if texts else "series"
        if not texts:
            return Rows((table.numbers()[:, :, None],))
        others = [column.values.astype(np.float64) for column in table if column.kind is not Kind.TEXT]
        return Rows((np.column_stack(others) if others else np.empty((len(table), 0)),), source=texts_of(texts))

    def _series(self, X: Any, *, reset: bool) -> Rows:
        values = as_series(X)
        if reset:
            for name in ("schema_", "feature_names_in_"):
                self.__dict__.pop(name, None)
            self.n_features_in_, self.kind_ = values.shape[2], "series"
        elif self.kind_ != "series" or values.shape[2] != len(self.mean_):
            raise DataError(
                f"series of {values.shape[2]} numbers at each step.",
                "texts, as in the training" if self.kind_ == "text" else f"{len(self.mean_)}, as in the training",
            )
        return Rows((values,))

    def _learn_scale(self, raw: Rows) -> None:
        (values,) = raw.arrays
        self.pieces_ = None if raw.source is None else self._learn_pieces(raw.source)
        self._set_scale(values if values.ndim == 2 else values.reshape(-1, values.shape[2]))

    def _scaled_rows(self, raw: Rows) -> Rows:
        """Of series the numbers and which steps are there; of texts the pieces and the numbers beside."""
        (values,) = raw.arrays
        known = np.isfinite(values)
        numbers = np.where(known, self._scaled(values), np.float32(0.0))
        if raw.source is None:
            return Rows((numbers, known.any(axis=2)))
        beside = np.hstack([numbers, ~known]).astype(np.float32)
        return Rows((encoded(raw.source, self.pieces_, self._longest()), beside), raw.source)

    def _learn_pieces(self, texts: list[list[str]]) -> WordPieces:
        every = [text for row in texts for text in row]
        return WordPieces.learn(every, int(self.n_pieces), lowercase=bool(self.lowercase))

    @property
    def _n_pieces(self) -> int | None:
        """The number of word pieces; None for series."""
        return None if self.pieces_ is None else len(self.pieces_)

    @property
    def _n_beside(self) -> int:
        """The numbers beside texts that the last layer is given."""
        return 0 if self.pieces_ is None else 2 * len(self.mean_)

    @abstractmethod
    def _products_of_a_step(self) -> int:
        """Roughly the multiplications of a step of a row."""

    def _n_products(self) -> int:
        return (40 if self.kind_ == "text" else 100) * self._products_of_a_step()

    def _longest(self) -> int:
        return int(self.max_length)

    def _set_scale(self, columns: np.ndarray) -> None:
        known = np.isfinite(columns)
        counts = np.maximum(known.sum(axis=0), 1)
        with np.errstate(over="ignore", invalid="ignore"):
            self.mean_ = np.where(known, columns, 0.0).sum(axis=0) / counts
            squares = np.where(known, (columns - self.mean_) ** 2, 0.0).sum(axis=0) / counts
        if not np.isfinite(squares).all():
            raise DataError("numbers whose squares overflow.", "numbers below 1e150", "Divide the columns.")
        self.scale_ = np.where(squares > 0, np.sqrt(squares), 1.0)
        self.scale_[self.scale_ == 0] = 1.0

    def _scaled(self, values: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            scaled = ((values - self.mean_) / self.scale_).astype(np.float32)
        if np.isinf(scaled).any():
            raise DataError("numbers that are too far from those of the training.", "numbers of the same scale")
        return scaled

    # -- augmentation ----------------------------------------------------------------------------------

    def _check_augmentations(self) -> None:
        strange = [each for each in self.augment if not isinstance(each, (ArrayAugmentation, TextAugmentation))]
        if strange:
            raise DataError(f"augment with {strange[0]!r}.", "augmentations", "Pass augment=[DropWords(0.1)].")

    def _batch(self, tensors: tuple[Any, ...], at: Any, rows: Rows) -> tuple[Any, ...]:
        first, second = super()._batch(tensors, at, rows)
        for augmentation in self.augment:
            if isinstance(augmentation, ArrayAugmentation) != (self.kind_ == "series"):
                raise DataError(f"augment with {augmentation!r} for {self.kind_}.", "augmentations of such rows")
        if not self.augment:
            return first, second
        if self.kind_ == "text":
            return self._changed_texts([rows.source[row] for row in at.tolist()], at.device), second
        images = first.transpose(1, 2)[:, :, None, :]
        for augmentation in self.augment:
            images = augmentation.apply(images)
        return images[:, :, 0, :].transpose(1, 2) * second[:, :, None], second

    def _changed_texts(self, texts: list[list[str]], device: Any) -> Any:
        """The pieces of texts that are changed word by word, by the generator of PyTorch."""
        from probus.neural_network._embedding import torch

        random = np.random.RandomState(int(torch.randint(2**31 - 1, (1,))))
        changed = []
        for row in texts:
            words = [text.split() for text in row]
            for augmentation in self.augment:
                words = [augmentation.apply(each, random) for each in words]
            changed.append([" ".join(each) for each in words])
        return torch.from_numpy(encoded(changed, self.pieces_, self._longest())).to(device)

"""Pre-training on texts without labels: masked words, and whether one text follows another."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np
from scipy.special import log_softmax, softmax
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import IntegerIn, NoneAllowed
from probus.base import Accepts, ClassNamePrefixFeaturesOutMixin, Model, Transformer
from probus.callbacks import Callback
from probus.data import Kind, Table
from probus.errors import DataError, ModelFileError
from probus.neural_network._base import NeuralModel
from probus.neural_network._checkpoint import fingerprint
from probus.neural_network._history import TrainingHistory
from probus.neural_network._masked_examples import MaskedExamples, masked_examples, only_masked
from probus.neural_network._predictor import LARGE_STEP, check_sizes_of_weights
from probus.neural_network._recurrent_outputs import mean_of
from probus.neural_network._sequences import encoded, padded, texts_of
from probus.neural_network._torch import load_torch
from probus.neural_network._transformer_outputs import EncoderShape, encoder_states, language_outputs
from probus.neural_network._word_pieces import BEGIN, END, MASK, SPECIAL, WordPieces
from probus.parameters import inherited, parameter
from probus.preprocessing import text_input
from probus.state import Object, Size, Spec

_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_STEPS, _EPOCHS = 2000, (3, 200)
_FEWEST_ROWS = 20
_AT_ONCE = 64


class MaskedLanguageModel(ClassNamePrefixFeaturesOutMixin, Transformer, NeuralModel):
    """A transformer that learns from texts without labels, to be fine-tuned on few texts with labels.

    As BERT (Devlin et al. 2019), it guesses words that are masked, and whether the second part of a text is its own or
    of another text. ``TransformerClassifier(pretrained=…)`` begins with its word pieces and weights.

    ``transform`` gives a vector for each text, the mean of its word pieces; numeric columns are kept, before it.
    Training needs PyTorch; the rest does not.

    Attributes
    ----------
    pieces_ : the word pieces.
    n_texts_ : the number of text columns; they are read one after the other.
    weights_ : the weights by name.
    history_, n_iter_ : loss and score of each epoch, and their number.

    Examples
    --------
    >>> texts = ["the dress is blue. it fits well.", "the shoes are red. they are too small."] * 20
    >>> model = MaskedLanguageModel(width=16, heads=2, depth=1, max_iter=30, random_state=0).fit(texts)
    >>> model.fill("the dress is [MASK].", k=1)[0][0][0]
    'blue'
    """

    n_pieces: int = parameter("The most word pieces.", default=2000, at_least=6)
    lowercase: bool = parameter("Whether capital letters are read as small ones.", default=True)
    max_length: int = parameter("The most word pieces of a row; the rest is cut off.", default=128, at_least=8)
    width: int = parameter("The numbers that stand for a piece in each layer.", default=64, at_least=1)
    depth: int = parameter("The number of layers.", default=2, at_least=1)
    heads: int = parameter("The means of each layer; the width is a multiple of it.", default=4, at_least=1)
    dropout: float = parameter(
        "The share of the numbers that are set to zero in each step of the training.", default=0.1, at_least=0, below=1
    )
    mask_share: float = parameter("The share of the pieces that are guessed.", default=0.15, above=0, below=1)
    next_sentence: bool = parameter(
        "Whether the network also learns which second parts belong to a text; half of them are of other texts.",
        default=True,
    )
    batch_size: int = inherited(default=64)
    learning_rate_init: float = inherited(default=3e-3)
    learning_rate: str = inherited(default="one_cycle")
    weight_decay: float = inherited(default=1e-2)
    clip_gradient: float | None = inherited(default=1.0)
    max_iter: Any = inherited(
        doc="The maximum number of epochs, in which each text is used once. None is 2,000 steps, but 3 to 200 epochs.",
        default=None,
        of=[IntegerIn(at_least=1), NoneAllowed()],
    )

    accepts = Accepts(text=True, missing=True)
    fitted: ClassVar[dict[str, Spec]] = {**NeuralModel.fitted, "pieces_": Object(WordPieces), "n_texts_": Size("t")}

    @classmethod
    def examples(cls) -> list[Model]:
        """A small one."""
        return [cls(n_pieces=40, width=8, heads=2, depth=1, max_iter=2, device="cpu", early_stopping=False)]

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless there are weights where there are pieces."""
        if bool(self.weights_) != (len(self.pieces_) > len(SPECIAL)):
            raise ModelFileError("MaskedLanguageModel: the weights do not match the word pieces.")
        if self.weights_:
            check_sizes_of_weights(self, self.depth, [self.width])

    @property
    def _n_features_out(self) -> int:
        return self.n_features_in_ - self.n_texts_ + (self.width if self.n_texts_ else 0)

    # -- fit -------------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, *, callbacks: Iterable[Callback] = ()) -> MaskedLanguageModel:
        """Learn word pieces and train on texts.

        Parameters
        ----------
        X : the texts: a list or series of strings, or the text columns of a table.
        y : ignored.
        callbacks : called after each epoch with the training, which stops where one returns True.

        Returns
        -------
        The model.
        """
        load_torch("MaskedLanguageModel")
        self._shape(0)
        table = text_input(self, X, reset=True)
        texts = self._texts(table, reset=True)
        self.pieces_ = WordPieces.learn(texts, int(self.n_pieces), lowercase=bool(self.lowercase))
        sentences = [each for each in map(self._sentences, texts) if each]
        if not sentences:
            self._keep_nothing(table)
            return self
        self._learn(sentences, callbacks)
        return self

    def _keep_nothing(self, table: Table) -> None:
        """Numeric columns alone, and texts that are always missing, leave nothing to learn."""
        if not all(column.missing.all() for column in table.of_kind(Kind.TEXT)):
            raise DataError("texts without a word.", "texts to learn from")
        none = np.empty(0)
        self.weights_, self.n_iter_ = {}, 1
        self.history_ = TrainingHistory(none, none, none, None, "no text")

    def _learn(self, sentences: list[list[list[int]]], callbacks: Iterable[Callback]) -> None:
        torch = load_torch()
        training, held_out = self._split(len(sentences))
        random = check_random_state(0)
        held = [
            masked_examples(sentences, held_out[at : at + _AT_ONCE], len(self.pieces_), self._plan(), random)
            for at in range(0, len(held_out), _AT_ONCE)
        ]

        def batch_loss(module: Any, at: Any) -> Any:
            draw = np.random.RandomState(int(torch.randint(2**31 - 1, (1,))))
            rows = training[at.cpu().numpy()]
            return self._loss(module, masked_examples(sentences, rows, len(self.pieces_), self._plan(), draw))

        def score(module: Any) -> float:
            losses = [float(self._loss(module, each)) * len(each.follows) for each in held]
            return -sum(losses) / len(held_out)

        flat = [np.concatenate([np.array(sentence) for sentence in text]) for text in sentences]
        usual = int(np.clip(round(_STEPS * self.batch_size / len(training)), *_EPOCHS))
        n_epochs = self.max_iter or usual
        self._train(
            batch_loss, len(training), score=score if held else None,
            data=fingerprint(*flat) if self.checkpoint else "", callbacks=callbacks, max_epochs=n_epochs,
            patience=max(self.n_iter_no_change, n_epochs // 3) if self.early_stopping else None,
        )  # fmt: skip

    def _loss(self, module: Any, examples: MaskedExamples) -> Any:
        torch = load_torch()
        device = next(module.parameters()).device
        pieces, rows, steps, hidden, follows = (torch.from_numpy(each).to(device) for each in examples)
        guesses, second = module(pieces, (rows, steps))
        loss = torch.nn.functional.cross_entropy(guesses.float(), hidden)
        if not self.next_sentence:
            return loss
        return loss + torch.nn.functional.cross_entropy(second.float(), follows)

    def _plan(self) -> tuple[float, bool, int]:
        return float(self.mask_share), bool(self.next_sentence), int(self.max_length)

    def _split(self, n_texts: int) -> tuple[np.ndarray, np.ndarray]:
        """Texts to train on, and those held out."""
        order = np.arange(n_texts)
        if not self.early_stopping or n_texts < _FEWEST_ROWS:
            return order, order[:0]
        order = check_random_state(self.random_state).permutation(n_texts)
        n_held = max(1, round(self.validation_fraction * n_texts))
        return np.sort(order[n_held:]), np.sort(order[:n_held])

    def _texts(self, table: Table, *, reset: bool) -> list[str]:
        columns = table.of_kind(Kind.TEXT)
        if reset:
            self.n_texts_ = len(columns)
        return [" ".join(filter(None, row)) for row in texts_of(columns)] if columns else []

    def _sentences(self, text: str) -> list[list[int]]:
        """The sentences of a text as pieces; one alone is cut in the middle."""
        found = [pieces for pieces in map(self.pieces_.encode, _SENTENCE.split(text)) if pieces]
        if len(found) == 1 and len(found[0]) > 1:
            middle = len(found[0]) // 2
            return [found[0][:middle], found[0][middle:]]
        return found

    def _parts(self, text: str) -> list[str]:
        """The text as in the training: in two parts, where there are two sentences."""
        sentences = _SENTENCE.split(text) if self.next_sentence else [text]
        middle = (len(sentences) + 1) // 2
        return [" ".join(each) for each in (sentences[:middle], sentences[middle:]) if each]

    def _shape(self, n_pieces: int) -> EncoderShape:
        if self.width % self.heads:
            raise DataError(f"width={self.width} and heads={self.heads}.", "a width that is a multiple of the heads")
        return EncoderShape(n_pieces, 0, self.width, self.depth, self.heads)

    def _untrained(self) -> Any:
        from probus.neural_network._transformer_module import LanguageModule

        return LanguageModule(self._shape(len(self.pieces_)), float(self.dropout))

    # -- use -------------------------------------------------------------------------------------------

    def encoder_weights(self) -> dict[str, np.ndarray]:
        """The weights that a classifier begins with, by name.

        Returns
        -------
        The weights of the encoder.
        """
        self._check_trained()
        return {name: each for name, each in self.weights_.items() if name.startswith("encoder.")}

    def transform(self, X: Any) -> np.ndarray:
        """Numeric columns, and the mean vector of the pieces of each text.

        Parameters
        ----------
        X : the texts, as in ``fit``.

        Returns
        -------
        Rows × columns.
        """
        check_is_fitted(self)
        table = text_input(self, X, reset=False)
        numbers = [column.values.astype(np.float64) for column in table if column.kind is not Kind.TEXT]
        kept = np.column_stack(numbers) if numbers else np.empty((len(table), 0))
        if not self.n_texts_:
            return kept
        pieces = encoded([[text] for text in self._texts(table, reset=False)], self.pieces_, int(self.max_length))
        return np.hstack([kept, self._vectors(pieces)])

    def fill(self, text: str, k: int = 5) -> list[list[tuple[str, float]]]:
        """The most probable pieces for each [MASK] of a text.

        Parameters
        ----------
        text : a text with [MASK] in place of words.
        k : the number of pieces for each.

        Returns
        -------
        For each mask, the pieces with their probabilities, the most probable first.
        """
        check_is_fitted(self)
        self._check_trained()
        pieces = encoded([self._parts(text)], self.pieces_, int(self.max_length))
        rows, steps = np.nonzero(pieces == MASK)
        if not len(rows):
            raise DataError("a text without [MASK].", "[MASK] in place of a word", 'Pass "the [MASK] is blue".')
        shape = self._shape(len(self.pieces_))
        shares = softmax(language_outputs(self.weights_, shape, pieces, (rows, steps))[0], axis=1)
        best = np.argsort(-shares, axis=1, kind="stable")[:, :k]
        return [
            [(self.pieces_.pieces[each], float(row[each])) for each in order]
            for row, order in zip(shares, best, strict=True)
        ]

    def follows(self, first: str, second: str) -> float:
        """The probability that the second text follows the first.

        Parameters
        ----------
        first : a text.
        second : a text.

        Returns
        -------
        The probability.
        """
        check_is_fitted(self)
        self._check_trained()
        pieces = padded([[BEGIN, *self.pieces_.encode(first), END, *self.pieces_.encode(second), END]])
        nowhere = np.empty(0, dtype=np.intp)
        weights = language_outputs(self.weights_, self._shape(len(self.pieces_)), pieces, (nowhere, nowhere))[1]
        return float(softmax(weights[0])[1])

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log probability of masked pieces, the same ones in each call; y is ignored.

        Parameters
        ----------
        X : the texts, as in ``fit``.
        y : ignored.

        Returns
        -------
        The score; minus the logarithm of the perplexity. It is 0 without texts.
        """
        check_is_fitted(self)
        texts = self._texts(text_input(self, X, reset=False), reset=False)
        if not self.weights_:
            return 0.0
        pieces = encoded([self._parts(text) for text in texts], self.pieces_, int(self.max_length))
        total, count = 0.0, 0
        random = np.random.RandomState(0)
        for at in range(0, len(pieces), _AT_ONCE):
            shown, *places, hidden = only_masked(pieces[at : at + _AT_ONCE], float(self.mask_share), random)
            guesses = language_outputs(self.weights_, self._shape(len(self.pieces_)), shown, (places[0], places[1]))[0]
            total += float(log_softmax(guesses, axis=1)[np.arange(len(hidden)), hidden].sum())
            count += len(hidden)
        return total / max(count, 1)

    def _check_trained(self) -> None:
        if not self.weights_:
            raise DataError("a language model that was fitted without texts.", "one that was fitted on texts")

    def _n_threads(self) -> int | None:
        products = self.batch_size * self.max_length * 12 * self.width**2 * self.depth
        return self.n_jobs if products > LARGE_STEP else 1

    def _vectors(self, pieces: np.ndarray) -> np.ndarray:
        if not self.weights_:
            return np.zeros((len(pieces), self.width))
        chunks = [pieces[at : at + _AT_ONCE] for at in range(0, len(pieces), _AT_ONCE)]
        found = []
        for each in chunks:
            states, here, _, _ = encoder_states(
                self.weights_, self._shape(len(self.pieces_)), each, np.zeros((len(each), 0))
            )
            found.append(mean_of(states, here))
        return np.concatenate(found)

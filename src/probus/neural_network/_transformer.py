"""Transformers for texts and series."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import InstanceOf, NoneAllowed
from probus.errors import DataError
from probus.neural_network._attention import Attention
from probus.neural_network._masked_language_model import MaskedLanguageModel
from probus.neural_network._sequence_network import SequenceClassifier
from probus.neural_network._transformer_outputs import EncoderShape, encoder_states, transformer_outputs
from probus.neural_network._word_pieces import WordPieces
from probus.parameters import inherited, parameter


class TransformerClassifier(SequenceClassifier):
    """A transformer that predicts the class of texts, or of series.

    Layers of attention, in which each step takes a mean of all others, weighted by how well they match (Vaswani et al.
    2017). Places are coded by sines. A linear layer is given the first step, [CLS], and the mean of all.

    Rows are texts (a list of strings, or text columns of a table) or series: rows × steps × channels, a list of
    arrays, or the rows of a matrix. Training needs PyTorch; prediction uses it if it is installed.

    Attributes
    ----------
    kind_ : "text" or "series".
    pieces_ : the word pieces of texts.
    mean_, scale_ : the mean and the standard deviation of each channel, or of each column beside texts.
    weights_ : the weights by name.
    history_, n_iter_ : loss and score of each epoch, and their number.

    Examples
    --------
    >>> texts = ["a fine dress", "fine shoes", "a bad dress", "bad shoes"] * 10
    >>> quality = ["good", "good", "poor", "poor"] * 10
    >>> net = TransformerClassifier(width=16, max_iter=20, batch_size=8, random_state=0).fit(texts, quality)
    >>> net.predict(["fine dress", "bad shoes"]).tolist()
    ['good', 'poor']
    """

    heads: int = parameter("The means of each layer; the width is a multiple of it.", default=4, at_least=1)
    pretrained: Any = parameter(
        "A fitted ``MaskedLanguageModel``: its word pieces, sizes and weights are those to begin with.",
        default=None,
        of=[InstanceOf(MaskedLanguageModel), NoneAllowed()],
    )
    depth: int = inherited(default=2)
    learning_rate_init: float = inherited(default=1e-3)

    @classmethod
    def examples(cls) -> list[Any]:
        """A small one."""
        return [super().examples()[0].set_params(heads=2, depth=1, max_iter=12)]

    def attention(self, text: Any) -> Attention:
        """How much each step takes from each other, in each layer and head, for one row.

        Parameters
        ----------
        text : a text, or one row of what ``fit`` takes.

        Returns
        -------
        The weights, which are displayed, drawn and listed.
        """
        check_is_fitted(self)
        rows = self._read([text] if isinstance(text, str) else text)
        if len(rows) != 1:
            raise DataError(f"attention of {len(rows)} rows.", "one row", "Pass X[:1].")
        first, second = (each.astype(np.float64) if each.dtype.kind == "f" else each for each in rows.arrays)
        weights = encoder_states(self.weights_, self._encoder_shape(), first, second)[3]
        if self.pieces_ is None:
            steps = [str(step + 1) for step in range(first.shape[1])]
        else:
            steps = [self.pieces_.pieces[number] for number in first[0]]
        return Attention(tuple(steps), np.stack([each[0] for each in weights]))

    # -- network ---------------------------------------------------------------------------------------

    def _encoder_shape(self) -> EncoderShape:
        sizes = self if self.pretrained is None else self.pretrained
        if sizes.width % sizes.heads:
            raise DataError(f"width={sizes.width} and heads={sizes.heads}.", "a width that is a multiple of the heads")
        return EncoderShape(self._n_pieces, len(self.mean_), sizes.width, sizes.depth, sizes.heads)

    def _products_of_a_step(self) -> int:
        shape = self._encoder_shape()
        return 12 * shape.width**2 * shape.depth

    def _learn_pieces(self, texts: list[list[str]]) -> WordPieces:
        if self.pretrained is None:
            return super()._learn_pieces(texts)
        check_is_fitted(self.pretrained)
        return self.pretrained.pieces_

    def _longest(self) -> int:
        return int(self.max_length if self.pretrained is None else self.pretrained.max_length)

    def _learn(self, *rows: Any, **settings: Any) -> dict[str, np.ndarray]:
        if self.pretrained is not None:
            if self.kind_ != "text":
                raise DataError("a pretrained model of texts, and rows without a text.", "texts")
            settings.setdefault("start", self.pretrained.encoder_weights())
        return super()._learn(*rows, **settings)

    def _untrained(self) -> Any:
        from probus.neural_network._transformer_module import TransformerModule

        return TransformerModule(self._encoder_shape(), self._n_beside, self._n_outputs(), float(self.dropout))

    def _forward(self, *arrays: np.ndarray) -> np.ndarray:
        return transformer_outputs(self.weights_, self._encoder_shape(), *arrays)

    def __sklearn_clone__(self) -> TransformerClassifier:
        """A clone keeps the pretrained model, which scikit-learn would return unfitted."""
        bare = copy.copy(self)
        bare.pretrained = None
        made: Any = super(TransformerClassifier, bare).__sklearn_clone__()
        made.pretrained = self.pretrained
        return made

"""Recurrent networks for texts and series."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.base import Model
from probus.neural_network._recurrent_outputs import recurrent_outputs
from probus.neural_network._sequence_network import SequenceClassifier
from probus.parameters import parameter


class RecurrentClassifier(SequenceClassifier):
    """A recurrent network that predicts the class of texts, or of series.

    Each layer reads the steps forwards and backwards. A linear layer is given the mean of the steps and the last state
    of both directions.

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
    >>> net = RecurrentClassifier(width=8, max_iter=20, batch_size=8, random_state=0).fit(texts, quality)
    >>> net.predict(["fine dress", "bad shoes"]).tolist()
    ['good', 'poor']
    """

    cell: str = parameter(
        'The unit: "gru", or "lstm", which has a memory of its own.', default="gru", one_of=("gru", "lstm")
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """A small one of each unit."""
        return [*super().examples(), super().examples()[0].set_params(cell="lstm", max_iter=4)]

    def _products_of_a_step(self) -> int:
        return 8 * self.width * self.width * 2 * self.depth

    def _untrained(self) -> Any:
        from probus.neural_network._embedding import Embedding
        from probus.neural_network._recurrent_module import RecurrentModule

        embedding = Embedding(self._n_pieces, len(self.mean_), self.width)
        sizes = self.width, self.depth, self._n_beside, self._n_outputs()
        return RecurrentModule(embedding, self.cell, *sizes, float(self.dropout))

    def _forward(self, *arrays: np.ndarray) -> np.ndarray:
        return recurrent_outputs(self.weights_, self.cell, self.depth, *arrays)

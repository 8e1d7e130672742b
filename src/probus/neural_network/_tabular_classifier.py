"""The network for typed tables that predicts classes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from probus.base import Model
from probus.callbacks import Callback
from probus.neural_network._activations import softmax
from probus.neural_network._tabular_net import TabularNet, small
from probus.neural_network._targets import NetworkClassifier
from probus.sklearn_seam import check_partial_fit_first_call
from probus.state import Spec


class TabularNetClassifier(TabularNet, NetworkClassifier):
    """A neural network for tables of any columns that predicts classes and needs no tuning.

    Numbers are embedded piecewise linearly, levels by a vector each; unseen and rare levels share one, and missing
    values have a flag. A network has many members that share most of their weights, in the manner of TabM
    (Gorishniy et al. 2025). Networks that hold out different rows for early stopping are averaged. Its mistakes differ
    from those of boosting, so that the mean of both is better than boosting on most tables.

    Training needs PyTorch; prediction does not.

    Attributes
    ----------
    histories_ : the loss and the score of each epoch, for each network; ``history_`` is the first.
    n_iter_ : the most epochs of a network.
    encoding_ : how columns are encoded.
    weights_ : the weights by name, with the networks as first axis.

    Examples
    --------
    >>> from probus.datasets import penguins
    >>> birds = penguins()
    >>> X, y = birds.drop("species"), birds["species"]
    >>> net = TabularNetClassifier(n_models=1, max_iter=20, random_state=0).fit(X, y)
    >>> net.score(X, y) > 0.98
    True
    """

    fitted: ClassVar[dict[str, Spec]] = {**TabularNet.fitted, **NetworkClassifier.fitted}

    @classmethod
    def examples(cls) -> list[Model]:
        """A small one."""
        return [small(cls)]

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, callbacks: Iterable[Callback] = ()
    ) -> TabularNetClassifier:
        """Train the networks.

        Parameters
        ----------
        X : the rows.
        y : the class of each row.
        sample_weight : the weight of each row; whole ones, of at most ten on average, count as repeated rows. Early
            stopping holds out a row and its copies together.
        callbacks : called after each epoch of each network with the training, which stops where one returns True.

        Returns
        -------
        The model.
        """
        return self._fit(X, lambda n_rows: self._class_codes(y, n_rows, learn=True), sample_weight, callbacks=callbacks)

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> TabularNetClassifier:
        """One epoch over a batch of rows; columns are encoded as in the first, which must have all ``classes``.

        Parameters
        ----------
        X, y, sample_weight : the rows, as in ``fit``.
        classes : the classes of all batches.

        Returns
        -------
        The model.
        """
        first = check_partial_fit_first_call(self, classes)
        codes = lambda n_rows: self._class_codes(y, n_rows, learn=False)  # noqa: E731
        return self._fit(X, codes, sample_weight, first=first, one_epoch=True)

    def _probabilities(self, X: Any) -> np.ndarray:
        return self._means(X, softmax)

    def _n_outputs(self) -> int:
        return len(self.classes_)

    def _loss(self, device: Any) -> Any:
        from probus.neural_network._tabular_module import LogLoss

        return LogLoss(float(self.label_smoothing))

    def _prepared(self, targets: np.ndarray, *, first: bool) -> np.ndarray:
        return targets[:, 0]

    def _strata(self, targets: np.ndarray) -> np.ndarray:
        return targets[:, 0]

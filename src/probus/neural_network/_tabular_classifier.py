"""The network for typed tables that predicts classes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax

from probus.base import Classifier, Model, encoded_classes
from probus.neural_network._tabular_net import TabularNet, small
from probus.parameters import parameter
from probus.state import Labels, Spec


class TabularNetClassifier(TabularNet, Classifier):
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

    label_smoothing: float = parameter(
        "The share of each row's target that is spread over all classes, which keeps probabilities from 0 and 1.",
        default=0.0,
        at_least=0,
        below=1,
    )

    fitted: ClassVar[dict[str, Spec]] = {**TabularNet.fitted, "classes_": Labels("K")}

    @classmethod
    def examples(cls) -> list[Model]:
        """A small one."""
        return [small(cls)]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> TabularNetClassifier:
        """Train the networks.

        Parameters
        ----------
        X : the rows.
        y : the class of each row.
        sample_weight : the weight of each row.

        Returns
        -------
        The model.
        """

        def targets(n_rows: int) -> np.ndarray:
            self.classes_, codes = encoded_classes(y, n_rows)
            return codes[:, None].astype(np.int64)

        return self._fit(X, targets, sample_weight)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class: the mean over members and networks.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        Rows × classes.
        """
        found = self._means(X, lambda outputs: softmax(outputs, axis=-1))
        return found / found.sum(axis=1, keepdims=True)

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

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        The classes.
        """
        probabilities = self.predict_proba(X)
        return self.classes_[probabilities.argmax(axis=1)]

    def _n_outputs(self) -> int:
        return len(self.classes_)

    def _loss(self, device: Any) -> Any:
        from probus.neural_network._tabular_module import LogLoss

        return LogLoss(float(self.label_smoothing))

    def _prepared(self, targets: np.ndarray) -> np.ndarray:
        return targets[:, 0]

    def _strata(self, targets: np.ndarray) -> np.ndarray:
        return targets[:, 0]

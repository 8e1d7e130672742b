"""Classification by the vote of the nearest rows."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import MultiOutputMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.base import Classifier, Model, encoded_classes, target_array
from probus.neighbors._kneighbors import N_NEIGHBORS, NeighborsModel, VotingModel
from probus.neighbors._votes import class_shares, nearest_of_class, vote_weights, winners
from probus.parameters import parameter
from probus.state import Array, Either, Labels, Many, Spec

_Votes = list[tuple[np.ndarray, np.ndarray]]  # of each output: the shares of the classes, how near the nearest are


class KNeighborsClassifier(MultiOutputMixin, Classifier, VotingModel):
    """The majority of the k nearest rows; probabilities are the shares of their votes.

    scikit-learn's class and parameters, and in addition:

    >>> people = {"sex": ["m", "w", "w", "m"], "age": [61, 22, None, 59]}
    >>> import polars as pl
    >>> model = KNeighborsClassifier(n_neighbors=1, metric="gower").fit(pl.DataFrame(people), ["b", "a", "a", "b"])
    >>> model.predict(pl.DataFrame({"sex": ["w"], "age": [30]}))
    array(['a'], dtype='<U1')
    """

    n_neighbors: int = N_NEIGHBORS
    vote_ties: str = parameter(
        'Which of the classes with equal votes is predicted: the "first" in order of the classes, that of the '
        '"nearest" neighbour (of several, the first in order), the most frequent in training ("prior"), or a '
        '"random" one.',
        default="first",
        one_of=("first", "random", "nearest", "prior"),
    )

    fitted: ClassVar[dict[str, Spec]] = {
        **NeighborsModel.fitted,
        "classes_": Either(Labels("K"), Many(Labels("*"), "m")),
        "targets_": Either(Array("i8", "n", 0, "K"), Array("i8", "n m", 0)),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """One for numbers, two for typed columns with weighted votes."""
        return [cls(3), cls(3, metric="gower", weights="distance"), cls(3, metric="gower", weights="linear")]

    def fit(self, X: Any, y: Any) -> KNeighborsClassifier:
        """Keep the rows and their classes; y may have several columns."""
        self._keep(X)
        outputs = _outputs(y)
        coded = [encoded_classes(output, self.n_samples_fit_) for output in outputs]
        targets = np.column_stack([codes for _, codes in coded]).astype(np.int64)
        several = len(outputs) > 1
        self.classes_: Any = [classes for classes, _ in coded] if several else coded[0][0]
        self.targets_ = targets if several else targets[:, 0]
        return self

    @property
    def outputs_2d_(self) -> bool:
        """Whether y had several columns."""
        return self.targets_.ndim == 2

    def predict(self, X: Any) -> np.ndarray:
        """The class with most votes; where X is None, of each training row by its neighbours."""
        return self._winners(self._votes(X))

    def predict_proba(self, X: Any) -> np.ndarray | list[np.ndarray]:
        """The share of the vote of each class; a list of such arrays where y had several columns."""
        return self._shares(self._votes(X))

    def predict_with_proba(self, X: Any) -> tuple[np.ndarray, np.ndarray | list[np.ndarray]]:
        """What ``predict`` and ``predict_proba`` return; the neighbours are found once."""
        votes = self._votes(X)
        return self._winners(votes), self._shares(votes)

    def _winners(self, votes: _Votes) -> np.ndarray:
        rng = check_random_state(self.random_state)
        chosen = []
        for (classes, targets), (shares, nearest) in zip(self._targets(), votes, strict=True):
            prior = np.bincount(targets, minlength=len(classes))
            chosen.append(classes[winners(shares, self.vote_ties, prior, nearest, rng)])
        return np.column_stack(chosen) if self.outputs_2d_ else chosen[0]

    def _shares(self, votes: _Votes) -> np.ndarray | list[np.ndarray]:
        shares = [shares for shares, _ in votes]
        return shares if self.outputs_2d_ else shares[0]

    def _targets(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Per output: its classes, and the training codes."""
        check_is_fitted(self)
        if self.outputs_2d_:
            return list(zip(self.classes_, self.targets_.T, strict=True))
        return [(self.classes_, self.targets_)]

    def _votes(self, X: Any) -> _Votes:
        """Per output: the shares of the vote, and (for ties by "nearest") how far the nearest of each class is."""
        outputs = self._targets()
        n_queries, blocks = self._voters(X, self.distance_ties, self.random_state)
        votes = [(np.empty((n_queries, len(classes))), np.zeros((n_queries, len(classes)))) for classes, _ in outputs]
        for block in blocks:
            weights = vote_weights(block.distances, block.parts, self.weights, self.epsilon)
            for (classes, targets), (shares, nearest) in zip(outputs, votes, strict=True):
                codes = targets[block.rows]
                shares[block.queries] = class_shares(codes, weights, len(classes))[block.each]
                if self.vote_ties == "nearest":
                    found = nearest_of_class(codes, block.distances, len(classes))
                    nearest[block.queries] = found[block.each]
        return votes


def _outputs(y: Any) -> list[Any]:
    """The columns of a target; usually one."""
    columns = target_array(y)
    return list(columns.T) if columns.ndim == 2 and columns.shape[1] > 1 else [y]

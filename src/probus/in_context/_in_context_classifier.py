"""The in-context network that predicts classes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.special import softmax

from probus.base import Model, ProbabilisticClassifier, encoded_classes, table_input
from probus.errors import ModelFileError
from probus.in_context._in_context import InContext, small
from probus.state import Labels, Spec


class InContextClassifier(InContext, ProbabilisticClassifier):
    """A network that was trained on drawn tables, and predicts classes without being trained on the training rows.

    ``fit`` brings the training rows through the network once. On tables of 200 and of 1,000 training rows it is better
    than boosting in the mean, and its average with boosting is too. ``docs/in-context.md`` has the tables and figures.
    It is slow to predict: ``probus.distil`` makes a fast model of it.

    Sample weights repeat rows, or draw them where weights are not whole numbers. More than ten classes are divided
    into groups at random, and the groups into classes. Of more than ``context_size`` rows and ``max_columns`` columns
    some are chosen.

    Attributes
    ----------
    classes_ : the classes.
    encoding_ : the columns that are used, and their scales.
    cells_, targets_ : the training rows that are used, encoded, and their classes as codes.
    members_ : the passes of the network: for each member the rows, groups of classes, and random numbers.
    weights_sha256_ : the hash of the weights, which are not in saved files.

    Examples
    --------
    >>> from probus.datasets import penguins
    >>> birds = penguins()
    >>> train, new = birds.take(range(0, 344, 8)), birds.take(range(1, 344, 8))
    >>> model = InContextClassifier(n_members=1, random_state=0).fit(train.drop("species"), train["species"])
    >>> model.score(new.drop("species"), new["species"]) > 0.9
    True
    """

    fitted: ClassVar[dict[str, Spec]] = {**InContext.fitted, "classes_": Labels("K")}

    @classmethod
    def examples(cls) -> list[Model]:
        """A small one."""
        return [small(cls)]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> InContextClassifier:
        """Choose the training rows of each member, and bring them through the network.

        Parameters
        ----------
        X : the rows.
        y : the class of each row.
        sample_weight : the weight of each row; rows are repeated or drawn by it.

        Returns
        -------
        The model.
        """
        table = table_input(self, X, reset=True)
        self.classes_, codes = encoded_classes(y, len(table))
        return self._fit(table, codes, len(self.classes_), sample_weight)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class: the mean over members.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        Rows × classes.
        """
        parts = [np.ones((0, len(self.classes_)))] if hasattr(self, "classes_") else []
        for rows, outputs in self._outputs(X):
            n = rows.stop - rows.start
            total = np.zeros((n, len(self.classes_))) if self.members_ else np.ones((n, 1))
            for plans, found in zip(self.members_, outputs, strict=True):
                probabilities = np.ones_like(total)
                for plan, logits in zip(plans, found, strict=True):
                    shares = softmax(logits.astype(np.float64), axis=1)
                    for classes, share in zip(plan.groups, shares.T, strict=True):
                        probabilities[:, classes] *= share[:, None]
                total += probabilities
            parts.append(total / total.sum(axis=1, keepdims=True))
        return np.concatenate(parts)

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless classes, passes and rows fit each other."""
        K, y = len(self.classes_), self.targets_
        good = bool(((y >= 0) & (y < K) & (y == np.floor(y))).all()) and (K > 1 or not self.members_)
        for plans in self.members_:
            open_groups = [list(range(K))]
            for plan in plans:
                found = sorted(np.concatenate([[], *plan.groups]).tolist())
                good = good and found in open_groups and all(map(len, plan.groups))
                open_groups += [sorted(group.tolist()) for group in plan.groups if len(group) > 1]
        if not good or (K > 1 and not all([*self.members_, self.members_])):
            raise ModelFileError("InContextClassifier: the groups of classes do not fit the classes.")
        super().check_fitted_state()

"""Weights under which labels are independent of groups."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from probus.base import Model, encoded_classes
from probus.ensemble import fit_member
from probus.fairness._groups import Groups, sensitive_groups
from probus.fairness._mitigation import FairClassifier, has_method
from probus.naive_bayes import NaiveBayes
from probus.parameters import RANDOM_STATE, attribute, parameter
from probus.state import Array, Spec
from probus.wrapping import must_take_weights


class Reweigh(FairClassifier):
    r"""A classifier fitted with weights under which labels are independent of groups (Kamiran and Calders 2012).

    A row of group a with label y has the weight

    .. math:: W = \frac{P(A = a)\,P(Y = y)}{P(A = a, Y = y)}

    so that a label that a group has less often than all rows counts more there. Predictions do not need the group.

    Attributes
    ----------
    estimator_ : the fitted model.
    groups_ : how rows become groups.
    weights_ : the weight of each group, by the classes.

    Examples
    --------
    >>> from probus.datasets import titanic
    >>> from probus.linear_model import LogisticRegression
    >>> people = titanic()[["Survived", "Sex", "Age", "Fare"]]
    >>> X, y = people.drop("Survived"), people["Survived"]
    >>> model = Reweigh(LogisticRegression(), sensitive="Sex").fit(X, y)
    >>> model.groups_.labels, model.weights_.round(2)
    (('female', 'male'), array([[2.39, 0.52],
           [0.76, 2.03]]))
    """

    by: str = parameter(
        'How the weights are used: "weights" passes them to the model, "rows" draws as many rows with them, for models '
        "that take none.",
        default="weights",
        one_of=("weights", "rows"),
    )
    random_state: Any = RANDOM_STATE.but(doc="The seed of drawn rows.")

    _many_classes = True

    pos_label = None
    weights_: np.ndarray = attribute()
    fitted: ClassVar[dict[str, Spec]] = {**FairClassifier.fitted, "weights_": Array("f8", "g K")}

    @classmethod
    def examples(cls) -> list[Model]:
        """Naive Bayes, whose first column is the sensitive one."""
        return [cls(NaiveBayes(), sensitive=0, keep_sensitive=True)]

    def fit(self, X: Any, y: Any, sensitive_features: Any = None, sample_weight: Any = None) -> Reweigh:
        """Fit the model with the weights; ``sensitive_features`` are the groups where ``sensitive`` names none."""
        if self.by == "weights":
            must_take_weights([self.estimator])
        rows, codes, groups, weights = self._learn_rows(X, y, sensitive_features, sample_weight)
        self.weights_ = independence_weights(codes, groups, weights, len(self.classes_))
        each = self.weights_[groups.codes, codes] * (1.0 if weights is None else weights)
        if self.by == "weights":
            self.estimator_ = fit_member(self._inner(), rows, self.classes_[codes], each)
        else:
            drawn = self._draw(codes, each)
            self.estimator_ = fit_member(self._inner(), rows.take(drawn), self.classes_[codes[drawn]])
        return self

    def _draw(self, codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
        """As many rows as there are, drawn with the weights, evenly: a row of weight 2 is there twice."""
        random = check_random_state(self.random_state)
        order = random.permutation(len(codes))
        reached = np.cumsum(weights[order]) * len(codes) / weights.sum()
        counts = np.diff(np.floor(np.append(0.0, reached) + random.random_sample()))
        return np.sort(np.repeat(order, counts.astype(np.int64)))

    @staticmethod
    def weights(y: Any, sensitive_features: Any, sample_weight: Any = None) -> np.ndarray:
        """The weight of each row.

        Parameters
        ----------
        y : the labels.
        sensitive_features : the group of each row; several columns are combined.
        sample_weight : weights that the rows have already; the result is to be multiplied with them.

        Returns
        -------
        float64[n].

        >>> Reweigh.weights([1, 1, 1, 0, 1, 0, 0, 0], list("mmmmhhhh"))
        array([0.66666667, 0.66666667, 0.66666667, 2.        , 2.        ,
               0.66666667, 0.66666667, 0.66666667])
        """
        classes, codes = encoded_classes(y, len(y))
        groups = sensitive_groups(sensitive_features, len(codes))
        weights = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        return independence_weights(codes, groups, weights, len(classes))[groups.codes, codes]

    def predict(self, X: Any) -> np.ndarray:
        """The predicted labels."""
        return self._answer("predict", X)

    @available_if(has_method("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the classes under the weights, where labels are independent of groups."""
        return self._answer("predict_proba", X)

    @available_if(has_method("decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """The scores of the model."""
        return self._answer("decision_function", X)


def independence_weights(codes: np.ndarray, groups: Groups, weights: np.ndarray | None, n_classes: int) -> np.ndarray:
    """The share of a cell if groups and labels were independent, divided by its share: float64[G, K]; 1 if empty."""
    cells = np.bincount(groups.codes * n_classes + codes, weights, minlength=len(groups) * n_classes)
    observed = cells.reshape(len(groups), n_classes) / cells.sum()
    expected = observed.sum(axis=1, keepdims=True) * observed.sum(axis=0)
    return np.divide(expected, observed, out=np.ones_like(observed), where=observed > 0)

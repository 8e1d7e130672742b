"""One model for each pair of classes."""

from __future__ import annotations

from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.utils.metaestimators import available_if

from probus.allowed_values import HasMethod
from probus.base import Model, checked_weights, encoded_classes
from probus.data.row_selection import take_rows
from probus.ensemble import validated_any_shape
from probus.errors import DataError
from probus.linear_model import LogisticRegression
from probus.multiclass._binary_problems import BinaryProblems, score_of
from probus.naive_bayes import NaiveBayes
from probus.parameters import N_JOBS, attribute, parameter
from probus.sklearn_seam import check_partial_fit_first_call
from probus.state import Array, Labels, Many, Maybe, Object, Spec
from probus.wrapping import estimator_has, refuse_params


class OneVsOneClassifier(BinaryProblems):
    """One model for each pair of classes, fitted to the rows of the two; the class with most votes wins.

    scikit-learn's class and parameters. A model that accepts the columns of a Table or a frame gets them unchanged.
    Each has fewer rows than those of ``OneVsRestClassifier``, which helps where time grows faster than their number.

    Attributes
    ----------
    estimators_ : list of models, of the pairs (0, 1), (0, 2), …, (1, 2), …
    classes_ : array of classes
    pairwise_indices_ : the rows of each model, where the model takes a precomputed kernel; else None

    Examples
    --------
    >>> from probus.datasets import penguins
    >>> table = penguins()
    >>> model = OneVsOneClassifier(NaiveBayes())
    >>> model.fit(table.drop("species"), table["species"]).predict(table.drop("species").take([0, 200]))
    array(['Adelie', 'Gentoo'], dtype=object)
    """

    estimator: Any = parameter(
        "Classifier of two classes with ``decision_function`` or ``predict_proba``, whose sums decide between "
        "classes of equal votes.",
        of=[HasMethod("fit")],
        kw_only=False,
    )
    n_jobs: int | None = N_JOBS

    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("K"),
        "estimators_": Many(Object(BaseEstimator)),
        "pairwise_indices_": Maybe(Many(Array("i8", "*"))),
    }

    pairwise_indices_: list[np.ndarray] | None = attribute()

    @classmethod
    def examples(cls) -> list[Model]:
        """Models of any table, and of numbers."""
        return [cls(NaiveBayes()), cls(LogisticRegression())]

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> OneVsOneClassifier:
        """Fit a model for each pair of classes; further parameters are passed to them by metadata routing."""
        refuse_params(fit_params, self, "fit")
        X = validated_any_shape(self, X, reset=True)
        self.classes_, codes = encoded_classes(y, X.shape[0])
        if len(self.classes_) == 1:
            raise DataError(
                f"OneVsOneClassifier can not be fit when only one class is present: {self.classes_.tolist()[0]!r}.",
                "two or more classes",
            )
        given = self._for_members("fit", checked_weights(sample_weight, X), fit_params)
        pairs = list(combinations(range(len(self.classes_)), 2))
        rows = [np.flatnonzero((codes == i) | (codes == j)) for i, j in pairs]
        problems = [
            ((codes == j).astype(np.int64), own, self.classes_[j]) for (_, j), own in zip(pairs, rows, strict=True)
        ]
        self.estimators_ = self._fit_members(X, problems, given)
        self.pairwise_indices_ = rows if self.__sklearn_tags__().input_tags.pairwise else None
        return self

    @available_if(estimator_has("partial_fit"))
    def partial_fit(self, X: Any, y: Any, classes: Any = None, **partial_fit_params: Any) -> OneVsOneClassifier:
        """Update the models with a batch of rows; the first call must pass all ``classes``."""
        refuse_params(partial_fit_params, self, "partial_fit")
        first = check_partial_fit_first_call(self, classes)
        pairs = list(combinations(range(len(self.classes_)), 2))
        if first:
            self.estimators_ = [clone(self.estimator) for _ in pairs]
            self.pairwise_indices_ = None
        X = validated_any_shape(self, X, reset=first)
        if len(np.setdiff1d(y, self.classes_)):
            raise ValueError(f"Mini-batch contains {np.unique(y)} while it must be subset of {self.classes_}")
        codes = np.searchsorted(self.classes_, np.asarray(y))
        given = self._for_members("partial_fit", None, partial_fit_params)
        for member, (i, j) in zip(self.estimators_, pairs, strict=True):
            rows = np.flatnonzero((codes == i) | (codes == j))
            if len(rows):
                member.partial_fit(take_rows(X, rows), (codes[rows] == j).astype(np.int64), np.array([0, 1]), **given)
        return self

    # -- predictions -----------------------------------------------------------------------------------

    def predict(self, X: Any) -> np.ndarray:
        """The class with most votes; sums of scores decide between equal ones."""
        scores = self.decision_function(X)
        if len(self.classes_) == 2:
            return self.classes_[(scores > 0.0).astype(int)]
        return self.classes_[scores.argmax(axis=1)]

    def decision_function(self, X: Any) -> np.ndarray:
        """The votes for each class plus its sum of scores, scaled to less than a vote; of two classes the second."""
        X = self._rows(X)
        n_classes, numbers = len(self.classes_), is_regressor(self.estimator)
        votes, sums = np.zeros((X.shape[0], n_classes)), np.zeros((X.shape[0], n_classes))
        for k, (i, j) in enumerate(combinations(range(n_classes), 2)):
            member = self.estimators_[k]
            rows = X if self.pairwise_indices_ is None else X[:, self.pairwise_indices_[k]]
            score = score_of(member, rows)
            second = score > 0.0 if numbers else member.predict(rows) == 1
            sums[:, i] -= score
            sums[:, j] += score
            votes[:, i] += ~second
            votes[:, j] += second
        found = votes + sums / (3.0 * (np.abs(sums) + 1.0))
        return found[:, 1] if n_classes == 2 else found

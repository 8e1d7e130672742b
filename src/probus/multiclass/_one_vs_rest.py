"""One model for each class against all others."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csc_array, issparse
from sklearn.base import BaseEstimator, clone
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import type_of_target

from probus.allowed_values import HasMethod
from probus.base import Model, MultiLabelMixin, checked_weights, encoded_classes
from probus.data import Column
from probus.ensemble import validated_any_shape
from probus.errors import DataError
from probus.linear_model import LogisticRegression
from probus.multiclass._binary_problems import BinaryProblems, score_of
from probus.naive_bayes import NaiveBayes
from probus.parameters import N_JOBS, VERBOSE, attribute, parameter
from probus.sklearn_seam import check_partial_fit_first_call
from probus.state import Flag, Labels, Many, Object, Spec
from probus.wrapping import estimator_has, refuse_params


class OneVsRestClassifier(MultiLabelMixin, BinaryProblems):
    """One model for each class, fitted to that class against all others; the largest score wins.

    scikit-learn's class and parameters. A model that accepts the columns of a Table or a frame gets them unchanged. For
    a matrix of labels, one column each, every label has a model, and a row has any number of them.

    Attributes
    ----------
    estimators_ : list of models, one for each class; a single one for two classes
    classes_ : array of classes
    multilabel_, sparse_labels_ : bool, whether y was a matrix of labels, and a sparse one

    Examples
    --------
    >>> from probus.datasets import penguins
    >>> table = penguins()
    >>> model = OneVsRestClassifier(NaiveBayes())
    >>> model.fit(table.drop("species"), table["species"]).predict(table.drop("species").take([0, 200]))
    array(['Adelie', 'Gentoo'], dtype=object)
    """

    estimator: Any = parameter(
        "Classifier or regressor of two classes with ``decision_function`` or ``predict_proba``; a regressor "
        "is fitted to 0 and 1.",
        of=[HasMethod("fit")],
        kw_only=False,
    )
    n_jobs: int | None = N_JOBS
    verbose: int = VERBOSE

    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("K"),
        "estimators_": Many(Object(BaseEstimator)),
        "multilabel_": Flag(),
        "sparse_labels_": Flag(),
    }

    multilabel_: bool = attribute()
    sparse_labels_: bool = attribute()

    @classmethod
    def examples(cls) -> list[Model]:
        """Models of any table, and of numbers."""
        return [cls(NaiveBayes()), cls(LogisticRegression())]

    @property
    def label_binarizer_(self) -> LabelBinarizer:
        """Encodes labels as the columns that members are fitted to."""
        encoder = LabelBinarizer(sparse_output=True)
        labels = np.eye(len(self.classes_), dtype=int)
        if self.multilabel_:
            return encoder.fit(csc_array(labels) if self.sparse_labels_ else labels)
        return encoder.fit(self.classes_)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> OneVsRestClassifier:
        """Fit a model for each class; further parameters are passed to them by metadata routing."""
        refuse_params(fit_params, self, "fit")
        X = validated_any_shape(self, X, reset=True)
        targets = self._targets(y, X.shape[0])
        given = self._for_members("fit", checked_weights(sample_weight, X), fit_params)
        self.estimators_ = self._fit_members(X, self._problems(targets), given)
        return self

    @available_if(estimator_has("partial_fit"))
    def partial_fit(self, X: Any, y: Any, classes: Any = None, **partial_fit_params: Any) -> OneVsRestClassifier:
        """Update the models with a batch of rows; the first call must pass all ``classes``."""
        refuse_params(partial_fit_params, self, "partial_fit")
        first = check_partial_fit_first_call(self, classes)
        if first:
            self.multilabel_ = self.sparse_labels_ = False
            n_problems = 1 if len(self.classes_) == 2 else len(self.classes_)
            self.estimators_ = [clone(self.estimator) for _ in range(n_problems)]
        X = validated_any_shape(self, X, reset=first)
        unknown = np.setdiff1d(y, self.classes_)
        if len(unknown):
            raise ValueError(f"Mini-batch contains {np.unique(y)} while classes must be subset of {self.classes_}")
        codes = np.searchsorted(self.classes_, np.asarray(y))
        given = self._for_members("partial_fit", None, partial_fit_params)
        for member, (target, _, _) in zip(self.estimators_, self._problems(self._columns(codes)), strict=True):
            member.partial_fit(X, target, np.array([0, 1]), **given)
        return self

    def _targets(self, y: Any, n_rows: int) -> np.ndarray:
        """0 and 1 for each row and model."""
        is_matrix = not isinstance(y, Column) and y is not None and type_of_target(y).startswith("multilabel")
        self.multilabel_, self.sparse_labels_ = is_matrix, issparse(y)
        if not is_matrix:
            self.classes_, codes = encoded_classes(y, n_rows)
            return self._columns(codes)
        matrix = np.asarray(y.toarray() if issparse(y) else y)
        if len(matrix) != n_rows:
            raise DataError(
                f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows, y {len(matrix)}.",
                "one row of y per row of X",
            )
        self.classes_ = np.arange(matrix.shape[1])
        return (matrix != 0).astype(np.int64)

    def _columns(self, codes: np.ndarray) -> np.ndarray:
        return (codes[:, None] == np.arange(len(self.classes_))[1 if len(self.classes_) == 2 else 0 :]).astype(np.int64)

    def _problems(self, targets: np.ndarray) -> list[tuple[np.ndarray, None, Any]]:
        names = self.classes_[-1:] if targets.shape[1] == 1 else self.classes_
        return [(target, None, name) for target, name in zip(targets.T, names, strict=True)]

    # -- predictions -----------------------------------------------------------------------------------

    def _scores(self, X: Any) -> np.ndarray:
        """The score of each row and model."""
        X = self._rows(X)
        return np.column_stack([score_of(member, X) for member in self.estimators_])

    def predict(self, X: Any) -> Any:
        """The class of the largest score; of a model of labels, a matrix of 0 and 1."""
        scores = self._scores(X)
        above = scores > 0.0
        if self.multilabel_:
            return self.label_binarizer_.inverse_transform(csc_array(above.astype(int)))
        if len(self.classes_) == 2:
            return self.classes_[above[:, 0].astype(int)]
        return self.classes_[scores.argmax(axis=1)]

    @available_if(estimator_has("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of the models, scaled to a sum of 1 unless there are several labels."""
        X = self._rows(X)
        shares = np.column_stack([_share(member, X) for member in self.estimators_])
        if len(self.classes_) == 2 and not self.multilabel_:
            shares = np.column_stack([1.0 - shares, shares])
        if self.multilabel_:
            return shares
        total = shares.sum(axis=1, keepdims=True)
        return np.divide(shares, total, out=shares, where=total != 0.0)

    @available_if(estimator_has("decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """The decisions of the models; of the second class where there are two."""
        scores = self._scores(X)
        return scores[:, 0] if scores.shape[1] == 1 and not self.multilabel_ else scores


def _share(member: Any, X: Any) -> np.ndarray:
    """The probability of class 1; of a constant model the class itself."""
    if len(member.classes_) == 1:
        return np.full(X.shape[0], float(member.classes_[0]))
    return member.predict_proba(X)[:, 1]

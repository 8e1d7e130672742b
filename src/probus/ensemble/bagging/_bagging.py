"""Bagging: the mean of many models of one kind, each fitted on rows and columns drawn at random."""

from __future__ import annotations

from functools import reduce
from typing import Any, ClassVar
from warnings import warn

import numpy as np
from sklearn.utils import check_array
from sklearn.utils.metaestimators import available_if

from probus.base import Classifier, Model, Regressor, checked_numbers, encoded_classes
from probus.ensemble._inputs import width_of_target
from probus.ensemble.bagging._bag_member import member_method
from probus.ensemble.bagging._bagging_base import Bagging
from probus.errors import DataError
from probus.naive_bayes import GaussianNB
from probus.state import Array, Either, Labels, Maybe, Size, Spec
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor
from probus.tree.preparation import r2_in_units
from probus.wrapping import estimator_has


class BaggingClassifier(Classifier, Bagging):
    """Many classifiers of one kind, each fitted on a bootstrap sample of the rows; their probabilities are averaged.

    scikit-learn's class and parameters. Members that accept the columns of a Table or a frame get them unchanged. A
    class that is not among a member's rows has probability zero in that member. Rows are drawn in proportion to their
    weights; without replacement (``bootstrap=False``) the weights are passed to the members.

    Attributes
    ----------
    oob_score_ : with ``oob_score``, the accuracy of predictions by the members that a row was not used for.
    oob_decision_function_ : those predictions; NaN for rows that are in all samples.
    oob_curve_ : the error of the first 1, 2, … members together.

    Examples
    --------
    >>> from probus.datasets import iris
    >>> table = iris()
    >>> X, y = table.drop("species"), table["species"]
    >>> model = BaggingClassifier(n_estimators=30, oob_score=True, random_state=0).fit(X, y)
    >>> print(f"{model.oob_score_:.2f}", model.oob_curve_.shape)
    0.94 (30,)
    """

    fitted: ClassVar[dict[str, Spec]] = {
        **Bagging.fitted,
        "classes_": Labels("K"),
        "n_classes_": Size("K"),
        "oob_decision_function_": Maybe(Array("f8", "n K")),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Trees with out-of-bag rows, and naive Bayes on subsets of the columns."""
        return [cls(n_estimators=3, oob_score=True), cls(GaussianNB(), 3, bootstrap=False, max_features=0.7)]

    def predict(self, X: Any, **params: Any) -> np.ndarray:
        """The class with the largest probability."""
        places = self._mean_prediction("predict", X, params).argmax(axis=1)
        return self.classes_[places]

    def predict_proba(self, X: Any, **params: Any) -> np.ndarray:
        """The mean of the members' probabilities, or of their votes where they have no ``predict_proba``."""
        return self._mean_prediction("predict_proba", X, params)

    def predict_log_proba(self, X: Any, **params: Any) -> np.ndarray:
        """The logarithm of the probabilities, also of very small ones."""
        with np.errstate(divide="ignore"):
            if self._member_method("predict_log_proba") != "predict_log_proba":
                return np.log(self._mean_prediction("predict_log_proba", X, params))
            predicted = self._predictions("predict_log_proba", X, params)
            return reduce(np.logaddexp, predicted) - np.log(len(self.estimators_))

    @available_if(estimator_has("decision_function"))
    def decision_function(self, X: Any, **params: Any) -> np.ndarray:
        """The mean of the members' decision functions."""
        return self._mean_prediction("decision_function", X, params)

    def _chosen(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def _target(self, y: Any, n_rows: int) -> np.ndarray:
        self.classes_, codes = encoded_classes(y, n_rows)
        self.n_classes_ = len(self.classes_)
        return codes

    def _member_method(self, method: str) -> str:
        members = getattr(self, "estimators_", None) or [self._chosen()]
        return member_method(members[0], method)

    def _n_classes(self) -> int:
        return self.n_classes_

    def _score_out_of_bag(self, X: Any, y: np.ndarray, weights: np.ndarray | None) -> None:
        w = np.ones(len(y)) if weights is None else weights
        probabilities, wrong, curve = np.zeros((len(y), self.n_classes_)), np.full(len(y), np.nan), []
        for rows, predicted in self._out_of_bag_predictions("predict_proba", X):
            probabilities[rows] += predicted
            wrong[rows] = probabilities[rows].argmax(axis=1) != y[rows]
            curve.append(_mean(wrong, w))
        _warn_of_rows_never_outside(wrong)
        self.oob_curve_ = np.array(curve)
        self.oob_score_ = 1.0 - curve[-1]
        with np.errstate(invalid="ignore"):
            self.oob_decision_function_ = probabilities / probabilities.sum(axis=1, keepdims=True)


class BaggingRegressor(Regressor, Bagging):
    """Many regressors of one kind, each fitted on a bootstrap sample of the rows; their predictions are averaged.

    scikit-learn's class and parameters; tables and weights as in ``BaggingClassifier``. A target of several columns
    is passed to estimators that accept it.

    Attributes
    ----------
    oob_score_ : with ``oob_score``, R² of predictions by the members that a row was not used for.
    oob_prediction_ : those predictions; NaN for rows that are in all samples.
    oob_curve_ : the mean squared error of the first 1, 2, … members together.

    Examples
    --------
    >>> BaggingRegressor(n_estimators=1, bootstrap=False).fit([[1.0], [2.0], [7.0]], [1.0, 1.5, 9.0]).predict([[8.0]])
    array([9.])
    """

    fitted: ClassVar[dict[str, Spec]] = {
        **Bagging.fitted,
        "oob_prediction_": Maybe(Either(Array("f8", "n"), Array("f8", "n *"))),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Trees with out-of-bag rows, and on subsets of the columns."""
        return [cls(n_estimators=3, oob_score=True), cls(n_estimators=3, bootstrap=False, max_features=0.7)]

    def predict(self, X: Any, **params: Any) -> np.ndarray:
        """The mean of the members' predictions."""
        return self._mean_prediction("predict", X, params)

    def _chosen(self) -> Any:
        return DecisionTreeRegressor() if self.estimator is None else self.estimator

    def _target(self, y: Any, n_rows: int) -> np.ndarray:
        if width_of_target(y) == 1:
            return checked_numbers(y, n_rows)
        if isinstance(self._chosen(), DecisionTreeRegressor):
            raise DataError(
                f"y has {width_of_target(y)} columns: y should be a 1d array for a DecisionTreeRegressor.",
                "an estimator that predicts several columns",
                "Pass for example estimator=MultiOutputRegressor(DecisionTreeRegressor()), of sklearn.multioutput.",
            )
        target = check_array(y, dtype=np.float64, input_name="y")
        if len(target) != n_rows:
            raise DataError(f"X has {n_rows} rows and y has {len(target)}.", "one row of y per row of X")
        return target

    def _member_method(self, method: str) -> str:
        return "predict"

    def _n_classes(self) -> None:
        return None

    def _score_out_of_bag(self, X: Any, y: np.ndarray, weights: np.ndarray | None) -> None:
        w = np.ones(len(y)) if weights is None else weights
        sums, counts, squares, curve = np.zeros(y.shape), np.zeros(len(y)), np.full(len(y), np.nan), []
        for rows, predicted in self._out_of_bag_predictions("predict", X):
            sums[rows] += predicted
            counts[rows] += 1
            squares[rows] = _mean_squares(_over(sums[rows], counts[rows]) - y[rows])
            curve.append(_mean(squares, w))
        _warn_of_rows_never_outside(squares)
        self.oob_curve_ = np.array(curve)
        with np.errstate(invalid="ignore"):
            self.oob_prediction_ = _over(sums, counts)
        there = counts > 0
        few = there.sum() < 2  # R² is not defined
        self.oob_score_ = np.nan if few else r2_in_units(y[there], self.oob_prediction_[there], w[there])


def _over(sums: np.ndarray, counts: np.ndarray) -> np.ndarray:
    return (sums.T / counts).T


def _mean_squares(errors: np.ndarray) -> np.ndarray:
    """Of each row, over the columns of the target."""
    with np.errstate(over="ignore"):  # of errors beyond 1e154 the mean is infinite
        return errors**2 if errors.ndim == 1 else (errors**2).mean(axis=1)


def _mean(losses: np.ndarray, w: np.ndarray) -> float:
    """The weighted mean of those that are known; NaN where none is."""
    known = ~np.isnan(losses)
    return float(np.average(losses[known], weights=w[known])) if w[known].sum() > 0 else np.nan


def _warn_of_rows_never_outside(losses: np.ndarray) -> None:
    never = int(np.isnan(losses).sum())
    if never:
        warn(
            "Some inputs do not have OOB scores. This probably means too few estimators were used to compute any "
            f"reliable oob estimates. {never} of {len(losses)} rows are in the sample of every member.",
            stacklevel=5,
        )

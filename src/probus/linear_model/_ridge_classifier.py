"""Least squares classification: ridge regression of classes coded as −1 and 1."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import compute_sample_weight
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Classifier, MultiLabelMixin, checked_weights, matrix_input
from probus.distances.magnitudes import check_squares
from probus.linear_model._linear_base import checked_classes, raw_predictions
from probus.linear_model._ridge import Ridge, RidgePenalised
from probus.linear_model._ridge_cv import RidgeChosen, RidgeCV
from probus.parameters import CLASS_WEIGHT, attribute
from probus.sklearn_seam import original
from probus.state import Array, Either, Flag, Labels, Maybe, Number, Spec, String


class LeastSquaresClassifier(MultiLabelMixin, Classifier):
    """Parent of the classifiers that predict the class whose regression is largest."""

    class_weight: Any = CLASS_WEIGHT

    accepts = Accepts(sparse=True, weights=True, scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("K"),
        "coef_": Either(Array("f8", "d"), Array("f8", "m d")),
        "intercept_": Array("f8", "m"),
        "multilabel_": Flag(),
    }

    coef_: np.ndarray = attribute()
    intercept_: np.ndarray = attribute()

    def _labels(self, y: Any, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
        """The labels as codes, or as they are where rows have several, and targets −1 and 1, float64[n, m]."""
        wide = len(getattr(y, "shape", ())) == 2 or (isinstance(y, (list, tuple)) and np.ndim(y) == 2)
        self.multilabel_ = bool(wide and type_of_target(y) == "multilabel-indicator")
        if self.multilabel_:
            labels = np.asarray(y)
            self.classes_ = np.arange(labels.shape[1])
            return labels, 2.0 * labels - 1.0
        self.classes_, codes = checked_classes(y, n_rows)
        if len(self.classes_) == 2:
            return codes, 2.0 * codes[:, None] - 1.0
        return codes, 2.0 * (codes[:, None] == np.arange(len(self.classes_))) - 1.0

    def _weights(self, labels: np.ndarray, sample_weight: Any, X: Any) -> np.ndarray | None:
        weights = checked_weights(sample_weight, X)
        if self.class_weight is None:
            return weights
        own = compute_sample_weight(self.class_weight, labels if self.multilabel_ else self.classes_[labels])
        return own if weights is None else own * weights

    def _keep(self, model: Any) -> None:
        self.coef_ = np.asarray(model.coef_, dtype=np.float64)
        rows = len(np.atleast_2d(self.coef_))
        self.intercept_ = np.broadcast_to(np.atleast_1d(model.intercept_), rows).astype(np.float64)

    def decision_function(self, X: Any) -> np.ndarray:
        """The regression of the second class, or for several classes rows × classes."""
        check_is_fitted(self)
        raw = raw_predictions(matrix_input(self, X, reset=False), np.atleast_2d(self.coef_), self.intercept_)
        return raw[:, 0] if raw.shape[1] == 1 and not self.multilabel_ else raw

    def predict(self, X: Any) -> np.ndarray:
        """The class of each row, or for several labels whether each applies."""
        raw = self.decision_function(X)
        if self.multilabel_:
            return (raw > 0).astype(np.int64)
        return self.classes_[(raw > 0).astype(np.int64) if raw.ndim == 1 else raw.argmax(axis=1)]


class RidgeClassifier(RidgePenalised, LeastSquaresClassifier):  # type: ignore[override]
    """Ridge regression of classes coded as −1 and 1; the class whose regression is largest is predicted.

    Attributes
    ----------
    classes_ : array of classes
    coef_ : array of columns for two classes, else of classes × columns
    intercept_ : array of 1, or of classes
    multilabel_ : whether rows have several labels
    n_iter_, solver_ : as of ``Ridge``

    Examples
    --------
    >>> RidgeClassifier().fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]).predict([[0.5], [2.5]])
    array(['no', 'yes'], dtype='<U3')
    """

    fitted: ClassVar[dict[str, Spec]] = {
        **LeastSquaresClassifier.fitted,
        "n_iter_": Array("i4", "*"),
        "solver_": String(),
    }

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> RidgeClassifier:
        """Compute the coefficients."""
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        labels, targets = self._labels(y, X.shape[0])
        own = {name: value for name, value in self.get_params(deep=False).items() if name != "class_weight"}
        model = Ridge(**own).fit(X, targets, self._weights(labels, sample_weight, X))
        self._keep(model)
        self.n_iter_, self.solver_ = model.n_iter_, model.solver_
        return self


class RidgeClassifierCV(RidgeChosen, LeastSquaresClassifier):
    """The ridge classifier with the best of several penalties, leave-one-out in closed form by default.

    Attributes
    ----------
    classes_, coef_, intercept_, multilabel_ : as of ``RidgeClassifier``
    alpha_, best_score_, cv_results_ : as of ``RidgeCV``

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> RidgeClassifierCV([0.1, 1.0]).fit(X, y).alpha_
    1.0
    """

    fitted: ClassVar[dict[str, Spec]] = {
        **LeastSquaresClassifier.fitted,
        "alpha_": Number(),
        "best_score_": Number(),
        "cv_results_": Maybe(Either(Array("f8", "* *"), Array("f8", "* * *"))),
    }

    def _borrow(self) -> Any:
        params = {**self.get_params(deep=False), "class_weight": None}
        return original("sklearn.linear_model", "RidgeClassifierCV")(**params)

    def get_metadata_routing(self) -> MetadataRouter:
        """As in scikit-learn."""
        return self._borrow().get_metadata_routing()

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> RidgeClassifierCV:
        """Choose the penalty, and compute the coefficients with it; ``params`` are routed as in scikit-learn."""
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        labels, targets = self._labels(y, X.shape[0])
        weights = self._weights(labels, sample_weight, X)
        names = ("alphas", "fit_intercept", "scoring", "cv", "store_cv_results")
        model: Any = RidgeCV(**{name: getattr(self, name) for name in names})
        if not params and model.is_closed_form(X):
            model.fit(X, targets, weights)
        else:
            model = self._borrow().fit(X, labels, sample_weight=weights, **params)
        self._keep(model)
        self.alpha_, self.best_score_ = float(model.alpha_), float(model.best_score_)
        self.__dict__.pop("cv_results_", None)
        if hasattr(model, "cv_results_"):
            self.cv_results_ = model.cv_results_
        return self

"""What classifiers have in common whose raw predictions are log-odds, linear in the columns."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from scipy.special import expit
from sklearn.utils import compute_sample_weight

from probus.base import Accepts
from probus.errors import DataError
from probus.linear_model._linear_base import checked_classes, column_names
from probus.linear_model._linear_decision import LinearDecision
from probus.linear_model._linear_parameters import INTERCEPT_SCALING, SILENT, THREADS_FOLLOW
from probus.linear_model._logistic_fit import LogisticFit, LogisticSettings, contrasts, logistic_scores
from probus.linear_model._sparse_coefficients import SparseCoefficients
from probus.linear_model.inference._coefficient_summary import CoefficientSummary, Inference, StandardErrors, summarised
from probus.linear_model.inference._sandwich import RowScores
from probus.linear_model.inference._standard_errors import ModelOfRows, TrainingRows
from probus.losses import LogLoss
from probus.parameters import CLASS_WEIGHT, FIT_INTERCEPT, MAX_ITER, RANDOM_STATE, TOL, attribute, parameter
from probus.state import Array, Either, Labels, Maybe, Number, Object, Spec

# scikit-learn's words, by which its warnings are recognised
FAILED = {
    "lbfgs": "lbfgs failed to converge after {} iteration(s)",
    "newton-cg": "newton-cg failed to converge after {} iterations",
    "newton-cholesky": "Newton solver did not converge after {} iterations",
    "sag": "The max_iter was reached which means the coef_ did not converge ({} iterations)",
    "saga": "The max_iter was reached which means the coef_ did not converge ({} iterations)",
}


class LogisticClassifier(SparseCoefficients, ModelOfRows, LinearDecision):
    """Parent of logistic regressions: two classes have one vector of coefficients, more have one each."""

    dual: bool = parameter("Whether liblinear solves the dual problem; other solvers ignore it.", default=False)
    tol: float = TOL.but(
        doc="The precision: the objective is minimised to about tol²/100, a penalty on absolute values to a violation "
        "of the optimality conditions of tol/100."
    )
    fit_intercept: bool = FIT_INTERCEPT
    intercept_scaling: float = INTERCEPT_SCALING
    class_weight: Any = CLASS_WEIGHT
    random_state: Any = RANDOM_STATE.but(doc="The seed of the order in which liblinear visits rows.")
    solver: str = parameter(
        'Every solver but "liblinear" is the same here: Newton\'s method where its systems are small, L-BFGS beyond, '
        'and coordinate descent for absolute values, to the same precision. "liblinear" is scikit-learn\'s, which '
        "penalises the intercept.",
        default="lbfgs",
        one_of=(*FAILED, "liblinear"),
    )
    max_iter: int = MAX_ITER.but(default=100, at_least=0)
    verbose: int = SILENT
    n_jobs: int | None = THREADS_FOLLOW

    accepts = Accepts(sparse=True, weights=True, scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("K"),
        "coef_": Either(Array("f8", "m d"), Array("f4", "m d")),
        "intercept_": Either(Array("f8", "m"), Array("f4", "m")),
        "optimality_": Number(),
        "inference_": Maybe(Object(Inference)),
    }

    multi_class: str = attribute()
    coef_: Any = attribute()
    intercept_: np.ndarray = attribute()
    classes_: np.ndarray = attribute()

    def _summary(self, level: float, kept: Inference | None, errors: StandardErrors | None) -> CoefficientSummary:
        against = self._reference() or 0
        values = np.column_stack([self.coef_, self.intercept_]) if self.fit_intercept else self.coef_
        classes = np.delete(self.classes_, against if len(values) > 1 else 0)
        values = values if len(values) == 1 else np.delete(values - values[against], against, axis=0)
        columns = [*column_names(self, self.coef_.shape[1]), *(["intercept"] * self.fit_intercept)]
        names = [f"{c}: {column}" for c in classes for column in columns] if len(values) > 1 else columns
        title, notes = type(self).__name__, []
        if kept is not None:
            against = against if len(values) > 1 else 0
            title = f"{title}: log-odds against {self.classes_[against]}, McFadden's R² {kept.explained[0]:.4f}"
            notes.append(f"{kept.n_rows:,} rows.")
        if self._is_penalised():
            notes.append("Coefficients are shrunk by the penalty, and intervals ignore the bias; C=np.inf has none.")
        values = values.reshape(1, -1)
        return summarised(title, kept, values, None, names, level=level, odds=True, notes=notes, errors=errors)

    @abstractmethod
    def _settings(self) -> LogisticSettings:
        """How the coefficients of all rows were fitted."""

    def _checked_target(self, y: Any, n_rows: int) -> np.ndarray:
        classes, codes = checked_classes(y, n_rows)
        if not np.array_equal(classes, self.classes_):
            raise DataError("y has other classes than the model.", "the target that the model was fitted on")
        return codes

    def _row_scores(self, rows: TrainingRows) -> list[RowScores]:
        coef = self.coef_.toarray() if issparse(self.coef_) else self.coef_
        fit = LogisticFit(coef.astype(float), self.intercept_.astype(float), np.zeros(1), 0.0, True, False, None)
        own = self._weights(rows.y, rows.weights)
        if own is not None and rows.weights is not None:  # the weights of the classes
            own = np.divide(own, rows.weights, out=np.zeros_like(own), where=rows.weights > 0)
        return [logistic_scores(rows, own, fit, len(self.classes_), self._settings())]

    def _contrasts(self, n: int) -> np.ndarray | None:
        p = self.coef_.shape[1] + self.fit_intercept
        return contrasts((p, n // p), self._reference())

    def _reference(self) -> int | None:
        """The code of the class whose coefficients are zero, None where every class has some."""
        return None

    @abstractmethod
    def _is_penalised(self) -> bool:
        """Whether the coefficients are shrunk."""

    def _encode(self, y: Any, n_rows: int) -> np.ndarray:
        """The codes of the classes, which are stored; there must be two."""
        self.classes_, codes = checked_classes(y, n_rows)
        return codes

    def _weights(self, codes: np.ndarray, weights: np.ndarray | None) -> np.ndarray | None:
        """The weights of the rows times those of their classes."""
        if self.class_weight is None:
            return weights
        if self.class_weight == "balanced":
            counts = np.bincount(codes, weights)
            own = (counts.sum() / (len(counts) * counts))[codes]
        else:
            own = compute_sample_weight(self.class_weight, self.classes_[codes])
        return own if weights is None else own * weights

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(y | x) for each row and class, in the order of ``classes_``."""
        raw = self.decision_function(X)
        if raw.ndim == 2 and self.multi_class == "ovr":
            shares = np.maximum(expit(raw), np.finfo(np.float64).tiny)
            return shares / shares.sum(axis=1, keepdims=True)
        return LogLoss.of_classes(len(self.classes_)).mean(raw)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """log P(y | x) for each row and class."""
        raw = self.decision_function(X)
        if raw.ndim == 2 and self.multi_class == "ovr":
            return np.log(self.predict_proba(X))
        if raw.ndim == 1:
            return -np.logaddexp(0.0, np.column_stack([raw, -raw]))
        raw = raw - raw.max(axis=1, keepdims=True)
        return raw - np.log(np.exp(raw).sum(axis=1, keepdims=True))

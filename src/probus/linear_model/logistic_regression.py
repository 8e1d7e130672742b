"""Logistic regression for two or more classes."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import compute_sample_weight
from sklearn.utils._param_validation import Hidden, Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Classifier, Model, checked_weights, encoded_classes, matrix_input
from probus.errors import DataError
from probus.linear_model.coefficient_summary import CoefficientSummary, Inference, summarised
from probus.linear_model.likelihood_inference import likelihood_inference
from probus.linear_model.linear_base import column_names, raw_predictions
from probus.linear_model.newton import Minimum, minimise_smooth
from probus.linear_model.proximal_newton import minimise_l1
from probus.linear_model.smooth_problem import SmoothProblem
from probus.losses import LogLoss
from probus.state import Array, Labels, Maybe, Number, Object, Spec

__all__ = ["LogisticRegression"]

_PENALTIES = {"l2": 0.0, "l1": 1.0}
_SEPARATED = 1e-4  # the largest probability of a wrong class among the training rows


class LogisticRegression(Classifier):
    r"""Logistic regression, :math:`\min_B C \sum_i w_i \log(1 / P(y_i | x_i)) + ρ ‖B‖_1 + \frac12 (1 - ρ) ‖B‖^2`.

    Two classes have one vector of coefficients, the log-odds of the second; more have one each (softmax).

    Parameters
    ----------
    penalty : deprecated
        As in scikit-learn: use ``C`` and ``l1_ratio``.
    C : float
        The weight of the data against the penalty; infinity for no penalty.
    l1_ratio : float
        The share ρ of the absolute values: 0 is ridge, 1 the lasso.
    dual, intercept_scaling, random_state
        For ``solver="liblinear"`` only.
    tol : float
        The precision: the objective is minimised to about tol²/100, a penalty on absolute values to a violation of the
        optimality conditions of tol/100.
    fit_intercept : bool
        Whether there are intercepts, which are not penalised.
    class_weight : dict, "balanced" or None
        Weights of the classes; "balanced" gives all classes the same total.
    solver : {"lbfgs", "newton-cg", "newton-cholesky", "sag", "saga", "liblinear"}
        Every solver but "liblinear" is the same here: Newton's method where its systems are small, L-BFGS beyond, and
        coordinate descent for absolute values, all to the same precision. "liblinear" is scikit-learn's, which
        penalises the intercept.
    max_iter : int
        The largest number of iterations.
    verbose, n_jobs
        As in scikit-learn; ignored.
    warm_start : bool
        Whether ``fit`` starts at the last coefficients.

    Attributes
    ----------
    classes_ : array of classes
    coef_ : array of 1 × columns for two classes, else of classes × columns
    intercept_ : array of 1, or of classes
    n_iter_ : array of 1
    optimality_ : float
        How far the objective per row is above its minimum (Newton), or the largest violation of the optimality
        conditions.
    inference_ : what ``summary`` needs; None for a penalty on absolute values, many columns, and "liblinear"

    Examples
    --------
    >>> model = LogisticRegression(C=10.0).fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
    >>> model.predict_proba([[1.5]]).round(3), model.optimality_ < 1e-9
    (array([[0.5, 0.5]]), True)
    """

    accepts: Accepts = Accepts(sparse=True, weights=True, scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("K"),
        "coef_": Array("f8", "m d"),
        "intercept_": Array("f8", "m"),
        "n_iter_": Array("i4", "*"),
        "optimality_": Number(),
        "inference_": Maybe(Object(Inference)),
    }
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "penalty": [StrOptions({"l1", "l2", "elasticnet"}), None, Hidden(StrOptions({"deprecated"}))],
        "C": [Interval(Real, 0, None, closed="right")],
        "l1_ratio": [Interval(Real, 0, 1, closed="both"), None],
        "dual": ["boolean"],
        "tol": [Interval(Real, 0, None, closed="left")],
        "fit_intercept": ["boolean"],
        "intercept_scaling": [Interval(Real, 0, None, closed="neither")],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "random_state": ["random_state"],
        "solver": [StrOptions({"lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"})],
        "max_iter": [Interval(Integral, 0, None, closed="left")],
        "verbose": ["verbose"],
        "warm_start": ["boolean"],
        "n_jobs": [None, Integral],
    }

    def __init__(
        self,
        penalty: Any = "deprecated",
        *,
        C: float = 1.0,
        l1_ratio: float = 0.0,
        dual: bool = False,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        random_state: Any = None,
        solver: str = "lbfgs",
        max_iter: int = 100,
        verbose: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ):
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    @classmethod
    def examples(cls) -> list[Model]:
        """Both penalties."""
        return [cls(), cls(l1_ratio=1.0)]

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LogisticRegression:
        """Compute the coefficients."""
        X = matrix_input(self, X, reset=True)
        self.classes_, codes = encoded_classes(y, X.shape[0])
        if len(self.classes_) < 2:
            raise DataError(
                "This solver needs samples of at least 2 classes in the data, but the data contains only one class: "
                f"{self.classes_[:1].tolist()[0]!r}.",
                "two or more classes",
            )
        weights = self._weights(codes, checked_weights(sample_weight, X))
        if self.solver == "liblinear":
            return self._fit_liblinear(X, codes, weights)
        strength, l1_ratio = self._strength()
        total = len(codes) if weights is None else weights.sum()
        penalty, loss = strength / total, LogLoss.of_classes(len(self.classes_))
        problem = SmoothProblem(
            X, codes.astype(np.float64), weights, loss, penalty * (1.0 - l1_ratio), intercept=self.fit_intercept
        )
        if penalty * l1_ratio > 0.0:
            found = minimise_l1(problem, penalty * l1_ratio, self._start(problem), 0.01 * self.tol, self.max_iter)
        else:
            found = minimise_smooth(problem, self._start(problem), 0.01 * self.tol**2, self.max_iter)
        self._keep(found, penalty)
        smooth = penalty * l1_ratio == 0.0
        self.inference_ = likelihood_inference(problem, found.theta, self._contrasts(problem.shape)) if smooth else None
        self._warn(found, problem)
        return self

    def _contrasts(self, shape: tuple[int, int]) -> np.ndarray | None:
        """Differences to the first class, where there are more than two: the coefficients alone are not determined."""
        p, k = shape
        return None if k == 1 else np.kron(np.column_stack([-np.ones(k - 1), np.eye(k - 1)]), np.eye(p))

    def summary(self, *, level: float = 0.95) -> CoefficientSummary:
        """Coefficients with standard errors, intervals, z statistics and p-values, and odds ratios.

        They are the log-odds of the second class, or of each class against the first. With a penalty they are those of
        the penalised estimate, whose bias they ignore.
        """
        check_is_fitted(self)
        kept = getattr(self, "inference_", None)
        values = np.column_stack([self.coef_, self.intercept_]) if self.fit_intercept else self.coef_
        values = values if len(values) == 1 else values[1:] - values[0]
        columns = [*column_names(self, self.coef_.shape[1]), *(["intercept"] * self.fit_intercept)]
        names = [f"{c}: {column}" for c in self.classes_[1:] for column in columns] if len(values) > 1 else columns
        title, notes = type(self).__name__, []
        if kept is not None:
            title = f"{title}: log-odds against {self.classes_[0]}, McFadden's R² {kept.explained[0]:.4f}"
            notes.append(f"{kept.n_rows:,} rows.")
        if np.isfinite(self.C):
            notes.append("Coefficients are shrunk by the penalty, and intervals ignore the bias; C=np.inf has none.")
        return summarised(title, kept, values.reshape(1, -1), None, names, level=level, odds=True, notes=notes)

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

    def _strength(self) -> tuple[float, float]:
        """The weight of the penalty, and the share of absolute values."""
        if isinstance(self.penalty, str) and self.penalty == "deprecated":
            return 1.0 / self.C, float(self.l1_ratio or 0.0)
        warnings.warn(
            "'penalty' is deprecated in scikit-learn and here: use l1_ratio=0 for 'l2', l1_ratio=1 for 'l1', and "
            "C=np.inf for None.",
            FutureWarning,
            stacklevel=3,
        )
        if self.penalty is None:
            return 0.0, 0.0
        return 1.0 / self.C, _PENALTIES.get(self.penalty, float(self.l1_ratio or 0.0))

    def _start(self, problem: SmoothProblem) -> np.ndarray | None:
        if not self.warm_start or not hasattr(self, "coef_"):
            return None
        start = np.column_stack([self.coef_, self.intercept_]) if self.fit_intercept else self.coef_
        return np.array(start.T) if start.T.shape == problem.shape else None

    def _keep(self, found: Minimum, penalty: float) -> None:
        theta = found.theta.T
        coef, intercept = (theta[:, :-1], theta[:, -1]) if self.fit_intercept else (theta, np.zeros(len(theta)))
        if len(theta) > 1:  # a common shift changes no probability: the coefficients of all classes add up to 0
            intercept = intercept - intercept.mean() if self.fit_intercept else intercept
            coef = coef - coef.mean(axis=0) if penalty == 0.0 else coef
        self.coef_, self.intercept_ = np.ascontiguousarray(coef), np.array(intercept)
        self.n_iter_ = np.array([found.n_iter], dtype=np.int32)
        self.optimality_ = found.optimality

    def _warn(self, found: Minimum, problem: SmoothProblem) -> None:
        if not found.converged:
            warnings.warn(
                f"LogisticRegression failed to converge after {self.max_iter} iterations: optimality "
                f"{found.optimality:.2e}. Increase the number of iterations (max_iter) or scale the columns.",
                ConvergenceWarning,
                stacklevel=3,
            )
        if np.isinf(self.C) and problem.value(found.theta) < _SEPARATED:
            warnings.warn(
                "The classes are perfectly separated: without a penalty the coefficients have no finite optimum. Use a "
                "finite C.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _fit_liblinear(self, X: Any, codes: np.ndarray, weights: np.ndarray | None) -> LogisticRegression:
        from sklearn.linear_model import LogisticRegression as Borrowed

        self.inference_ = None
        model = Borrowed(**{**self.get_params(), "class_weight": None}).fit(X, codes, weights)
        self.coef_, self.intercept_ = model.coef_, np.broadcast_to(model.intercept_, len(model.coef_)).astype(float)
        self.n_iter_, self.optimality_ = np.asarray(model.n_iter_, dtype=np.int32), float("nan")
        return self

    # -- predicting ------------------------------------------------------------------------------------

    def decision_function(self, X: Any) -> np.ndarray:
        """The log-odds of the second class, or for several classes their raw predictions, rows × classes."""
        check_is_fitted(self)
        raw = raw_predictions(matrix_input(self, X, reset=False), self.coef_, self.intercept_)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row."""
        raw = self.decision_function(X)
        return self.classes_[(raw > 0).astype(np.int64) if raw.ndim == 1 else raw.argmax(axis=1)]

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(y | x) for each row and class, in the order of ``classes_``."""
        raw = self.decision_function(X)
        return LogLoss.of_classes(len(self.classes_)).mean(raw)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """log P(y | x) for each row and class."""
        raw = self.decision_function(X)
        if raw.ndim == 1:
            return -np.logaddexp(0.0, np.column_stack([raw, -raw]))
        raw = raw - raw.max(axis=1, keepdims=True)
        return raw - np.log(np.exp(raw).sum(axis=1, keepdims=True))

"""Logistic regression for two or more classes."""

from __future__ import annotations

import warnings
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.base import _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils._param_validation import Hidden, Interval, StrOptions

from probus.base import Model, checked_weights, matrix_input
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.linear_model.linear_base import float_dtype
from probus.linear_model.logistic_base import LogisticClassifier
from probus.linear_model.logistic_fit import LogisticFit, LogisticSettings, fit_logistic
from probus.linear_model.logistic_penalty import logistic_penalty, warn_of_n_jobs
from probus.state import Array, Spec

__all__ = ["LogisticRegression"]

# scikit-learn's words, by which its warnings are recognised
_FAILED = {
    "lbfgs": "lbfgs failed to converge after {} iteration(s)",
    "newton-cg": "newton-cg failed to converge after {} iterations",
    "newton-cholesky": "Newton solver did not converge after {} iterations",
    "sag": "The max_iter was reached which means the coef_ did not converge ({} iterations)",
    "saga": "The max_iter was reached which means the coef_ did not converge ({} iterations)",
}


class LogisticRegression(LogisticClassifier):
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
    multi_class : {"multinomial", "ovr"}
        More than two classes in one model (softmax), or each against the rest.
    reference : label or None
        Of more than two classes, the one whose coefficients are zero: those of the others are log-odds against it. By
        default every class has coefficients, and the penalty treats all alike.

    Attributes
    ----------
    classes_ : array of classes
    coef_ : array of 1 × columns for two classes, else of classes × columns
    intercept_ : array of 1, or of classes; both are float32 where X is
    n_iter_ : array of 1, or of classes with "ovr"
    optimality_ : float
        How far the objective per row is above its minimum (Newton), or the largest violation of the optimality
        conditions.
    inference_ : what ``summary`` needs; None for a penalty on absolute values, many columns, "ovr" and "liblinear"

    Examples
    --------
    >>> model = LogisticRegression(C=10.0).fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
    >>> model.predict_proba([[1.5]]).round(3), model.optimality_ < 1e-9
    (array([[0.5, 0.5]]), True)
    """

    fitted: ClassVar[dict[str, Spec]] = {
        **LogisticClassifier.fitted,
        "n_iter_": Array("i4", "*"),
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
        "multi_class": [StrOptions({"multinomial", "ovr"})],
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
        multi_class: str = "multinomial",
        reference: Any = None,
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
        self.multi_class = multi_class
        self.reference = reference

    @classmethod
    def examples(cls) -> list[Model]:
        """Both penalties."""
        return [cls(), cls(l1_ratio=1.0)]

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> LogisticRegression:
        """Compute the coefficients."""
        warn_of_n_jobs(self.n_jobs)
        logistic_penalty(self.penalty, self.C, self.l1_ratio)
        dtype, X = float_dtype(X), matrix_input(self, X, reset=True)
        check_squares(X)
        codes = self._encode(y, X.shape[0])
        own = checked_weights(sample_weight, X)
        weights = self._weights(codes, own)
        if self.solver == "liblinear":
            return self._fit_liblinear(X, codes, weights)
        settings = self._settings()
        found = fit_logistic(X, codes, weights, len(self.classes_), settings, self._start())
        self.coef_, self.intercept_ = (part.astype(dtype, copy=False) for part in (found.coef, found.intercept))
        self.n_iter_ = found.n_iter
        self.optimality_, self.inference_ = found.optimality, found.inference
        self._keep_rows(X, codes, own)
        self._warn(found)
        return self

    def _settings(self) -> LogisticSettings:
        strength, l1_ratio = logistic_penalty(self.penalty, self.C, self.l1_ratio)
        fit = (self.fit_intercept, self.tol, self.max_iter, self._reference(), self.multi_class == "ovr")
        return LogisticSettings(strength, l1_ratio, *fit)

    def _reference(self) -> int | None:
        """See ``LogisticClassifier``."""
        if self.reference is None:
            return None
        found = np.flatnonzero(self.classes_ == self.reference)
        if len(found) != 1 or self.multi_class == "ovr":
            raise DataError(
                f"reference={self.reference!r} with multi_class={self.multi_class!r} and the classes "
                f"{', '.join(repr(c) for c in self.classes_.tolist()[:10])}.",
                "one of the classes, and multi_class='multinomial'",
            )
        return int(found[0])

    def _is_penalised(self) -> bool:
        return self.penalty is not None and bool(np.isfinite(self.C))

    def _start(self) -> LogisticFit | None:
        if not self.warm_start or not hasattr(self, "coef_"):
            return None
        coef = np.atleast_2d(self.coef_.toarray() if issparse(self.coef_) else self.coef_)
        intercept = np.broadcast_to(np.atleast_1d(self.intercept_), len(coef))
        return LogisticFit(coef, intercept, np.zeros(1), np.inf, False, False, None)

    def _warn(self, found: LogisticFit) -> None:
        if not found.converged:
            warnings.warn(
                f"{_FAILED[self.solver].format(self.max_iter)}: optimality {found.optimality:.2e}. Increase the number "
                "of iterations (max_iter) or scale the columns.",
                ConvergenceWarning,
                stacklevel=3,
            )
        if found.separated:
            warnings.warn(
                "The classes are perfectly separated: without a penalty the coefficients have no finite optimum. Use a "
                "finite C.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _fit_liblinear(self, X: Any, codes: np.ndarray, weights: np.ndarray | None) -> LogisticRegression:
        from sklearn.linear_model._logistic import LogisticRegression as Borrowed  # the public name may be patched

        self.inference_ = None
        own = {name: value for name, value in self.get_params().items() if name not in ("multi_class", "reference")}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # given already
            model = Borrowed(**{**own, "class_weight": None}).fit(X, codes, weights)
        self.coef_, self.intercept_ = model.coef_, np.broadcast_to(model.intercept_, len(model.coef_)).astype(float)
        self.n_iter_, self.optimality_ = np.asarray(model.n_iter_, dtype=np.int32), float("nan")
        return self

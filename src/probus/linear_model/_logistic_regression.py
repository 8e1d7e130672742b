"""Logistic regression for two or more classes."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning

from probus.allowed_values import NoneAllowed, OneOf, RealIn
from probus.base import Model, checked_weights, matrix_input
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.linear_model._linear_base import float_dtype
from probus.linear_model._linear_parameters import L1_RATIO
from probus.linear_model._logistic_base import FAILED, LogisticClassifier
from probus.linear_model._logistic_fit import LogisticFit, LogisticSettings, fit_logistic
from probus.parameters import WARM_START, inherited, parameter
from probus.sklearn_seam import original
from probus.state import Array, Spec

_RATIOS = {"l2": 0.0, "l1": 1.0}


class LogisticRegression(LogisticClassifier):
    r"""Logistic regression, :math:`\min_B C \sum_i w_i \log(1 / P(y_i | x_i)) + ρ ‖B‖_1 + \frac12 (1 - ρ) ‖B‖^2`.

    Two classes have one vector of coefficients, the log-odds of the second; more have one each (softmax).

    ``summary`` has the log-odds of the second class, or of each class against the ``reference``, else the first, and
    odds ratios. Those of a penalised estimate ignore its bias. Weights count rows: one of weight 2 is two rows.

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

    penalty: Any = parameter(
        "Deprecated: use ``C`` and ``l1_ratio``.",
        default="deprecated",
        of=[OneOf("l1", "l2", "elasticnet", "deprecated"), NoneAllowed()],
        kw_only=False,
    )
    C: float = parameter(
        "The weight of the data against the penalty; infinity for no penalty.", default=1.0, above=0, at_most=np.inf
    )
    l1_ratio: Any = L1_RATIO.but(default=0.0, of=[RealIn(at_least=0, at_most=1), NoneAllowed()])
    intercept_scaling: float = inherited(default=1)
    warm_start: bool = WARM_START
    multi_class: str = parameter(
        "More than two classes in one model (softmax), or each against the rest.",
        default="multinomial",
        one_of=("multinomial", "ovr"),
    )
    reference: Any = parameter(
        "Of more than two classes, the one whose coefficients are zero: those of the others are log-odds against it. "
        "By default every class has coefficients, and the penalty treats all alike.",
        default=None,
    )

    fitted: ClassVar[dict[str, Spec]] = {
        **LogisticClassifier.fitted,
        "n_iter_": Array("i4", "*"),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Both penalties."""
        return [cls(), cls(l1_ratio=1.0)]

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
                f"{FAILED[self.solver].format(self.max_iter)}: optimality {found.optimality:.2e}. Increase the number "
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
        self.inference_ = None
        own = {name: value for name, value in self.get_params().items() if name not in ("multi_class", "reference")}
        model = original("sklearn.linear_model", "LogisticRegression")(**{**own, "class_weight": None})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # given already
            model.fit(X, codes, weights)
        self.coef_, self.intercept_ = model.coef_, np.broadcast_to(model.intercept_, len(model.coef_)).astype(float)
        self.n_iter_, self.optimality_ = np.asarray(model.n_iter_, dtype=np.int32), float("nan")
        return self


def logistic_penalty(penalty: Any, C: float, l1_ratio: float | None, *, level: int = 4) -> tuple[float, float]:
    """The weight of the penalty, and its share of absolute values.

    >>> logistic_penalty("deprecated", 4.0, 1.0)
    (0.25, 1.0)
    """
    if isinstance(penalty, str) and penalty == "deprecated":
        if l1_ratio is None:
            text = "'l1_ratio=None' was deprecated in scikit-learn 1.8. Use 0<=l1_ratio<=1 instead."
            warnings.warn(text, FutureWarning, stacklevel=level)
        return 1.0 / C, float(l1_ratio or 0.0)
    warnings.warn(
        "'penalty' was deprecated in scikit-learn 1.8: use l1_ratio=0 for 'l2', l1_ratio=1 for 'l1', and C=np.inf for "
        "None.",
        FutureWarning,
        stacklevel=level,
    )
    if penalty != "elasticnet" and l1_ratio not in (0.0, 1.0, None):
        text = f"l1_ratio parameter is only used when penalty is 'elasticnet'. Got (penalty={penalty})"
        warnings.warn(text, stacklevel=level)
    if penalty is None:
        if C != 1.0:
            warnings.warn("Setting penalty=None will ignore the C and l1_ratio parameters", stacklevel=level)
        return 0.0, 0.0
    if penalty == "elasticnet":
        if l1_ratio is None:
            raise DataError("penalty='elasticnet' and l1_ratio=None: l1_ratio must be specified.", "a number in [0, 1]")
        return 1.0 / C, float(l1_ratio)
    if l1_ratio != _RATIOS[penalty]:
        text = f"Inconsistent values: penalty={penalty} with l1_ratio={l1_ratio}. penalty is deprecated."
        warnings.warn(text, stacklevel=level)
    return (0.0 if np.isinf(C) else 1.0 / C), _RATIOS[penalty]


def warn_of_n_jobs(n_jobs: int | None) -> None:
    """Warn as scikit-learn does where the number of jobs is given, which nothing uses."""
    if n_jobs is not None:
        text = f"'n_jobs' has no effect since scikit-learn 1.8: leave it unspecified (n_jobs={n_jobs})."
        warnings.warn(text, FutureWarning, stacklevel=4)

"""Linear models composed of a loss, a penalty and a solver."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags, RegressorTags, Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import InstanceOf, NoneAllowed
from probus.base import Accepts, Model, checked_numbers, checked_weights, matrix_input
from probus.distances.magnitudes import check_squares
from probus.errors import DataError
from probus.linear_model._linear_base import checked_classes, column_names, raw_predictions
from probus.linear_model.datafits._offsets import minimise_near_zero
from probus.linear_model.datafits._smooth_problem import SmoothProblem
from probus.linear_model.inference._coefficient_summary import CoefficientSummary
from probus.linear_model.inference._extrapolation import TrainingRange, training_range, warn_of_extrapolation
from probus.linear_model.penalties import L1L2, L2, NoPenalty, Penalty
from probus.linear_model.solvers import Newton, Solver, chosen_solver, gradient_scale
from probus.losses import Huber, LogLoss, Loss, Softmax, loss_named
from probus.parameters import FIT_INTERCEPT, WARM_START, attribute, parameter
from probus.state import Array, Either, Labels, Maybe, Number, Object, Spec, String


def _is_for_classes(model: GeneralizedLinearEstimator) -> bool:
    return model._loss(2).for_classes


class GeneralizedLinearEstimator(Model):
    r"""A linear model of a loss, a penalty and a solver, :math:`\min_B \frac1W \sum_i w_i L(y_i, x_i^T B + b) + Ω(B)`.

    Attributes
    ----------
    coef_ : array of columns, for classes of 1 × columns or classes × columns
    intercept_ : float, for classes an array
    classes_ : of a classifier
    optimality_ : float
        The largest violation of the optimality conditions, relative to the largest gradient at zero coefficients.
    n_iter_ : int
    solver_ : the name of the solver

    Examples
    --------
    >>> from probus.linear_model import L1, CoordinateDescent
    >>> X, y = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]], [1.0, 3.0, 5.0, 7.5]
    >>> model = GeneralizedLinearEstimator("squared_error", L1(0.1), CoordinateDescent()).fit(X, y)
    >>> model.coef_.round(3), model.optimality_ < 1e-6
    (array([2.07, 0.  ]), True)
    """

    datafit: Any = parameter(
        "The loss L, of ``probus.losses`` or by its name; ``SquaredError()`` where None. Losses of classes make a "
        "classifier: ``LogLoss()`` for two or more, ``SquaredHinge()`` for two.",
        default=None,
        of=[InstanceOf(Loss), InstanceOf(str), NoneAllowed()],
        kw_only=False,
    )
    penalty: Penalty | None = parameter(
        "Ω: ``NoPenalty``, ``L2``, ``L1``, ``L1L2``, ``WeightedL1``, ``Box``, ``GroupL2``, or ``MCP`` and ``SCAD``, "
        "which are not convex.",
        default=None,
        of=[InstanceOf(Penalty), NoneAllowed()],
        kw_only=False,
    )
    solver: Solver | None = parameter(
        "``Newton``, ``LBFGS``, ``CoordinateDescent`` or ``ProximalGradient``; None chooses. An error says which take "
        "the penalty.",
        default=None,
        of=[InstanceOf(Solver), NoneAllowed()],
        kw_only=False,
    )
    fit_intercept: bool = FIT_INTERCEPT
    warm_start: bool = WARM_START

    accepts = Accepts(sparse=True, weights=True, scaled=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "coef_": Either(Array("f8", "d"), Array("f8", "m d")),
        "intercept_": Either(Number(), Array("f8", "m")),
        "classes_": Maybe(Labels("K")),
        "optimality_": Number(),
        "n_iter_": Number(),
        "solver_": String(),
        "training_range_": Maybe(Object(TrainingRange)),
    }

    intercept_: Any = attribute()

    @classmethod
    def examples(cls) -> list[Model]:
        """A regression, and a classification with another solver."""
        return [cls(penalty=L1L2(0.01)), cls("log_loss", L2(0.01), Newton(tol=1e-9))]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        classes = self._loss(2).for_classes
        tags.estimator_type = "classifier" if classes else "regressor"
        tags.classifier_tags = ClassifierTags(multi_class=isinstance(self._loss(2), LogLoss)) if classes else None
        tags.regressor_tags = None if classes else RegressorTags()
        tags.target_tags.required = True
        tags.target_tags.positive_only = self._loss(2).name in ("poisson", "gamma", "tweedie")
        return tags

    def _loss(self, n_classes: int) -> Loss:
        """The loss for that many classes, if it is one of classes."""
        loss = loss_named("squared_error" if self.datafit is None else self.datafit)
        return loss.of_classes(n_classes) if loss.for_classes else loss

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> GeneralizedLinearEstimator:
        """Compute the coefficients."""
        X = matrix_input(self, X, reset=True)
        check_squares(X)
        loss, target = self._target(y, X.shape[0])
        penalty = NoPenalty() if self.penalty is None else self.penalty
        penalty.check_columns(X.shape[1])
        problem = SmoothProblem(X, target, checked_weights(sample_weight, X), loss, 0.0, intercept=self.fit_intercept)
        solver = chosen_solver(self.solver, loss, penalty, problem.shape[0] * problem.shape[1])
        found = minimise_near_zero(
            problem, self._start(problem), lambda near, start: solver.minimise(near, penalty, start)
        )
        theta = found.theta.T
        coef, intercept = (theta[:, :-1], theta[:, -1]) if self.fit_intercept else (theta, np.zeros(len(theta)))
        if isinstance(loss, Softmax):  # a common shift changes no probability: intercepts add up to 0
            intercept = intercept - intercept.mean() * self.fit_intercept
        one = not loss.for_classes
        self.coef_ = np.ascontiguousarray(coef[0] if one else coef)
        self.intercept_ = float(intercept[0]) if one else intercept.copy()
        self.optimality_, self.n_iter_ = found.optimality / gradient_scale(problem), found.n_iter
        self.solver_, self.training_range_ = type(solver).__name__, training_range(X) if one else None
        if not found.converged:
            warnings.warn(
                f"{self.solver_} did not converge in {found.n_iter} iterations: optimality {self.optimality_:.2e}, "
                f"tolerance {solver.tol:.2e}. Increase max_iter of the solver, scale the columns, or increase the "
                "penalty.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _target(self, y: Any, n_rows: int) -> tuple[Loss, np.ndarray]:
        loss = self._loss(2)
        self.__dict__.pop("classes_", None)
        if loss.for_classes:
            self.classes_, codes = checked_classes(y, n_rows)
            loss, target = self._loss(len(self.classes_)), codes.astype(np.float64)
        else:
            target = checked_numbers(y, n_rows)
        loss.check(target)
        if isinstance(loss, Huber) and loss.delta is None:
            loss = loss.at(target, np.full(n_rows, np.median(target)), None)
        return loss, target

    def _start(self, problem: SmoothProblem) -> np.ndarray | None:
        if not self.warm_start or not hasattr(self, "coef_"):
            return None
        coef = np.atleast_2d(self.coef_).T
        theta = np.vstack([coef, np.atleast_1d(self.intercept_)]) if self.fit_intercept else coef
        return theta if theta.shape == problem.shape else None

    def _raw(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = matrix_input(self, X, reset=False)
        warn_of_extrapolation(self, X, getattr(self, "training_range_", None), column_names)
        raw = raw_predictions(X, np.atleast_2d(self.coef_), self.intercept_)
        return raw[:, 0] if raw.shape[1] == 1 else raw

    @available_if(_is_for_classes)
    def decision_function(self, X: Any) -> np.ndarray:
        """The raw prediction of each row: of the second class, or rows × classes where there are more."""
        return self._raw(X)

    def predict(self, X: Any) -> np.ndarray:
        """The predicted number, the mean where the loss has a link, or the class of each row.

        Of a regression, an ``ExtrapolationWarning`` names the columns of rows far outside the training range.
        """
        raw = self._raw(X)
        if not hasattr(self, "classes_"):
            return self._loss(2).mean(raw)
        return self.classes_[(raw > 0).astype(np.int64) if raw.ndim == 1 else raw.argmax(axis=1)]

    @available_if(_is_for_classes)
    def predict_proba(self, X: Any) -> np.ndarray:
        """P(y | x) for each row and class, by the link of the loss."""
        raw = self._raw(X)
        return self._loss(len(self.classes_)).mean(raw)

    def summary(self, *, level: float = 0.95) -> CoefficientSummary:
        """Refuses: any loss may be combined with any penalty, and most of the pairs imply no standard errors."""
        check_is_fitted(self)
        raise DataError(
            "GeneralizedLinearEstimator has no standard errors: most pairs of a loss and a penalty imply none.",
            "a regression without a penalty, whose loss is a likelihood",
            "Use LinearRegression, LogisticRegression, PoissonRegressor, GammaRegressor or HuberRegressor.",
        )

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy of a classifier, R² of a regression."""
        measure = accuracy_score if hasattr(self, "classes_") else r2_score
        return float(measure(y, self.predict(X), sample_weight=sample_weight))

"""Logistic regression whose mean decisions differ little between groups."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.special import expit, log_expit
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Model
from probus.data import Table
from probus.ensemble import fit_member
from probus.fairness._mitigation import FairClassifier
from probus.fairness._moments import CONSTRAINTS, moments
from probus.linear_model import LogisticRegression
from probus.parameters import attribute, parameter
from probus.state import Array, Number, Spec

_OUTER, _INNER, _TOLERANCE, _GROWTH = 60, 50, 1e-12, 1e4
_BISECTIONS = 25


class FairLogisticRegression(FairClassifier):
    r"""Logistic regression with a limit on how much decisions differ between groups (Zafar et al. 2017).

    .. math:: \min_w \sum_i \log(1 + e^{-y_i x_i w}) + \frac{1}{2C} \lVert w \rVert^2
        \quad\text{where}\quad |\bar x_g w - \bar x w| \le b

    for the mean row of each group and that of all rows, or of those with one label. The problem is convex, and
    ``optimality_`` certifies the solution. ``limit="rate"`` lowers b until the rates of selected rows differ by at most
    the bound on the training rows. Columns are encoded and standardised as for ``LogisticRegression``.

    Attributes
    ----------
    coef_ : of the prepared columns, and ``intercept_``.
    multipliers_ : of the constraints of the groups; 0 where one is not active.
    optimality_ : the largest violation of the conditions of optimality.
    groups_ : how rows become groups.

    Examples
    --------
    >>> from probus.datasets import titanic
    >>> people = titanic()[["Survived", "Sex", "Fare", "Pclass"]]
    >>> X, y = people.drop("Survived"), people["Survived"]
    >>> model = FairLogisticRegression(sensitive="Sex", bound=0.05).fit(X, y)
    >>> decided, sex = model.decision_function(X), X["Sex"].decoded()
    >>> float(round(decided[sex == "female"].mean() - decided.mean(), 6)), model.optimality_ < 1e-8
    (0.05, True)
    """

    accepts = Accepts(nominal=True, weights=True)

    estimator = LogisticRegression()
    criterion: str = parameter(
        "Whose decisions are to be alike: of all rows, or of those with one label.",
        default="demographic_parity",
        one_of=tuple(CONSTRAINTS),
    )
    bound: float = parameter(
        "The largest difference of a group from all rows: of mean log odds, or of rates.", default=0.05, at_least=0
    )
    limit: str = parameter(
        'What is limited: "covariance", the mean log odds of groups, or "rate", how often rows are selected.',
        default="covariance",
        one_of=("covariance", "rate"),
    )
    C: float = parameter("The inverse of the strength of the penalty.", default=1.0, above=0)

    coef_: np.ndarray = attribute()
    intercept_: float = attribute()
    multipliers_: np.ndarray = attribute()
    optimality_: float = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        **FairClassifier.fitted,
        "coef_": Array("f8", "p"),
        "intercept_": Number(),
        "multipliers_": Array("f8", "m"),
        "optimality_": Number(),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """One whose first column is the sensitive one."""
        return [cls(sensitive=0, keep_sensitive=True)]

    def fit(self, X: Any, y: Any, sensitive_features: Any = None, sample_weight: Any = None) -> FairLogisticRegression:
        """Fit the model; ``sensitive_features`` are the groups where ``sensitive`` names none."""
        rows = self._learn_rows(X, y, sensitive_features, sample_weight)
        labels = self.classes_[rows.codes]
        self.estimator_ = fit_member(self._inner(), rows.X, labels, rows.weights)[:-1]
        Z = self._columns(rows.X)
        weights = np.ones(len(Z)) if rows.weights is None else rows.weights
        actual = rows.codes == self._positive
        A = moments(self.criterion, actual, rows.groups, weights)
        problem = _Problem(Z, np.where(actual, 1.0, -1.0), weights, self.C, A @ Z)
        if self.limit == "covariance":
            found = problem.solve(self.bound)
        else:
            found = self._within_rates(problem, A, Z)
        self.coef_, self.intercept_ = found[0][:-1], float(found[0][-1])
        self.multipliers_, self.optimality_ = found[1], found[2]
        return self

    def _within_rates(self, problem: _Problem, A: np.ndarray, Z: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """The largest limit on mean log odds under which rates differ by at most the bound."""

        def allowed(found: tuple[np.ndarray, np.ndarray, float]) -> bool:
            return bool(np.abs(A @ (Z @ found[0] > 0)).max() <= self.bound)

        free = problem.solve(np.inf)
        if allowed(free):
            return free
        low, high = 0.0, float(np.abs(problem.A @ free[0]).max())
        best = problem.solve(0.0)
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2
            found = problem.solve(middle)
            if allowed(found):
                low, best = middle, found
            else:
                high = middle
        return best

    def _columns(self, X: Table) -> np.ndarray:
        """The prepared columns, and one of ones."""
        prepared = np.asarray(Table.of(self.estimator_.transform(X), infer=False).numbers(), dtype=np.float64)
        return np.column_stack([prepared, np.ones(len(prepared))])

    def decision_function(self, X: Any) -> np.ndarray:
        """The log odds of the label that selects; those of the last label if it is another."""
        check_is_fitted(self)
        found = self._columns(self._read_columns(X)) @ np.append(self.coef_, self.intercept_)
        return found if self._positive else -found

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of both labels."""
        p = expit(self.decision_function(X))
        return np.column_stack([1 - p, p])

    def predict(self, X: Any) -> np.ndarray:
        """The more probable label."""
        selected = self.decision_function(X) > 0
        return self.classes_[selected.astype(np.int64)]


class _Problem:
    """The penalised log loss of y in −1 and 1, with limits on A w; the last column is the intercept."""

    def __init__(self, Z: np.ndarray, y: np.ndarray, weights: np.ndarray, C: float, A: np.ndarray):
        self.Z, self.y, self.weights, self.A = Z, y, weights, A
        self.ridge = np.append(np.full(Z.shape[1] - 1, 1 / C), 1e-10)

    def loss(self, w: np.ndarray) -> float:
        """The objective without the limits."""
        return float(-self.weights @ log_expit(self.y * (self.Z @ w)) + 0.5 * self.ridge @ w**2)

    def gradient(self, w: np.ndarray) -> np.ndarray:
        """Of the objective without the limits."""
        return self.Z.T @ (-self.weights * self.y * expit(-self.y * (self.Z @ w))) + self.ridge * w

    def solve(self, bound: float) -> tuple[np.ndarray, np.ndarray, float]:
        """The solution, the multipliers, and the violation of the conditions of optimality.

        Augmented Lagrangians (Hestenes 1969): Newton's method for a penalty on violations, whose multipliers grow.
        """
        m = len(self.A)
        w, both = np.zeros(self.Z.shape[1]), np.vstack([self.A, -self.A])
        multiplier, mu = np.zeros(2 * m), 10.0 * float(self.weights.sum())
        start = mu
        if not np.isfinite(bound):
            both, multiplier = both[:0], multiplier[:0]
        violation = np.inf
        for _ in range(_OUTER):
            w = self._newton(w, both, bound, multiplier, mu)
            excess = both @ w - bound
            multiplier = np.maximum(multiplier + mu * excess, 0.0)
            violation, before = self._violation(w, both, bound, multiplier), violation
            if violation <= _TOLERANCE:
                break
            if violation > 0.25 * before:
                mu = min(10 * mu, _GROWTH * start)
        found = multiplier[:m] - multiplier[m:] if len(multiplier) else np.zeros(m)
        return w, found, violation

    def _newton(self, w: np.ndarray, both: np.ndarray, bound: float, multiplier: np.ndarray, mu: float) -> np.ndarray:
        def value(w: np.ndarray) -> float:
            return self.loss(w) + float((np.maximum(multiplier + mu * (both @ w - bound), 0.0) ** 2).sum()) / (2 * mu)

        for _ in range(_INNER):
            pressed = np.maximum(multiplier + mu * (both @ w - bound), 0.0)
            gradient = self.gradient(w) + both.T @ pressed
            p = expit(self.Z @ w)
            active = both[pressed > 0]
            hessian = (self.Z.T * (self.weights * p * (1 - p))) @ self.Z + np.diag(self.ridge) + mu * active.T @ active
            step = np.linalg.lstsq(hessian, gradient, rcond=None)[0]
            slope, size, now = float(gradient @ step), 1.0, value(w)
            while size > 1e-10 and value(w - size * step) > now - 1e-4 * size * slope + 1e-13 * abs(now):
                size /= 2
            w = w - size * step
            if slope <= 1e-22 * max(1.0, abs(now)):
                break
        return w

    def _violation(self, w: np.ndarray, both: np.ndarray, bound: float, multiplier: np.ndarray) -> float:
        """Of stationarity, relative to the rows, of the limits, and of complementarity."""
        excess = both @ w - bound
        steep = np.abs(self.gradient(w) + both.T @ multiplier).max() / self.weights.sum()
        slack = np.abs(np.minimum(multiplier / self.weights.sum(), -excess)).max(initial=0.0)
        return float(max(steep, excess.max(initial=0.0), slack))

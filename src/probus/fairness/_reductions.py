"""Any classifier that takes weights, fitted so that rates of groups differ little: reductions to weighted problems."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar, NamedTuple

import numpy as np
from scipy.optimize import linprog
from sklearn.base import BaseEstimator

from probus.base import Model
from probus.data import Table
from probus.dummy import ZeroRClassifier
from probus.ensemble import fit_member
from probus.fairness._group_thresholds import draws_of
from probus.fairness._mitigation import FairClassifier
from probus.fairness._moments import CONSTRAINTS, moments
from probus.naive_bayes import NaiveBayes
from probus.parameters import RANDOM_STATE, attribute, parameter
from probus.pipeline import tabular
from probus.state import Array, Many, Number, Object, Spec
from probus.wrapping import must_take_weights

_SMALL = 1e-9
_CLOSE = 1e-6  # a limit is kept when rounding alone exceeds it
_OTHER_PRICES = (0.5, 0.75, 1.5, 0.25)  # of those of the program: a model need not have the fewest errors at these


class ExponentiatedGradient(FairClassifier):
    r"""A mixture of fitted classifiers with the fewest errors under a limit on the rates of groups.

    The problem of Agarwal et al. (2018): a saddle point between a player who fits a classifier to weighted rows, and
    one who chooses multipliers of the constraints. Here a linear program finds the mixture of the classifiers so far
    and its multipliers, and the next classifier is fitted to the rows weighted by these, and by shares of these, until
    none is better (column generation). That needs fewer fits than steps of exponentiated gradients.

    A row is decided by one of the classifiers, which is drawn with the weights of the mixture. ``predict_proba`` has
    the probability of each decision. A row is always decided in the same way.

    Attributes
    ----------
    predictors_ : the classifiers of the mixture, and ``weights_`` their probabilities.
    gap_ : how much better a further classifier could be; 0 at the optimum. n_iter_ : how many were fitted.
    best_gap_ : the largest difference of a group's rate from that of all training rows.
    groups_ : how rows become groups.

    Examples
    --------
    >>> from probus.datasets import titanic
    >>> people = titanic()[["Survived", "Sex", "Age", "Fare", "Pclass"]]
    >>> X, y = people.drop("Survived"), people["Survived"]
    >>> model = ExponentiatedGradient(NaiveBayes(), eps=0.02, sensitive="Sex").fit(X, y)
    >>> model.best_gap_ <= 0.02 + 1e-9, len(model.predictors_) > 1
    (True, True)
    """

    constraints: str = parameter(
        "The criterion: which rates are to be alike.", default="demographic_parity", one_of=tuple(CONSTRAINTS)
    )
    eps: float = parameter(
        "The largest difference of a group's rate from that of all rows, on the training rows.",
        default=0.01,
        at_least=0,
    )
    max_iter: int = parameter("The most classifiers that are fitted.", default=50, at_least=1)
    nu: float = parameter("The gain of a further classifier below which the search ends.", default=1e-4, at_least=0)
    randomised: bool = parameter(
        "Whether decisions are drawn, so that rates are those of the mixture; else the more probable one is taken, "
        "with other rates.",
        default=True,
    )
    random_state: Any = RANDOM_STATE.but(doc="The seed of drawn decisions.")

    predictors_: list[Any] = attribute()
    weights_: np.ndarray = attribute()
    gap_: float = attribute()
    n_iter_: int = attribute()
    best_gap_: float = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        **{name: spec for name, spec in FairClassifier.fitted.items() if name != "estimator_"},
        "predictors_": Many(Object(BaseEstimator), "t"),
        "weights_": Array("f8", "t"),
        "gap_": Number(),
        "n_iter_": Number(),
        "best_gap_": Number(),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Naive Bayes, whose first column is the sensitive one."""
        return [cls(NaiveBayes(), sensitive=0, keep_sensitive=True, eps=0.1, randomised=False)]

    def fit(self, X: Any, y: Any, sensitive_features: Any = None, sample_weight: Any = None) -> ExponentiatedGradient:
        """Fit the mixture; ``sensitive_features`` are the groups where ``sensitive`` names none."""
        must_take_weights([self.estimator])
        rows = self._learn_rows(X, y, sensitive_features, sample_weight)
        weights = np.ones(len(rows.codes)) if rows.weights is None else rows.weights
        actual = rows.codes == self._positive
        errors = weights * np.where(actual, -1.0, 1.0) / weights.sum()  # of selecting a row
        A = moments(self.constraints, actual, rows.groups, weights)
        found: list[Any] = []
        decisions = np.empty((0, len(actual)), bool)
        best, waiting, self.n_iter_, self.gap_ = _Mixture(np.ones(1), np.zeros(len(A)), np.inf), [1.0], 0, 0.0
        while waiting and self.n_iter_ < self.max_iter:
            share = waiting.pop(0)
            price = share * best.price
            member = self._fitted_to(rows.X, errors + price @ A)
            selected = self._selects(member, rows.X)
            self.n_iter_ += 1
            if share == 1.0 and found:
                self.gap_ = float(
                    max(best.value - (errors + price @ A) @ selected + self.eps * np.abs(price).sum(), 0.0)
                )
            if (decisions == selected).all(axis=1).any():
                continue
            found.append(member)
            decisions = np.vstack([decisions, selected])
            before, best = best, _best_mixture(decisions @ errors, decisions @ A.T, self.eps)
            if before.value - best.value > self.nu:
                waiting = [1.0, *_OTHER_PRICES]
        used = np.flatnonzero(best.weights > _SMALL)
        self.predictors_ = [found[t] for t in used]
        self.weights_ = best.weights[used] / best.weights[used].sum()
        self.best_gap_ = float(np.abs(A @ (self.weights_ @ decisions[used])).max())
        if self.best_gap_ > self.eps + _CLOSE:
            text = f"a group's rate differs by {self.best_gap_:.3g} from that of all rows, more than eps={self.eps:g}"
            warnings.warn(f"ExponentiatedGradient: {text}. Allow more fits by max_iter.", stacklevel=2)
        return self

    def _fitted_to(self, X: Table, cost: np.ndarray) -> Any:
        """The model fitted to select the rows whose selection lowers the cost, weighted by it."""
        selected = cost < 0
        labels = self.classes_[np.where(selected, self._positive, 1 - self._positive)]
        weight = np.abs(cost) * len(cost) / np.abs(cost).sum() if cost.any() else None
        inner = self._inner() if 0 < selected.sum() < len(selected) else tabular(ZeroRClassifier())
        return fit_member(inner, X, labels, weight)

    def _selects(self, member: Any, X: Table) -> np.ndarray:
        return member.predict(X) == self.classes_[self._positive]

    def selection_probability(self, X: Any) -> np.ndarray:
        """The probability that each row is selected.

        Parameters
        ----------
        X : the rows.

        Returns
        -------
        float64[n].
        """
        return self._probability(self._read_columns(X))

    def _probability(self, rows: Table) -> np.ndarray:
        return self.weights_ @ np.array([self._selects(each, rows) for each in self.predictors_], dtype=np.float64)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each decision."""
        selected = np.clip(self.selection_probability(X), 0.0, 1.0)
        return np.column_stack([selected, 1 - selected] if self._positive == 0 else [1 - selected, selected])

    def predict(self, X: Any) -> np.ndarray:
        """The decisions, drawn by what is in the row, or the more probable ones."""
        rows = self._read_columns(X)
        limit = draws_of(rows, self.random_state) if self.randomised else 0.5
        return self.classes_[np.where(self._probability(rows) > limit, self._positive, 1 - self._positive)]


class _Mixture(NamedTuple):
    """Weights of classifiers, prices of the constraints, and the value of the program."""

    weights: np.ndarray
    price: np.ndarray
    value: float


def _best_mixture(errors: np.ndarray, gaps: np.ndarray, eps: float, penalty: float = 100.0) -> _Mixture:
    """The mixture of least error whose gaps are within ±eps; what exceeds that costs the penalty.

    errors : float64[t]. gaps : float64[t, constraints].
    """
    t, m = gaps.shape
    limits = np.block([[gaps.T, -np.ones((m, 1))], [-gaps.T, -np.ones((m, 1))]])
    found = linprog(
        np.append(errors, penalty), A_ub=limits, b_ub=np.full(2 * m, eps), A_eq=[[*([1.0] * t), 0.0]], b_eq=[1.0],
        method="highs",
    )  # fmt: skip
    dual = -found.ineqlin.marginals
    return _Mixture(found.x[:t], dual[:m] - dual[m:], float(found.fun))

"""Gradient boosting whose mean scores differ little between groups."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.special import logit

from probus.base import Model
from probus.ensemble import (
    BoostingClassifier,
    BoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    fit_member,
)
from probus.errors import DataError
from probus.fairness._fair_loss import SCORES, FairLogLoss
from probus.fairness._mitigation import FairClassifier
from probus.fairness._moments import CONSTRAINTS, moments
from probus.parameters import parameter
from probus.pipeline import tabular
from probus.state import Spec

_NUMBERS = {BoostingClassifier: BoostingRegressor, HistGradientBoostingClassifier: HistGradientBoostingRegressor}
_USUAL_RATE = 0.1


class FairBoosting(FairClassifier):
    r"""Gradient boosting with a penalty on how much mean scores differ between groups.

    .. math:: \frac{1}{n} \sum_i \ell(y_i, f(x_i)) + \lambda \sum_g \pi_g (\bar s_g - \bar s)^2

    with the shares :math:`\pi_g` of the groups and their mean scores: log odds, or probabilities. The trees are those
    of the model, on columns of any kind, and do not read the sensitive columns. A larger penalty gives smaller
    differences, of the training rows in the first place, and a larger log loss. With a penalty of 10 and more steps are
    small, so that more rounds are needed. Predictions do not need the group.

    Attributes
    ----------
    estimator_ : the fitted trees, which predict the probability of the second label.
    groups_ : how rows become groups.

    Examples
    --------
    >>> from probus.datasets import titanic
    >>> people = titanic()[["Survived", "Sex", "Age", "Fare", "Pclass"]]
    >>> X, y = people.drop("Survived"), people["Survived"]
    >>> women, few = X["Sex"].decoded() == "female", HistGradientBoostingClassifier(max_iter=30)
    >>> for penalty in (0, 3):
    ...     p = FairBoosting(few, penalty=penalty, sensitive="Sex").fit(X, y).predict_proba(X)[:, 1]
    ...     print(bool(p[women].mean() - p[~women].mean() > 0.1))
    True
    False
    """

    estimator: Any = parameter(
        "The model: ``BoostingClassifier`` or ``HistGradientBoostingClassifier``.", kw_only=False
    )
    penalty: float = parameter("The weight λ of the penalty; 0 is the model itself.", default=1.0, at_least=0)
    criterion: str = parameter(
        "Whose scores are to be alike: of all rows, or of those with one label.",
        default="demographic_parity",
        one_of=tuple(CONSTRAINTS),
    )
    of: str = parameter(
        'The scores whose means are compared: "log_odds", or "probability", which needs larger penalties.',
        default="log_odds",
        one_of=SCORES,
    )

    fitted: ClassVar[dict[str, Spec]] = FairClassifier.fitted

    @classmethod
    def examples(cls) -> list[Model]:
        """Few rounds, whose first column is the sensitive one."""
        few = HistGradientBoostingClassifier(max_iter=20, min_samples_leaf=5)
        return [cls(few, sensitive=0, keep_sensitive=True, penalty=1.0)]

    def fit(self, X: Any, y: Any, sensitive_features: Any = None, sample_weight: Any = None) -> FairBoosting:
        """Fit the trees; ``sensitive_features`` are the groups where ``sensitive`` names none."""
        rows = self._learn_rows(X, y, sensitive_features, sample_weight)
        weights = np.ones(len(rows.codes)) if rows.weights is None else rows.weights
        moments(self.criterion, rows.codes == self._positive, rows.groups, weights)  # refuses groups without such rows
        target = (rows.codes == self._positive) + 2.0 * rows.groups.codes
        self.estimator_ = fit_member(tabular(self._regressor(len(rows.groups))), rows.X, target, rows.weights)
        return self

    def _regressor(self, n_groups: int) -> Any:
        """The trees of numbers with the parameters of the model, and the loss."""
        kind = _NUMBERS.get(type(self.estimator))
        if kind is None:
            raise DataError(
                f"{type(self.estimator).__name__} has no loss to which a penalty could be added.",
                "BoostingClassifier() or HistGradientBoostingClassifier()",
                "Reweigh and ExponentiatedGradient take any model that takes weights.",
            )
        given = self.estimator.get_params(deep=False)
        for name, allowed in (("loss", "log_loss"), ("class_weight", None), ("scoring", "loss")):
            if name in given and given[name] != allowed:
                raise DataError(
                    f"{name}={given[name]!r} of the model.", f"{name}={allowed!r}, by which the penalty counts"
                )
        rate = given.get("learning_rate") or _USUAL_RATE
        loss = FairLogLoss(n_groups, self.penalty, self.criterion, self.of, rate)
        model = kind(loss=loss)
        known = model.get_params(deep=False)
        return model.set_params(**{name: value for name, value in given.items() if name in known and name != "loss"})

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities of both labels."""
        p = np.asarray(self._answer("predict", X), dtype=np.float64).ravel()
        return np.column_stack([p, 1 - p] if self._positive == 0 else [1 - p, p])

    def decision_function(self, X: Any) -> np.ndarray:
        """The log odds of the last label."""
        with np.errstate(divide="ignore"):
            return logit(self.predict_proba(X)[:, 1])

    def predict(self, X: Any) -> np.ndarray:
        """The more probable label."""
        selected = self.predict_proba(X)[:, 1] > 0.5
        return self.classes_[selected.astype(np.int64)]

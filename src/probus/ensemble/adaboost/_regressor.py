"""AdaBoost for regression."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from probus.allowed_values import HasMethod, NoneAllowed
from probus.base import Model, Regressor, checked_numbers
from probus.ensemble.adaboost._adaboost_base import AdaBoost, AdaBoostRound
from probus.ensemble.adaboost._weak_models import WeakModels
from probus.parameters import RANDOM_STATE, parameter
from probus.tree import DecisionTreeRegressor
from probus.tree.preparation import r2_in_units
from probus.wrapping import takes_weights

_LOSSES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "linear": np.positive,
    "square": np.square,
    "exponential": lambda share: -np.expm1(-share),
}


class AdaBoostRegressor(Regressor, AdaBoost):
    r"""AdaBoost: the weighted median of weak regressors, each fitted with larger weights where the previous ones erred.

    AdaBoost.R2 (Drucker 1997). The loss :math:`L_i` of a row is its absolute error over the largest one, or the
    square of that, or :math:`1 - e^{-L_i}`. With the weighted mean loss :math:`ε_m` and :math:`β_m = ε_m / (1 - ε_m)`,
    regressor m has the weight :math:`η \log(1 / β_m)` in the median, and the weights of rows are multiplied by
    :math:`β_m^{η (1 - L_i)}` for the next round. Boosting stops after a regressor without error, which gets a weight of
    1, and at one with :math:`ε_m ≥ ½`, which is left out unless it is the first.

    Attributes
    ----------
    estimators_, estimator_weights_, estimator_errors_ : the regressors, their weights and :math:`ε_m`; the latter two
        have ``n_estimators`` entries, filled up with 0 and 1 if boosting stopped early.
    history_ : errors and weights of the rounds, to print and plot.
    feature_importances_ : of the weak regressors that report them, weighted.

    Examples
    --------
    >>> from probus.datasets import mtcars
    >>> cars = mtcars()
    >>> model = AdaBoostRegressor(n_estimators=10, random_state=0).fit(cars[["wt", "hp", "cyl"]], cars["mpg"])
    >>> model.predict({"wt": [2.5], "hp": [110.0], "cyl": [6]}).round(1)
    array([21.5])
    """

    estimator: Any = parameter(
        "The weak regressor; by default ``DecisionTreeRegressor(max_depth=3)``. The ensemble accepts what it "
        "accepts: nominal columns, missing values.",
        default=None,
        of=[HasMethod("fit", "predict"), NoneAllowed()],
        kw_only=False,
    )
    n_estimators: int = parameter("The maximum number of rounds.", default=50, at_least=1)
    learning_rate: float = parameter("η in the formulas above: smaller values need more rounds.", default=1.0, above=0)
    loss: str = parameter(
        '"linear", "square" or "exponential".', default="linear", one_of=("linear", "square", "exponential")
    )
    random_state: Any = RANDOM_STATE
    resample: bool = parameter(
        "Whether rows are drawn by their weights for each round, as in Drucker's paper and scikit-learn; "
        "otherwise the weights are passed to the regressor, which is deterministic and faster, but predicts "
        "slightly worse. For a regressor that takes no weights, rows are always drawn.",
        default=True,
    )

    @classmethod
    def examples(cls) -> list[Model]:
        """With drawn rows, with weighted rows, and with drawn rows for pruned trees."""
        pruned = DecisionTreeRegressor(max_depth=3, ccp_alpha=0.01)
        weighed = cls(n_estimators=5, resample=False)
        return [cls(n_estimators=5), weighed, cls(pruned, n_estimators=3, loss="square", learning_rate=0.5)]

    # -- boosting --------------------------------------------------------------------------------------

    def _chosen(self) -> Any:
        return DecisionTreeRegressor(max_depth=3) if self.estimator is None else self.estimator

    def _check_estimator(self) -> None:
        return  # for a regressor that takes no weights, rows are drawn

    def _target(self, y: Any, n_rows: int) -> np.ndarray:
        return checked_numbers(y, n_rows)

    def _chance(self) -> float:
        return 0.5

    def _round(self, weak: WeakModels, member: Any, weight: np.ndarray, random: Any) -> AdaBoostRound | None:
        share = weight / weight.sum()
        if self.resample or not takes_weights(member):
            predicted = weak.fit_drawn(member, weak.draw(weight, random))
        else:
            predicted = weak.fit(member, weight)
        error_of_row = np.abs(predicted - weak.y)
        largest = error_of_row.max()
        loss = _LOSSES[self.loss](error_of_row / largest if largest > 0.0 else error_of_row)
        error = float(share @ loss)
        if error <= 0.0:
            return AdaBoostRound(0.0, 1.0, None)
        if error >= self._chance():
            return None if self.estimators_ else AdaBoostRound(1.0, 0.0, None)
        beta = error / (1.0 - error)
        return AdaBoostRound(
            error, self.learning_rate * float(np.log(1.0 / beta)), beta ** (self.learning_rate * (1.0 - loss))
        )

    # -- predict-------------------------------------------------------------------------------------------

    def predict(self, X: Any) -> np.ndarray:
        """The weighted median of the weak regressors' predictions."""
        return self._median(np.column_stack(list(self._predictions(X))))

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """``predict`` after 1, 2, … rounds."""
        predicted = np.column_stack(list(self._predictions(X)))
        return (self._median(predicted[:, :t]) for t in range(1, predicted.shape[1] + 1))

    def _median(self, predicted: np.ndarray) -> np.ndarray:
        """For each row the smallest prediction at which half of the weight is reached."""
        order = np.argsort(predicted, axis=1)
        reached = np.cumsum(self.estimator_weights_[order], axis=1)
        place = (reached >= 0.5 * reached[:, -1:]).argmax(axis=1)
        rows = np.arange(len(predicted))
        return predicted[rows, order[rows, place]]

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """R² after 1, 2, … rounds."""
        return (r2_in_units(np.asarray(y), predicted, sample_weight) for predicted in self.staged_predict(X))

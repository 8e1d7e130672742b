r"""Log loss with a penalty on how much the mean scores of groups differ, for boosting.

.. math:: \sum_i w_i \ell(y_i, f_i) + \lambda W \sum_g \pi_g (\bar s_g - \bar s)^2

The scores s are probabilities or log odds, :math:`\bar s_g` their means in the groups. A row's share of the gradient is
:math:`2 \lambda (\bar s_g - \bar s)\,s'(f_i)`: where the groups are is all that a row has to know of the others. The
target of a row is its label plus twice its group, so that losses of single rows can be computed from it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from scipy.special import expit

from probus.errors import DataError
from probus.fairness._moments import CONSTRAINTS
from probus.losses import LogLoss, Loss
from probus.parameters import parameter
from probus.state import Array, Maybe, Number, Size, Spec, String

SCORES = ("log_odds", "probability")


@dataclass(frozen=True)
class FairLogLoss(Loss):
    """Log loss of y = label + 2 · group, with a penalty on differences of mean scores between groups.

    The hessian has so much of the curvature of the penalty, along a step of the learning rate, that steps do not
    overshoot.

    Attributes
    ----------
    excess : how far the mean score of each group is above that of all rows, by label; None until ``at`` sets it.
    """

    n_groups: int = parameter("The number of groups.", at_least=1)
    penalty: float = parameter("The weight of the penalty.", default=1.0, at_least=0)
    criterion: str = parameter("Whose scores are to be alike.", default="demographic_parity", one_of=tuple(CONSTRAINTS))
    of: str = parameter("The scores whose means are compared.", default="log_odds", one_of=SCORES)
    learning_rate: float = parameter("The factor of the steps.", default=0.1, above=0)
    excess: np.ndarray | None = None

    declared: ClassVar[dict[str, Spec]] = {
        "n_groups": Size("g"), "penalty": Number(), "criterion": String(), "of": String(), "learning_rate": Number(),
        "excess": Maybe(Array("f8", "2 g")),
    }  # fmt: skip
    name = "fair_log_loss"
    for_classes = False  # boosting has to leave the targets as they are

    def check(self, y: np.ndarray) -> None:
        """Every value must be a label plus twice a group."""
        if ((y < 0) | (y >= 2 * self.n_groups) | (y != np.floor(y))).any():
            raise DataError("targets that are no labels plus twice groups.", "those of FairBoosting")

    def at(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None) -> FairLogLoss:
        """The loss with the mean scores of these rows."""
        label, group = _parts(y)
        w, score = np.ones(len(y)) if weight is None else weight, self._score(raw)
        excess = np.zeros((2, self.n_groups))
        for wanted in CONSTRAINTS[self.criterion]:
            counted = w if wanted is None else w * (label == wanted)
            total, summed = (np.bincount(group, each, minlength=self.n_groups) for each in (counted, counted * score))
            if total.sum() > 0:
                mean = np.divide(summed, total, out=np.zeros(self.n_groups), where=total > 0)
                found = np.where(total > 0, mean - summed.sum() / total.sum(), 0.0)
                excess[slice(None) if wanted is None else int(wanted)] = found
        return replace(self, excess=excess)

    def value(self, y: np.ndarray, raw: np.ndarray) -> np.ndarray:
        """See :class:`Loss`; the mean over rows has the penalty."""
        label, group = _parts(y)
        return LogLoss().value(label, raw) + self.penalty * self._excess()[label.astype(np.int64), group] ** 2

    def derivatives(self, y: np.ndarray, raw: np.ndarray, gradient: np.ndarray, hessian: np.ndarray | None) -> None:
        """See :class:`Loss`."""
        label, group = _parts(y)
        LogLoss().derivatives(label, raw, gradient, hessian)
        slope = self._slope(raw)
        gradient += 2 * self.penalty * self._excess()[label.astype(np.int64), group] * slope
        if hessian is not None:
            counts = sum(label >= 0 if wanted is None else label == wanted for wanted in CONSTRAINTS[self.criterion])
            share = 0.5 if self.of == "log_odds" else 1.0  # the curvature of probabilities changes along the step
            hessian += 2 * share * self.penalty * self.learning_rate * counts * slope**2

    def constant(self, y: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
        """The log odds of all labels, by which groups do not differ."""
        return LogLoss().constant(_parts(y)[0], weight)

    def mean(self, raw: np.ndarray) -> np.ndarray:
        """The probability of the second label."""
        return expit(raw)

    def linked(self, mean: np.ndarray) -> np.ndarray:
        """The log odds."""
        return np.log(mean) - np.log1p(-mean)

    def step(self, y: np.ndarray, raw: np.ndarray, weight: np.ndarray | None, output: int = 0) -> float:
        """See :class:`Loss`; without the penalty."""
        return LogLoss().step(_parts(y)[0], raw, weight)

    def _score(self, raw: np.ndarray) -> np.ndarray:
        return expit(raw) if self.of == "probability" else raw

    def _slope(self, raw: np.ndarray) -> np.ndarray:
        if self.of == "log_odds":
            return np.ones(len(raw))
        p = expit(raw)
        return p * (1 - p)

    def _excess(self) -> np.ndarray:
        return np.zeros((2, self.n_groups)) if self.excess is None else self.excess


def _parts(y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Labels as floats, and groups."""
    group = np.floor_divide(y, 2.0)
    return y - 2 * group, group.astype(np.int64)

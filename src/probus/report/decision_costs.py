"""What would be decided if one class were costlier to miss: the numbers behind the slider of the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display import plain
from probus.metrics import Outcome

__all__ = ["DecisionCosts"]

_COSTS = (0.01, 0.02, 0.05, 0.1, 0.2, 1 / 3, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_MOST_CLASSES = 8


@dataclass(frozen=True, eq=False)
class DecisionCosts:
    """Confusion matrices of the decisions that cost least, for several costs of missing one class.

    An error on a row of class k costs c_k, so that the class of largest c_k p_k costs least.

    classes : the names of the classes that may be costlier: the positive one of two, or each of several.
    costs : the cost of missing that class, where every other error costs 1.
    matrices : int64[classes, costs, K, K], actual × predicted.

    >>> truth, p = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.3, 0.9])
    >>> outcome = Outcome(truth, classes=("no", "yes"), positive=1).with_probabilities(p)
    >>> costs = DecisionCosts.of(outcome)
    >>> costs.matrices[0, costs.costs.index(5.0)].tolist()
    [[1, 1], [0, 2]]
    """

    classes: tuple[str, ...]
    costs: tuple[float, ...]
    matrices: np.ndarray

    @classmethod
    def of(cls, outcome: Outcome) -> DecisionCosts | None:
        """The decisions from probabilities; None without them, or where the classes are too many to show."""
        k = len(outcome.classes)
        if outcome.probabilities is None or not 2 <= k <= _MOST_CLASSES:
            return None
        missed = [outcome.positive] if k == 2 and outcome.positive is not None else range(k)
        matrices = np.empty((len(missed), len(_COSTS), k, k), dtype=np.int64)
        for i, code in enumerate(missed):
            for j, cost in enumerate(_COSTS):
                weight = np.ones(k)
                weight[code] = cost
                decided = (outcome.probabilities * weight).argmax(axis=1)
                matrices[i, j] = np.bincount(outcome.actual * k + decided, minlength=k * k).reshape(k, k)
        return cls(tuple(str(outcome.classes[code]) for code in missed), _COSTS, matrices)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return plain(vars(self))

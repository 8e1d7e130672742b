"""What would be decided if one class were costlier to miss: the numbers behind the slider of the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.calibration import cheapest
from probus.display import plain
from probus.metrics import Outcome

_COSTS = (0.01, 0.02, 0.05, 0.1, 0.2, 1 / 3, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_MOST_CLASSES = 8
_SAME = 0.02  # two costs that differ by less, as a share, are one place of the slider


@dataclass(frozen=True, eq=False)
class DecisionCosts:
    """Confusion matrices of the decisions that cost least, for several costs of missing one class.

    classes : the names of the classes that may be costlier: the positive one of two, or each of several.
    costs : what missing that class costs, in errors of the other of two classes; of several classes, as a multiple of
        what the saved model takes it to cost. saved : the place of the saved model among them.
    base : float64[K, K], the costs that those of one class are multiplied by.
    matrices : int64[classes, costs, K, K], actual × predicted.

    >>> truth, p = np.array([0, 0, 1, 1]), np.array([0.1, 0.4, 0.3, 0.9])
    >>> outcome = Outcome(truth, classes=("no", "yes"), positive=1).with_probabilities(p)
    >>> costs = DecisionCosts.of(outcome, 1 - np.eye(2))
    >>> costs.matrices[0, costs.costs.index(5.0)].tolist()
    [[1, 1], [0, 2]]
    """

    classes: tuple[str, ...]
    costs: tuple[float, ...]
    saved: int
    base: np.ndarray
    matrices: np.ndarray

    @classmethod
    def of(cls, outcome: Outcome, costs: np.ndarray) -> DecisionCosts | None:
        """The decisions from probabilities; None without them, or where the classes are too many to show."""
        k = len(outcome.classes)
        if outcome.probabilities is None or not 2 <= k <= _MOST_CLASSES:
            return None
        net = costs - costs.diagonal()[:, None]  # a right prediction that costs something changes no decision
        missed = list(range(k))
        own = 1.0
        if k == 2 and outcome.positive is not None and (net.sum(axis=1) > 0).all():
            missed = [outcome.positive]
            own = float(net[missed[0]].sum() / net[1 - missed[0]].sum())
            net = 1.0 - np.eye(2)
        tried = (*(cost for cost in _COSTS if abs(np.log(cost / own)) > _SAME), own)
        tried = tuple(sorted(tried))
        matrices = np.empty((len(missed), len(tried), k, k), dtype=np.int64)
        for i, code in enumerate(missed):
            for j, cost in enumerate(tried):
                weight = np.ones((k, 1))
                weight[code] = cost
                decided = cheapest(outcome.probabilities, net * weight)
                matrices[i, j] = np.bincount(outcome.actual * k + decided, minlength=k * k).reshape(k, k)
        names = tuple(str(outcome.classes[code]) for code in missed)
        return cls(names, tried, tried.index(own), net, matrices)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return plain(vars(self))

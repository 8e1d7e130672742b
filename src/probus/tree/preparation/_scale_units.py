"""Powers of two by which targets and weights are divided while a tree grows, so that squares stay finite.

The score of a cut multiplies squares of sums with weights: of targets beyond 1e105, or of weights beyond 1e9, it might
overflow, and of very small ones vanish. Dividing by a power of two does not round, and other data are left unchanged.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple, TypeVar

import numpy as np
from sklearn.metrics import r2_score

from probus.tree._criteria import CRITERIA, SQUARES
from probus.tree._trees import Trees
from probus.tree.preparation._row_target import Target
from probus.tree.preparation._tree_settings import TreeSettings

_LARGEST_TARGET = 350  # as exponents of two
_TARGET_UNIT = 680
_LARGEST_WEIGHT = 30

AnyTrees = TypeVar("AnyTrees", bound=Trees)


def target_unit(y: np.ndarray) -> float:
    """The unit of numbers whose squares are summed: 1, or for very large or very small ones 2^680 or 2^-680.

    There are only these three, so that impurities of trees on parts of the rows are in the same unit.

    >>> target_unit(np.array([1.0, -7.5])), target_unit(np.array([1e300])) == 2.0**680
    (1.0, True)
    """
    exponent = _exponent(y)
    if -_LARGEST_TARGET <= exponent <= _LARGEST_TARGET:
        return 1.0
    return 2.0 ** math.copysign(_TARGET_UNIT, exponent)


def r2_in_units(y: np.ndarray, predicted: np.ndarray, sample_weight: np.ndarray | None = None) -> float:
    """R², which has no unit, of numbers whose squares may overflow.

    >>> r2_in_units(np.array([1e300, 2e300, 3e300]), np.array([1e300, 2e300, 2e300]))
    0.5
    """
    unit = target_unit(y)
    return float(r2_score(y / unit, predicted / unit, sample_weight=sample_weight))


def _exponent(values: np.ndarray) -> int:
    """The exponent of the largest absolute value; 0 where all are 0."""
    return math.frexp(max(float(values.max()), -float(values.min())))[1]


class Units(NamedTuple):
    """The units of the target and of the weights of a tree."""

    target: float
    weight: float

    @property
    def are_one(self) -> bool:
        """Whether nothing is divided."""
        return self.target == 1.0 and self.weight == 1.0

    def of_target(self, target: Target) -> Target:
        """The target in these units."""
        y = target.y if self.target == 1.0 else target.y / self.target
        return Target(y, target.weight / self.weight, target.n_classes)

    def of_settings(self, settings: TreeSettings) -> TreeSettings:
        """The settings of a tree that is grown in these units."""
        return replace(settings, min_weight_leaf=settings.min_weight_leaf / self.weight)

    def restored(self, trees: AnyTrees) -> AnyTrees:
        """The trees with values and weights of the data; impurities stay in units of the target, or they overflow."""
        return replace(
            trees,
            value=trees.value * self.target,
            weighted_n_node_samples=trees.weighted_n_node_samples * self.weight,
            gain=None if trees.gain is None else trees.gain * self.weight,
        )


def units_of(target: Target, criterion: str) -> Units:
    """The units in which a tree is grown on this target by this criterion."""
    exponent = _exponent(target.weight)
    weight = 1.0 if -_LARGEST_WEIGHT <= exponent <= _LARGEST_WEIGHT else 2.0 ** (exponent - 1)
    squared = target.n_classes == 1 and CRITERIA[criterion].code == SQUARES
    return Units(target_unit(target.y) if squared else 1.0, weight)

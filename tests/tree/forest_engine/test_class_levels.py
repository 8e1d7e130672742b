"""Partitions of many levels among several classes, where not every one is tried."""

from itertools import combinations

import numpy as np
import pytest

from probus.ensemble import RandomForestClassifier
from probus.tree import DecisionTreeClassifier


def stump(level, y, **options):
    forest = RandomForestClassifier(
        1, bootstrap=False, max_depth=1, categorical_features=[0], random_state=0, **options
    )
    return forest.fit(level[:, None].astype(float), y).trees_


def gain(level, y, left):
    def gini(part):
        return len(part) - (np.bincount(part) ** 2).sum() / len(part) if len(part) else 0.0

    goes = np.isin(level, left)
    return gini(y) - gini(y[goes]) - gini(y[~goes])


def test_levels_of_one_class_each_are_split_by_class_as_well_as_can_be():
    class_of = np.arange(20) % 3
    level = np.repeat(np.arange(20), np.arange(2, 22))
    y = class_of[level]
    best = max(gain(level, y, np.flatnonzero(class_of == k)) for k in range(3))
    trees = stump(level, y)
    assert trees.gain[0] == pytest.approx(best)
    left, right = trees.levels_of(0)
    assert not set(class_of[left]) & set(class_of[right])


def shares_of_levels(seed, n_levels, n_classes=4):
    """Rows of levels that differ in their classes, some missing."""
    rng = np.random.default_rng(seed)
    level = np.repeat(np.arange(n_levels), 30)
    y = (rng.normal(size=(n_levels, n_classes))[level] + rng.gumbel(size=(len(level), n_classes))).argmax(axis=1)
    return level.astype(float), y


@pytest.mark.parametrize("seed", range(5))
def test_no_partition_of_nine_levels_is_better(seed):
    level, y = shares_of_levels(seed, 9)
    every = [part for size in range(1, 5) for part in combinations(range(9), size)]
    trees = stump(level, y)
    assert trees.gain[0] == pytest.approx(max(gain(level, y, part) for part in every))


@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("n_levels", [7, 10, 12, 20, 40])
@pytest.mark.parametrize("options", [{}, {"min_samples_leaf": 100}])
def test_a_tree_and_a_tree_of_a_forest_split_levels_alike(criterion, n_levels, options):
    for seed in range(3):
        level, y = shares_of_levels(seed, n_levels)
        level[::11] = np.nan
        options = {**options, "criterion": criterion, "max_features": None}
        tree = DecisionTreeClassifier(max_depth=1, categorical_features=[0], **options).fit(level[:, None], y).tree_
        forest = stump(level, y, **options)
        np.testing.assert_allclose(forest.improvement[0], tree.improvement[0], rtol=1e-9)
        sides = [{frozenset(side) for side in each.levels_of(0)} for each in (tree, forest)]
        assert sides[0] == sides[1]

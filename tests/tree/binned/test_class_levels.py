"""Partitions of many levels among several classes, where not every one is tried."""

from itertools import combinations

import numpy as np
import pytest

from probus.ensemble import RandomForestClassifier


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


@pytest.mark.parametrize("seed", range(5))
def test_many_levels_in_order_of_their_shares_are_split_nearly_as_well_as_can_be(seed):
    rng = np.random.default_rng(seed)
    level = np.repeat(np.arange(9), 30)
    y = (rng.normal(size=(9, 4))[level] + rng.gumbel(size=(270, 4))).argmax(axis=1)
    every = [part for size in range(1, 5) for part in combinations(range(9), size)]
    trees = stump(level, y)
    assert trees.gain[0] == pytest.approx(gain(level, y, trees.levels_of(0)[0]))
    assert trees.gain[0] >= 0.9 * max(gain(level, y, part) for part in every)

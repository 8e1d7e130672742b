"""Symmetric trees: one split for all nodes of a depth, which is the best of all, or nearly so with noise."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from probus.ensemble import BoostingClassifier, BoostingRegressor
from probus.ensemble.boosting import _grower as grower
from probus.ensemble.boosting._node_arrays import CUT, DEPTH, END, FEATURE, GAIN, LEFT, N_CODES, NOMINAL, START
from probus.ensemble.boosting._packed_gradients import Amounts
from probus.ensemble.boosting._symmetric import noise_unit

seeds = st.integers(0, 2**32)
N_LEVELS = np.array([0, 0, 4, 40])
DEEP = 4
RULES = {"n_levels": N_LEVELS, "symmetric": True, "level_l2": 0.0, "level_rows": 2.0, "l2": 0.5}


def table(seed: int, n: int = 150) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers and levels with missing values, gradients and hessians."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 9, n), rng.normal(size=n), rng.integers(0, 4, n), rng.integers(0, 40, n)])
    g = np.sin(X[:, 0]) + X[:, 1] * (X[:, 2] == 1) + (X[:, 3] % 3) + rng.normal(size=n) - 1.0
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, g, rng.exponential(size=n) + 0.01


def leaf_rows(tree) -> list[np.ndarray]:
    return [tree.rows(leaf) for leaf in np.flatnonzero(tree.links[:, LEFT] < 0)]


def score(tree, rows: np.ndarray) -> float:
    return tree.g[rows].sum() ** 2 / (tree.h[rows].sum() + tree.plan.l2) if len(rows) else 0.0


def left_sides(tree, f: int):
    """Every set of rows that a split on a column can send to the left."""
    codes, n_codes = tree.codes[:, f], tree.about[f, N_CODES]
    order, known = list(range(n_codes)), np.ones(len(codes), bool)
    if tree.about[f, NOMINAL]:
        sizes = np.bincount(codes, minlength=n_codes + 1)[:n_codes]
        order = [c for c in order if sizes[c] >= tree.plan.level_rows]
        g, h = (np.bincount(codes, a, n_codes + 1)[:n_codes] for a in (tree.g, tree.h))
        order.sort(key=lambda c: g[c] / (h[c] * (1.0 + tree.plan.level_rows / sizes[c])))
        known = np.isin(codes, order)
    known &= codes < n_codes
    for last in range(1, len(order) + 1):
        left = np.isin(codes, order[:last])
        yield left
        yield left | ~known


def best_next(tree) -> float:
    """The best score of the leaves if all are split alike, by trying every split."""
    leaves, few = leaf_rows(tree), tree.plan.min_samples_leaf
    best = unsplit = sum(score(tree, rows) for rows in leaves)
    for f in range(len(tree.about)):
        for left in left_sides(tree, f):
            total = 0.0
            for rows in leaves:
                sides = rows[left[rows]], rows[~left[rows]]
                too_few = min(map(len, sides)) < few
                total += score(tree, rows) if too_few else sum(score(tree, side) for side in sides)
            best = max(best, total)
    return max(best, unsplit)


@pytest.mark.slow
@pytest.mark.parametrize("few", [1, 8])
@settings(max_examples=8, deadline=None)
@given(seed=seeds)
def test_each_depth_has_the_split_that_is_best_for_all_its_nodes(plant, few, seed):
    X, g, h = table(seed)
    trees = [
        plant(X, g, h, max_depth=deep, max_leaves=2**deep, min_samples_leaf=few, **RULES) for deep in range(DEEP + 1)
    ]
    for tree, deeper in pairwise(trees):
        reached = sum(score(deeper, rows) for rows in leaf_rows(deeper))
        assert reached == pytest.approx(best_next(tree), rel=1e-5)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("noise", [0.0, 1.0])
@settings(max_examples=15, deadline=None)
@given(seed=seeds)
def test_scanned_rows_give_the_tree_of_histograms(plant, noise, threads, seed):
    """Few rows of many columns are scanned; here of any table, with missing values, levels, weights and drawn rows."""
    X, g, h = table(seed, n=60)
    rng = np.random.default_rng(seed)
    times, rows = rng.integers(1, 4, 60).astype(float), np.flatnonzero(rng.random(60) < 0.7).astype(np.int32)
    some = {"times": times, "rows": rows, "threads": threads, "score_noise": noise, "seed": seed % 1000}
    trees = []
    for wide in (0, 4):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(grower, "_WIDE", wide)
            trees.append(plant(X, g, h, max_depth=DEEP, max_leaves=2**DEEP, **some, **RULES))
    assert trees[0].bytes == trees[1].bytes


def test_wide_tables_are_scanned_with_the_same_result(monkeypatch):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(40, 200))
    y = (X[:, 3] + 0.3 * rng.normal(size=40) > 0).astype(int)
    scanned = BoostingClassifier(30, random_state=0).fit(X, y)
    monkeypatch.setattr(grower, "_FEW_ROWS", 0)
    counted = BoostingClassifier(30, random_state=0).fit(X, y)
    assert (scanned.trees_.feature == counted.trees_.feature).all()
    assert_allclose(scanned.predict_proba(X), counted.predict_proba(X), rtol=1e-12)


@settings(max_examples=10)
@given(seed=seeds, few=st.integers(1, 20))
def test_a_depth_has_one_split_and_leaves_are_large_enough(plant, seed, few):
    X, g, h = table(seed)
    tree = plant(X, g, h, max_depth=DEEP, max_leaves=2**DEEP, min_samples_leaf=few, score_noise=1.0, **RULES)
    inner = tree.links[:, LEFT] >= 0
    assert len(np.unique(tree.links[inner][:, FEATURE])) <= DEEP
    assert tree.links[:, DEPTH].max() <= DEEP
    assert (tree.links[:, END] - tree.links[:, START]).min() >= few
    assert (tree.facts[inner, GAIN] >= 0.0).all()
    assert sorted(tree.grown.rows) == list(range(len(X)))


def test_noise_alternates_splits_that_are_about_equal_and_no_others(plant):
    rng = np.random.default_rng(0)
    X, drawn = rng.normal(size=(500, 3)), set()
    g = np.sign(X[:, 0]) + np.sign(X[:, 1]) + rng.normal(size=500)
    for seed in range(40):
        tree = plant(X, g, symmetric=True, max_depth=1, max_leaves=2, score_noise=1.0, seed=seed)
        drawn.add(int(tree.links[0, FEATURE]))
    assert drawn == {0, 1}
    plain = [plant(X, g, symmetric=True, max_depth=1, max_leaves=2, seed=seed) for seed in range(5)]
    assert len({(tree.links[0, FEATURE], tree.links[0, CUT]) for tree in plain}) == 1


def test_the_unit_of_noise_does_not_depend_on_the_scale_of_weights_and_equals_that_of_repeated_rows():
    rng = np.random.default_rng(1)
    g, h, times = rng.normal(size=50), rng.exponential(size=50), rng.integers(1, 4, 50)
    repeated = np.repeat(np.arange(50), times)
    plain = noise_unit(Amounts(g[repeated], h[repeated], None), None, np.arange(len(repeated)))
    for weight in (times.astype(float), 1e-6 * times):
        assert noise_unit(Amounts(weight * g, weight * h, None), weight, np.arange(50)) == pytest.approx(plain)


def smooth(n: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(2)
    X = rng.uniform(-1.0, 1.0, (n, 8))
    return X, np.sin(3.0 * X[:, 0]) + X[:, 1] * X[:, 2] + X[:, 3] ** 2 + 0.05 * rng.normal(size=n)


def test_smooth_functions_are_learnt_better_than_by_other_trees():
    X, y = smooth(1000)
    symmetric, other = (
        BoostingRegressor(400, learning_rate=0.1, max_leaf_nodes=most, random_state=0).fit(X[:500], y[:500])
        for most in (None, 32)
    )
    errors = [np.sqrt(np.mean((model.predict(X[500:]) - y[500:]) ** 2)) for model in (symmetric, other)]
    assert errors[0] < 0.9 * errors[1]


@pytest.mark.parametrize("kind", [BoostingRegressor, BoostingClassifier])
def test_the_size_of_the_target_does_not_change_the_splits(kind):
    X, y = smooth(300)
    y = y if kind is BoostingRegressor else (y > 0).astype(float)
    one, other = (kind(5, l2_regularization=0.0, random_state=0).fit(X, a) for a in (y, 1024.0 * y))
    assert (one.trees_.feature == other.trees_.feature).all()
    assert (one.trees_.threshold == other.trees_.threshold).all()


def test_without_a_penalty_rows_whose_hessians_are_zero_do_not_decide(plant):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 3))
    certain = X[:, 0] < 0
    g = np.where(certain, rng.normal(size=300), np.sign(X[:, 1]))
    tree = plant(X, g, np.where(certain, 0.0, 0.25), symmetric=True, max_depth=2, max_leaves=4, min_hessian=1e-3)
    assert tree.links[0, FEATURE] == 1
    assert np.isfinite(tree.facts[:, GAIN][tree.links[:, LEFT] >= 0]).all()

"""The kernel against a twin that tries every split of every node by the definition of the risk."""

from itertools import combinations

import numpy as np
import pytest

from probus.tree.forest_engine._binned_tree import binned_tree, can_be_binned
from probus.tree.forest_engine._column_bins import binned
from probus.tree.preparation._design import Design
from probus.tree.preparation._row_target import Target
from probus.tree.preparation._tree_settings import TreeSettings

N, LEVELS = 60, 4


def settings(criterion="gini", **others):
    defaults = {
        "splitter": "best", "max_depth": 2**31, "min_samples_split": 2, "min_samples_leaf": 1, "min_weight_leaf": 0.0,
        "min_impurity_decrease": 0.0, "max_leaf_nodes": None, "max_features": 5, "monotone": None, "max_bins": 255,
        "surrogates": None, "seed": 7,
    }  # fmt: skip
    return TreeSettings(criterion=criterion, **{**defaults, **others})


def design(rng, n=N):
    """Two columns of numbers and one of levels, with and without missing values, and a constant."""
    X = np.column_stack([
        rng.integers(0, 8, n), rng.normal(size=n).round(1), rng.integers(0, LEVELS, n), rng.integers(0, LEVELS, n),
        np.ones(n),
    ]).astype(float)  # fmt: skip
    for j in (1, 3):
        X[rng.random(n) < 0.2, j] = np.nan
    return Design(X, np.array([0, 0, LEVELS, LEVELS, 0]))


def target(rng, n_classes, n=N):
    return rng.normal(size=n).round(2) if n_classes == 1 else rng.integers(0, n_classes, n)


def risk(criterion, y, w, n_classes):
    """Σ w times the impurity of some rows."""
    if len(y) == 0:
        return 0.0
    if n_classes == 1:
        return float((w * (y - np.average(y, weights=w)) ** 2).sum())
    share = np.bincount(y, w, n_classes) / w.sum()
    if criterion == "gini":
        return float(w.sum() * (1 - (share**2).sum()))
    return float(-w.sum() * (share[share > 0] * np.log2(share[share > 0])).sum())


def every_split(x, n_levels):
    """For each way to ask a column, which rows go left."""
    known = np.unique(x[~np.isnan(x)])
    if n_levels:
        parts = [set(part) for size in range(len(known) + 1) for part in combinations(known, size)]
        sides = [np.isin(x, list(part)) for part in parts]
    else:
        sides = [x <= v for v in known]
    return [side | (np.isnan(x) if way else False) for side in sides for way in (False, True)]


def best_gain(criterion, design, y, w, n_classes, min_leaf, min_weight):
    before, best = risk(criterion, y, w, n_classes), -np.inf
    for j in range(design.X.shape[1]):
        for left in every_split(design.X[:, j], design.n_levels[j]):
            if min(left.sum(), (~left).sum()) < max(1, min_leaf) or min(w[left].sum(), w[~left].sum()) < min_weight:
                continue
            after = risk(criterion, y[left], w[left], n_classes) + risk(criterion, y[~left], w[~left], n_classes)
            best = max(best, before - after)
    return best


def goes_left(tree, node, X):
    x = X[:, tree.feature[node]]
    if tree.n_levels[tree.feature[node]]:
        left, right = tree.levels_of(node)
        known = np.isin(x, np.concatenate([left, right]))
        return np.where(known, np.isin(x, left), tree.missing_go_to_left[node] == 1)
    return np.where(np.isnan(x), tree.missing_go_to_left[node] == 1, x <= tree.threshold[node])


CASES = [
    (criterion, n_classes, whole, limits)
    for criterion, n_classes in (("gini", 2), ("entropy", 2), ("gini", 3), ("entropy", 3), ("squared_error", 1))
    for whole in (True, False)
    for limits in ({}, {"min_samples_leaf": 4}, {"min_weight_leaf": 6.0})
]


@pytest.mark.parametrize(("criterion", "n_classes", "whole", "limits"), CASES)
def test_no_node_could_have_split_better(criterion, n_classes, whole, limits):
    rng = np.random.default_rng(len(criterion) + 10 * n_classes + whole)
    data, y = design(rng), target(rng, n_classes)
    if limits:  # under which the best part of the levels need not be one in order of their means
        data = Design(data.X, np.zeros(5, np.int64))
    w = rng.integers(0, 4, N).astype(float) if whole else rng.random(N) * 3
    tree = binned_tree(binned(data, 255, 1), data.n_levels, Target(y, w, n_classes), w, settings(criterion, **limits))
    tree.check()
    one = tree[0]
    rows = {0: np.flatnonzero(w)}
    for node in range(one.node_count):
        mine = rows[node]
        part, own, weights = Design(data.X[mine], data.n_levels), y[mine], w[mine]
        assert one.n_node_samples[node] == len(mine)
        assert one.weighted_n_node_samples[node] == pytest.approx(weights.sum())
        assert one.impurity[node] * weights.sum() == pytest.approx(risk(criterion, own, weights, n_classes), abs=1e-9)
        shares = np.bincount(own, weights, n_classes) if n_classes > 1 else [(own * weights).sum()]
        assert one.value[node, 0] == pytest.approx(np.asarray(shares) / weights.sum(), abs=1e-12)
        limit = limits.get("min_samples_leaf", 1), limits.get("min_weight_leaf", 0.0)
        best = -np.inf if one.impurity[node] == 0 else best_gain(criterion, part, own, weights, n_classes, *limit)
        if one.is_leaf[node]:
            assert best == -np.inf
            continue
        assert tree.gain[node] == pytest.approx(best, rel=1e-9, abs=1e-9)
        left = goes_left(one, node, part.X)
        rows[one.children_left[node]], rows[one.children_right[node]] = mine[left], mine[~left]
    assert one.max_depth > 1


WEIGHTS = {
    "units": lambda rng, n: np.ones(n),
    "whole": lambda rng, n: rng.integers(1, 4, n).astype(float),
    "large": lambda rng, n: rng.integers(200, 400, n).astype(float),  # a byte does not hold them
    "fractions": lambda rng, n: rng.random(n) + 0.1,
}


@pytest.mark.parametrize("limits", [{}, {"min_samples_leaf": 3}, {"min_weight_leaf": 5.0}], ids=str)
@pytest.mark.parametrize("n_classes", [1, 2, 3, 9])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_random_cuts_divide_the_rows_and_gain_what_the_tree_says(weights, n_classes, limits):
    rng = np.random.default_rng(n_classes)
    few, n = design(rng, 600), 600  # more rows than a byte can count
    # more columns than a block, in few bins, so that thresholds fall inside of some
    data = Design(np.hstack([few.X, rng.normal(size=(n, 30))]), np.append(few.n_levels, np.zeros(30, np.int64)))
    y, w = target(rng, n_classes, n), WEIGHTS[weights](rng, n)
    criterion = "squared_error" if n_classes == 1 else "gini"
    chosen = settings(criterion, splitter="random", max_features=8, **limits)
    tree = binned_tree(binned(data, 5, 1), data.n_levels, Target(y, w, n_classes), w, chosen)
    tree.check()
    one, rows = tree[0], {0: np.arange(n)}
    for node in np.flatnonzero(~one.is_leaf):
        mine, left = rows[node], goes_left(one, node, data.X[rows[node]])
        gain = risk(criterion, y[mine], w[mine], n_classes)
        for child, part in ((one.children_left, mine[left]), (one.children_right, mine[~left])):
            assert one.n_node_samples[child[node]] == len(part) >= chosen.min_samples_leaf
            assert w[part].sum() >= chosen.min_weight_leaf
            gain -= risk(criterion, y[part], w[part], n_classes)
            rows[child[node]] = part
        assert tree.gain[node] == pytest.approx(gain, rel=1e-9, abs=1e-9)
    assert one.feature.max() >= 32  # of the second block


def test_random_thresholds_are_uniform_over_the_range_of_the_values():
    x = np.concatenate([np.linspace(0.0, 0.1, 200), [1.0]])
    data, y = Design(x[:, None], np.zeros(1, np.int64)), (x > 0.5).astype(int)
    bins = binned(data, 255, 1)
    first = [
        binned_tree(
            bins,
            data.n_levels,
            Target(y, np.ones(201), 2),
            np.ones(201),
            settings(splitter="random", seed=s, max_depth=1),
        ).threshold[0]
        for s in range(400)
    ]
    assert np.quantile(first, [0.25, 0.5, 0.75]) == pytest.approx([0.25, 0.5, 0.75], abs=0.07)


def test_every_column_is_drawn_equally_often():
    rng = np.random.default_rng(0)
    data, y, w = Design(rng.normal(size=(40, 5)), np.zeros(5, np.int64)), rng.integers(0, 2, 40), np.ones(40)
    bins = binned(data, 255, 1)
    roots = [
        binned_tree(bins, data.n_levels, Target(y, w, 2), w, settings(max_features=1, max_depth=1, seed=s)).feature[0]
        for s in range(1000)
    ]
    assert np.bincount(roots, minlength=5) == pytest.approx(200, abs=60)


def test_a_node_goes_on_asking_until_a_column_can_split():
    X = np.zeros((30, 20))
    X[:, 13] = np.arange(30)
    data, y, w = Design(X, np.zeros(20, np.int64)), np.arange(30) % 2, np.ones(30)
    tree = binned_tree(binned(data, 255, 1), data.n_levels, Target(y, w, 2), w, settings(max_features=1))
    assert set(tree.feature[~tree.is_leaf]) == {13}
    assert (tree.value[tree.is_leaf].max(axis=2) == 1.0).all()


def test_limits_of_depth_size_and_gain_are_kept():
    rng = np.random.default_rng(5)
    data, y, w = design(rng, 400), target(rng, 2, 400), np.ones(400)
    bins = binned(data, 255, 1)

    def grown(**limits):
        return binned_tree(bins, data.n_levels, Target(y, w, 2), w, settings(**limits))

    assert grown(max_depth=3)[0].max_depth == 3
    large = grown(min_samples_split=50)
    assert large.n_node_samples[~large.is_leaf].min() >= 50
    gains = grown(min_impurity_decrease=0.002)
    assert gains.gain[~gains.is_leaf].min() / 400 >= 0.002 - 1e-12


@pytest.mark.parametrize("splitter", ["best", "random"])
def test_wide_codes_grow_the_same_tree(splitter):
    rng = np.random.default_rng(6)
    data, y, w = design(rng), target(rng, 2), np.ones(N)
    narrow, wide = (
        binned_tree(binned(data, max_bins, 1), data.n_levels, Target(y, w, 2), w, settings(splitter=splitter))
        for max_bins in (255, 256)
    )
    for name in ("children_left", "feature", "threshold", "value"):
        np.testing.assert_array_equal(getattr(narrow, name), getattr(wide, name))


def test_what_the_kernel_does_not_know_is_left_to_the_other_engine():
    none = np.zeros(3, np.int64)
    assert can_be_binned(settings(), none)
    assert can_be_binned(settings("squared_error"), none)
    for other in (
        settings(max_bins=None), settings("poisson"), settings("absolute_error"),
        settings(monotone=np.array([1, 0, 0])),
    ):  # fmt: skip
        assert not can_be_binned(other, none)
    assert not can_be_binned(settings(), np.array([0, 70_000, 0]))

"""Trees grow where most is gained, within their limits, and the same on any number of threads."""

import heapq

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probus.ensemble.boosting import _grower as grower
from probus.ensemble.boosting._binning import bins_of
from probus.ensemble.boosting._iterations import Rounds
from probus.ensemble.boosting._node_arrays import DEPTH, END, GAIN, LEFT, START
from probus.ensemble.boosting._plan import BoostingPlan
from probus.ensemble.boosting._threads import ThreadPool
from probus.ensemble.boosting._tree_assembly import trees_of
from probus.losses import AbsoluteError, LogLoss, Softmax, SquaredError
from probus.tree.prediction._walk import leaves_of, sums_of
from probus.tree.preparation._design import Design

seeds = st.integers(0, 2**32)
N_LEVELS = np.array([0, 0, 4, 60])


def table(seed: int, n: int = 200) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Numbers and levels with missing values, gradients and hessians."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 30, n), rng.normal(size=n), rng.integers(0, 4, n), rng.integers(0, 60, n)])
    g = np.sin(X[:, 0]) + (X[:, 2] == 1) + (X[:, 3] % 3) + rng.normal(size=n) - 1.0
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, g, rng.exponential(size=n) + 0.01


def leaves(tree) -> list[int]:
    return np.flatnonzero(tree.links[:, LEFT] < 0).tolist()


def groups(tree, nodes: list[int]) -> set[tuple[int, ...]]:
    """The rows of nodes, by which nodes of different trees are known."""
    return {tuple(np.sort(tree.rows(node)).tolist()) for node in nodes}


def greedy(tree, n_leaves: int) -> list[int]:
    """The leaves left if a whole tree were grown by always splitting the node that gains most."""
    waiting, done = [(-tree.facts[0, GAIN], 0)], []
    while waiting and len(waiting) + len(done) < n_leaves:
        node = heapq.heappop(waiting)[1]
        if tree.links[node, LEFT] < 0:
            done.append(node)
            continue
        for child in (tree.links[node, LEFT], tree.links[node, LEFT] + 1):
            whole = tree.links[child, LEFT] < 0
            heapq.heappush(waiting, (0.0 if whole else -tree.facts[child, GAIN], int(child)))
    return done + [node for _, node in waiting]


@settings(max_examples=10)
@given(seed=seeds, n_leaves=st.integers(1, 40))
def test_the_leaf_that_gains_most_is_split_first(plant, seed, n_leaves):
    X, g, h = table(seed)
    rules = {"n_levels": N_LEVELS, "min_samples_leaf": 3, "level_rows": 2.0, "columns_per_node": 0.5, "seed": seed}
    whole = plant(X, g, h, max_leaves=1000, **rules)
    tree = plant(X, g, h, max_leaves=n_leaves, **rules)
    assert len(leaves(tree)) == min(n_leaves, len(leaves(whole)))
    assert groups(tree, leaves(tree)) == groups(whole, greedy(whole, n_leaves))


@settings(max_examples=10)
@given(seed=seeds, depth=st.integers(1, 6), n_leaves=st.none() | st.integers(2, 20), few=st.integers(1, 30))
def test_limits_are_kept(plant, seed, depth, n_leaves, few):
    X, g, h = table(seed)
    tree = plant(X, g, h, n_levels=N_LEVELS, max_depth=depth, max_leaves=n_leaves, min_samples_leaf=few)
    assert tree.links[:, DEPTH].max() <= depth
    assert len(leaves(tree)) <= (n_leaves or 2**depth)
    sizes = tree.links[:, END] - tree.links[:, START]
    assert sizes.min() >= min(few, len(X))


@settings(max_examples=10)
@given(seed=seeds)
def test_depth_first_and_best_first_end_at_the_same_tree_if_nothing_stops_them(plant, seed):
    X, g, h = table(seed)
    first, best = (plant(X, g, h, n_levels=N_LEVELS, max_depth=5, max_leaves=most) for most in (None, 1000))
    assert first.bytes == best.bytes


@settings(max_examples=10)
@given(seed=seeds)
def test_rows_stay_in_order_within_leaves_and_every_row_has_one(plant, seed):
    X, g, h = table(seed)
    tree = plant(X, g, h, n_levels=N_LEVELS, max_leaves=12)
    assert all((np.diff(tree.rows(leaf)) > 0).all() for leaf in leaves(tree))
    assert sorted(tree.grown.rows) == list(range(len(X)))


WAYS = {
    "best first": {"max_leaves": 15},
    "two leaves": {"max_leaves": 2},
    "depth first": {"max_leaves": None, "max_depth": 4},
    "columns drawn": {"max_leaves": 15, "columns_per_node": 0.5},
    "monotone": {"max_leaves": 15, "monotone": np.array([1, -1, 0, 0])},
    "interactions": {"max_leaves": 15, "interactions": np.array([[1, 1, 0, 0], [0, 1, 1, 1]], np.uint8)},
    "symmetric": {"max_leaves": 16, "max_depth": 4, "symmetric": True, "columns_per_node": 0.6, "score_noise": 1.0},
    "enough": {"max_leaves": 500, "min_samples_leaf": 20},
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n", [300, 6000])  # many rows are shared out among threads by rows, few by columns
@settings(max_examples=4)
@given(seed=seeds, curved=st.booleans(), share=st.sampled_from([1.0, 0.6]))
@pytest.mark.slow
def test_any_number_of_threads_grows_the_same_tree(plant, way, n, seed, curved, share):
    X, g, h = table(seed, n)
    rows = np.sort(np.random.default_rng(seed).permutation(n)[: int(share * n)])
    given = {"n_levels": N_LEVELS, "rows": rows, "seed": seed, "level_rows": 2.0, **WAYS[way]}
    alone = plant(X, g, h if curved else None, **given)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grower, "_WORTH_A_THREAD", 1)
        for threads in (2, 3, 4):
            assert plant(X, g, h if curved else None, threads=threads, **given).bytes == alone.bytes


# -- from growing to predicting -----------------------------------------------------------------------------


def boost(seed: int, loss, y: np.ndarray, weight: np.ndarray | None = None, threads: int = 1, **plan):
    """Some rounds, the raw predictions they end at, and those of the flat trees."""
    X, _, _ = table(seed, len(y))
    X[:, 3] = np.where(X[:, 3] == 7, np.nan, X[:, 3])  # a level that no row has
    design = Design(X, N_LEVELS)
    bins = bins_of(design)
    raw = np.tile(np.full(loss.n_outputs, 0.25), (len(y), 1))
    plan = BoostingPlan(loss, 4, **{"max_leaves": 9, "min_samples_leaf": 3, "level_rows": 3.0, "seed": seed, **plan})
    with ThreadPool(threads) as pool:
        rounds = Rounds(plan, bins, bins.codes(X), y, weight, raw, pool)
        grown = [tree for round_ in rounds.trees(4) for tree in round_]
    trees = trees_of(grown, bins, N_LEVELS)
    expected = np.full((len(y), loss.n_outputs), 0.25)
    sums_of(trees, X, loss.n_outputs, 1, expected)
    return trees, raw, expected


LOSSES = {"squared": SquaredError(), "log": LogLoss(), "absolute": AbsoluteError(), "softmax": Softmax(3)}
PLANS = {
    "plain": {},
    "rows drawn": {"subsample": 0.5},
    "columns drawn": {"columns_per_tree": 0.7, "columns_per_level": 0.6, "columns_per_node": 0.5},
    "depth first": {"max_leaves": None, "max_depth": 3},
    "symmetric": {"max_leaves": 8, "max_depth": 3, "symmetric": True, "subsample": 0.7, "score_noise": 1.0},
}


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("plan", PLANS)
@settings(max_examples=4)
@given(seed=seeds, packed=st.booleans(), weighed=st.booleans())
def test_training_rows_are_where_the_flat_trees_put_them(loss, plan, seed, packed, weighed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, {"log": 2, "softmax": 3}.get(loss, 9), 150).astype(float)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("probus.ensemble.boosting._binning._PACKED", 0 if packed else 1000)
        _, raw, expected = boost(seed, LOSSES[loss], y, rng.exponential(size=150) if weighed else None, **PLANS[plan])
    assert raw == pytest.approx(expected, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("plan", PLANS)
def test_any_number_of_threads_boosts_the_same_bytes(loss, plan, monkeypatch):
    for module in ("_grower._WORTH_A_THREAD", "_leaf_values._ENOUGH", "_iterations._ENOUGH"):
        monkeypatch.setattr(f"probus.ensemble.boosting.{module}", 64)
    y = np.random.default_rng(0).integers(0, {"log": 2, "softmax": 3}.get(loss, 9), 400).astype(float)
    found = set()
    for threads in (1, 2, 3, 4):
        trees, raw, _ = boost(5, LOSSES[loss], y, threads=threads, **PLANS[plan])
        found.add((raw.tobytes(), trees.value.tobytes(), trees.threshold.tobytes(), trees.gain.tobytes()))
    assert len(found) == 1


def test_weights_of_rows_not_drawn_do_not_matter():
    """A tree sees the rows drawn for it and no others."""
    y = np.random.default_rng(0).normal(size=150)
    trees, _, _ = boost(1, SquaredError(), y, subsample=0.5)
    counts = trees.n_node_samples[trees.start[:-1]]
    assert counts.tolist() == [75] * 4


@pytest.mark.parametrize("line_search", [False, True])
def test_nodes_hold_the_weight_of_their_rows_and_the_mean_of_their_leaves(line_search):
    rng = np.random.default_rng(0)
    y, weight = rng.normal(size=150), rng.exponential(size=150)
    trees, _, _ = boost(2, SquaredError(), y, weight, line_search=line_search)
    assert trees.weighted_n_node_samples[trees.start[:-1]] == pytest.approx(np.full(4, weight.sum()))
    inner = np.flatnonzero(~trees.is_leaf)
    left, right = trees.children_left[inner], trees.children_right[inner]
    cover, value = trees.weighted_n_node_samples, trees.value[:, 0, 0]
    assert cover[inner] == pytest.approx(cover[left] + cover[right])
    both = cover[left] * value[left] + cover[right] * value[right]
    assert value[inner] == pytest.approx(both / cover[inner])


@pytest.mark.parametrize("l1", [0.0, 3.0])
def test_leaves_are_newton_steps_from_true_sums(l1):
    """One round of squared error: −G / (H + λ), G shrunk by α, times the rate."""
    y = np.random.default_rng(0).normal(size=150)
    trees, _, _ = boost(3, SquaredError(), y, l1=l1, l2=2.0, rate=0.3)
    X, _, _ = table(3, 150)
    X[:, 3] = np.where(X[:, 3] == 7, np.nan, X[:, 3])
    leaf = leaves_of(trees, X)[:, 0]
    for node in np.unique(leaf):
        g = (0.25 - y[leaf == node]).sum()
        step = -0.3 * np.sign(g) * max(abs(g) - l1, 0.0) / ((leaf == node).sum() + 2.0)
        assert trees.value[node, 0, 0] == pytest.approx(step)

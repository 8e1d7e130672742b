"""Every node is split as trying every split would split it, and no leaf could have been split with gain."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probus.ensemble import HistGradientBoostingClassifier
from probus.ensemble.boosting._node_arrays import (
    CUT,
    DEPTH,
    FEATURE,
    GAIN,
    LEFT,
    LOWER,
    MISSING_LEFT,
    MONOTONE,
    N_CODES,
    NOMINAL,
    UPPER,
)

seeds = st.integers(0, 2**32)


def step_of(g: float, h: float, plan, l2: float, lower: float, upper: float) -> float:
    """The point where G s + (H + λ) s² / 2 + α |s| is least, within bounds."""
    shrunk = np.sign(g) * max(abs(g) - plan.l1, 0.0)
    return float(np.clip(-shrunk / (h + l2) if shrunk else 0.0, lower, upper))


def worth_of(g: float, h: float, step: float, plan, l2: float) -> float:
    return -(2 * g * step + (h + l2) * step**2 + 2 * plan.l1 * abs(step))


def parts(tree, rows: np.ndarray, f: int) -> Iterator[np.ndarray]:
    """Every way a column may part the rows of a node: which of them go left."""
    plan, code = tree.plan, tree.codes[rows, f]
    n_codes = tree.about[f, N_CODES]
    order = [c for c in range(n_codes) if (code == c).any()]
    if tree.about[f, NOMINAL]:
        order = [c for c in order if tree.times[rows][code == c].sum() >= plan.level_rows]

        def pull(c: int) -> float:
            some = rows[code == c]
            h, n = tree.h[some].sum(), tree.times[some].sum()
            return tree.g[some].sum() / (h + plan.level_rows * h / n)

        order.sort(key=pull)
    missing = ~np.isin(code, order)
    for q in range(len(order)):
        left = np.isin(code, order[: q + 1])
        yield left
        if missing.any():
            yield left | missing


def gain_of(tree, node: int, rows: np.ndarray, left: np.ndarray, f: int) -> float:
    """What a split gains; nothing if it is not allowed."""
    plan = tree.plan
    lower, upper = tree.facts[node, [LOWER, UPPER]]
    l2 = plan.l2 + plan.level_l2 * tree.about[f, NOMINAL]
    total, steps = 0.0, []
    for some in (rows[left], rows[~left]):
        g, h, n = tree.g[some].sum(), tree.h[some].sum(), tree.times[some].sum()
        if n < plan.min_samples_leaf or h < plan.min_hessian or not len(some):
            return -np.inf
        steps.append(step_of(g, h, plan, l2, lower, upper))
        total += worth_of(g, h, steps[-1], plan, l2)
    if (steps[0] - steps[1]) * tree.about[f, MONOTONE] > 0:
        return -np.inf
    g, h = tree.g[rows].sum(), tree.h[rows].sum()
    return total - worth_of(g, h, step_of(g, h, plan, l2, lower, upper), plan, l2)


def best_gains(tree, node: int) -> np.ndarray:
    """The best gain of each column."""
    rows = tree.rows(node)
    return np.array(
        [
            max((gain_of(tree, node, rows, left, f) for left in parts(tree, rows, f)), default=-np.inf)
            for f in range(len(tree.about))
        ]
    )


def check_every_node(tree, asked: int | None = None) -> None:
    """The splits made are the best, and what was left whole would gain nothing."""
    links, plan = tree.links, tree.plan
    scale = 1e-6 * (tree.g**2).sum() / max(tree.h.min(), 1e-3)
    for node in range(len(links)):
        gains = best_gains(tree, node)
        if links[node, LEFT] < 0:
            deep = plan.max_depth is not None and links[node, DEPTH] >= plan.max_depth
            few = tree.times[tree.rows(node)].sum() < plan.min_samples_split
            assert deep or few or asked or gains.max() <= plan.min_gain + scale
            continue
        f, rows = links[node, FEATURE], tree.rows(node)
        left = np.isin(rows, tree.rows(links[node, LEFT]))
        found = gain_of(tree, node, rows, left, f)
        assert found == pytest.approx(tree.facts[node, GAIN], abs=scale)
        assert found > plan.min_gain - scale
        better = (gains > found + scale).sum()
        assert better <= (0 if asked is None else len(gains) - asked)
        assert found >= gains[f] - scale


def table(seed: int, n: int = 50, missing: float = 0.15) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Two columns of numbers and two of levels, with gradients and hessians that depend on them."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 9, n), rng.normal(size=n), rng.integers(0, 4, n), rng.integers(0, 9, n)])
    g = np.where(X[:, 0] > 4, 1.0, -1.0) + (X[:, 2] == 1) + rng.normal(size=n)
    h = rng.exponential(size=n) + 0.01
    X[rng.random(X.shape) < missing] = np.nan
    return X, np.array([0, 0, 4, 9]), g, h


WAYS = {
    "plain": {},
    "l2": {"l2": 3.0},
    "l1": {"l1": 2.0},
    "min_gain": {"min_gain": 4.0},
    "min_samples_leaf": {"min_samples_leaf": 7},
    "min_samples_split": {"min_samples_split": 21},
    "min_hessian": {"min_hessian": 6.3},
    "monotone": {"monotone": np.array([1, -1, 0, 0])},
    "monotone, l1, l2": {"monotone": np.array([-1, 1, 0, 0]), "l1": 0.5, "l2": 1.0},
    "levels without price": {"level_l2": 0.0, "level_rows": 1.0},
    "few rows of a level": {"level_rows": 5.0, "level_l2": 2.0},
    "max_depth": {"max_depth": 2},
}


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=5)
@given(curved=st.booleans(), seed=seeds)
def test_the_best_split_is_found(plant, way, curved, seed):
    X, n_levels, g, h = table(seed)
    tree = plant(X, g, h if curved else None, n_levels=n_levels, max_leaves=None, **{"max_depth": 3, **WAYS[way]})
    check_every_node(tree)


@settings(max_examples=5)
@given(seed=seeds)
def test_the_best_split_is_found_among_columns_that_share_a_byte(plant, seed):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("probus.ensemble.boosting._binning._PACKED", 0)
        X, n_levels, g, h = table(seed)
        check_every_node(plant(X, g, h, n_levels=n_levels, max_leaves=None, max_depth=3, level_rows=2.0))


@settings(max_examples=5)
@given(seed=seeds)
def test_whole_weights_are_rows_to_the_search(plant, seed):
    X, n_levels, g, h = table(seed)
    times = np.random.default_rng(seed).integers(1, 5, len(X)).astype(float)
    weighed = {"times": times, "min_samples_leaf": 12, "level_rows": 6.0}
    check_every_node(plant(X, g * times, h * times, n_levels=n_levels, max_leaves=None, **weighed))


@pytest.mark.parametrize("asked", [1, 2, 3])
@settings(max_examples=5)
@given(seed=seeds)
def test_a_node_asks_so_many_columns_and_takes_the_best_of_them(plant, asked, seed):
    X, n_levels, g, h = table(seed)
    tree = plant(X, g, h, n_levels=n_levels, max_leaves=8, columns_per_node=asked / 4, level_rows=2.0, seed=seed)
    check_every_node(tree, asked)


def test_every_column_has_its_turn(plant):
    X = np.random.default_rng(0).normal(size=(50, 5))
    g = X.sum(axis=1)
    turns = [plant(X, g, max_leaves=2, columns_per_node=0.2, seed=seed).links[0, FEATURE] for seed in range(200)]
    assert (np.bincount(turns, minlength=5) > 20).all()


def test_columns_not_drawn_for_a_depth_are_not_asked_there(plant):
    X, n_levels, g, h = table(3, 300)
    levels = np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 1]], np.uint8)
    tree = plant(X, g, h, n_levels=n_levels, max_leaves=None, max_depth=5, levels=levels)
    inner = tree.links[tree.links[:, LEFT] >= 0]
    assert inner[:, DEPTH].max() >= 3
    for depth, asked in zip(inner[:, DEPTH], inner[:, FEATURE], strict=True):
        assert levels[min(depth, 2), asked]


def test_levels_are_parted_as_any_subset_could_at_best(plant):
    """Fisher: in order of their means no subset is better than some prefix, if no price is drawn towards zero."""
    rng = np.random.default_rng(0)
    x, g = rng.integers(0, 6, 90), rng.normal(size=90)
    tree = plant(x[:, None], g, n_levels=[6], max_leaves=2, level_l2=0.0, level_rows=0.0)
    best = 0.0
    for size in range(1, 6):
        for subset in itertools.combinations(range(6), size):
            left = np.isin(x, subset)
            halves = sum(g[half].sum() ** 2 / half.sum() for half in (left, ~left))
            best = max(best, halves - g.sum() ** 2 / 90)
    assert tree.facts[0, GAIN] == pytest.approx(best)


def test_levels_split_as_their_hand_ordered_codes_do(plant):
    rng = np.random.default_rng(1)
    x = rng.integers(0, 8, 200)
    g = rng.normal(size=8)[x] + rng.normal(size=200)
    mean = np.array([g[x == level].mean() for level in range(8)])
    rank = np.argsort(np.argsort(mean))
    free = {"max_leaves": 2, "level_l2": 0.0, "level_rows": 0.0}
    by_level, by_rank = plant(x[:, None], g, n_levels=[8], **free), plant(rank[x][:, None], g, **free)
    assert set(by_level.rows(1)) == set(by_rank.rows(1))
    assert by_level.facts[0, GAIN] == pytest.approx(by_rank.facts[0, GAIN])


# -- by hand ------------------------------------------------------------------------------------------------

TEN = np.arange(1.0, 11.0)[:, None]
G = [-2, -1, -2, -1, -2, 1, 2, 1, 2, 2]
H = [1, 1, 1, 1, 1, 0.5, 0.5, 1, 1, 1]


def test_ten_rows_by_hand(plant):
    """Left of 5.5: G = −8, H = 5; right: G = 8, H = 4; together G = 0. With λ = 1 the split gains
    64 / 6 + 64 / 5 − 0 = 23.4667; next to it, at 4.5, 36 / 5 + 36 / 6 = 13.2, and at 6.5, 49 / 6.5 + 49 / 4.5 = 18.43.
    """
    tree = plant(TEN, G, H, l2=1.0, max_leaves=2)
    assert tree.links[0, [FEATURE, CUT]].tolist() == [0, 4]
    assert tree.facts[0, GAIN] == pytest.approx(64 / 6 + 64 / 5, abs=1e-5)
    assert len(plant(TEN, G, H, l2=1.0, max_leaves=2, min_gain=23.4).links) == 3
    assert len(plant(TEN, G, H, l2=1.0, max_leaves=2, min_gain=23.5).links) == 1


def test_ten_rows_with_an_l1_penalty_by_hand(plant):
    """With α = 2 the sums shrink to 6 on either side: 36 / 6 + 36 / 5 = 13.2."""
    tree = plant(TEN, G, H, l2=1.0, l1=2.0, max_leaves=2)
    assert tree.links[0, CUT] == 4
    assert tree.facts[0, GAIN] == pytest.approx(13.2, abs=1e-5)


def test_ten_rows_of_which_one_is_missing_by_hand(plant):
    """The row of −2 at 5 joins the others of its sign, although it is missing: the same sums as if it were known."""
    X = TEN.copy()
    X[4] = np.nan
    tree = plant(X, G, H, l2=1.0, max_leaves=2)
    assert tree.links[0, [CUT, MISSING_LEFT]].tolist() == [3, 1]
    assert tree.facts[0, GAIN] == pytest.approx(64 / 6 + 64 / 5, abs=1e-5)


def test_ten_rows_of_two_classes_by_hand():
    """Five ones of ten: the log odds start at 0, p = 1/2, so g = p − y = ±1/2 and h = p (1 − p) = 1/4.

    Left of 5.5 four zeros and a one: G = 4/2 − 1/2 = 1.5, H = 5/4; with λ = 1 the leaf moves by −1.5 / 2.25 = −2/3,
    the right one, its mirror image, by 2/3, and the gain is 1.5² / 2.25 · 2 − 0 = 2.
    """
    y = [0, 0, 1, 0, 0, 1, 1, 0, 1, 1]
    model = HistGradientBoostingClassifier(
        max_iter=1, learning_rate=0.5, max_leaf_nodes=2, min_samples_leaf=1, l2_regularization=1.0
    ).fit(TEN, y)
    assert model.start_.tolist() == [0.0]
    assert model.trees_.threshold[0] == 5.5
    assert model.trees_.gain[0] == pytest.approx(2.0, abs=1e-6)
    assert model.decision_function(TEN) == pytest.approx(np.repeat([-1 / 3, 1 / 3], 5))

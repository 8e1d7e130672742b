"""Rows come to the leaves that a plain loop would send them to, however many there are and however they lie."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probus.errors import DataError
from probus.tree._trees import LEAF, Trees
from probus.tree.prediction import _fold as fold
from probus.tree.prediction import _walk as walk
from probus.tree.prediction._walk import leaves_of, staged_sums_of, sums_of

seeds = st.integers(0, 2**32)


def leaf_of(trees: Trees, t: int, row: np.ndarray) -> int:
    """Node by node, in words."""
    node = trees.start[t]
    while trees.children_left[node] != LEAF:
        goes_left = _answer(trees, node, row[trees.feature[node]])
        if goes_left is None:
            goes_left = bool(trees.missing_go_to_left[node])
        node = trees.children_left[node] if goes_left else trees.children_right[node]
    return node


def _answer(trees: Trees, node: int, x: float) -> bool | None:
    """None if the question cannot tell."""
    if np.isnan(x):
        return None
    n_levels = int(trees.n_levels[trees.feature[node]])
    if n_levels == 0:
        return bool(x <= trees.threshold[node])
    words = -(-n_levels // 32)
    bits = np.unpackbits(trees.subsets[trees.subset[node] :][: 2 * words].view(np.uint8), bitorder="little")
    left, known = bits[:n_levels], bits[32 * words :][:n_levels]
    if x not in np.flatnonzero(known):
        return None
    return bool(left[int(x)])


def leaves(trees: Trees, X: np.ndarray) -> np.ndarray:
    return np.array([[leaf_of(trees, t, row) for t in range(len(trees))] for row in X])


def sums(trees: Trees, X: np.ndarray, n_groups: int = 1) -> np.ndarray:
    """Tree after tree, for the same rounding."""
    out = np.zeros((len(X), n_groups, trees.n_values))
    for t, leaf in enumerate(leaves(trees, X).T):
        out[:, t % n_groups] += trees.value[leaf, 0]
    return out.reshape(len(X), -1)


WAYS = {"walking": (np.inf, np.inf), "by codes": (np.inf, 0), "folding": (0, np.inf)}


def go(patch: pytest.MonkeyPatch, way: str) -> None:
    """Let sums be found in that way wherever it can be gone, whatever the number of rows."""
    for name, value in zip(("_WORTH_FOLDING", "_WORTH_CODING"), WAYS[way], strict=True):
        patch.setattr(walk, name, value)


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """All ways to a sum, one after the other."""
    go(monkeypatch, request.param)
    return request.param


@given(seeds, st.integers(1, 9), st.integers(1, 40))
def test_rows_come_to_the_leaves_of_the_twin(grow_at_random, seed, n_trees, n_leaves):
    trees, X = grow_at_random(seed, n_trees, n_leaves, n_rows=20)
    np.testing.assert_array_equal(leaves_of(trees, X), leaves(trees, X))


@given(seeds, st.integers(1, 9), st.integers(1, 40), st.integers(1, 3), st.integers(1, 3))
def test_sums_are_those_of_the_twin_to_the_last_bit(grow_at_random, seed, n_trees, n_leaves, n_outputs, n_groups):
    n_levels = (0, 0, 3, 0, 40) if seed % 2 else (0, 0, 0)
    trees, X = grow_at_random(seed, n_trees, n_leaves, n_levels, n_outputs, n_rows=20)
    expected = sums(trees, X, n_groups)
    for way in WAYS:
        with pytest.MonkeyPatch.context() as patch:
            go(patch, way)
            np.testing.assert_array_equal(sums_of(trees, X, n_groups), expected)


@pytest.mark.slow
@pytest.mark.parametrize("n_levels", [(0,), (0, 0, 0), (31, 32), (255, 33, 0)])
@pytest.mark.parametrize("seed", range(3))
def test_numbers_levels_and_both_go_every_way(grow_at_random, way, n_levels, seed):
    trees, X = grow_at_random(seed, 8, 200, n_levels, n_rows=300)
    np.testing.assert_array_equal(sums_of(trees, X), sums(trees, X))


def test_more_thresholds_of_a_column_than_a_byte_tells_apart(grow_at_random, way):
    trees, X = grow_at_random(1, 20, 256, (0, 0), n_rows=200)
    assert len(np.unique(trees.threshold[trees.feature == 0])) > 600
    np.testing.assert_array_equal(sums_of(trees, X), sums(trees, X))


@pytest.mark.parametrize(("n_leaves", "n_levels"), [(700, (0, 0)), (100, (256, 300))])
def test_what_bytes_cannot_hold_is_walked(grow_at_random, n_leaves, n_levels):
    trees, X = grow_at_random(2, 3, n_leaves, n_levels, n_rows=200)
    assert not trees.packed.folds
    np.testing.assert_array_equal(sums_of(trees, X), sums(trees, X))


def test_very_many_rows_walk_down_large_trees_by_codes(grow_at_random):
    trees, X = grow_at_random(2, 3, 900, (0, 0), n_outputs=2, n_rows=300)
    many = np.resize(X, (16 * len(trees.children_left) // len(trees), 2))
    np.testing.assert_array_equal(sums_of(trees, many)[:300], sums(trees, X))
    assert len(walk.walk_coded.signatures) == 1


@pytest.mark.parametrize("n", [0, 1, 15, 17, 511, 513, 9000])
def test_any_number_of_rows_in_any_layout(grow_at_random, way, n):
    trees, X = grow_at_random(3, n_trees=5)
    X = np.resize(np.where(np.isfinite(X), X.astype(np.float32), X), (n, X.shape[1]))
    expected, at = sums_of(trees, X), leaves_of(trees, X)
    wide, frozen = np.repeat(X, 2, axis=0), X.copy()
    frozen.flags.writeable = False
    with np.errstate(over="ignore"):
        single = X.astype(np.float32)
    for other in (np.asfortranarray(X), wide[::2], frozen, np.asfortranarray(X)[:, ::-1][:, ::-1]):
        np.testing.assert_array_equal(sums_of(trees, other), expected)
        np.testing.assert_array_equal(leaves_of(trees, other), at)
    np.testing.assert_array_equal(sums_of(trees, single), sums_of(trees, single.astype(float)))


def test_threads_add_as_one(grow_at_random, way, monkeypatch):
    trees, X = grow_at_random(4, n_trees=7, n_rows=1300)
    expected, at = sums_of(trees, X, n_jobs=1), leaves_of(trees, X, n_jobs=1)
    monkeypatch.setattr("probus.parallel._WORTH_A_THREAD", 1e-9)
    for rows in (X, np.asfortranarray(X)):
        np.testing.assert_array_equal(sums_of(trees, rows, n_jobs=3), expected)
        np.testing.assert_array_equal(leaves_of(trees, rows, n_jobs=3), at)


def test_sums_are_added_to_what_is_there(grow_at_random, way):
    trees, X = grow_at_random(5, n_trees=4)
    out = np.full((len(X), 2), 7.0)
    assert sums_of(trees, X, 2, out=out) is out
    np.testing.assert_allclose(out, 7 + sums_of(trees, X, 2))


@pytest.mark.parametrize("out", [np.zeros((50, 1)), np.zeros((50, 2), np.float32), np.zeros((50, 2), order="F")])
def test_sums_are_not_added_to_what_cannot_take_them(grow_at_random, out):
    trees, X = grow_at_random(5, n_trees=4)
    with pytest.raises(DataError, match=r"^out of shape .*\n  Expected float64 of shape \(50, 2\), row by row"):
        sums_of(trees, X, 2, out=out)


@pytest.mark.parametrize("n_groups", [1, 3])
def test_stages_are_the_sums_of_the_first_trees(grow_at_random, n_groups):
    trees, X = grow_at_random(6, n_trees=9)
    stages = [stage.copy() for stage in staged_sums_of(trees, X, n_groups)]
    assert len(stages) == 9 // n_groups
    for i, stage in enumerate(stages):
        np.testing.assert_array_equal(stage, sums_of(trees.take(0, (i + 1) * n_groups), X, n_groups))


def test_trees_without_a_question_add_their_constants(grow_at_random, way):
    trees, X = grow_at_random(7, n_trees=5, n_leaves=1)
    np.testing.assert_array_equal(sums_of(trees, X), np.full((len(X), 1), np.add.accumulate(trees.value[:, 0, 0])[-1]))


def test_the_slots_of_a_fold_are_few(grow_at_random):
    trees, _ = grow_at_random(8, n_trees=20, n_leaves=256)
    assert fold.folding_of(trees, *trees.packed.sets).n_slots <= 4 + 8


def test_what_a_walk_prepares_is_not_pickled(grow_at_random):
    trees, X = grow_at_random(9)
    before = len(pickle.dumps(trees))
    expected = sums_of(trees, X)
    assert len(pickle.dumps(trees)) == before
    np.testing.assert_array_equal(sums_of(pickle.loads(pickle.dumps(trees)), X), expected)


def test_every_layout_is_served_by_few_compiled_kernels(grow_at_random):
    for n_levels in ((0, 0), (0, 3)):
        trees, X = grow_at_random(10, n_levels=n_levels, n_rows=300)
        for rows in (X, np.asfortranarray(X), X[::2], X[:9]):
            sums_of(trees, rows)
            leaves_of(trees, rows)
    assert len(fold.fold_sums.signatures) == 1
    assert len(walk.walk_sums.signatures) == len(walk.walk_leaves.signatures) == 2  # with levels and without

"""Shapley values are the average over all orders in which features become known, one after the other."""

from itertools import chain, combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probus.ensemble.shap import expected_value, shap_values_of
from probus.tree._trees import LEAF, Trees
from probus.tree.prediction._walk import sums_of


def expected_from(trees: Trees, node: int, row: np.ndarray, leads_left: np.ndarray, columns: set[int]) -> np.ndarray:
    """What a subtree predicts where some features are known: both children, by weight, where its own is not."""
    left, right = trees.children_left[node], trees.children_right[node]
    if left == LEAF:
        return trees.value[node, 0]
    if trees.feature[node] in columns:
        return expected_from(trees, left if leads_left[node] else right, row, leads_left, columns)
    cover = trees.weighted_n_node_samples
    share = cover[left] / (cover[left] + cover[right])
    both = [expected_from(trees, child, row, leads_left, columns) for child in (left, right)]
    return share * both[0] + (1 - share) * both[1]


def by_definition(trees: Trees, X: np.ndarray, n_groups: int) -> tuple[np.ndarray, np.ndarray]:
    """The values of each row and column, and the prediction where nothing is known; over all 2^d coalitions."""
    d = trees.n_features
    coalitions = list(chain.from_iterable(combinations(range(d), size) for size in range(d + 1)))
    values = np.zeros((len(X), d, n_groups, trees.n_values))
    base = np.zeros((n_groups, trees.n_values))
    for t in range(len(trees)):
        for i, row in enumerate(X):
            leads_left = answers(trees, row)
            predicted = {s: expected_from(trees, trees.start[t], row, leads_left, set(s)) for s in coalitions}
            for j in range(d):
                for s in coalitions:
                    if j not in s:
                        weight = 1 / (d * comb(d - 1, len(s)))
                        values[i, j, t % n_groups] += weight * (predicted[tuple(sorted((*s, j)))] - predicted[s])
        base[t % n_groups] += predicted[()]
    return values.reshape(len(X), d, -1), base.ravel()


def answers(trees: Trees, row: np.ndarray) -> np.ndarray:
    """For each node whether it sends the row left, found by a tree of that node and two leaves."""
    out = np.zeros(len(trees.children_left), bool)
    for node in np.flatnonzero(~trees.is_leaf):
        single = {
            name: np.repeat(array[[node]], 3, 0) for name, array in trees.parts().items() if _of_nodes(name, array)
        }
        single |= {"children_left": np.array([1, -1, -1]), "children_right": np.array([2, -1, -1])}
        single |= {"start": np.array([0, 3]), "value": np.array([0.0, 1.0, 0.0])[:, None, None]}
        stump = Trees(**{**trees.parts(), **single})
        out[node] = sums_of(stump, row[None])[0, 0] == 1
    return out


def _of_nodes(name: str, array: np.ndarray | None) -> bool:
    return array is not None and name not in ("start", "subsets", "n_levels")


@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 12), st.integers(1, 2), st.integers(1, 2))
def test_values_are_those_of_the_definition(grow_at_random, seed, n_trees, n_leaves, n_outputs, n_groups):
    trees, X = grow_at_random(seed, n_trees, n_leaves, (0, 3, 0, 40), n_outputs, n_rows=3)
    values, base = by_definition(trees, X, n_groups)
    np.testing.assert_allclose(shap_values_of(trees, X, n_groups), values, atol=1e-13)
    np.testing.assert_allclose(expected_value(trees, n_groups), base, atol=1e-13)


@pytest.mark.parametrize("n_leaves", [2, 40, 900])
@pytest.mark.parametrize("n_columns", [1, 30, 150])
def test_values_of_a_row_sum_to_its_prediction(grow_at_random, n_leaves, n_columns):
    trees, X = grow_at_random(0, 4, n_leaves, (0,) * n_columns, 2, n_rows=70)
    values = shap_values_of(trees, X, 2)
    np.testing.assert_allclose(values.sum(axis=1) + expected_value(trees, 2), sums_of(trees, X, 2), atol=1e-11)


def test_a_long_path_through_many_columns_stays_exact():
    """One path of sixty columns, each halving the weight: by symmetry all that it passes share what it is worth."""
    d = 60
    left, right = np.full((2, 2 * d + 1), LEAF, np.int32)
    inner = np.arange(0, 2 * d, 2)
    left[inner], right[inner] = inner + 2, inner + 1
    depth = (np.arange(2 * d + 1) + 1) // 2
    value = np.zeros((2 * d + 1, 1))
    value[-1] = 2.0**d
    trees = Trees(
        children_left=left, children_right=right,
        feature=np.where(left == LEAF, -2, np.arange(2 * d + 1) // 2).astype(np.int32),
        threshold=np.zeros(2 * d + 1), missing_go_to_left=np.zeros(2 * d + 1, np.uint8),
        subset=np.full(2 * d + 1, -1, np.int32), subsets=np.zeros(0, np.uint32), value=value[:, None],
        weighted_n_node_samples=0.5**depth, n_node_samples=np.ones(2 * d + 1), gain=np.zeros(2 * d + 1),
        n_levels=np.zeros(d, np.int64),
    )  # fmt: skip
    values = shap_values_of(trees, np.full((1, d), -1.0))[0, :, 0]
    np.testing.assert_allclose(values, (2.0**d - 1) / d, rtol=1e-11)


def test_a_column_that_is_not_asked_for_adds_nothing(grow_at_random):
    trees, X = grow_at_random(1, 5, 20, (0, 0, 0))
    trees = Trees(**{**trees.parts(), "feature": np.where(trees.feature == 1, 0, trees.feature)})
    values = shap_values_of(trees, X)
    assert (values[:, 1] == 0).all()
    assert (values[:, 0] != 0).any()


def test_a_child_that_no_row_of_training_came_to_is_not_expected(grow_at_random):
    trees, X = grow_at_random(2, 3, 8, (0, 0, 0), n_rows=4)
    cover = trees.weighted_n_node_samples.copy()
    leaves = np.flatnonzero(trees.is_leaf)
    cover[leaves[::3]] = 0
    for node in reversed(np.flatnonzero(~trees.is_leaf)):
        cover[node] = cover[trees.children_left[node]] + cover[trees.children_right[node]]
    trees = Trees(**{**trees.parts(), "weighted_n_node_samples": np.maximum(cover, 1e-300)})
    bare = Trees(**{**trees.parts(), "weighted_n_node_samples": cover})
    np.testing.assert_allclose(shap_values_of(bare, X), by_definition(trees, X, 1)[0], atol=1e-12)
    np.testing.assert_allclose(shap_values_of(bare, X).sum(1) + expected_value(bare), sums_of(bare, X), atol=1e-12)


def test_threads_and_layouts_explain_alike(grow_at_random, monkeypatch):
    trees, X = grow_at_random(3, 5, 20, n_rows=200)
    expected = shap_values_of(trees, X, n_jobs=1)
    monkeypatch.setattr("probus.parallel._WORTH_A_THREAD", 1e-9)
    for rows in (X, np.asfortranarray(X), np.repeat(X, 2, axis=0)[::2]):
        np.testing.assert_array_equal(shap_values_of(trees, rows, n_jobs=3), expected)


def test_no_rows_have_no_values(grow_at_random):
    trees, X = grow_at_random(4)
    assert shap_values_of(trees, X[:0]).shape == (0, 5, 1)

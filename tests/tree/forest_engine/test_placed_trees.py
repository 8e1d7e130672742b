"""The trees of a forest lie in order, whichever is finished first."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from probus.tree._trees import Trees
from probus.tree.forest_engine._placed_trees import BinnedNodes, PlacedTrees


def nodes_of(n: int, seed: int) -> BinnedNodes:
    """A chain of n splits with a leaf on each left side, some splits by levels."""
    rng = np.random.default_rng(seed)
    size, inner = 2 * n + 1, np.arange(n)
    links = np.full((size, 6), -1, np.int32, order="F")
    links[2 * inner, 0], links[2 * inner, 1] = 2 * inner + 1, 2 * inner + 2
    links[2 * inner, 2], links[:, 3] = 0, 0
    links[2 * inner[::2], 4] = np.arange(len(inner[::2]))
    links[:, 5] = rng.integers(1, 9, size)
    words = rng.integers(0, 9, len(inner[::2])).astype(np.uint32)
    return BinnedNodes(links, np.asfortranarray(rng.normal(size=(size, 4))), rng.normal(size=(size, 3)), words)


def arrays_of(trees: Trees) -> list[np.ndarray]:
    names = ("children_left", "children_right", "feature", "subset", "n_node_samples", "threshold", "gain", "impurity")
    return [getattr(trees, name) for name in (*names, "value", "subsets", "start")]


@settings(max_examples=40, deadline=None)
@given(st.lists(st.integers(0, 12), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_trees_are_in_order_whatever_order_they_come_in(sizes, random):
    n_levels, trees = np.array([4]), [nodes_of(n, seed) for seed, n in enumerate(sizes)]
    alone = []
    for nodes in trees:
        one = PlacedTrees(1)
        one.put(0, nodes)
        alone.append(one.trees(n_levels))
    placed, order = PlacedTrees(len(trees)), random.sample(range(len(trees)), len(trees))
    for t in order:
        lent = BinnedNodes(*(array.copy("F" if array.ndim == 2 else "C") for array in trees[t]))
        placed.put(t, lent)
        lent.links[:], lent.facts[:], lent.value[:] = 99, np.nan, np.nan  # the next tree is grown there
    for found, expected in zip(arrays_of(placed.trees(n_levels)), arrays_of(Trees.joined(alone)), strict=True):
        assert_array_equal(found, expected)


@pytest.mark.parametrize("sizes", [[1, 500, 2], [500, 1, 1]])
def test_arrays_have_the_size_of_the_trees_whatever_the_first_one_suggests(sizes):
    placed = PlacedTrees(3)
    for t, n in enumerate(sizes):
        placed.put(t, nodes_of(n, t))
    trees = placed.trees(np.array([4]))
    assert trees.start[-1] == len(trees.value) == len(trees.threshold) == 2 * sum(sizes) + 3
    assert np.isfinite(trees.value).all()

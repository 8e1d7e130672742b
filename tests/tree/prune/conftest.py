"""Trees to prune: scikit-learn's in our arrays, and trees of chance with nominal splits and surrogates."""

import numpy as np
import pytest

from probus.tree import Surrogates, Tree
from probus.tree._trees import subset_words
from probus.tree.prune import subtree


def copied_tree(model) -> Tree:
    """The tree of a fitted model of scikit-learn."""
    theirs = model.tree_
    m, leaf = theirs.node_count, theirs.children_left == -1
    return Tree(
        children_left=theirs.children_left.astype(np.int64),
        children_right=theirs.children_right.astype(np.int64),
        feature=theirs.feature.astype(np.int64),
        threshold=theirs.threshold.copy(),
        missing_go_to_left=np.where(leaf, 0, theirs.missing_go_to_left).astype(np.uint8),
        subset=np.full(m, -1),
        subsets=np.zeros(0, np.uint32),
        impurity=theirs.impurity.copy(),
        n_node_samples=theirs.n_node_samples.astype(np.int64),
        weighted_n_node_samples=theirs.weighted_n_node_samples.copy(),
        value=theirs.value.copy(),
        n_levels=np.zeros(theirs.n_features, np.int64),
    )


def chance_tree(seed: int, n_inner: int) -> Tree:
    """A tree of random shape over two numbers and columns of 3 and 40 levels, two surrogates at every other split."""
    rng = np.random.default_rng(seed)
    n_levels, m = np.array([0, 3, 0, 40]), 2 * n_inner + 1
    left, right = np.full(m, -1), np.full(m, -1)
    leaves, words = [0], []
    feature, threshold, subset = np.full(m, -2), np.full(m, -2.0), np.full(m, -1)
    start, splits = np.zeros(m + 1, np.int64), []

    def split():
        f = int(rng.integers(4))
        place = sum(map(len, words)) if n_levels[f] else -1
        if n_levels[f]:
            words.append(rng.integers(0, 2**32, 2 * subset_words(n_levels[f]), dtype=np.uint32))
        return f, float(rng.normal()), place

    for k in range(n_inner):
        t = leaves.pop(int(rng.integers(len(leaves))))
        left[t], right[t] = 2 * k + 1, 2 * k + 2
        leaves += [2 * k + 1, 2 * k + 2]
    for t in np.flatnonzero(left >= 0):
        feature[t], threshold[t], subset[t] = split()
    for t in range(m):
        if left[t] >= 0 and t % 2 == 0:
            splits += [split(), split()]
        start[t + 1] = len(splits)
    rows = len(splits)
    surrogates = Surrogates(
        start,
        np.array([q[0] for q in splits], np.int64),
        np.array([q[1] for q in splits], np.float64),
        rng.integers(0, 2, rows).astype(np.uint8),
        np.array([q[2] for q in splits], np.int64),
        rng.random(rows),
        rng.random(rows),
    )
    value = rng.dirichlet(np.ones(3), m)[:, None]
    subsets = np.concatenate([np.zeros(0, np.uint32), *words])
    inner = (left >= 0).astype(np.uint8)
    tree = Tree(
        children_left=left,
        children_right=right,
        feature=feature,
        threshold=threshold,
        missing_go_to_left=rng.integers(0, 2, m).astype(np.uint8) * inner,
        subset=subset,
        subsets=subsets,
        impurity=rng.random(m),
        n_node_samples=np.ones(m, np.int64),
        weighted_n_node_samples=np.ones(m),
        value=value,
        n_levels=n_levels,
        surrogates=surrogates,
    )
    tree.check()
    return tree


def collapsed_sets(tree: Tree, node: int = 0) -> list[tuple[int, ...]]:
    """The sets of nodes to collapse, one set for each subtree that keeps the root."""
    if tree.is_leaf[node]:
        return [()]
    left, right = (collapsed_sets(tree, int(c[node])) for c in (tree.children_left, tree.children_right))
    return [(node,), *(a + b for a in left for b in right)]


@pytest.fixture(scope="session")
def all_subtrees():
    return lambda tree: [subtree(tree, np.array(nodes)) for nodes in collapsed_sets(tree)]


@pytest.fixture(scope="session")
def copied():
    return copied_tree


@pytest.fixture(scope="session")
def by_chance():
    return chance_tree

"""Rows walk down a tree as a plain loop would send them, whatever the layout of the matrix."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from probus.errors import DataError
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor
from probus.tree._surrogates import Surrogates
from probus.tree._trees import Tree
from probus.tree.prediction._unpacked import walk_surrogates
from probus.tree.prediction._walk import leaves_of, walk_leaves


def leaf_of(tree: Tree, row: np.ndarray) -> int:
    """Node by node, in words: ask the question, then the surrogates, then go as the missing do."""
    node = 0
    while tree.children_left[node] >= 0:
        go = _answer(tree, row, tree.feature[node], tree.threshold[node], tree.levels_of, node)
        for s in tree.surrogates.of(node) if tree.surrogates and go is None else ():
            surrogates = tree.surrogates
            go = _answer(tree, row, surrogates.feature[s], surrogates.threshold[s], tree.surrogate_levels_of, s)
            if go is not None:
                go = go != bool(surrogates.flipped[s])
                break
        if go is None:
            go = bool(tree.missing_go_to_left[node])
        node = tree.children_left[node] if go else tree.children_right[node]
    return node


def _answer(tree, row, feature, threshold, levels_of, at) -> bool | None:
    x = row[feature]
    if np.isnan(x):
        return None
    if tree.n_levels[feature] == 0:
        return bool(x <= threshold)
    left, right = levels_of(at)
    return True if x in left else (False if x in right else None)


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 6))
    X[rng.random(X.shape) < 0.1] = np.nan
    return DecisionTreeRegressor().fit(X, rng.normal(size=500)).tree_, X


@pytest.fixture(scope="module", params=["learn", "surrogate"])
def levels(request):
    rng = np.random.default_rng(1)
    X = np.column_stack([rng.integers(0, 40, 300), rng.integers(0, 3, 300), rng.normal(size=(300, 2))]).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    model = DecisionTreeClassifier(categorical_features=[0, 1], missing=request.param, max_depth=6)
    new = X[rng.permutation(300)]
    new[:9, 0] = [40, 41, 99, -1, 1e9, 39, 38, 0, 31]  # some are no levels
    return model.fit(X[:150], rng.integers(0, 4, 150)).tree_, new


def test_numbers_walk_as_the_twin_walks(numbers):
    tree, X = numbers
    np.testing.assert_array_equal(tree.apply(X), [leaf_of(tree, row) for row in X])


def test_levels_and_surrogates_walk_as_the_twin_walks(levels):
    tree, X = levels
    np.testing.assert_array_equal(tree.apply(X), [leaf_of(tree, row) for row in X])


def test_numbers_walk_alike_by_either_kernel(numbers):
    tree, X = numbers
    same = Tree(**{**tree.parts(), "surrogates": Surrogates.none(tree.node_count)})
    np.testing.assert_array_equal(same.apply(X), tree.apply(X))


@pytest.mark.parametrize("best_first", [False, True])
def test_the_order_of_the_nodes_does_not_matter(best_first):
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(300, 2)), rng.normal(size=300)
    model = DecisionTreeRegressor(max_leaf_nodes=40 if best_first else None).fit(X, y)
    np.testing.assert_array_equal(model.apply(X), [leaf_of(model.tree_, row) for row in X])


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 5000])
def test_any_number_of_rows_in_any_layout_comes_to_the_same_leaves(numbers, levels, n):
    for tree, X in (numbers, levels):
        rows = np.resize(X, (n, X.shape[1]))
        expected = tree.apply(rows)
        frozen = rows.copy()
        frozen.flags.writeable = False
        wide = np.full((2 * n, X.shape[1]), np.nan)
        wide[::2] = rows
        for other in (np.asfortranarray(rows), frozen, wide[::2], rows.astype(object), np.asfortranarray(frozen)):
            np.testing.assert_array_equal(tree.apply(other), expected)
        assert expected.dtype == np.int64


def test_threads_walk_as_one(numbers, monkeypatch):
    tree, X = numbers
    expected = leaves_of(tree, X, n_jobs=1)
    monkeypatch.setattr("probus.parallel._WORTH_A_THREAD", 1e-9)
    for rows in (X, np.asfortranarray(X)):
        np.testing.assert_array_equal(leaves_of(tree, rows, n_jobs=3), expected)


def test_every_layout_is_walked_by_one_compiled_kernel(numbers, levels):
    for tree, X in (numbers, levels):
        frozen = X.copy()
        frozen.flags.writeable = False
        for rows in (X, np.asfortranarray(X), frozen, X[::2], X.astype(np.float32)):
            tree.apply(rows)
        Tree(**{key: _frozen(value) for key, value in tree.parts().items()}).apply(X)
    assert len(walk_leaves.signatures) <= 2  # with levels and without
    assert len(walk_surrogates.signatures) <= 1


def _frozen(value):
    """As a loaded file may hold it."""
    if isinstance(value, np.ndarray):
        value = value.copy()
        value.flags.writeable = False
    return value


def test_paths_lead_from_the_root_to_the_leaf(numbers):
    tree, X = numbers
    paths = tree.decision_path(X)
    leaves = tree.apply(X)
    for i in range(20):
        nodes = paths[[i]].indices
        assert (nodes[0], nodes[-1]) == (0, leaves[i])
        assert (tree.parents[nodes[1:]] == nodes[:-1]).all()
        assert len(nodes) == tree.depths[leaves[i]] + 1


def test_a_single_leaf_takes_every_row():
    tree = DecisionTreeClassifier(min_samples_leaf=2).fit([[1.0], [2.0]], [0, 1]).tree_
    assert tree.apply(np.array([[np.nan], [3.0]])).tolist() == [0, 0]
    assert tree.decision_path(np.ones((2, 1))).toarray().tolist() == [[1], [1]]


def test_a_matrix_of_another_width_is_refused(numbers):
    for X in (np.ones((3, 5)), np.ones(6), csr_array(np.ones((3, 5)))):
        with pytest.raises(DataError, match=r"for a tree\.\s+Expected 6 columns"):
            numbers[0].apply(X)

"""The container of trees: a single tree is a view of many, and loading refuses what kernels could not read."""

import pkgutil
import re
from dataclasses import replace

import numpy as np
import pytest

import probus.tree
from probus.errors import ModelFileError
from probus.state import check_state
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor, Tree, Trees
from probus.tree.prediction._walk import leaves_of, sums_of


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.integers(0, 40, 200), rng.integers(0, 3, 200), rng.normal(size=(200, 2))]).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    return X, rng.integers(0, 3, 200)


@pytest.fixture(scope="module", params=["learn", "surrogate"])
def singles(request, data):
    X, y = data
    how = {"categorical_features": [0, 1], "missing": request.param}
    return [DecisionTreeClassifier(max_depth=depth, **how).fit(X, y).tree_ for depth in (1, 3, 6)]


def test_joined_trees_are_the_trees_again(singles, data):
    trees = Trees.joined(singles)
    trees.check()
    assert len(trees) == 3
    for t, tree in enumerate(trees):
        tree.check()
        np.testing.assert_array_equal(tree.apply(data[0]), singles[t].apply(data[0]))
        for name in ("children_left", "children_right", "feature", "value", "impurity", "missing_seen", "improvement"):
            np.testing.assert_array_equal(getattr(tree, name), getattr(singles[t], name), err_msg=name)


def test_leaves_and_sums_of_joined_trees_are_those_of_each(singles, data):
    trees, X = Trees.joined(singles), data[0]
    leaves = leaves_of(trees, X) - trees.start[:-1]
    np.testing.assert_array_equal(leaves, np.column_stack([tree.apply(X) for tree in singles]))
    np.testing.assert_allclose(sums_of(trees, X), sum(tree.predict(X) for tree in singles))
    np.testing.assert_array_equal(sums_of(trees.take(1, 3), X), singles[1].predict(X) + singles[2].predict(X))


def test_values_have_an_axis_for_outputs():
    tree = DecisionTreeRegressor(max_depth=1).fit([[0.0], [1.0]], [0.0, 1.0]).tree_
    assert (tree.n_outputs, tree.max_n_classes, tree.n_classes.tolist()) == (1, 1, [1])
    two = replace(tree, value=np.zeros((3, 2, 3)), classes_per_output=np.array([3, 2]))
    two.check()
    assert (two.n_outputs, two.n_values, two.n_classes.tolist()) == (2, 6, [3, 2])
    assert two.predict(np.zeros((5, 1))).shape == (5, 2, 3)


def loaded(tree: Tree, **changed) -> None:
    """As a file with these arrays would be."""
    fields = {**tree.parts(), **changed}
    check_state("Tree", Tree.declared, fields)
    Tree(**fields).check()


@pytest.mark.parametrize(
    "change",
    [
        lambda t: {"start": np.array([0, 1, t.node_count])},
        lambda t: {"start": np.array([0, t.node_count + 1])},
        lambda t: {"start": np.array([0])},
        lambda t: {"children_left": np.where(t.children_left == 1, 2, t.children_left)},
        lambda t: {"children_left": np.where(t.children_left >= 0, 0, -1)},
        lambda t: {"children_right": np.full(t.node_count, -1)},
        lambda t: {"children_left": np.full(t.node_count, -1), "children_right": np.full(t.node_count, -1)},
        lambda t: {"feature": np.full(t.node_count, -2)},
        lambda t: {"subset": np.full(t.node_count, -1)},
        lambda t: {"subset": np.where(t.subset >= 0, len(t.subsets), -1)},
        lambda t: {"subsets": t.subsets[:1]},
        lambda t: {"n_levels": np.where(t.n_levels > 0, 2**31 - 1, 0)},
        lambda t: {"n_levels": np.where(t.n_levels > 0, 2**62, 0)},
        lambda t: {"n_levels": np.zeros(4, np.int64)},
        lambda t: {"value": np.zeros((t.node_count, 0, 3))},
        lambda t: {"classes_per_output": np.array([7])},
        lambda t: {"surrogates": replace(t.surrogates, start=t.surrogates.start[:-1])},
        lambda t: {"surrogates": replace(t.surrogates, start=t.surrogates.start[::-1].copy())},
        lambda t: {"surrogates": replace(t.surrogates, feature=t.surrogates.feature + 4)},
        lambda t: {"surrogates": replace(t.surrogates, subset=np.full(len(t.surrogates.subset), 2**31 - 1))},
    ],
)
def test_what_kernels_could_not_read_is_refused(data, change):
    X, y = data
    how = {"categorical_features": [0, 1], "missing": "surrogate", "max_depth": 4}
    tree = DecisionTreeClassifier(**how).fit(X, y).tree_
    loaded(tree)
    with pytest.raises(ModelFileError):
        loaded(tree, **change(tree))


def test_a_tree_of_no_nodes_is_refused():
    tree = DecisionTreeRegressor().fit([[0.0]], [0.0]).tree_
    empty = {name: array[:0] for name, array in tree.parts().items() if getattr(array, "shape", (0,))[:1] == (1,)}
    empty |= {"n_levels": tree.n_levels, "start": np.array([0, 0])}
    with pytest.raises(ModelFileError, match="do not share out their nodes"):
        loaded(tree, **empty)


def test_the_package_names_each_of_its_modules_and_no_other():
    names = {module.name.removeprefix("_") for module in pkgutil.iter_modules(probus.tree.__path__)}
    assert set(re.findall(r"``(\w+)``", probus.tree.__doc__)) == names

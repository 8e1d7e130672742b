import numpy as np
import pytest

from probus import Column, Table
from probus.testing._specimen import with_missing
from probus.tree.multiway import C45Classifier, CHAIDClassifier, ID3Classifier
from probus.tree.multiway._multiway_tree import SPREAD, STAYS
from probus.tree.multiway._row_paths import branch_of, walk_ends, walk_shares
from probus.tree.preparation._design import design_of


def branch(tree, node, x):
    """Where a value goes: the reference of the kernel."""
    if tree.route[node] < 0:
        return SPREAD if np.isnan(x) else int(x > tree.threshold[node])
    return int(tree.routes_of(node)[-1 if np.isnan(x) else int(x)])


def shares(tree, x, node=0):
    if tree.is_leaf[node]:
        return tree.value[node]
    way = branch(tree, node, x[tree.feature[node]])
    children = list(tree.children_of(node))
    if way == STAYS:
        return tree.value[node]
    if way == SPREAD:
        w = tree.weight[children]
        return np.average([shares(tree, x, child) for child in children], axis=0, weights=w)
    return shares(tree, x, children[way])


def end(tree, x, node=0):
    if tree.is_leaf[node]:
        return node
    way = branch(tree, node, x[tree.feature[node]])
    children = list(tree.children_of(node))
    if way == STAYS:
        return node
    return end(tree, x, children[int(np.argmax(tree.weight[children])) if way == SPREAD else way])


def fitted(model, n=150, seed=0):
    rng = np.random.default_rng(seed)
    columns = [Column.numbers("x", rng.normal(size=n))]
    columns += [Column.labels(f"c{j}", [f"v{k}" for k in rng.integers(0, 5, n)]) for j in range(3)]
    table = Table([with_missing(column, rng.random(n) < 0.15) for column in columns])
    y = (np.nan_to_num(table["x"].values) > 0) * 1 + (table["c0"].values > 1) + (rng.random(n) < 0.2)
    return model.fit(table, y), table


@pytest.mark.parametrize(
    "model",
    [C45Classifier(confidence=None), ID3Classifier(), CHAIDClassifier(alpha_split=0.9, min_parent=5, min_child=2)],
    ids=lambda model: type(model).__name__,
)
def test_rows_follow_the_paths_of_the_reference(model):
    model, table = fitted(model)
    tree = model.tree_
    X = tree.coding.coded(design_of(model, table, reset=False).X)
    assert tree.max_depth > 2
    np.testing.assert_allclose(model.predict_proba(table), [shares(tree, x) for x in X], atol=1e-12)
    np.testing.assert_array_equal(model.apply(table), [end(tree, x) for x in X])


def test_kernels_run_as_plain_python_too():
    model, table = fitted(C45Classifier(confidence=None), n=40)
    tree = model.tree_
    X = tree.coding.coded(design_of(model, table, reset=False).X)
    questions = (
        tree.first_child, tree.n_children, tree.feature, tree.threshold, tree.route, tree.routes, tree.coding.n_codes,
    )  # fmt: skip
    ends, out = np.empty(40, np.int64), np.zeros((40, model.n_classes_))
    walk_ends.py_func(X, *questions, tree.heaviest_child, ends)
    walk_shares.py_func(X, *questions, tree.share, tree.value, out)
    np.testing.assert_array_equal(ends, model.apply(table))
    np.testing.assert_allclose(out, model.predict_proba(table))


def test_codes_outside_the_column_count_as_missing():
    routes = np.array([0, 1, SPREAD], np.int32)
    assert [branch_of(x, np.nan, 0, routes, 2) for x in (0.0, 1.0, 2.0, 7.0, -3.0, np.nan)] == [0, 1, *[SPREAD] * 4]


def test_a_level_that_no_row_of_a_node_had_ends_there():
    """Below a = x only p and q occur; c and d lower the average gain, so that a is split on first."""
    columns = {"a": "xxxxyyyy" * 4, "b": "ppqqrrss" * 4, "c": "ijijijij" * 4, "d": "i" * 16 + "j" * 16}
    table = Table(Column.labels(name, list(cells)) for name, cells in columns.items())
    model = C45Classifier().fit(table, [0, 0, 1, 1, 2, 2, 2, 2] * 4)
    row = {"a": ["x"], "b": ["r"], "c": ["i"], "d": ["i"]}
    (where,) = model.apply(row)
    assert model.tree_.feature[[0, where]].tolist() == [0, 1]
    np.testing.assert_allclose(model.predict_proba(row), [[0.5, 0.5, 0]])

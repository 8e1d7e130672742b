"""Several outputs: scikit-learn is the reference, split for split."""

from __future__ import annotations

import numpy as np
import pytest
import sklearn.tree as reference
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from probus import Table, load, save
from probus.errors import DataError
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor

ROWS, COLUMNS = 150, 4


def problem(seed, *, missing=False):
    """Features without ties, two outputs of three and two classes that depend on them, two of numbers, weights."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(ROWS, COLUMNS)).astype(np.float32).astype(np.float64)
    noise = random.normal(size=(ROWS, 2))
    Y = np.column_stack([np.digitize(X[:, 0] + 0.5 * noise[:, 0], [-0.5, 0.5]), X[:, 1] + noise[:, 1] > 0.3])
    Z = np.column_stack([abs(X[:, 0] ** 2 + noise[:, 0]), np.exp(X[:, 1] + 0.2 * noise[:, 1]) + 100.0])
    if missing:
        X[random.random(X.shape) < 0.1] = np.nan
    return X, Y.astype(int), Z, random.uniform(0.5, 2.0, ROWS)


def assert_same_tree(ours, theirs):
    assert_array_equal(ours.feature, theirs.feature)
    assert_allclose(ours.threshold, theirs.threshold)
    assert_allclose(ours.value, theirs.value, atol=1e-9)
    assert_allclose(ours.impurity, theirs.impurity, atol=1e-9)
    assert_allclose(ours.weighted_n_node_samples, theirs.weighted_n_node_samples)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("seed", range(4))
def test_trees_of_several_classes_split_as_those_of_scikit_learn(seed, criterion, missing):
    X, Y, _, weight = problem(seed, missing=missing)
    how = {"criterion": criterion, "max_depth": 4, "min_samples_leaf": 5, "random_state": 0}
    ours = DecisionTreeClassifier(**how).fit(X, Y, weight)
    theirs = reference.DecisionTreeClassifier(**how).fit(X, Y, weight)
    assert_same_tree(ours.tree_, theirs.tree_)
    assert_array_equal(ours.predict(X), theirs.predict(X))
    for own, other in zip(ours.predict_proba(X), theirs.predict_proba(X), strict=True):
        assert_allclose(own, other, atol=1e-9)
    assert_allclose(ours.feature_importances_, theirs.feature_importances_)


@pytest.mark.parametrize("criterion", ["squared_error", "poisson", "absolute_error"])
@pytest.mark.parametrize("seed", range(4))
def test_trees_of_several_numbers_split_as_those_of_scikit_learn(seed, criterion):
    X, _, Z, weight = problem(seed)
    weight = np.ones(ROWS) if criterion == "absolute_error" else weight
    how = {"criterion": criterion, "max_depth": 4, "min_samples_leaf": 5, "random_state": 0}
    ours = DecisionTreeRegressor(**how).fit(X, Z, weight)
    theirs = reference.DecisionTreeRegressor(**how).fit(X, Z, weight)
    assert_same_tree(ours.tree_, theirs.tree_)
    assert_allclose(ours.predict(X), theirs.predict(X))
    assert ours.score(X, Z, weight) == pytest.approx(theirs.score(X, Z, weight))


@pytest.mark.parametrize("model", [DecisionTreeClassifier(), DecisionTreeRegressor()])
def test_sparse_target_is_an_error_of_both_types(model):
    X, Y, *_ = problem(0)
    for error in (DataError, TypeError):  # scikit-learn's trees raise a TypeError
        with pytest.raises(error, match="sparse multilabel-indicator"):
            model.fit(X, csr_array(Y))


def test_attributes_are_lists_as_in_scikit_learn():
    X, Y, *_ = problem(0)
    tree = DecisionTreeClassifier(max_depth=2).fit(X, Y)
    assert (tree.n_outputs_, tree.n_classes_, len(tree.classes_)) == (2, [3, 2], 2)
    assert [p.shape for p in tree.predict_log_proba(X)] == [(ROWS, 3), (ROWS, 2)]


def test_one_output_among_several_equal_ones_gives_the_tree_of_one():
    X, Y, Z, weight = problem(1)
    alone, several = (DecisionTreeClassifier(min_samples_leaf=5).fit(X, y, weight) for y in (Y[:, 0], Y[:, [0, 0, 0]]))
    assert_array_equal(alone.tree_.threshold, several.tree_.threshold)
    assert_allclose(alone.tree_.impurity, several.tree_.impurity)
    alone, several = (DecisionTreeRegressor(min_samples_leaf=5).fit(X, z, weight) for z in (Z[:, 0], Z[:, [0, 0]]))
    assert_array_equal(alone.tree_.threshold, several.tree_.threshold)


@pytest.mark.parametrize("splitter", ["best", "random"])
@pytest.mark.parametrize("criterion", ["gini", "misclassification"])
def test_weights_equal_repetition(criterion, splitter):
    X, Y, *_ = problem(2)
    times = np.random.default_rng(0).integers(1, 4, ROWS)
    tree = DecisionTreeClassifier(criterion=criterion, splitter=splitter, max_depth=4, random_state=1)
    weighted = tree.fit(X, Y, times).tree_
    assert_allclose(tree.fit(np.repeat(X, times, 0), np.repeat(Y, times, 0)).tree_.value, weighted.value)


def test_nominal_columns_and_missing_values_serve_several_outputs(tmp_path):
    X, _, Z, _ = problem(3, missing=True)
    kinds = np.array(["red", "green", "blue", "grey"])[np.digitize(Z[:, 0], [0.0, 0.5, 1.5])]
    table = Table.of({"colour": kinds, "x": X[:, 1], "y": X[:, 2]})
    for missing in ("learn", "surrogate"):
        tree = DecisionTreeRegressor(max_depth=3, missing=missing).fit(table, Z)
        assert tree.feature_importances_[0] > 0.0
        assert tree.score(table, Z) > 0.4
        save(tree, tmp_path / "tree.probus")
        assert_array_equal(load(tmp_path / "tree.probus").predict(table), tree.predict(table))


def test_classes_of_several_outputs_are_saved(tmp_path):
    X, Y, *_ = problem(0)
    names = np.column_stack([np.array(["a", "b", "c"])[Y[:, 0]], np.array(["no", "yes"])[Y[:, 1]]])
    tree = DecisionTreeClassifier(max_depth=3).fit(X, names)
    save(tree, tmp_path / "tree.probus")
    back = load(tmp_path / "tree.probus")
    assert_array_equal(back.predict(X), tree.predict(X))
    assert [own.tolist() for own in back.classes_] == [["a", "b", "c"], ["no", "yes"]]


def test_class_weights_of_each_output_multiply():
    X, Y, *_ = problem(0)
    by_output = [{0: 1.0, 1: 2.0, 2: 3.0}, {0: 1.0, 1: 5.0}]
    weight = np.array([1.0, 2.0, 3.0])[Y[:, 0]] * np.array([1.0, 5.0])[Y[:, 1]]
    one = DecisionTreeClassifier(max_depth=3, class_weight=by_output).fit(X, Y)
    other = DecisionTreeClassifier(max_depth=3).fit(X, Y, weight)
    assert_array_equal(one.tree_.value, other.tree_.value)
    with pytest.raises(DataError, match="should match number of outputs"):
        DecisionTreeClassifier(class_weight=by_output[:1]).fit(X, Y)


@pytest.mark.parametrize("how", [{"monotonic_cst": [1, 0, 0, 0]}, {"prune": "reduced_error"}])
def test_what_needs_one_output_is_refused(how):
    X, Y, *_ = problem(0)
    with pytest.raises(DataError, match="outputs"):
        DecisionTreeClassifier(**how).fit(X, Y)

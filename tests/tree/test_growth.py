"""What must hold for a tree however it is grown: limits, weights, symmetries, threads."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probus.data import Table
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor

SEEDS = st.integers(0, 2**32 - 1)
BOTH = pytest.mark.parametrize("Model", [DecisionTreeClassifier, DecisionTreeRegressor])


def problem(seed=0, n=200, d=4, gaps=0.1, decimals=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(decimals)
    y = (X[:, 0] * X[:, -1] + 0.5 * rng.normal(size=n) > 0) + rng.integers(0, 2, n)
    X[rng.random(X.shape) < gaps] = np.nan
    return X, y


def shape_of(tree) -> tuple:
    return tree.feature.tolist(), tree.children_left.tolist(), tree.n_node_samples.tolist()


# -- symmetries ----------------------------------------------------------------------------------------


@BOTH
@settings(max_examples=20)
@given(seed=SEEDS)
def test_weights_equal_repetition(Model, seed):
    X, y = problem(seed, n=60)
    times = np.random.default_rng(seed).integers(0, 4, 60)
    weighed, repeated = Model().fit(X, y, times), Model().fit(X.repeat(times, axis=0), y.repeat(times))
    np.testing.assert_array_equal(weighed.tree_.feature, repeated.tree_.feature)
    np.testing.assert_allclose(weighed.tree_.impurity, repeated.tree_.impurity, atol=1e-12)
    np.testing.assert_allclose(weighed.tree_.weighted_n_node_samples, repeated.tree_.n_node_samples)


@BOTH
def test_monotone_transforms_do_not_change_the_tree(Model):
    X, y = problem(gaps=0.1)
    plain, bent = Model().fit(X, y), Model().fit(np.exp(X) + 100.0, y)
    assert shape_of(plain.tree_) == shape_of(bent.tree_)
    np.testing.assert_array_equal(plain.predict(X), bent.predict(np.exp(X) + 100.0))


@BOTH
def test_renaming_levels_does_not_change_the_tree(Model):
    rng = np.random.default_rng(4)
    x, y = rng.integers(0, 12, (300, 2)).astype(float), rng.integers(0, 3, 300)
    renamed = rng.permutation(12)[x.astype(int)].astype(float)
    one, other = (Model(categorical_features=[0, 1], max_depth=3).fit(X, y) for X in (x, renamed))
    np.testing.assert_allclose(np.sort(one.tree_.impurity), np.sort(other.tree_.impurity))


@BOTH
def test_duplicating_a_column_changes_no_prediction(Model):
    X, y = problem()
    new, _ = problem(1)
    twice = np.column_stack([X, X[:, ::-1]])
    np.testing.assert_array_equal(
        Model().fit(X, y).predict(new), Model().fit(twice, y).predict(np.column_stack([new, new[:, ::-1]]))
    )


def test_class_weights_are_weights():
    X, y = problem()
    w = np.array([1.0, 5.0, 0.5])[y]
    by_class = DecisionTreeClassifier(class_weight={0: 1.0, 1: 5.0, 2: 0.5}).fit(X, y)
    by_row = DecisionTreeClassifier().fit(X, y, w)
    np.testing.assert_array_equal(by_class.tree_.impurity, by_row.tree_.impurity)
    balanced = DecisionTreeClassifier(class_weight="balanced").fit(X, y)
    np.testing.assert_allclose(balanced.tree_.value[0, 0], 1 / 3)


# -- threads -------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("params", [{}, {"max_features": 2, "random_state": 5}, {"max_leaf_nodes": 20},
                                    {"missing": "surrogate", "max_depth": 4},
                                    {"splitter": "random", "random_state": 1}])  # fmt: skip
def test_any_number_of_threads_grows_the_same_tree(Model, params):
    rng = np.random.default_rng(0)
    counted, y = problem(0, n=1500, d=3, decimals=1)
    levels = rng.integers(0, 9, (1500, 2)).astype(float)
    X = np.column_stack([counted, levels, rng.normal(size=(1500, 2))])  # the last are walked as sorted lists
    one = Model(categorical_features=[3, 4], n_jobs=1, **params).fit(X, y).tree_
    with patch("probus.parallel._WORTH_A_THREAD", 1e-9):
        for n_jobs in (2, 3):
            several = Model(categorical_features=[3, 4], n_jobs=n_jobs, **params).fit(X, y).tree_
            for name, values in one.parts().items():
                if name != "surrogates":
                    np.testing.assert_array_equal(getattr(several, name), values, err_msg=name)


@BOTH
@pytest.mark.parametrize("params", [{"max_features": 1}, {"splitter": "random"}])
def test_what_is_drawn_hangs_on_the_seed_alone(Model, params):
    X, y = problem()
    one, again, other = (Model(random_state=seed, **params).fit(X, y).tree_ for seed in (0, 0, 1))
    assert shape_of(one) == shape_of(again) != shape_of(other)


@BOTH
def test_random_cuts_lie_anywhere_between_the_values_of_a_node(Model):
    X, y = np.array([[0.0], [1.0], [1.0], [10.0]]), [0, 1, 1, 2]
    cuts = [Model(splitter="random", random_state=seed).fit(X, y).tree_.threshold[0] for seed in range(300)]
    shares = np.histogram(cuts, [0.0, 1.0, 4.0, 7.0, 10.0])[0] / 300
    np.testing.assert_allclose(shares, [0.1, 0.3, 0.3, 0.3], atol=0.1)


@BOTH
def test_random_cuts_are_grown_until_all_is_told_apart(Model):
    X, y = problem(gaps=0.0, decimals=9)
    np.testing.assert_allclose(Model(splitter="random", random_state=0).fit(X, y).predict(X), y)


# -- limits --------------------------------------------------------------------------------------------


def drops(tree) -> np.ndarray:
    """By how much each split lowers the impurity of the whole."""
    inner, weight = ~tree.is_leaf, tree.weighted_n_node_samples
    risk = weight * tree.impurity
    return (risk[inner] - risk[tree.children_left[inner]] - risk[tree.children_right[inner]]) / weight[0]


@BOTH
@settings(max_examples=25)
@given(seed=SEEDS, leaf=st.sampled_from([1, 7, 0.1]), split=st.sampled_from([2, 25, 0.3]),
       fraction=st.sampled_from([0.0, 0.08]), least=st.sampled_from([0.0, 0.01]), depth=st.sampled_from([None, 3]),
       leaves=st.sampled_from([None, 6]), splitter=st.sampled_from(["best", "random"]))  # fmt: skip
def test_limits_are_kept(Model, seed, leaf, split, fraction, least, depth, leaves, splitter):
    X, y = problem(seed, n=120)
    w = np.random.default_rng(seed).random(120) + 0.1
    tree = Model(
        min_samples_leaf=leaf, min_samples_split=split, min_weight_fraction_leaf=fraction, min_impurity_decrease=least,
        max_depth=depth, max_leaf_nodes=leaves, splitter=splitter, random_state=seed,
    ).fit(X, y, w).tree_  # fmt: skip
    assert tree.n_node_samples.min() >= (leaf if leaf >= 1 else 12)
    assert tree.weighted_n_node_samples.min() >= fraction * w.sum() - 1e-9
    assert tree.max_depth <= (depth or np.inf)
    assert tree.n_leaves <= (leaves or np.inf)
    if tree.node_count > 1:
        assert tree.n_node_samples[~tree.is_leaf].min() >= (split if split >= 2 else 36)
        assert drops(tree).min() >= least - 1e-12


@BOTH
def test_leaves_are_spent_where_they_gain_most(Model):
    X, y = problem(gaps=0.0)

    def risk(tree):
        return (tree.weighted_n_node_samples * tree.impurity)[tree.is_leaf].sum()

    for k in range(2, 8):
        small, large = (Model(max_leaf_nodes=leaves).fit(X, y) for leaves in (k, k + 1))
        rows_of_leaves = [small.apply(X) == leaf for leaf in np.flatnonzero(small.tree_.is_leaf)]
        parted = [Model(max_depth=1).fit(X[rows], y[rows]).tree_ for rows in rows_of_leaves]
        gains = [tree.weighted_n_node_samples[0] * tree.impurity[0] - risk(tree) for tree in parted]
        assert (small.tree_.n_leaves, large.tree_.n_leaves) == (k, k + 1)
        np.testing.assert_allclose(risk(small.tree_) - risk(large.tree_), max(gains))


@BOTH
def test_limits_that_leave_nothing_to_split_give_one_leaf(Model):
    X, y = problem()
    for limits in ({"min_samples_leaf": 101}, {"min_samples_split": 201}, {"min_impurity_decrease": 9.0},
                   {"min_samples_leaf": 0.6, "max_leaf_nodes": 50}):  # fmt: skip
        assert Model(**limits).fit(X, y).tree_.node_count == 1


def test_pure_nodes_are_not_split():
    rng = np.random.default_rng(0)
    X, y, w = rng.normal(size=(300, 2)), rng.choice([1.1, 2.3, 0.7], 300), rng.random(300) + 0.1
    for criterion in ("squared_error", "poisson"):
        tree = DecisionTreeRegressor(criterion=criterion).fit(X, y, w)
        inner = ~tree.tree_.is_leaf
        path = tree.decision_path(X).toarray().astype(bool)[:, inner]
        assert all(len(np.unique(y[column])) > 1 for column in path.T)
        np.testing.assert_allclose(tree.predict(X), y)


@BOTH
def test_a_leaf_of_whole_numbers_predicts_them_exactly(Model):
    X, y = problem(gaps=0.0, decimals=9)
    np.testing.assert_array_equal(Model().fit(X, y).predict(X), y)


# -- bins ----------------------------------------------------------------------------------------------


@BOTH
def test_bins_that_hold_every_value_change_nothing(Model):
    X, y = problem(decimals=1)
    exact, binned = Model().fit(X, y).tree_, Model(max_bins=255).fit(X, y).tree_
    assert shape_of(exact) == shape_of(binned)
    np.testing.assert_array_equal(exact.threshold, binned.threshold)


@BOTH
def test_rows_of_one_bin_are_never_parted(Model):
    X, y = problem(n=900, d=1, gaps=0.0, decimals=9)
    assert Model(max_bins=8).fit(X, y).get_n_leaves() <= 8 < Model().fit(X, y).get_n_leaves()


# -- many levels ---------------------------------------------------------------------------------------


def test_thousands_of_levels_are_parted_by_what_they_tell():
    rng = np.random.default_rng(0)
    x = np.concatenate([np.arange(5000), rng.integers(0, 5000, 15_000)])
    good = rng.random(5000) < 0.5
    table = Table.of({"city": [f"c{code}" for code in x]}).with_kinds(city="nominal")
    tree = DecisionTreeClassifier().fit(table, good[x])
    assert tree.tree_.node_count == 3
    left, right = tree.tree_.levels_of(0)
    assert len(left) + len(right) == 5000
    assert (tree.predict(table) == good[x]).all()
    numbers = DecisionTreeRegressor().fit(table, np.where(good, 3.0, -1.0)[x])
    assert numbers.tree_.node_count == 3

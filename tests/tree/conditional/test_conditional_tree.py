"""The estimators: invariances, missing values, limits, text and bad input."""

import numpy as np
import pytest

from probus.data import Column, Table
from probus.datasets import penguins
from probus.errors import DataError, ModelFileError
from probus.tree.conditional import ConditionalTreeClassifier, ConditionalTreeRegressor

BOTH = pytest.mark.parametrize("cls", [ConditionalTreeClassifier, ConditionalTreeRegressor])


def mixed(n=240, seed=0):
    """A table with numbers, levels and missing values, and a target that depends on some of them."""
    rng = np.random.default_rng(seed)
    x, z, letter = rng.normal(size=n), rng.integers(0, 5, n) * 1.0, rng.integers(0, 4, n)
    y = 2.0 * (x > 0) + (letter % 2) * (x > 0) + rng.normal(scale=0.5, size=n)
    copy = x + rng.normal(scale=0.3, size=n)
    x[rng.random(n) < 0.1] = np.nan
    letters = Column.labels("letter", [None if i % 17 == 0 else "abcd"[k] for i, k in enumerate(letter)], tuple("abcd"))
    table = Table([Column.numbers("x", x), Column.numbers("copy", copy), Column.numbers("z", z), letters])
    return table, y


def fitted(cls, table, y, w=None, **parameters):
    target = np.digitize(y, [0.5, 2.0]) if cls is ConditionalTreeClassifier else y
    return cls(**parameters).fit(table, target, sample_weight=w)


def assert_same_tree(one, other):
    np.testing.assert_array_equal(one.tree_.feature, other.tree_.feature)
    np.testing.assert_array_equal(one.tree_.threshold, other.tree_.threshold)
    np.testing.assert_array_equal(one.tree_.subsets, other.tree_.subsets)
    np.testing.assert_allclose(one.tree_.value, other.tree_.value)
    np.testing.assert_allclose(one.pvalues_, other.pvalues_, rtol=1e-6)


# -- invariances ---------------------------------------------------------------------------------------


@BOTH
def test_the_order_of_rows_does_not_matter(cls):
    table, y = mixed()
    order = np.random.default_rng(1).permutation(len(y))
    assert_same_tree(fitted(cls, table.take(order), y[order]), fitted(cls, table, y))


@BOTH
@pytest.mark.parametrize("teststat", ["quadratic", "maximum"])
def test_weights_equal_repetition(cls, teststat):
    table, y = mixed()
    w = np.random.default_rng(2).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), w)
    weighted = fitted(cls, table, y, w, teststat=teststat)
    assert weighted.tree_.node_count > 3
    assert_same_tree(weighted, fitted(cls, table.take(rows), y[rows], teststat=teststat))


@BOTH
def test_a_copy_of_a_column_changes_no_prediction(cls):
    table, y = mixed()
    more = table.with_columns(table["x"].renamed("again"))
    one = fitted(cls, table, y, testtype="univariate", max_surrogates=0).predict(table)
    np.testing.assert_array_equal(fitted(cls, more, y, testtype="univariate", max_surrogates=0).predict(more), one)


@pytest.mark.parametrize("factor", [1e-150, 1e150])
def test_the_unit_of_the_target_does_not_matter(factor):
    table, y = mixed()
    one, other = (ConditionalTreeRegressor().fit(table, target) for target in (y, y * factor))
    np.testing.assert_allclose(other.pvalues_, one.pvalues_, rtol=1e-6)
    np.testing.assert_allclose(other.predict(table), one.predict(table) * factor)


# -- missing values ------------------------------------------------------------------------------------


@BOTH
def test_rows_without_a_value_follow_the_surrogate(cls):
    table, y = mixed()
    model = fitted(cls, table, y)
    names = list(model.feature_names_in_)
    chosen = int(model.tree_.feature[0])
    assert {names[chosen], names[model.tree_.surrogates.feature[0]]} == {"x", "copy"}
    known = ~table["x"].missing
    hidden = table.take(known).with_columns(Column.numbers(names[chosen], np.full(known.sum(), np.nan)))
    left = model.decision_path(table.take(known)).toarray()[:, 1]
    assert (model.decision_path(hidden).toarray()[:, 1] == left).mean() > 0.8


@BOTH
def test_without_surrogates_they_go_with_the_larger_side(cls):
    table, y = mixed()
    model = fitted(cls, table, y, max_surrogates=0)
    assert model.tree_.surrogates is None
    tree = model.tree_
    larger_left = tree.weighted_n_node_samples[tree.children_left] >= tree.weighted_n_node_samples[tree.children_right]
    inner = ~tree.is_leaf
    np.testing.assert_array_equal(tree.missing_go_to_left[inner] == 1, larger_left[inner])


@BOTH
def test_training_rows_lie_where_prediction_sends_them(cls):
    table, y = mixed()
    for most in (0, 1, 5):
        model = fitted(cls, table, y, max_surrogates=most, min_samples_split=10, min_samples_leaf=3, alpha=0.5)
        reached = np.asarray(model.decision_path(table).sum(axis=0)).ravel()
        np.testing.assert_array_equal(reached, model.tree_.n_node_samples)


def test_a_level_that_was_not_in_the_node_counts_as_missing():
    birds = penguins()
    model = ConditionalTreeClassifier().fit(birds.drop("species"), birds["species"])
    strange = birds.drop("species").take([0, 1]).with_columns(Column.labels("island", ["Mars", "Mars"]))
    with pytest.warns(UserWarning, match="Mars"):
        assert len(model.predict(strange)) == 2


def test_a_column_of_missing_values_is_never_split_on():
    table, y = mixed()
    hollow = table.with_columns(Column.numbers("copy", np.full(len(y), np.nan)))
    model = ConditionalTreeRegressor().fit(hollow, y)
    assert 1 not in model.tree_.feature
    assert np.isnan(model.pvalues_[:, 1]).all()


# -- limits --------------------------------------------------------------------------------------------


@BOTH
@pytest.mark.parametrize("parameters", [{"min_samples_leaf": 40}, {"min_share_leaf": 0.3}])
def test_both_sides_are_large_enough(cls, parameters):
    table, y = mixed()
    whole = Table([table["copy"], table["z"]])
    tree = fitted(cls, whole, y, alpha=1.0, **parameters).tree_
    shares = tree.weighted_n_node_samples[1:] / tree.weighted_n_node_samples[tree.parents[1:]]
    assert tree.node_count > 1
    assert tree.weighted_n_node_samples.min() >= parameters.get("min_samples_leaf", 7)
    assert shares.min() >= parameters.get("min_share_leaf", 0.01)


def test_small_nodes_are_not_tested():
    table, y = mixed()
    model = ConditionalTreeRegressor(min_samples_split=60, alpha=1.0).fit(table, y)
    small = model.tree_.n_node_samples < 60
    assert small.any()
    assert np.isnan(model.pvalues_[small]).all()
    assert not np.isnan(model.pvalues_[~small]).all(axis=1).any()


@BOTH
def test_depth_and_alpha_stop_the_tree(cls):
    table, y = mixed()
    assert fitted(cls, table, y, max_depth=1).get_depth() == 1
    assert fitted(cls, table, y, alpha=0.0).get_n_leaves() == 1


def test_the_second_column_is_tried_where_the_first_has_no_cut():
    rng = np.random.default_rng(3)
    rare = (np.arange(60) < 4).astype(float)
    y = 100 * rare + rng.normal(size=60)
    weaker = y + rng.normal(scale=20, size=60)
    model = ConditionalTreeRegressor(max_depth=1).fit(np.c_[rare, weaker], y)
    assert model.pvalues_[0].argmin() == 0
    assert model.tree_.feature[0] == 1


def test_univariate_p_values_are_not_adjusted():
    table, y = mixed()
    one = ConditionalTreeRegressor(testtype="univariate").fit(table, y).pvalues_[0]
    other = ConditionalTreeRegressor().fit(table, y).pvalues_[0]
    np.testing.assert_allclose(other, 1 - (1 - one) ** 4, rtol=1e-6, atol=1e-12)


@BOTH
def test_permutations_grow_the_same_strong_splits(cls):
    table, y = mixed()
    model = fitted(cls, table, y, testtype="montecarlo", n_resamples=199, random_state=0, max_depth=1)
    assert model.tree_.feature[0] == fitted(cls, table, y, max_depth=1).tree_.feature[0]
    assert np.nanmin(model.pvalues_[0]) == 1 / 200


# -- bad input and odd data ----------------------------------------------------------------------------


def test_fractions_cannot_be_shuffled():
    table, y = mixed()
    with pytest.raises(DataError, match=r"has fractions.*\n.*the number of cases of each row"):
        ConditionalTreeRegressor(testtype="montecarlo").fit(table, y, sample_weight=np.full(len(y), 0.5))


def test_targets_must_be_numbers():
    table, y = mixed()
    with pytest.raises(DataError, match="target 'word' is nominal"):
        ConditionalTreeRegressor().fit(table, Column.labels("word", [f"w{i % 3}" for i in range(len(y))]))
    with pytest.raises(DataError, match="y is None"):
        ConditionalTreeRegressor().fit(table, None)
    with pytest.raises(ValueError, match="NaN"):
        ConditionalTreeRegressor().fit(table, np.where(np.arange(len(y)) == 3, np.nan, y))
    with pytest.raises(DataError, match="X has 240 rows and y has 5"):
        ConditionalTreeRegressor().fit(table, y[:5])


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({"alpha": 2}, "alpha"), ({"teststat": "median"}, "teststat"), ({"min_share_leaf": 0.6}, "min_share_leaf")],
)
def test_parameters_out_of_range_are_refused(parameters, message):
    with pytest.raises(ValueError, match=message):
        ConditionalTreeClassifier(**parameters).fit([[0], [1]], [0, 1])


def test_negative_weights_are_refused():
    with pytest.raises(ValueError, match="Negative values"):
        ConditionalTreeClassifier().fit([[0], [1]], [0, 1], sample_weight=[1, -1])


def test_as_many_levels_as_rows_do_no_harm():
    names = Table([Column.labels("id", [f"row {i}" for i in range(300)])])
    y = np.random.default_rng(4).normal(size=300)
    assert ConditionalTreeRegressor().fit(names, y).get_n_leaves() == 1
    eager = ConditionalTreeRegressor(alpha=1.0).fit(names, y)
    assert eager.get_n_leaves() > 1
    assert len(eager.predict(names)) == 300


def test_columns_of_an_array_can_be_named_nominal():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 6, (200, 2))
    y = np.isin(X[:, 1], [0, 3, 4]) + rng.normal(scale=0.1, size=200)
    model = ConditionalTreeRegressor(categorical_features=[1]).fit(X, y)
    left, right = model.tree_.levels_of(0)
    assert {tuple(left), tuple(right)} == {(0, 3, 4), (1, 2, 5)}
    assert model.get_n_leaves() == 2


# -- seeing it -----------------------------------------------------------------------------------------


def test_the_text_of_a_model_is_its_tree():
    table, y = mixed()
    model = ConditionalTreeRegressor(max_depth=1)
    assert str(model) == "ConditionalTreeRegressor(max_depth=1)"
    lines = str(model.fit(table, y)).splitlines()
    assert len(lines) == 3
    assert lines[0].endswith("p < 0.001")
    assert lines[1].startswith("  [1] ")


def test_tests_of_other_nodes_are_refused_when_loading():
    table, y = mixed()
    model = ConditionalTreeRegressor().fit(table, y)
    model.check_fitted_state()
    model.pvalues_ = model.pvalues_[:-1]
    with pytest.raises(ModelFileError, match="tests of"):
        model.check_fitted_state()

"""Trees by a criterion and a leaf rule that are functions."""

import numpy as np
import pytest
from scipy.special import entr

from probus import DataError, Table
from probus.datasets import load
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor


def gini(shares):
    return 1 - (shares**2).sum(axis=1)


def variance(y, w):
    return np.average((y - np.average(y, weights=w)) ** 2, weights=w)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    n = 150
    table = Table.of({
        "a": np.where(rng.random(n) < 0.15, np.nan, rng.normal(size=n)),
        "b": rng.normal(size=n),
        "level": rng.choice(["p", "q", "r", "s", "t"], n),
    })  # fmt: skip
    signal = np.nan_to_num(table["a"].values) + (table["level"].values == 2) + 0.5 * rng.normal(size=n)
    return table, signal, rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize(
    "settings", [{}, {"max_depth": 3}, {"min_samples_leaf": 8}, {"min_impurity_decrease": 0.02}], ids=str
)
def test_a_known_criterion_as_a_function_grows_the_same_tree(rows, settings):
    table, signal, weight = rows
    y = np.where(signal > 0.3, "yes", "no")
    ours = DecisionTreeClassifier(criterion=gini, **settings).fit(table, y, weight)
    named = DecisionTreeClassifier(**settings).fit(table, y, weight)
    assert ours.get_n_leaves() == named.get_n_leaves()
    np.testing.assert_allclose(ours.predict_proba(table), named.predict_proba(table))
    np.testing.assert_allclose(ours.tree_.impurity.sum(), named.tree_.impurity.sum())
    few = {"max_depth": 3, **settings}
    ours = DecisionTreeRegressor(criterion=variance, **few).fit(table, signal, weight)
    named = DecisionTreeRegressor(**few).fit(table, signal, weight)
    np.testing.assert_allclose(ours.predict(table), named.predict(table))


def test_numbers_in_any_unit_and_fractional_weights_grow_the_same_tree(rows):
    table, signal, weight = rows
    plain = DecisionTreeRegressor(criterion=variance, max_depth=3).fit(table, signal, weight)
    tiny = DecisionTreeRegressor(criterion=variance, max_depth=3).fit(table, 2.0**-40 * signal, 2.0**-50 * weight)
    np.testing.assert_allclose(2.0**40 * tiny.predict(table), plain.predict(table))
    y = np.where(signal > 0.3, "yes", "no")
    own = DecisionTreeClassifier(criterion=lambda p: entr(p).sum(axis=1), class_weight="balanced").fit(table, y)
    named = DecisionTreeClassifier(criterion="entropy", class_weight="balanced").fit(table, y)
    np.testing.assert_allclose(own.predict_proba(table), named.predict_proba(table), atol=1e-12)


def test_a_criterion_of_ones_own_decides(rows):
    table, signal, _ = rows
    y = (signal > 0.3).astype(int)
    dear = DecisionTreeClassifier(criterion=lambda p: np.minimum(p[:, 0], 9 * p[:, 1]), max_depth=2).fit(table, y)
    assert 1 < dear.get_n_leaves() <= 4
    several = DecisionTreeClassifier(criterion=gini, max_depth=3).fit(*_iris())
    assert several.score(*_iris()) > 0.95


def _iris():
    iris = load("iris")
    return iris.drop("species"), iris["species"]


def test_leaves_predict_what_the_rule_returns(rows):
    table, signal, weight = rows
    tree = DecisionTreeRegressor(max_depth=2, leaf_rule=lambda y, w: np.median(y)).fit(table, signal)
    leaves = tree.apply(table)
    for leaf in np.unique(leaves):
        assert tree.tree_.value[leaf, 0, 0] == np.median(signal[leaves == leaf])
    y = (signal > 0.3).astype(int)

    def laplace(codes, w):
        counts = np.bincount(codes, w, 2) + 1
        return counts / counts.sum()

    smooth = DecisionTreeClassifier(leaf_rule=laplace).fit(table, y, weight)
    assert (smooth.predict_proba(table) > 0).all()
    np.testing.assert_array_equal(smooth.apply(table), DecisionTreeClassifier().fit(table, y, weight).apply(table))


def test_purity_is_that_of_the_rows_whatever_the_rule_predicts(rows):
    table, signal, _ = rows
    y = (signal > 0.3).astype(int)
    pure = DecisionTreeClassifier(max_purity=0.8).fit(table, y)
    flat = DecisionTreeClassifier(max_purity=0.8, leaf_rule=lambda codes, w: [0.5, 0.5]).fit(table, y)
    np.testing.assert_array_equal(flat.apply(table), pure.apply(table))


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"criterion": lambda p: p}, "the criterion returned.*one finite impurity for each row"),
        ({"criterion": lambda p: np.full(len(p), np.nan)}, "the criterion returned.*finite"),
        ({"criterion": gini, "max_leaf_nodes": 3}, "a function as criterion with max_leaf_nodes"),
        ({"criterion": gini, "missing": "surrogate"}, "with missing='surrogate'"),
        ({"criterion": gini, "splitter": "random"}, "with splitter='random'"),
        ({"criterion": gini, "prune": "reduced_error"}, "with prune='reduced_error'"),
        ({"leaf_rule": lambda y, w: [1.0, 2.0, 3.0]}, "leaf_rule returned.*2 probabilities"),
    ],
)
def test_functions_that_do_not_fit_are_named(rows, settings, text):
    table, signal, _ = rows
    with pytest.raises(DataError, match=r"(?s)" + text):
        DecisionTreeClassifier(**settings).fit(table, signal > 0.3)

"""Partial dependence by recursion is scikit-learn's on numbers, and follows levels and missing values."""

import numpy as np
import pandas as pd
import pytest
import sklearn.tree
from sklearn.datasets import load_diabetes
from sklearn.inspection import partial_dependence

from probus.ensemble import RandomForestRegressor
from probus.tree import DecisionTreeRegressor
from probus.tree._partial_dependence import partial_dependence_of


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 3)).astype(np.float32)
    return X, X[:, 0] + X[:, 1] ** 2


@pytest.mark.parametrize("features", [[0], [1], [0, 1]])
def test_numbers_give_what_scikit_learn_gives(numbers, features):
    X, y = numbers
    ours = DecisionTreeRegressor(min_samples_leaf=4).fit(X, y)
    theirs = sklearn.tree.DecisionTreeRegressor(min_samples_leaf=4, random_state=0).fit(X, y)
    how = {"features": features, "method": "recursion", "kind": "average", "grid_resolution": 20}
    a, b = (partial_dependence(model, X, **how)["average"] for model in (ours, theirs))
    np.testing.assert_allclose(a, b, rtol=1e-6)


def test_levels_take_their_own_side():
    X = pd.DataFrame({"wood": ["oak", "ash", "elm"] * 20, "size": np.arange(60.0)})
    y = np.where(X["wood"] == "ash", 5.0, np.where(X["wood"] == "elm", 3.0, 1.0))
    model = DecisionTreeRegressor().fit(X, y)
    found = partial_dependence(model, X, features=["wood"], categorical_features=["wood"], kind="average")
    expected = {"oak": 1.0, "ash": 5.0, "elm": 3.0}
    assert found["average"][0].tolist() == [expected[level] for level in found["grid_values"][0]]


def test_missing_values_and_unknown_levels_go_as_they_go_in_the_tree():
    X = np.column_stack([np.tile([0.0, 1.0, 2.0, np.nan], 10), np.arange(40.0)])
    y = np.where(np.isnan(X[:, 0]), 9.0, X[:, 0])
    tree = DecisionTreeRegressor(categorical_features=[0]).fit(X, y).tree_
    out = np.empty(5)
    tree.compute_partial_dependence(np.array([[0.0], [1.0], [2.0], [np.nan], [7.0]]), [0], out)
    assert out.tolist() == [0.0, 1.0, 2.0, 9.0, 9.0]


def test_all_features_known_is_the_prediction_and_none_the_mean():
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(5, bootstrap=False, max_features=3, random_state=0).fit(X, y)
    known = partial_dependence_of(forest.trees_, X[:30], range(10))[0] / 5
    np.testing.assert_allclose(known, forest.predict(X[:30]))
    assert partial_dependence_of(forest.trees_, np.empty((1, 0)), ())[0, 0] / 5 == pytest.approx(y.mean())

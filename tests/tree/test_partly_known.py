"""Expected predictions where only some features are known."""

import numpy as np
import pytest
import sklearn.tree
from sklearn.datasets import load_diabetes

from probus import DataError
from probus.ensemble import RandomForestRegressor
from probus.tree import DecisionTreeRegressor
from probus.tree.prediction.partly_known import expected_predictions

X, y = load_diabetes(return_X_y=True)


@pytest.mark.parametrize("features", [[2], [2, 8]])
def test_it_is_scikit_learns_partial_dependence_by_recursion(features):
    settings = {"max_depth": 6, "min_samples_leaf": 4, "random_state": 0}
    theirs, ours = (tree(**settings).fit(X, y) for tree in (sklearn.tree.DecisionTreeRegressor, DecisionTreeRegressor))
    grid = X[:40, features].astype(np.float32)
    expected = theirs._compute_partial_dependence_recursion(grid, np.array(features, np.intp))
    found = ours._compute_partial_dependence_recursion(grid, np.array(features))
    np.testing.assert_allclose(found, np.atleast_2d(expected))


def test_all_features_known_is_the_prediction_and_none_the_mean():
    forest = RandomForestRegressor(5, bootstrap=False, max_features=3, random_state=0).fit(X, y)
    known = expected_predictions(forest.trees_, X[:30], range(10))[:, 0] / 5
    np.testing.assert_allclose(known, forest.predict(X[:30]))
    assert expected_predictions(forest.trees_, np.empty((1, 0)), ())[0, 0] / 5 == pytest.approx(y.mean())


def test_features_with_levels_are_refused():
    table = {"level": ["a", "b"] * 10, "x": np.arange(20.0)}
    tree = DecisionTreeRegressor().fit(table, np.arange(20) % 2).tree_
    with pytest.raises(DataError, match="Use method='brute'"):
        expected_predictions(tree, np.zeros((1, 1)), [0])

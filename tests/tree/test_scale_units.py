import numpy as np
import pytest
from sklearn.base import clone

from probus.ensemble import (
    AdaBoostRegressor,
    BaggingRegressor,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from probus.tree import DecisionStumpRegressor, DecisionTreeClassifier, DecisionTreeRegressor
from probus.tree.preparation._scale_units import target_unit

REGRESSORS = [
    DecisionTreeRegressor(),
    DecisionTreeRegressor(splitter="random", random_state=0),
    DecisionTreeRegressor(missing="surrogate", max_depth=3),
    DecisionTreeRegressor(max_features=2, max_bins=64, random_state=0),
    DecisionTreeRegressor(max_leaf_nodes=7),
    DecisionTreeRegressor(prune="reduced_error", random_state=0),
    DecisionStumpRegressor(),
    RandomForestRegressor(5, bootstrap=False, max_features=0.5, random_state=0),
    RandomForestRegressor(5, bootstrap=False, max_bins=None, random_state=0),
    ExtraTreesRegressor(5, random_state=0),
    AdaBoostRegressor(n_estimators=4, resample=False),
    BaggingRegressor(n_estimators=4, bootstrap=False, random_state=0),
]


def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    return X, (8 * (X[:, 0] + (X[:, 1] > 0) + rng.normal(size=120))).round() / 8  # sums are exact in any order


@pytest.mark.parametrize("model", REGRESSORS, ids=repr)
@pytest.mark.parametrize("exponent", [997, 600, -600, -900])
def test_a_target_of_any_magnitude_has_the_same_tree(model, exponent):
    X, y = rows()
    ordinary = clone(model).fit(X, y).predict(X)
    np.testing.assert_array_equal(np.ldexp(clone(model).fit(X, np.ldexp(y, exponent)).predict(X), -exponent), ordinary)


@pytest.mark.parametrize("exponent", [200, -200, 300, -300])
def test_weights_of_any_magnitude_have_the_same_tree(exponent):
    X, y = rows()
    weight = np.random.default_rng(1).uniform(0.5, 1.0, 120)
    classes = np.digitize(y, [0.0, 1.0])
    options = {"random_state": 0, "bootstrap": False}
    for model, target in (
        (DecisionTreeRegressor(min_weight_fraction_leaf=0.02), y),
        (DecisionTreeClassifier(), classes),
        (RandomForestRegressor(3, min_weight_fraction_leaf=0.02, **options), y),
        (RandomForestClassifier(3, **options), classes),
    ):
        one, other = (clone(model).fit(X, target, sample_weight=w) for w in (weight, np.ldexp(weight, exponent)))
        np.testing.assert_array_equal(other.predict(X), one.predict(X))
        np.testing.assert_allclose(other.feature_importances_, one.feature_importances_)
        trees = [model.tree_ if hasattr(model, "tree_") else model.trees_ for model in (one, other)]
        weights = [part.weighted_n_node_samples for part in trees]
        np.testing.assert_array_equal(weights[1], np.ldexp(weights[0], exponent))


@pytest.mark.parametrize("model", [RandomForestRegressor, BaggingRegressor])
@pytest.mark.parametrize("largest", [1e300, 1e-300])
def test_out_of_bag_scores_of_any_magnitude_are_finite(model, largest):
    X, y = rows()
    fitted = model(n_estimators=50, oob_score=True, random_state=0).fit(X, y * largest)
    assert 0.3 < fitted.oob_score_ < 0.9
    assert np.isfinite(fitted.oob_prediction_).all()


def test_importances_of_any_magnitude_are_those_of_ordinary_targets():
    X, y = rows()
    for model in (DecisionTreeRegressor(), ExtraTreesRegressor(5, random_state=0)):
        one, other = (clone(model).fit(X, target) for target in (y, np.ldexp(y, 990)))
        np.testing.assert_allclose(other.feature_importances_, one.feature_importances_)


def test_a_small_number_beside_a_very_large_one_keeps_its_digits():
    X, y = np.arange(200.0)[:, None], np.array([1.0, 2.0, 3.5, *np.full(197, 1e20)])
    np.testing.assert_allclose(DecisionTreeRegressor().fit(X, y).predict(X), y, rtol=1e-13)
    np.testing.assert_allclose(RandomForestRegressor(1, bootstrap=False).fit(X, y).predict(X), y, rtol=1e-13)


def test_ordinary_targets_are_left_unchanged():
    assert target_unit(np.array([1e100, -1e90])) == 1.0
    assert target_unit(np.array([1e-100, 0.0])) == 1.0
    assert target_unit(np.zeros(3)) == 1.0
    assert target_unit(np.array([5e-324])) == 2.0**-680
    assert target_unit(np.array([0.0, -1.7e308])) == 2.0**680

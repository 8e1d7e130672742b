"""Forests of several outputs."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.ensemble import RandomForestRegressor as Reference

from probus import load, save
from probus.ensemble import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from probus.errors import DataError

CLASSIFIERS = [RandomForestClassifier, ExtraTreesClassifier]
REGRESSORS = [RandomForestRegressor, ExtraTreesRegressor]


def problem(n=200, seed=0):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4))
    Z = np.column_stack([X[:, 0] + X[:, 1], X[:, 2] ** 2]) + 0.1 * random.normal(size=(n, 2))
    return X, (Z > 0.5).astype(int), Z


@pytest.mark.parametrize("Forest", CLASSIFIERS)
def test_probabilities_are_the_mean_of_the_trees(Forest):
    X, Y, _ = problem()
    forest = Forest(5, random_state=0).fit(X, Y)
    each = [tree.predict_proba(X) for tree in forest.estimators_]
    for o, own in enumerate(forest.predict_proba(X)):
        assert_allclose(own, np.mean([p[o] for p in each], axis=0))
    assert_array_equal(forest.predict(X), np.column_stack([p.argmax(axis=1) for p in forest.predict_proba(X)]))
    assert (forest.n_outputs_, forest.n_classes_) == (2, [2, 2])
    assert forest.score(X, Y) > 0.8


@pytest.mark.parametrize("Forest", REGRESSORS)
def test_numbers_are_the_mean_of_the_trees_and_saved(Forest, tmp_path):
    X, _, Z = problem()
    forest = Forest(5, random_state=0).fit(X, Z)
    assert_allclose(forest.predict(X), np.mean([tree.predict(X) for tree in forest.estimators_], axis=0))
    save(forest, tmp_path / "forest.probus")
    assert_array_equal(load(tmp_path / "forest.probus").predict(X), forest.predict(X))


def test_they_are_as_good_as_those_of_scikit_learn():
    X, _, Z = problem(600)
    new, _, truth = problem(600, seed=1)
    ours, theirs = (Model(50, random_state=0).fit(X, Z) for Model in (RandomForestRegressor, Reference))
    assert ours.score(new, truth) > theirs.score(new, truth) - 0.02


def test_out_of_bag_predictions_have_the_shapes_of_scikit_learn(tmp_path):
    X, Y, Z = problem()
    forest = RandomForestClassifier(40, oob_score=True, random_state=0).fit(X, Y)
    assert forest.oob_decision_function_.shape == (200, 2, 2)
    assert_allclose(forest.oob_decision_function_.sum(axis=1), 1.0)
    voted = forest.oob_decision_function_.argmax(axis=1)
    assert forest.oob_score_ == pytest.approx((voted == Y).all(axis=1).mean())
    assert forest.oob_curve_[-1] == pytest.approx((voted != Y).mean())
    numbers = RandomForestRegressor(40, oob_score=True, random_state=0).fit(X, Z)
    assert numbers.oob_prediction_.shape == (200, 2)
    assert numbers.oob_curve_[-1] == pytest.approx(((numbers.oob_prediction_ - Z) ** 2).mean())
    save(forest, tmp_path / "forest.probus")
    assert load(tmp_path / "forest.probus").oob_score_ == forest.oob_score_


def test_trees_added_later_are_those_grown_at_once():
    X, Y, _ = problem()
    forest = RandomForestClassifier(3, warm_start=True, random_state=0, class_weight=[{0: 1, 1: 2}, {0: 3, 1: 1}])
    later = forest.fit(X, Y).set_params(n_estimators=6).fit(X, Y)
    at_once = RandomForestClassifier(6, random_state=0, class_weight=[{0: 1, 1: 2}, {0: 3, 1: 1}]).fit(X, Y)
    assert_array_equal(later.trees_.threshold, at_once.trees_.threshold)
    with pytest.raises(DataError, match="warm_start on classes"):
        later.set_params(n_estimators=7).fit(X, Y + 1)


def test_what_needs_one_output_is_refused():
    X, Y, Z = problem()
    forest = RandomForestRegressor(2, random_state=0).fit(X, Z)
    for use in (forest.quantiles, lambda X: forest.permutation_importance(X, Z)):
        with pytest.raises(DataError, match="2 outputs"):
            use(X)
    with pytest.raises(DataError, match="cannot be used to compute OOB estimates"):
        RandomForestClassifier(2, oob_score=True).fit(X, Y + np.array([0, 1]))


def test_shap_values_of_each_output_sum_to_its_prediction():
    X, y, Z = problem()
    numbers = RandomForestRegressor(5, max_depth=4, random_state=0).fit(X, Z)
    shap = numbers.shap_values(X[:20])
    assert shap.outputs == (0, 1)
    assert_allclose(shap.prediction, numbers.predict(X[:20]))
    assert_allclose(shap[1].prediction, numbers.predict(X[:20])[:, 1])
    labels = np.array(["no", "yes"])[y]
    classes = RandomForestClassifier(5, max_depth=4, random_state=0).fit(X, labels)
    shap = classes.shap_values(X[:20])
    assert shap.outputs == ((0, "no"), (0, "yes"), (1, "no"), (1, "yes"))
    assert_allclose(shap[1, "yes"].prediction, classes.predict_proba(X[:20])[1][:, 1])


def test_shap_values_of_outputs_with_different_classes_are_refused():
    X, y, _ = problem()
    forest = RandomForestClassifier(2, random_state=0).fit(X, np.column_stack([y[:, 0], y.sum(axis=1)]))
    with pytest.raises(
        DataError, match=r"(?s)SHAP values of 2 outputs with 2, 3 classes.*Fit a forest for each output"
    ):
        forest.shap_values(X)

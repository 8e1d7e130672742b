import inspect

import numpy as np
import pytest
import sklearn.tree
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.model_selection import cross_val_score

from probus.ensemble import ExtraTreesClassifier, ExtraTreesRegressor
from probus.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier, ExtraTreeRegressor

PAIRS = [(ExtraTreeClassifier, load_breast_cancer), (ExtraTreeRegressor, load_diabetes)]


@pytest.mark.parametrize("model", [ExtraTreeClassifier, ExtraTreeRegressor])
def test_parameters_and_defaults_are_scikit_learns(model):
    theirs = inspect.signature(getattr(sklearn.tree, model.__name__)).parameters
    ours = inspect.signature(model).parameters
    assert {name: ours[name].default for name in theirs} == {name: p.default for name, p in theirs.items()}
    assert issubclass(model, DecisionTreeClassifier | DecisionTreeRegressor)


@pytest.mark.parametrize(("model", "data"), PAIRS)
def test_it_predicts_as_well_as_scikit_learns(model, data):
    X, y = data(return_X_y=True)
    theirs = getattr(sklearn.tree, model.__name__)
    scores = [
        np.mean([cross_val_score(own(random_state=seed, min_samples_leaf=5), X, y, cv=3) for seed in range(10)])
        for own in (model, theirs)
    ]
    assert scores[0] == pytest.approx(scores[1], abs=0.05)


@pytest.mark.parametrize(("model", "data"), PAIRS)
def test_it_is_a_tree_of_the_forest(model, data):
    X, y = data(return_X_y=True)
    y = y.round()  # whole numbers: sums do not depend on the order of rows
    forest = (ExtraTreesClassifier if model is ExtraTreeClassifier else ExtraTreesRegressor)(1, random_state=0).fit(
        X, y
    )
    seed = forest[0].random_state
    tree = model(random_state=seed, max_bins=255, max_features=forest.max_features).fit(X, y).tree_
    np.testing.assert_array_equal(tree.threshold, forest[0].tree_.threshold)


def test_cuts_are_random():
    X, y = load_breast_cancer(return_X_y=True)
    cuts = {ExtraTreeClassifier(max_depth=1, random_state=seed).fit(X, y).tree_.threshold[0] for seed in range(5)}
    assert len(cuts) == 5

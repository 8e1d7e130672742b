"""Out-of-bag predictions against an explicit loop over trees and rows."""

import numpy as np
import pytest

from probus.datasets import mtcars, penguins
from probus.ensemble import ExtraTreesRegressor, RandomForestClassifier, RandomForestRegressor
from probus.ensemble.forest._out_of_bag import _ROWS
from probus.errors import DataError


def by_hand(forest, X, n_rows, width):
    """The mean over trees of what those say that have not seen a row, and the same after each tree."""
    sums, votes, after = np.zeros((n_rows, width)), np.zeros(n_rows), []
    for tree, drawn in zip(forest.estimators_, forest.estimators_samples_, strict=True):
        unseen = np.setdiff1d(np.arange(n_rows), drawn)
        said = tree.predict_proba(X) if width > 1 else tree.predict(X)[:, None]
        sums[unseen] += said[unseen]
        votes[unseen] += 1
        after.append((sums / np.maximum(votes, 1)[:, None], votes > 0))
    return after


def test_classes_are_predicted_by_the_trees_that_have_not_seen_the_row():
    birds = penguins()
    X, y = birds.drop("species"), birds["species"].decoded()
    forest = RandomForestClassifier(30, oob_score=True, random_state=1).fit(X, y)
    after = by_hand(forest, X, len(y), 3)
    np.testing.assert_allclose(forest.oob_decision_function_, after[-1][0], atol=1e-12)
    wrong = [(forest.classes_[said.argmax(axis=1)] != y)[known].mean() for said, known in after]
    np.testing.assert_allclose(forest.oob_curve_, wrong, atol=1e-12)
    assert forest.oob_score_ == pytest.approx(1 - wrong[-1])


@pytest.mark.parametrize("model", [RandomForestRegressor, ExtraTreesRegressor])
def test_numbers_are_predicted_by_the_trees_that_have_not_seen_the_row(model):
    cars = mtcars()
    X, y = cars[["wt", "hp", "qsec"]], cars["mpg"].values
    forest = model(40, bootstrap=True, oob_score=True, random_state=1).fit(X, y)
    after = by_hand(forest, X, len(y), 1)
    np.testing.assert_allclose(forest.oob_prediction_, after[-1][0][:, 0])
    errors = [((said[:, 0] - y)[known] ** 2).mean() for said, known in after]
    np.testing.assert_allclose(forest.oob_curve_, errors)
    assert forest.oob_score_ == pytest.approx(1 - errors[-1] / y.var())


def test_rows_of_several_blocks_are_the_same_rows():
    rng = np.random.default_rng(0)
    n = 2 * _ROWS + 100
    X = rng.normal(size=(n, 3))
    y = (X[:, 0] > 0).astype(int)
    forest = RandomForestClassifier(12, oob_score=True, random_state=0, max_depth=2).fit(X, y)
    np.testing.assert_allclose(forest.oob_decision_function_, by_hand(forest, X, n, 2)[-1][0], atol=1e-12)
    assert len(forest.oob_curve_) == 12


def test_a_function_may_score():
    X, y = np.arange(60.0)[:, None], np.arange(60) % 2
    forest = RandomForestClassifier(20, oob_score=lambda true, said: float((true == said).sum()), random_state=0)
    assert forest.fit(X, y).oob_score_ == (forest.oob_decision_function_.argmax(axis=1) == y).sum()


def test_too_few_trees_are_told():
    X, y = np.arange(60.0)[:, None], np.arange(60) % 2
    with pytest.warns(UserWarning, match="rows are in the bag of every tree: Some inputs do not have OOB scores"):
        forest = RandomForestClassifier(1, oob_score=True, random_state=0).fit(X, y)
    seen = forest.bags_.counts(0) > 0
    assert (forest.oob_decision_function_[seen] == 0).all()


def test_out_of_bag_without_bags_is_refused():
    with pytest.raises(DataError, match="Out of bag estimation only available if bootstrap=True"):
        RandomForestClassifier(bootstrap=False, oob_score=True).fit([[0.0], [1.0]], [0, 1])

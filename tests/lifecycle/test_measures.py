import numpy as np
import pytest
from sklearn import metrics

from probus.lifecycle.measures import Outcome, measures_for

random = np.random.default_rng(0)


def scores(outcome, n_classes):
    return {measure.name: measure.compute(outcome) for measure in measures_for(n_classes)}


def test_classification_scores_are_those_of_scikit_learn():
    actual = random.integers(0, 2, 100)
    chances = random.dirichlet([1, 1], 100)
    predicted = chances.argmax(axis=1)
    found = scores(Outcome(actual, predicted, chances, positive=1), 2)
    assert found == pytest.approx(
        {
            "accuracy": metrics.accuracy_score(actual, predicted),
            "balanced_accuracy": metrics.balanced_accuracy_score(actual, predicted),
            "log_loss": metrics.log_loss(actual, chances),
            "roc_auc": metrics.roc_auc_score(actual, chances[:, 1]),
        }
    )


def test_the_positive_class_turns_the_roc_curve_and_its_probabilities_together():
    actual, chances = random.integers(0, 2, 50), random.dirichlet([1, 1], 50)
    one, other = (scores(Outcome(actual, actual, chances, positive=p), 2)["roc_auc"] for p in (0, 1))
    assert one == pytest.approx(other)


def test_a_class_that_no_test_row_has_breaks_nothing():
    actual = np.zeros(10, dtype=int)
    found = scores(Outcome(actual, random.integers(0, 2, 10), np.full((10, 2), 0.5), positive=1), 2)
    assert found["log_loss"] == pytest.approx(np.log(2))
    assert np.isnan(found["roc_auc"])


def test_regression_scores_are_those_of_scikit_learn():
    actual, predicted = random.normal(size=(2, 50))
    assert scores(Outcome(actual, predicted), 0) == pytest.approx(
        {
            "rmse": metrics.root_mean_squared_error(actual, predicted),
            "mae": metrics.mean_absolute_error(actual, predicted),
            "r2": metrics.r2_score(actual, predicted),
        }
    )
    assert np.isnan(scores(Outcome(actual[:1], predicted[:1]), 0)["r2"])


def test_many_classes_have_no_roc_curve_and_losses_point_down():
    assert [measure.name for measure in measures_for(3)] == ["accuracy", "balanced_accuracy", "log_loss"]
    assert [measure.better(1.0) for measure in measures_for(3)] == [1, 1, -1]

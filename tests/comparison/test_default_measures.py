import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from probus.comparison import Leaderboard, compare, compare_fitted
from probus.data import Task
from probus.datasets import load
from probus.dummy import ZeroRClassifier, ZeroRRegressor
from probus.lifecycle import study
from probus.model_selection import StratifiedShuffleSplit, resample
from probus.naive_bayes import NaiveBayes
from probus.neighbors import KNeighborsRegressor

IRIS = Task(load("iris"), target="species")
TWO = Task(load("iris").take(np.arange(50, 150)).drop("petal_length", "petal_width"), target="species")
MTCARS = Task(load("mtcars").drop("name"), target="mpg")


@pytest.mark.parametrize(
    ("task", "models", "first"),
    [
        (TWO, [ZeroRClassifier(), NaiveBayes()], "roc_auc"),
        (IRIS, [ZeroRClassifier(), NaiveBayes()], "log_loss"),
        (MTCARS, [ZeroRRegressor(), KNeighborsRegressor()], "rmse"),
    ],
)
def test_every_verb_that_ranks_models_has_the_same_default_measure(task, models, first):
    compared = compare(models, task, cv=3)
    results = [resample(model, task, cv=3) for model in models]
    fitted = [model.fit(task.X, task.y) for model in models]
    found = study(task, models={"model": models[-1]}, cv=3, evaluations=0, progress=None)
    assert compared.measure.name == first
    assert compare(results).measure.name == first
    assert Leaderboard.of(results).measures[0].name == first
    assert compare_fitted(fitted, task).measure.name == first
    assert found.main.name == first
    assert {each.name for each in found.measures} == {each.name for each in compared.leaderboard.measures}


def test_models_without_probabilities_are_compared_by_accuracy_and_the_note_names_them():
    models = {"bayes": NaiveBayes(), "svm": LinearSVC(), "zero-r": ZeroRClassifier()}
    compared = compare(models, IRIS, cv=3)
    assert compared.measure.name == "accuracy"
    assert all(standing.rank for standing in compared.leaderboard)
    assert "compared by accuracy, since svm predicts nothing that log loss needs" in compared.notes
    assert compare(list(compared.results.values())).measure.name == "accuracy"
    assert Leaderboard.of(compared.results).measures[0].name == "accuracy"
    assert compare(models, TWO, cv=3).measure.name == "roc_auc"  # a decision function ranks rows


def test_a_test_that_counts_right_rows_compares_by_accuracy():
    held_out = StratifiedShuffleSplit(1, random_state=0)
    models = [NaiveBayes(), LogisticRegression(max_iter=500)]
    assert compare(models, TWO, cv=held_out, test="mcnemar").measure.name == "accuracy"
    assert compare(models, TWO, cv=held_out).measure.name == "roc_auc"


def test_several_data_sets_are_compared_by_a_measure_of_the_most_classes():
    compared = compare([NaiveBayes(), ZeroRClassifier()], {"two": TWO, "three": IRIS}, cv=3)
    assert compared.measure.name == "log_loss"


def test_measures_that_are_given_decide():
    compared = compare([NaiveBayes(), ZeroRClassifier()], TWO, cv=3, scoring=["f1", "brier"])
    assert [each.name for each in compared.leaderboard.measures][:3] == ["f1", "brier", "roc_auc"]

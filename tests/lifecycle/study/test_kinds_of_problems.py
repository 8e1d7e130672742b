"""Numbers, groups, positive classes: what is given with the data."""

import numpy as np
import pytest

from probus.data import Task
from probus.data._examine import examine
from probus.errors import DataError
from probus.lifecycle._families import families
from probus.lifecycle._study_warnings import matter

pytestmark = pytest.mark.slow  # every test runs studies


def test_numbers_are_predicted_with_errors_instead_of_accuracy(study):
    x = np.linspace(0, 1, 60)
    result = study({"x": x, "y": 10 * x + np.sin(50 * x) / 10}, models=["linear", "tree"], allow_leaks=True)
    assert [measure.name for measure in result.measures] == ["rmse", "mae", "r2"]
    assert result.leaderboard.best.scores["r2"] > 0.9
    assert result.best != "Zero-R"


def test_the_svm_of_numbers_does_not_depend_on_their_unit(study):
    x = np.random.default_rng(0).normal(size=60)
    scores = [
        study({"x": x, "z": x % 1, "y": unit * np.sin(2 * x)}, models=["svm"], cv=2)
        .leaderboard["SVM"]
        .scores["r2"]
        .value
        for unit in (1.0, 10_000.0)
    ]
    assert scores[0] > 0.5
    assert scores[1] == pytest.approx(scores[0], abs=0.01)


def test_numbers_have_an_elastic_net_and_classes_do_not():
    assert "Elastic net" in families("regression", ["linear"])
    assert "Elastic net" not in families("classification", ["linear"])


def test_naive_bayes_is_refused_for_numbers():
    message = r"'bayes' predicts classes, and the target is numbers\.\n  Expected one of linear, tree, neighbors, svm"
    with pytest.raises(DataError, match=message):
        families("regression", ["bayes"])


@pytest.mark.parametrize("target", ["y", "x"])
def test_nearest_neighbours_are_fitted_on_few_rows(study, two_blobs, target):
    result = study(two_blobs(12), target=target, models=["neighbors"], allow_leaks=True)
    assert not result.leaderboard["Nearest neighbours"].status


def test_groups_are_never_split_and_are_no_feature(study, two_blobs):
    groups = np.repeat(np.arange(20), 3)
    result = study(two_blobs(patient=[f"p{g}" for g in groups]), group="patient")
    assert "patient" not in result.features
    assert result.splits.how == "stratified grouped 3-fold cross-validation"
    for train, test in result.splits.pairs:
        assert not set(groups[train]) & set(groups[test])


def test_columns_with_the_same_value_for_missing_ones_are_one_warning(two_blobs):
    n = 200
    columns = {name: np.where(np.arange(n) % 5 == i % 5, "?", "ab"[i % 2]) for i, name in enumerate("abcdefgh")}
    columns["k"] = np.where(np.arange(n) % 7 == 0, "unknown", "known")
    task = Task(two_blobs(n, **columns), "y")
    found = matter(examine(task.table, target="y"), task.features, task)
    evidence = {each.column: each.evidence for each in found if each.title == "disguised-missing"}
    assert evidence == {
        None: "'?' may mean missing in 8 columns: a, b, c, d, e, f and 2 more.",
        "k": "'unknown' in 29 of 200 rows (14 %).",
    }


def test_the_positive_class_and_the_score_can_be_chosen(study):
    result = study(pos_label="no", scoring="log_loss")
    assert result.task.pos_label == "no"
    assert result.main.name == "log_loss"
    values = [float(standing.scores["log_loss"]) for standing in result.leaderboard]
    assert values == sorted(values)
    assert [measure.name for measure in result.measures] == ["log_loss", "roc_auc", "accuracy", "balanced_accuracy"]


def test_kinds_can_be_set(study, two_blobs):
    result = study(two_blobs(code=np.arange(60) % 3), kinds={"code": "nominal"})
    assert result.task.table["code"].kind == "nominal"


def test_a_task_is_taken_as_it_is(study, two_blobs):
    result = study(Task(two_blobs(), "y", pos_label="no"), target=None)
    assert result.task.pos_label == "no"


@pytest.mark.parametrize(
    ("labels", "positive", "why"),
    [
        (["yes", "no"], "yes", "by its name"),
        (["1", "0"], "1", "by its name"),
        (["1", "1", "2"], "2", "the rarer one"),
        (["good", "good", "bad"], "bad", "the rarer one"),
        (["a", "b"], "b", "the last of two equally frequent ones"),
    ],
)
def test_the_positive_class_is_the_one_that_is_likely_meant_and_is_said(labels, positive, why):
    from probus.lifecycle._study_task import Given

    rows = {"x": np.arange(12.0), "y": labels * (12 // len(labels))}
    task, _, notes = Given(rows, target="y").task()
    assert str(task.pos_label) == positive
    assert f"the positive class is {positive}, {why}; choose it by --positive (pos_label)" in notes
    assert Given(rows, target="y", pos_label=task.classes[0]).task()[0].pos_label == task.classes[0]

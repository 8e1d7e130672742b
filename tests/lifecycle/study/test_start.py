"""Studies that begin with configurations, or with what a study of other rows found."""

import json

import numpy as np
import pytest

import probus
from probus import DataError
from probus.lifecycle._study_options import StudyOptions, checked_options

HOW = {"cv": 2, "models": ["tree"], "evaluations": 3, "progress": None, "target": "y"}


def table(seed):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(150, 3))
    y = np.where(x[:, 0] + x[:, 1] ** 2 + rng.normal(size=150) > 0.7, "yes", "no")
    return probus.Table.of({"a": x[:, 0], "b": x[:, 1], "c": x[:, 2], "y": y})


def tried(study):
    return [row["configuration"] for row in study.tried if row["model"] == "Tree" and row["configuration"]]


@pytest.mark.slow
def test_given_configurations_are_tried_first():
    study = probus.study(table(0), **HOW, start={"tree": {"min_samples_leaf": 17}})
    assert [config["model__estimator__min_samples_leaf"] for config in tried(study)].count(17) == 1
    assert "'model__estimator__min_samples_leaf': 17" in probus.report._reproduction.python_code(study)


@pytest.mark.slow
def test_the_best_of_a_study_of_other_rows_are_tried_and_of_the_same_rows_refused(tmp_path):
    file = tmp_path / "former.db"
    former = probus.study(table(1), **{**HOW, "evaluations": 6}, archive=file)
    rows = [row for row in former.tried if row["model"] == "Tree" and row["configuration"]]
    best = max(rows, key=lambda row: former.main.better(row["score"]))["configuration"]
    for start in (former, str(file)):
        assert best in tried(probus.study(table(0), **HOW, start=start))[:5]
        with pytest.raises(DataError, match=r"(?s)same rows.*too good.*archive="):
            probus.study(table(1), **HOW, start=start)
        for other in ({"split": "time:c"}, {"drop": "c"}):  # the rows are the same, whatever their columns are for
            with pytest.raises(DataError, match=r"(?s)same rows.*too good.*archive="):
                probus.study(table(1), **HOW, start=start, **other)


@pytest.mark.parametrize(
    ("start", "text"),
    [
        ({"trees": {}}, "no family of models 'trees'"),
        ({"tree": {"min_samples_leaf": 1e9}}, "min_samples_leaf"),
        ({"tree": {"leaves": 2}}, "no parameter 'leaves'"),
        ({"tree": 3}, r"start\['tree'\]=3"),
        (7, "start is a int"),
        ("nowhere.db", "nowhere.db"),
    ],
)
def test_a_start_that_is_none_is_refused(start, text):
    with pytest.raises(DataError, match=text):
        probus.study(table(0), **HOW, start=start)


def test_an_archive_keeps_the_configurations():
    given = StudyOptions("iris", target="species", start={"tree": [{"max_depth": 3}]})
    assert checked_options(json.dumps(given.stored()), "a.db")["start"] == {"tree": [{"max_depth": 3}]}
    with pytest.raises(DataError, match="its option start"):
        checked_options(json.dumps({**given.stored(), "start": "http://there"}), "a.db")

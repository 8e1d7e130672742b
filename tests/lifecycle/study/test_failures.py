"""Models that fail, interrupts and wrong arguments."""

import numpy as np
import pytest

from probus.data import Task
from probus.errors import DataError

pytestmark = pytest.mark.slow  # every test runs studies


def test_a_model_that_fails_is_shown_with_its_error(study, breaking):
    result = study(models={"broken": breaking()})
    assert result.best == "Zero-R"
    assert result.leaderboard["broken"].status == "failed on all 3 splits: RuntimeError: it broke"


def test_when_every_model_fails_the_errors_are_listed(study, breaking):
    with pytest.raises(
        DataError, match="no model can be ranked: Zero-R failed on all 3 splits: RuntimeError: it broke"
    ):
        study(models={"Zero-R": breaking()})


def test_an_interrupt_keeps_the_models_that_are_finished(study):
    def interrupt(done, total, name):
        if done == 2 and not name.startswith("fitting"):
            raise KeyboardInterrupt

    result = study(progress=interrupt)
    assert list(result.results) == ["Zero-R", "Naive Bayes"]
    assert result.leaderboard["Tree"].status == "not finished"
    assert "Not finished, and so not compared: Tree." in result.headline()
    assert "significantly worse" not in result.headline()
    assert result.stopped == "interrupted: 2 of 3 models are finished and ranked"
    assert result.stopped in repr(result)


def test_an_interrupt_before_any_model_is_finished_is_an_interrupt(study):
    def interrupt(done, total, name):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study(progress=interrupt)


def test_an_interrupt_of_the_tuning_keeps_what_is_known(study):
    def interrupt(done, total, name):
        if name.startswith("tuning"):
            raise KeyboardInterrupt

    result = study(progress=interrupt, evaluations=2)
    assert list(result.results) == ["Zero-R", "Naive Bayes", "Tree"]
    assert result.stopped == "interrupted: 3 of 3 models are finished and ranked"


def test_progress_names_each_model_and_the_final_fit(study):
    steps = []
    study(progress=lambda *step: steps.append(step))
    done, totals, names = zip(*steps, strict=True)
    assert list(done) == sorted(done)
    assert set(totals) == {3}
    assert dict.fromkeys(names) == dict.fromkeys(["Zero-R", "Naive Bayes", "Tree", names[-1]])
    assert names[-1].startswith("fitting")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": None}, r"no target\.\n  Expected the name of the column to predict"),
        ({"target": "Y"}, r"no column 'Y'\.\n  Expected one of 'x', 'z', 'y'\. Did you mean 'y'\?"),
        ({"scoring": "rmse"}, r"rmse needs values\.\n  Expected a measure of a classification"),
        ({"scoring": "acuracy"}, r"no measure 'acuracy'(?s:.)*Did you mean 'accuracy'"),
        ({"group": "nobody"}, "no column 'nobody' for the group"),
        ({"pos_label": "maybe"}, "no class 'maybe' in target 'y'"),
        ({"models": ["forrest"]}, r"no family of models 'forrest'(?s:.)*Did you mean 'forest'"),
        ({"models": []}, "no models"),
        (
            {"models": ["elastic net"]},
            r"'elastic net' predicts numbers, and the target is classes\.\n  Expected one of",
        ),
        ({"drop": "q"}, "no column 'q'"),
        ({"drop": ["y"]}, r"column 'y' is dropped, and is the target\.\n  Expected only features in drop"),
        ({"drop": ["z"], "group": "z"}, r"column 'z' is dropped, and is the group\."),
        ({"time": 0}, r"time=0\.\n  Expected seconds, or a span such as '90s'"),
        ({"evaluations": -1}, r"evaluations=-1\.\n  Expected a number of configurations"),
        ({"data": "irsi"}, r"no file and no bundled data set 'irsi'\.\n.*Did you mean iris\?"),
        ({"data": "absent.csv"}, "absent.csv"),
    ],
)
def test_wrong_arguments_are_explained(options, message, study):
    with pytest.raises(DataError, match=message):
        study(**options)


def test_a_task_brings_its_own_roles_and_only_those_a_study_honours(study, two_blobs):
    with pytest.raises(DataError, match="a Task together with target"):
        study(Task(two_blobs(), "y"))
    with pytest.raises(DataError, match=r"a Task together with target, kinds, .* sensitive or order"):
        study(Task(two_blobs(t=np.arange(60.0)), "y", time="t"), target=None, order="t")


def test_nothing_to_learn_from_is_an_error(study):
    with pytest.raises(DataError, match=r"no column is left to learn from: 'id' \(identifies the rows\)"):
        study({"id": [f"A-{i:05d}" for i in range(60)], "y": ["a", "b"] * 30})


def test_infinite_values_are_refused_before_any_model_is_tried(study):
    table = {"x": [np.inf, 1.0, 2.0, 3.5] * 5, "y": ["a", "b"] * 10}
    with pytest.raises(DataError, match=r"column 'x' holds 5 infinite values(?s:.)*missing=\['inf', '-inf'\]"):
        study(table, target="y", progress=None)

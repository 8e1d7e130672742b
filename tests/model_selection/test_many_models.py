import time

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import probus
from probus import Task
from probus.dummy import ZeroRClassifier
from probus.errors import DataError
from probus.model_selection import BestOfClassifier, resample, splits_of
from probus.model_selection._many_models import Entry, resample_many
from probus.naive_bayes import GaussianNB

X = np.random.default_rng(0).normal(size=(60, 2))
TASK = Task.of(X, np.where(X[:, 0] > 0, "yes", "no"))
SPLITS = splits_of(3, TASK)
MODELS = {"zero-r": ZeroRClassifier(), "bayes": GaussianNB(), "smooth": GaussianNB(var_smoothing=0.1)}


class Interrupts(GaussianNB):
    """Is stopped while it is fitted."""

    def fit(self, X, y, sample_weight=None):
        raise KeyboardInterrupt


def entries(models=MODELS):
    return {name: Entry(name, model, TASK, SPLITS) for name, model in models.items()}


def test_every_model_is_resampled_as_it_is_alone():
    found = resample_many(entries(), random_state=0)
    assert (found.stopped, found.note) == ("", "")
    for name, result in found.results.items():
        alone = resample(MODELS[name], TASK, cv=SPLITS, random_state=0)
        np.testing.assert_array_equal(result.scores(), alone.scores())


def test_what_is_finished_is_not_fitted_again():
    archive = {}
    resample_many({"bayes": entries()["bayes"]}, finished=archive)
    steps, first = [], archive["bayes"]
    found = resample_many(entries(), finished=archive, progress=lambda done, total, name: steps.append(name))
    assert found.results["bayes"] is first
    assert set(archive) == set(MODELS)
    assert "bayes" not in steps


def test_progress_counts_every_split_once():
    steps = []
    resample_many(entries(), progress=lambda *step: steps.append(step))
    assert [done for done, _, _ in steps] == list(range(10))
    assert {total for _, total, _ in steps} == {9}


def test_an_interrupt_keeps_the_models_that_are_finished():
    found = resample_many(entries({**MODELS, "stopped": Interrupts(), "never": GaussianNB()}))
    assert list(found.results) == list(MODELS)
    assert found.note == "interrupted: 3 of 5 models are finished and ranked"
    with pytest.raises(KeyboardInterrupt):
        found.need(4)


def test_the_deadline_is_an_argument():
    found = resample_many(entries(), deadline=time.perf_counter() - 1)
    assert (dict(found.results), found.stopped) == ({}, "the time was up")
    with pytest.raises(DataError, match="the time was up before any model was finished"):
        found.need(1)


def test_a_model_of_the_wrong_kind_is_refused_before_any_fit():
    with pytest.raises(DataError, match="Ridge is a regressor"):
        resample_many(entries({"stopped": Interrupts(), "ridge": Ridge()}))


def test_compare_keeps_what_is_finished():
    compared = probus.compare({**MODELS, "stopped": Interrupts()}, TASK, cv=SPLITS)
    assert compared.leaderboard["stopped"].status == "not finished"
    assert compared.notes[0] == "interrupted: 3 of 4 models are finished and ranked"
    with pytest.raises(KeyboardInterrupt):
        probus.compare({"zero-r": ZeroRClassifier(), "stopped": Interrupts()}, TASK, cv=SPLITS)
    with pytest.raises(DataError, match="the time was up before 2 models were finished"):
        probus.compare(MODELS, TASK, time=1e-9)


def test_compare_keeps_the_data_sets_that_are_finished():
    class Third(GaussianNB):
        """Is stopped on the third data set."""

        def fit(self, X, y, sample_weight=None):
            if len(X) < 30:
                raise KeyboardInterrupt
            return super().fit(X, y, sample_weight)

    tasks = {"a": TASK, "b": TASK.take(range(50)), "c": TASK.take(range(30))}
    compared = probus.compare({"zero-r": ZeroRClassifier(), "third": Third()}, tasks, cv=3)
    assert list(compared.results) == ["a", "b"]
    assert compared.notes[0] == "interrupted: 5 of 6 models are finished and ranked"


def test_the_best_of_candidates_is_not_chosen_from_some_of_them():
    with pytest.raises(KeyboardInterrupt):
        BestOfClassifier([GaussianNB(), Interrupts()], cv=3).fit(TASK.X, TASK.y)


@pytest.mark.slow
def test_a_study_holds_its_comparison():
    study = probus.study(TASK, cv=2, models=["bayes"], evaluations=0, allow_leaks=True, progress=None)
    assert study.comparison.leaderboard is study.leaderboard
    assert study.comparison.results.keys() == study.results.keys()
    assert study.headline().startswith(study.comparison.headline("Zero-R"))
    assert study.comparison.sentence.endswith(".")

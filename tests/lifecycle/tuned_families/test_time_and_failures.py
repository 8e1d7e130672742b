"""Models that crash, hang or take too long, and what a study does with its time."""

import os
import time

import numpy as np
import pytest
from numba.core import event

import probus
from probus.dummy import ZeroRClassifier
from probus.ensemble import BoostingClassifier
from probus.lifecycle import _conclusion as conclusion
from probus.lifecycle import _fit_pool as fit_pool
from probus.lifecycle._families import families
from probus.lifecycle._family_fits import OUTER, FamilyFits
from probus.lifecycle._fit_pool import FitPool
from probus.metrics import measure
from probus.model_selection import splits_of
from probus.naive_bayes import NaiveBayes
from probus.neighbors import KNeighborsClassifier
from probus.spaces import Choice, Space
from probus.tuning import _worker_process as worker_process


class Ends(ZeroRClassifier):
    """Ends its process, or never returns."""

    def __init__(self, what="exit"):
        super().__init__()
        self.what = what

    def fit(self, X, y, sample_weight=None):
        if self.what == "exit":
            os._exit(3)
        while True:
            time.sleep(0.05)


@pytest.mark.slow
def test_a_model_that_crashes_or_hangs_is_recorded_and_the_study_goes_on(study, monkeypatch):
    monkeypatch.setattr(conclusion, "_LEAST", 3.0)
    monkeypatch.setattr(conclusion, "_FIT_SHARE", 0.0)
    models = {"bayes": NaiveBayes(), "exits": Ends(), "hangs": Ends("hang")}
    rows = np.arange(120)
    result = study(cv=[(rows[:80], rows[80:])], models=models, time=300, evaluations=1)
    assert result.best == "bayes"
    assert result.leaderboard["exits"].status == "failed on the only split: Crashed: the process ended with status 3"
    stopped = "failed on the only split: Stopped: took longer than the limit of 3 s"
    assert result.leaderboard["hangs"].status == stopped
    assert [row["error"] is None for row in result.tried if row["model"] == "hangs"] == [False]


class Compiles(NaiveBayes):
    """Compiles for longer than a fit may take."""

    def fit(self, X, y, sample_weight=None):
        with event.trigger_event("numba:compile", {"dispatcher": None}):
            time.sleep(3.5)
        return super().fit(X, y, sample_weight)


@pytest.mark.slow
def test_compiling_does_not_count_against_the_limit_of_a_fit(study, monkeypatch):
    monkeypatch.setattr(conclusion, "_LEAST", 3.0)
    monkeypatch.setattr(conclusion, "_FIT_SHARE", 0.0)
    rows = np.arange(120)
    result = study(cv=[(rows[:80], rows[80:])], models={"compiles": Compiles()}, time=300, evaluations=0)
    assert result.best == "compiles"
    assert not result.leaderboard["compiles"].status


def test_compiling_does_not_count_against_the_time_of_the_study(two_families, moons, monkeypatch):
    task = probus.Task(moons(30), target="y")
    fits = FamilyFits(
        families("classification", two_families), task, splits_of(2, task, random_state=0), measure("roc_auc"), 0
    )
    pool = FitPool(fits, 1, deadline=time.perf_counter() + 1000, limit=None)
    before, spent = pool.left, fit_pool.seconds_compiling_anywhere()
    monkeypatch.setattr(fit_pool, "seconds_compiling_anywhere", lambda: spent + 500)
    assert pool.left - before == pytest.approx(500, abs=60)
    pool.close()


@pytest.mark.slow
def test_the_first_fit_on_a_machine_reports_that_it_compiles(moons, monkeypatch, tmp_path):
    monkeypatch.setattr(worker_process, "_kept", [])
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    task = probus.Task(moons(30), target="y")
    models = families("classification", {"k-NN": KNeighborsClassifier(3)})
    fits = FamilyFits(models, task, splits_of(2, task, random_state=0), measure("roc_auc"), 0)
    pool = FitPool(fits, 1, deadline=time.perf_counter() + 300, limit=20.0)
    (fit,) = pool.run([("k-NN", {}, 0, OUTER)])
    compiling = pool.seconds_compiling
    pool.close()
    for process in worker_process._kept:
        process.close()
    assert (fit.error, compiling > 0) == (None, True)


class Slow(NaiveBayes):
    """Takes longer than the study may."""

    def fit(self, X, y, sample_weight=None):
        time.sleep(0.2)
        return super().fit(X, y, sample_weight)


@pytest.mark.slow
def test_however_short_the_time_a_study_ends_with_the_first_model_that_can_finish(study, monkeypatch):
    monkeypatch.setattr(conclusion, "_LEAST", 1.0)
    models = {"hangs": Ends("hang"), "slow": Slow(), "later": Slow()}
    result = study(time=0.1, models=models, cv=5, n_jobs=1)
    assert result.best == "slow"
    assert result.leaderboard["later"].status == "not finished"
    left_out = "left out, since the time did not suffice for the default on 96 rows of each split: later"
    assert any(note.startswith(left_out) for note in result.notes)
    assert result.stopped == (
        "the time was up before any model was finished, so the first one took longer: "
        "2 of 4 models are finished and ranked"
    )
    errors = [failure.error for failure in result.results["hangs"].failures]
    late = "Stopped: took longer than the limit of 1 s"
    assert errors == [late] + [f"{late} on another split"] * 4  # which are not begun


@pytest.mark.slow
def test_a_study_of_models_that_all_take_too_long_ends_with_the_baseline(study, monkeypatch):
    monkeypatch.setattr(conclusion, "_LEAST", 0.5)
    result = study(time=0.1, models={"hangs": Ends("hang")}, cv=5, n_jobs=1)
    assert result.best == "Zero-R"
    assert "took longer than the limit of 0.5 s" in result.leaderboard["hangs"].status


class WaitsFor(KNeighborsClassifier):
    """Does not end before a file is there."""

    def __init__(self, file):
        super().__init__()
        self.file = file

    def fit(self, X, y):
        while not os.path.exists(self.file):
            time.sleep(0.05)
        return super().fit(X, y)


@pytest.mark.slow
def test_a_fit_that_took_too_long_is_tried_again_where_a_study_goes_on(study, monkeypatch, tmp_path):
    monkeypatch.setattr(conclusion, "_LEAST", 0.5)
    ready = tmp_path / "ready"
    how = {"cv": 2, "archive": tmp_path / "a.db", "evaluations": 0, "models": {"k-NN": WaitsFor(str(ready))}}
    assert study(time=0.1, n_jobs=1, **how).best == "Zero-R"
    ready.touch()
    assert study(**how).best == "k-NN"


class SlowOnManyRows(NaiveBayes):
    """Does not end on more than a few rows."""

    def fit(self, X, y, sample_weight=None):
        if len(y) > 1_000:
            time.sleep(100)
        return super().fit(X, y, sample_weight)


class SlowWithManyNeighbours(KNeighborsClassifier):
    def search_space(self):
        return Space({"n_neighbors": Choice(5, 20)}).with_default(self)

    def fit(self, X, y):
        time.sleep(100 if self.n_neighbors > 5 else 0)
        return super().fit(X, y)


@pytest.mark.slow
def test_a_configuration_that_takes_far_longer_than_the_default_is_stopped(study, moons):
    models = {"k-NN": SlowWithManyNeighbours(5)}
    result = study(moons(120), time=60, evaluations=2, models=models, cv=2, n_jobs=2)
    (slow,) = [each["error"] for each in result.tried if 20 in each["configuration"].values()]
    assert slow.startswith("Stopped: took longer than the limit of")


def test_boosting_among_the_best_becomes_the_mean_of_several_models(study, moons):
    models = {"Boosting": BoostingClassifier(20, random_state=0)}
    result = study(moons(120), models=models, evaluations=1, cv=2)
    assert result.model.estimator_.steps[-1][1].n_models == 4
    assert "Boosting is the mean of 4 models, each fitted to other samples of the training rows" in result.notes
    untuned = study(moons(120), models=models, evaluations=0, cv=2, n_jobs=-1)
    assert untuned.model.estimator_.steps[-1][1].n_models == 1


class SlowWithLeaves(BoostingClassifier):
    def fit(self, X, y, sample_weight=None):
        time.sleep(100 if self.max_leaf_nodes else 0)
        return super().fit(X, y, sample_weight)


@pytest.mark.slow
def test_a_turn_that_takes_too_long_leaves_the_time_that_is_kept_for_averages(study, moons, monkeypatch):
    monkeypatch.setattr("probus.lifecycle._elimination._SLOWER", 1e6)
    monkeypatch.setattr("probus.lifecycle._elimination._seconds_of_averages", lambda *_: 20.0)
    models = {"Boosting": SlowWithLeaves(20, random_state=0)}
    result = study(moons(120), time=26, models=models, evaluations=8, cv=2, n_jobs=2)
    assert result.model.estimator_.steps[-1][1].n_models > 1
    assert result.seconds < 60


@pytest.mark.slow
def test_models_that_were_not_tuned_for_want_of_time_are_named(study, monkeypatch):
    monkeypatch.setattr("probus.lifecycle._elimination._fits_in", lambda search, *_: search.name == "k-NN")
    assert "not tuned, for want of time: bayes" in study().notes
    monkeypatch.setattr("probus.lifecycle._elimination._fits_in", lambda *_: False)
    assert "no model was tuned, for want of time: all have their default parameters" in study().notes
    assert not [note for note in study(evaluations=0).notes if "tuned" in note]


def test_where_no_model_finishes_in_time_one_is_trained_on_a_few_rows(study, moons, monkeypatch):
    monkeypatch.setattr(conclusion, "_LEAST", 0.5)
    models = {"first": SlowOnManyRows(), "second": SlowOnManyRows()}
    result = study(moons(2_000), time=0.1, models=models, cv=5, n_jobs=1)
    assert result.best == "first"
    note = "trained on 1,000 of the 1,600 training rows of each split, for want of time: first, also as saved"
    assert note in result.notes
    assert result.model.estimator_.steps[-1][1].class_count_.sum() == 1_000

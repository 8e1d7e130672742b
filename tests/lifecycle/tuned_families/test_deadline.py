"""What is kept of a study's time for its end, and what is dropped where that does not suffice."""

import time
from concurrent.futures import Future
from types import SimpleNamespace

import numpy as np
import pytest

import probus
from probus.cli import _study as study_command
from probus.lifecycle import _conclusion as conclusion
from probus.lifecycle._conclusion import StudyLimits
from probus.lifecycle._elimination import _limit
from probus.lifecycle._families import BASELINE, families
from probus.lifecycle._family_fits import FEW, FamilyFits, Fitted
from probus.lifecycle._family_search import FamilySearch
from probus.lifecycle._fit_pool import FitPool
from probus.lifecycle._wrap_up import WrapUp, report_seconds
from probus.metrics import measure
from probus.model_selection import splits_of
from probus.model_selection.engine import OutOfTimeError
from probus.tree import DecisionTreeRegressor

NUMBERS = {"linear": probus.linear_model.Ridge(), "tree": DecisionTreeRegressor(max_depth=3)}


def _numbers(n=200):
    random = np.random.default_rng(0)
    x, z = random.normal(size=(2, n))
    return {"x": x, "z": z, "y": x + np.sin(3 * z) + random.normal(0, 0.1, n)}


@pytest.fixture
def fits():
    task = probus.Task(_numbers(), "y")
    models = families("regression", NUMBERS)
    return FamilyFits(models, task, splits_of(5, task, random_state=0), measure("rmse"), 0)


def _search(fits, name, seconds, score=0.0, rows=-1):
    search = FamilySearch(name, fits)
    outcomes = [fits.failed(fits.pair(run, rows), "").outcome for run in range(5)]
    search.first([Fitted(each, score, seconds) for each in outcomes], rows)
    return search


def test_a_turn_that_the_time_ends_leaves_the_family_as_it_was_scored(fits):
    search = _search(fits, "tree", 0.1)
    calls = []

    def run(jobs):
        calls.append(jobs)
        if len(calls) == 2:  # the outer test rows, by the better configurations
            raise OutOfTimeError
        return [Fitted(fits.failed(fits.pair(*job[2:]), "").outcome, float(i), 0.1) for i, job in enumerate(jobs)]

    with pytest.raises(OutOfTimeError):
        search.turn(3, run)
    assert len(calls) == 2
    assert search.best == [{}] * 6
    assert (search.n_tried, search.inner_score) == (0, -np.inf)
    calls.append("the next turn has time")
    search.turn(3, run)
    assert search.best != [{}] * 6
    assert search.n_tried == 3


def test_a_configuration_may_take_no_longer_than_leaves_time_to_score_and_save_it(fits):
    search = _search(fits, "tree", 0.5)
    few = SimpleNamespace(deadline=1.0, left=14.0, n_jobs=2)
    share = len(fits.pair(5, 0)[0]) / 160  # inner splits train on fewer rows
    assert _limit(search, few) == pytest.approx(14.0 * share / (5 / 2 + 1.5))
    assert _limit(search, SimpleNamespace(deadline=1.0, left=1_000.0, n_jobs=2)) == 5.0  # ten times as long as usual
    assert _limit(search, SimpleNamespace(deadline=1.0, left=0.1, n_jobs=2)) == 1.0  # twice as long
    assert _limit(search, SimpleNamespace(deadline=None, left=np.inf, n_jobs=2)) is None


class Clock:
    """A clock that goes on by a second at each look."""

    now = 0.0

    def __call__(self):
        self.now += 1.0
        return self.now


def test_the_time_of_the_final_fit_is_kept_and_grows_with_the_best_family(fits):
    wrap_up = WrapUp(fits, (measure("rmse"),), None, 100.0, now=lambda: 0.0)
    quick, slow = _search(fits, "linear", 0.1), _search(fits, "tree", 8.0, score=1.0)
    assert wrap_up.kept({}) == 5.0
    assert wrap_up.kept({"linear": quick}) == 5.0
    assert wrap_up.kept({"linear": quick, "tree": slow}) == pytest.approx(8.0 * 1.25 * 1.25)  # on 5/4 of the rows
    worse = _search(fits, "tree", 8.0, score=-1.0)
    assert wrap_up.kept({"linear": quick, "tree": worse}) == 5.0


def test_a_comparison_of_all_families_is_kept_as_long_as_one_took(fits):
    wrap_up = WrapUp(fits, (measure("rmse"),), None, 1_000.0, now=Clock())
    searches = {BASELINE: _search(fits, BASELINE, 0.0, score=-1.0), "linear": _search(fits, "linear", 0.0)}
    assert wrap_up.kept(searches) == 50.0
    assert wrap_up.comparing == 0.0  # the first comparison also loads what it needs
    assert wrap_up.kept({**searches, "tree": _search(fits, "tree", 0.0)}) == 50.0
    assert wrap_up.comparing == 0.5  # one second for two
    assert wrap_up.spreads > 0
    assert wrap_up.needed(searches) == 2 * 0.5


def test_a_final_fit_on_a_sample_is_expected_to_take_as_long_as_on_that_sample(monkeypatch, fits):
    monkeypatch.setattr("probus.lifecycle._family_fits._SAMPLED_ROWS", {FEW: 40})
    assert _search(fits, "tree", 8.0, rows=FEW).final_seconds == pytest.approx(10.0)


def test_fits_end_early_enough_for_the_report_and_for_what_is_kept(fits):
    for reported, end in ((False, 40.0), (True, 34.0)):
        pool = StudyLimits(0.0, 40.0, None, 1, reported=reported).pool(fits)
        assert pool.deadline == end
        before, pool.kept = pool.left, 5.0
        assert before - pool.left == pytest.approx(5.0, abs=1.0)
        pool.close()
    assert report_seconds(40.0) == 6.0


def test_an_executor_of_the_user_is_left_with_what_it_does_at_the_end_of_the_time(fits):
    started = [Future(), Future()]
    waiting = iter(started)
    endless = SimpleNamespace(submit=lambda *job: next(waiting))
    pool = FitPool(fits, 1, time.perf_counter() - 1.0, 0.001, executor=endless)
    jobs = [("linear", {}, run, -1) for run in range(2)]
    pending = pool.submit(jobs)
    started[0].set_running_or_notify_cancel()
    pool.has_result = True
    with pytest.raises(OutOfTimeError):
        pool.collect(jobs, pending)
    pool.close()
    assert [each.cancelled() for each in started] == [False, True]


@pytest.fixture
def ended(monkeypatch):
    """Studies of numbers with a limit, in this process, after whose search so many seconds are left."""

    def run(left, **options):
        state = {"left": 1_000.0}

        def pool(limits, fits):
            made = FitPool(fits, 1, None, None)
            made.deadline = time.perf_counter() + 1_000
            return made

        search = conclusion.search_families

        def searched(*args, **kwargs):
            found = search(*args, **kwargs)
            state["left"] = left
            return found

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(conclusion.StudyLimits, "pool", pool)
            patch.setattr(FitPool, "left_in_all", property(lambda self: state["left"]))
            patch.setattr(conclusion, "search_families", searched)
            how = {"target": "y", "cv": 3, "models": NUMBERS, "evaluations": 2, "progress": None}
            return probus.study(_numbers(), **{**how, **options})

    return run


def test_where_time_is_left_nothing_is_dropped(ended):
    notes = " ".join(ended(1_000.0).notes)
    assert "ensemble" in notes or ended(1_000.0).best == "Ensemble"
    assert "for want of time" not in notes


def test_without_time_the_ensemble_and_then_the_widths_of_intervals_are_dropped_and_the_model_is_saved(ended):
    result = ended(0.0)
    assert "no ensemble of the families, for want of time" in result.notes
    assert "prediction intervals are equally wide for every row, for want of time" in result.notes
    assert result.model.predict_interval(result.task.X).shape == (200, 2)
    assert result.model.spread_ == "none"


def test_the_ensemble_is_dropped_before_the_widths_of_intervals(ended, monkeypatch):
    monkeypatch.setattr("probus.lifecycle._stacked.Stack.seconds", lambda self, now: 50.0)
    monkeypatch.setattr("probus.lifecycle._wrap_up.seconds_of_spreads", lambda *_: 5.0)
    notes = ended(20.0).notes
    assert "no ensemble of the families, for want of time" in notes
    assert "prediction intervals are equally wide for every row, for want of time" not in notes


def test_compilation_beyond_the_limit_is_reported(study, monkeypatch):
    monkeypatch.setattr(FitPool, "seconds_compiling", 12.0)
    said = "kernels were compiled for this machine, once, which took 12 s beyond the limit of time"
    assert any(note.startswith(said) for note in study(time=60, evaluations=0, n_jobs=1).notes)
    assert not any(note.startswith(said) for note in study(evaluations=0).notes)


def test_the_report_of_the_command_has_what_is_left_of_the_time(monkeypatch):
    monkeypatch.setattr(study_command, "_now", lambda: 115.0)
    result = SimpleNamespace(limit=20.0, seconds=13.0)
    assert study_command._seconds_left(result, 98.0) == 3.0
    assert study_command._seconds_left(result, 90.0) == 0.0
    assert study_command._seconds_left(SimpleNamespace(limit=100.0, seconds=13.0), 100.0) == 3.25  # the usual
    assert study_command._seconds_left(SimpleNamespace(limit=None, seconds=13.0), 100.0) is None

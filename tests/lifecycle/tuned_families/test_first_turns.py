"""Which family is trained on how many rows, and when, by a clock on which each fit takes a stated time."""

import io
import re

import numpy as np
import pytest
from rich.console import Console

import probus
from probus.lifecycle._elimination import search_families
from probus.lifecycle._families import BASELINE, families
from probus.lifecycle._family_fits import FEW, OUTER, SAMPLE, FamilyFits, Fitted
from probus.lifecycle._live_view import _Screen
from probus.metrics import measure
from probus.model_selection import splits_of
from probus.model_selection.engine import OutOfTimeError

ONE_FIT = {  # seconds on 1,000 rows; on more rows in proportion
    BASELINE: 0.001, "Ridge regression": 0.02, "Elastic net": 0.05, "Nearest neighbours": 0.02, "SVM": 0.05,
    "Tree": 0.2, "Random forest": 0.2, "Boosting": 0.5,
}  # fmt: skip


class SimulatedPool:
    """Two processes whose fits take the seconds of a table and have the scores of another; nothing is fitted."""

    alone = overdue = has_result = False
    n_jobs = 2

    def __init__(self, fits, seconds, cost, scores, loading):
        self.fits, self.deadline, self.cost, self.scores, self.loading = fits, seconds, cost, scores, dict(loading)
        self.limit, self.now, self.free, self.begun = np.inf, 0.0, [0.0, 0.0], []

    @property
    def left(self):
        return self.deadline - self.now

    def submit(self, jobs, limit=None):
        pending = []
        for family, _, run, stage in jobs:
            self.begun.append((family, stage))
            takes = self.cost[family] * self.fits.stage_rows(stage) / 1_000 + self.loading.pop(family, 0.0)
            start = max(self.now, min(self.free))
            self.free[int(np.argmin(self.free))] = start + min(takes, limit or np.inf)
            outcome = self.fits.failed(self.fits.pair(run, stage), "").outcome
            stopped = "Stopped: took longer" if takes > (limit or np.inf) else None
            fitted = Fitted(outcome, self.scores.get(family, 0.0), min(takes, limit or np.inf), stopped)
            pending.append((start + fitted.seconds, fitted))
        return pending

    submit_here = submit

    def collect(self, jobs, pending, kept=0.0):
        for end, _ in pending:
            if end > self.deadline and self.has_result:
                self.now = self.deadline
                raise OutOfTimeError
            self.now = max(self.now, end)
        return [fitted for _, fitted in pending]

    def close(self):
        pass


@pytest.fixture(scope="module")
def table():
    def made(n):
        random = np.random.default_rng(0)
        return probus.Task({"x": random.normal(size=n), "z": random.normal(size=n), "y": random.normal(size=n)}, "y")

    return made


@pytest.fixture
def searched(table):
    """The search of the defaults of all families on n rows in so many seconds, and its pool."""

    def run(n, seconds, cost=None, scores=None, update=lambda *_: None, loading=()):
        task = table(n)
        fits = FamilyFits(families(task.kind, None, n), task, splits_of(5, task, random_state=0), measure("rmse"), 0)
        pool = SimulatedPool(fits, seconds, {**ONE_FIT, **(cost or {})}, scores or {}, loading)
        return search_families(fits, pool, evaluations=0, update=update), pool

    return run


def test_the_cheapest_families_begin_whatever_the_number_of_rows(searched):
    for n in (200, 8_192, 60_000):
        _, pool = searched(n, 1_000)
        order = dict.fromkeys(name for name, _ in pool.begun if name not in (BASELINE, "Ridge regression"))
        assert list(order) == ["Nearest neighbours", "Elastic net", "SVM", "Tree", "Random forest", "Boosting"]
        assert ("Ridge regression", pool.begun[0][1]) in pool.begun[:15]  # in this process, at once


def test_every_family_has_a_result_on_a_few_rows_before_any_is_trained_on_all(searched):
    _, pool = searched(8_192, 20)
    few = [place for place, (_, stage) in enumerate(pool.begun) if stage == FEW]
    slow = [place for place, (name, stage) in enumerate(pool.begun) if stage == OUTER and name == "Boosting"]
    assert {name for name, stage in pool.begun if stage == FEW} == set(ONE_FIT)
    assert max(few) < min(slow)


def test_all_families_have_a_result_within_a_tenth_of_a_minute(searched):
    found, pool = searched(8_192, 6)
    assert not found.absent
    assert pool.now <= 6


def test_the_first_table_has_every_family_with_an_interval_and_then_more_rows(searched):
    views, shown = [], []

    def update(searches, what):
        if not views:
            views.append(_Screen(searches["Tree"].fits, (measure("rmse"),), lambda: 3.0))
        views[0].update(searches, what)
        console = Console(width=120, file=io.StringIO())
        console.print(views[0].drawn())
        shown.append(console.file.getvalue())

    searched(8_192, 60, update=update)
    of_all = [text for text in shown if all(re.search(rf"^{name} +\d\.\d+ \[", text, re.M) for name in ONE_FIT)]
    assert of_all[0].count("default, 1,000 rows") >= 3
    assert of_all[-1].count("default, 1,000 rows") == 0


def test_on_a_small_table_families_are_trained_on_all_rows_at_once(searched):
    found, pool = searched(1_500, 60)
    assert {stage for _, stage in pool.begun} == {OUTER}
    assert not found.absent


def test_a_large_table_has_two_stages_before_all_rows(searched):
    found, pool = searched(60_000, 1_000)
    assert [stage for name, stage in pool.begun if name == "Boosting"] == [FEW] * 5 + [SAMPLE] * 5 + [OUTER] * 5
    assert not any(each.sampled for each in found.searches.values())


def test_a_family_is_left_out_only_where_its_cheapest_form_cannot_end_and_its_time_is_known(searched):
    found, pool = searched(8_192, 24, {"SVM": 11.0})
    assert found.absent == {"SVM": "not finished"}
    assert found.too_long == {"SVM": 11.0}
    assert [stage for name, stage in pool.begun if name == "SVM"] == [FEW]
    assert all(found.searches[name].rows == OUTER for name in ("Ridge regression", "Elastic net", "Tree"))
    assert pool.now <= 24


def test_a_slow_family_has_its_turn_on_a_few_rows_after_quick_ones_have_theirs_on_all(searched):
    found, pool = searched(8_192, 60, {"SVM": 8.0})
    assert not found.absent
    assert found.searches["SVM"].rows == FEW
    second = [place for place, (name, _) in enumerate(pool.begun) if name == "SVM"][1]
    assert ("Ridge regression", OUTER) in pool.begun[:second]


def test_where_the_time_is_short_the_best_on_a_few_rows_are_trained_on_all(searched):
    slow = {"Random forest": 1.0, "Boosting": 1.0}
    found, _ = searched(8_192, 40, slow, {"Random forest": 1.0, "Boosting": 2.0})
    assert found.searches["Boosting"].rows == OUTER
    assert found.searches["Random forest"].rows == FEW
    assert found.searches["Ridge regression"].rows == OUTER


def test_a_family_that_is_stopped_on_more_rows_keeps_its_result_on_fewer(searched, monkeypatch):
    monkeypatch.setattr("probus.lifecycle._first_turns._LONGER", 0.5)
    monkeypatch.setattr("probus.lifecycle._first_turns._LEAST_LIMIT", 1.0)
    found, _ = searched(8_192, 100)
    assert (found.searches["Boosting"].rows, found.searches["Boosting"].failed) == (FEW, False)
    assert found.searches["Ridge regression"].rows == OUTER


def test_a_family_whose_first_fit_loads_something_is_not_left_out_for_it(searched):
    found, pool = searched(1_500, 12, {"SVM": 0.3}, loading={"SVM": 3.0, "Boosting": 2.5})
    assert not found.absent
    assert not found.too_long
    assert pool.now <= 12

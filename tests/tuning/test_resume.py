"""A search that was killed goes on, several processes share one, and the result is that of an undisturbed one."""

import os
import random
import signal
import sqlite3
import time
from contextlib import closing, suppress

import numpy as np
import pytest

from probus.tuning import (
    BOHB,
    CMAES,
    Annealing,
    Archive,
    Bayesian,
    Evolution,
    Grid,
    Hyperband,
    IteratedRacing,
    Random,
    Sobol,
    SuccessiveHalving,
    tune,
)

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked here, so as not to import anew")

N = 40


def search(shrunk, numbers, space, path=None, evaluations=N):
    return tune(shrunk, numbers, space=space, tuner=Random(), evaluations=evaluations, cv=3, archive=path)


@pytest.fixture(scope="module")
def undisturbed(shrunk, numbers, space):
    return search(shrunk, numbers, space)


def same(archive, other):
    assert [each.config for each in archive] == [each.config for each in other]
    assert [each.scores for each in archive] == [each.scores for each in other]


def started(work):
    """The number of a forked process that does the work and ends."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return child


def n_finished(path):
    try:
        with closing(sqlite3.connect(path)) as database:
            return database.execute("SELECT count(*) FROM probus_evaluations WHERE result IS NOT NULL").fetchone()[0]
    except sqlite3.Error:
        return 0


def test_a_search_that_is_killed_at_random_points_ends_where_the_undisturbed_one_ends(
    shrunk, numbers, space, undisturbed, tmp_path
):
    path, chance = str(tmp_path / "killed.db"), random.Random(0)
    kept, kills = {}, 0
    while n_finished(path) < N - 5 and kills < 12:
        child, goal = started(lambda: search(shrunk, numbers, space, path)), n_finished(path) + chance.randint(1, 8)
        while n_finished(path) < min(goal, N) and os.waitpid(child, os.WNOHANG) == (0, 0):
            time.sleep(chance.random() * 0.002)
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        kills += 1
        now = {each.number: each for each in Archive.read(path)}
        assert kept.items() <= now.items(), "nothing is lost or done again"
        kept = now
    ended = search(shrunk, numbers, space, path)
    assert kills >= 3
    assert kept.items() <= {each.number: each for each in Archive.read(path)}.items()
    same(ended.archive, undisturbed.archive)
    assert ended.best_params_ == undisturbed.best_params_
    assert not [name for name in os.listdir(tmp_path) if name.endswith("-wal")], "the archive is one file"


def test_two_processes_share_the_evaluations_of_one_archive(shrunk, numbers, space, undisturbed, tmp_path):
    path = str(tmp_path / "shared.db")
    children = [started(lambda: search(shrunk, numbers, space, path)) for _ in range(2)]
    for child in children:
        assert os.waitpid(child, 0)[1] == 0
    found = Archive.read(path)
    same(found, undisturbed.archive)
    assert len({each.worker for each in found}) <= 2


def test_a_search_can_be_made_longer(shrunk, numbers, space, undisturbed, tmp_path):
    path = str(tmp_path / "longer.db")
    short = search(shrunk, numbers, space, path, evaluations=10)
    first = Archive.read(path)
    longer = search(shrunk, numbers, space, path)
    same(short.archive, first)
    same(longer.archive, undisturbed.archive)
    assert first.evaluations == Archive.read(path).evaluations[:10]


def test_ctrl_c_and_again_ends_where_the_undisturbed_search_ends(shrunk, numbers, space, undisturbed, tmp_path):
    def stop(done, total, text):
        if done == 7:
            raise KeyboardInterrupt

    path = str(tmp_path / "interrupted.db")
    how = {"space": space, "tuner": Random(), "evaluations": N, "cv": 3, "archive": path}
    assert len(tune(shrunk, numbers, progress=stop, **how).archive) == 7
    same(tune(shrunk, numbers, **how).archive, undisturbed.archive)


TUNERS = [
    Annealing(), Bayesian(n_initial=4), Bayesian(n_initial=4, batch=3), BOHB(max_fidelity=9), CMAES(), Evolution(),
    Grid(3), Hyperband(max_fidelity=9), IteratedRacing(configurations=6), Sobol(), SuccessiveHalving(max_fidelity=9),
]  # fmt: skip


@pytest.mark.parametrize("tuner", TUNERS, ids=repr)
def test_every_tuner_goes_on_where_it_was_stopped(tuner, shrunk, numbers, space, tmp_path):
    how = {"space": space, "tuner": tuner, "evaluations": 14, "cv": 4}
    undisturbed = tune(shrunk, numbers, **how)
    for stop in (5, 11):
        tune(shrunk, numbers, archive=tmp_path / "a.db", **{**how, "evaluations": stop})
        assert len(Archive.read(tmp_path / "a.db")) == min(stop, len(undisturbed.archive))
    resumed = tune(shrunk, numbers, archive=tmp_path / "a.db", **how)
    same(resumed.archive, undisturbed.archive)
    assert resumed.best_params_ == undisturbed.best_params_


def test_the_best_is_never_worse_than_the_own_configuration(undisturbed):
    scores = undisturbed.archive.main
    assert undisturbed.best_score_ == np.min(scores) <= scores[0]

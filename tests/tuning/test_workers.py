"""Evaluations in other processes: the same results, and models that crash or hang."""

import os
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin

from probus.spaces import Choice, Space
from probus.tuning import Grid, Random, tune
from probus.tuning import _worker_process as worker_process
from probus.tuning._workers import JobEndedError, Workers


class Dangerous(RegressorMixin, BaseEstimator):
    """Does to its process what its parameter names."""

    def __init__(self, what="mean"):
        self.what = what

    def fit(self, X, y):
        if self.what == "segfault":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif self.what == "exit":
            os._exit(3)
        elif self.what == "memory":
            raise MemoryError("no room")
        elif self.what == "hang":
            while True:
                time.sleep(0.05)
        elif self.what == "print":
            print("this must not disturb the answers", flush=True)
        self.value_ = float(np.mean(y))
        return self

    def predict(self, X):
        return np.full(len(X), self.value_)


@pytest.mark.slow
def test_a_model_that_crashes_or_hangs_is_a_failed_evaluation(numbers):
    what = Choice("mean", "segfault", "exit", "memory", "hang", "print")
    tuned = tune(Dangerous(), numbers, space=Space({"what": what}), tuner=Grid(), cv=2, limit=1.0, n_jobs=2)
    errors = {each.config["what"]: each.error for each in tuned.archive}
    assert errors == {
        "mean": None,
        "segfault": "Crashed: the process was ended by SIGSEGV",
        "exit": "Crashed: the process ended with status 3",
        "memory": "MemoryError: no room",
        "hang": "Stopped: took longer than the limit of 1 s",
        "print": None,
    }
    assert tuned.best_params_ == {"what": "mean"}


@pytest.mark.slow
def test_the_number_of_processes_does_not_change_the_result(shrunk, numbers, space):
    how = {"space": space, "tuner": Random(), "evaluations": 8, "cv": 3}
    here, elsewhere = tune(shrunk, numbers, **how), tune(shrunk, numbers, n_jobs=2, **how)
    assert [each.config for each in here.archive] == [each.config for each in elsewhere.archive]
    assert [each.scores for each in here.archive] == [each.scores for each in elsewhere.archive]
    assert here.best_params_ == elsewhere.best_params_


@pytest.mark.slow
def test_a_search_does_not_wait_for_processes_that_are_still_starting(monkeypatch):
    monkeypatch.setattr(worker_process, "_kept", [])
    monkeypatch.setattr(worker_process, "_START", "import time; time.sleep(1000)")
    pool = Workers(1)
    pending = pool.submit("a b".split)
    while not pool._busy:
        time.sleep(0.01)
    pool.close()
    with pytest.raises(JobEndedError, match="Crashed: the process was ended by SIGKILL"):
        pending.result()
    assert worker_process._kept == []


@pytest.fixture
def process():
    """A process that evaluates ``str.split`` of a long text."""
    process = worker_process.WorkerProcess(1)
    process.prepare(TEXT)
    yield process
    process.close()


TEXT = pickle.dumps(("a" * 1_000_000 + " b").split)
JOB = pickle.dumps((" ",))


def test_an_interrupt_while_a_process_imports_is_left_to_the_main_process():
    first, *_ = worker_process._START.format(path=["nowhere"]).partition("import sys")
    interrupt = "import os; os.kill(os.getpid(), signal.SIGINT); print('goes on')"
    done = subprocess.run([sys.executable, "-c", first + interrupt], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "goes on\n", "")


@pytest.mark.slow
def test_a_job_that_no_process_has_taken_does_not_disturb_the_next_one(process):
    os.kill(process._pid, signal.SIGKILL)
    with pytest.raises(worker_process.Ended, match="SIGKILL"):
        process.answer(JOB, None)
    process.prepare(TEXT)
    assert pickle.loads(process.answer(JOB, 60.0)) == (["a" * 1_000_000, "b"], None)


@pytest.mark.slow
def test_a_process_is_not_stopped_in_the_middle_of_its_answer(process, monkeypatch):
    send = process._send

    def stopped_before(kind, message=None):
        if kind == worker_process._SEND:
            process.stop(late=True)
        send(kind, message)

    monkeypatch.setattr(process, "_send", stopped_before)
    for _ in range(2):
        assert pickle.loads(process.answer(JOB, 60.0)) == (["a" * 1_000_000, "b"], None)

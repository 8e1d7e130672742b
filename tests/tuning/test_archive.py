"""The archive: claims, headers, and files that cannot be used."""

import os
import resource
import signal
import sqlite3

import numpy as np
import pytest

from probus import DataError
from probus.tuning import Archive, Evaluation, Random, tune
from probus.tuning._archive_database import open_database
from probus.tuning._archive_run import Run

HEADER = {"version": "1", "scoring": ["rmse"], "greater_is_better": False, "model": "Shrunk 0"}


def evaluation(number, value=1.0, **others):
    return Evaluation(number, {"x": value}, scores={"rmse": (value, value + 1)}, fit_seconds=(0.5, 0.5), **others)


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "archive.db")


def test_what_is_finished_is_found_again_exactly(path):
    run = Run(open_database(path), "tuning", HEADER)
    stored = evaluation(3, 0.1 + 0.2, error="ValueError: no", seed=7)
    assert run.claim(3, stored.config, seed=7)
    run.finish(stored)
    run.close()
    (found,) = Archive.read(path)
    assert found.config == stored.config
    assert found.scores == stored.scores
    assert (found.error, found.seed, found.fidelity) == ("ValueError: no", 7, 1.0)
    assert found.started <= found.finished
    assert found.worker == run.worker


def test_an_undefined_score_survives(path):
    run = Run(open_database(path), "tuning", HEADER)
    run.claim(0, {})
    run.finish(Evaluation(0, {}, scores={"rmse": (np.nan, 2.0)}))
    assert run.finished()[0].mean("rmse") == 2.0


def test_an_evaluation_is_claimed_once(path):
    first, second = (Run(open_database(path), "tuning", HEADER) for _ in range(2))
    assert first.claim(0, {"x": 1.0})
    assert not second.claim(0, {"x": 1.0})
    assert second.look([0]) == ({}, {0: first.worker})
    assert not second.take_over(0, first.worker), "its process lives"
    first.finish(evaluation(0))
    assert second.look([0])[0][0].scores == {"rmse": (1.0, 2.0)}


def test_a_released_claim_is_free(path):
    first, second = (Run(open_database(path), "tuning", HEADER) for _ in range(2))
    first.claim(0, {})
    first.claim(1, {})
    first.finish(evaluation(1))
    first.release()
    assert list(first.finished()) == [1]
    assert second.claim(0, {})


def in_child(work):
    """Run a function in a forked process that then ends without any cleaning up."""
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)


def test_the_claim_of_a_killed_process_is_taken_over(path):
    in_child(lambda: Run(open_database(path), "tuning", HEADER).claim(0, {"x": 1.0}))
    run = Run(open_database(path), "tuning", HEADER)
    _, claimed = run.look([0])
    assert run.take_over(0, claimed[0])
    run.finish(evaluation(0))
    assert list(run.finished()) == [0]


def test_a_process_that_lost_its_claim_changes_nothing(path):
    first, second = (Run(open_database(path), "tuning", HEADER) for _ in range(2))
    first.claim(0, {"x": 1.0})
    first._presence.leave()  # as if it had died
    assert second.take_over(0, first.worker)
    second.finish(evaluation(0, 1.0))
    first.finish(evaluation(0, 9.0))
    assert second.finished()[0].scores["rmse"] == (1.0, 2.0)


def test_a_silent_process_of_another_host_is_dead_after_its_lease(path, monkeypatch):
    first, second = (Run(open_database(path), "tuning", HEADER) for _ in range(2))
    first.claim(0, {})
    first.database.execute("UPDATE probus_workers SET host = 'elsewhere' WHERE worker = ?", (first.worker,))
    clock = [0.0]
    monkeypatch.setattr("probus.tuning._archive_run.time.monotonic", lambda: clock[0])
    assert not second.take_over(0, first.worker)
    clock[0] = 20.0
    first.database.execute("UPDATE probus_workers SET beats = beats + 1 WHERE worker = ?", (first.worker,))
    assert not second.take_over(0, first.worker)
    clock[0] = 45.0
    assert not second.take_over(0, first.worker), "a sign of life 25 s ago"
    clock[0] = 51.0
    assert second.take_over(0, first.worker)


# -- archives of something else ------------------------------------------------------------------------


def tuned(model, task, space, path, **others):
    return tune(model, task, space=space, tuner=Random(), evaluations=3, cv=2, archive=path, **others)


def test_an_archive_of_other_data_is_an_error(shrunk, numbers, space, path):
    tuned(shrunk, numbers, space, path)
    with pytest.raises(DataError, match=r"holds the run 'tuning' of data rows 60.*; this is data rows 59"):
        tuned(shrunk, numbers.take(np.arange(59)), space, path)
    assert len(Archive.read(path)) == 3, "nothing is lost"


def test_an_archive_of_another_search_is_an_error(shrunk, numbers, space, path):
    tuned(shrunk, numbers, space, path)
    with pytest.raises(DataError, match=r"of random_state 0; this is random_state 1.\n  Expected the same"):
        tuned(shrunk, numbers, space, path, random_state=1)
    with pytest.raises(DataError, match=r"of scoring \['rmse', 'mae', 'r2'\]; this is scoring \['mae'\]"):
        tuned(shrunk, numbers, space, path, scoring="mae")


def test_an_archive_of_another_version_is_an_error(shrunk, numbers, space, path, monkeypatch):
    tuned(shrunk, numbers, space, path)
    monkeypatch.setattr("probus.__version__", "9.9")
    with pytest.raises(DataError, match=r"of version 0\.1\.0; this is version 9\.9"):
        tuned(shrunk, numbers, space, path)


def test_runs_of_other_names_share_an_archive(shrunk, numbers, space, path):
    tuned(shrunk, numbers, space, path)
    tuned(shrunk, numbers, space, path, random_state=1, name="again")
    with pytest.raises(DataError, match="one of its runs: 'tuning', 'again'"):
        Archive.read(path)
    assert len(Archive.read(path, "again")) == 3


def test_a_database_of_something_else_is_left_alone(shrunk, numbers, space, path):
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE customers (name TEXT)")
    with pytest.raises(DataError, match="is a database of something else, with the table customers"):
        tuned(shrunk, numbers, space, path)
    with sqlite3.connect(path) as other:
        assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("customers",)]


# -- files that cannot be used -------------------------------------------------------------------------


def test_a_file_that_is_no_database_is_an_error(path):
    with open(path, "w") as file:
        file.write("age,sex\n" * 1000)
    with pytest.raises(DataError, match=r"it is not an SQLite file .*\n.*Choose another name"):
        open_database(path)


def test_a_damaged_archive_is_an_error(shrunk, numbers, space, path):
    tuned(shrunk, numbers, space, path)
    with open(path, "r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096 * 4)
    with pytest.raises(DataError, match=r"it is damaged .*\n.*Restore it from a copy"):
        tuned(shrunk, numbers, space, path)


def test_folders_and_strange_addresses_are_errors(tmp_path):
    with pytest.raises(DataError, match=r"is a folder.\n  Expected a file. Pass for example .*tuning\.db"):
        open_database(tmp_path)
    with pytest.raises(DataError, match="there is no folder"):
        open_database(tmp_path / "absent" / "a.db")
    with pytest.raises(DataError, match="there is no archive"):
        Archive.read(tmp_path / "a.db")
    with pytest.raises(DataError, match="a URL that begins with postgresql://"):
        open_database("mysql://localhost/tuning")
    with pytest.raises(DataError, match=r"archive=5\."):
        open_database(5)


def test_a_read_only_archive_is_an_error(shrunk, numbers, space, path):
    tuned(shrunk, numbers, space, path)
    database = open_database(path)
    database.query("PRAGMA query_only = 1")
    with pytest.raises(DataError, match=r"it is read-only .*\n.*Choose a folder that can be written"):
        Run(database, "more", HEADER)


def test_a_full_disk_is_an_error_and_keeps_what_is_finished(shrunk, numbers, space, path):
    tuned(shrunk, numbers, space, path)
    report = f"{path}.txt"

    def search_on_a_full_disk():
        resource.setrlimit(resource.RLIMIT_FSIZE, (150_000, 150_000))  # of each file
        try:
            tune(shrunk, numbers, space=space, tuner=Random(), evaluations=5000, cv=2, archive=path)
        except DataError as error:
            message = str(error)
        with open(report, "w") as file:
            file.write(message)

    in_child(search_on_a_full_disk)
    with open(report) as file:
        message = file.read()
    assert "what is finished is kept" in message
    assert 3 < len(Archive.read(path)) < 5000
    longer = tune(
        shrunk, numbers, space=space, tuner=Random(), evaluations=len(Archive.read(path)) + 2, cv=2, archive=path
    )
    assert len(longer.archive) == len(Archive.read(path)), "it goes on"

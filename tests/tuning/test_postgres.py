"""The archive in a real PostgreSQL, which the tests start; skipped where there is none."""

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
from glob import glob
from pathlib import Path

import pytest

from probus import DataError
from probus.tuning import Archive, Random, tune
from probus.tuning._archive_database import open_database

pytestmark = pytest.mark.slow


def program(name):
    found = shutil.which(name) or next(iter(glob(f"/usr/lib/postgresql/*/bin/{name}")), None)
    if found is None:
        pytest.skip(f"PostgreSQL's {name} is not installed")
    return found


@pytest.fixture(scope="module")
def url():
    """The address of a new server, on a socket in a folder of its own."""
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    initdb, server = program("initdb"), program("postgres")
    folder = Path(tempfile.mkdtemp(prefix="probus-postgres-"))
    user = {}
    if os.getuid() == 0:  # the server refuses to run as root
        account = next((each for each in pwd.getpwall() if each.pw_name in ("postgres", "nobody")), None)
        if account is None:
            pytest.skip("PostgreSQL does not run as root, and there is no other user")
        os.chown(folder, account.pw_uid, account.pw_gid)
        user = {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder, **user}
    subprocess.run([initdb, "-D", folder / "data", "-U", "tester", "--no-sync", "-A", "trust"], check=True, **quiet)
    running = subprocess.Popen([server, "-D", folder / "data", "-k", folder, "-h", "", "-F"], **quiet)
    address = f"postgresql:///postgres?host={folder}&user=tester"
    for _ in range(100):
        if subprocess.run([program("pg_isready"), "-h", folder, "-q"], check=False).returncode == 0:
            break
        time.sleep(0.1)
    yield address
    running.send_signal(signal.SIGINT)
    running.wait(20)
    shutil.rmtree(folder, ignore_errors=True)


def search(shrunk, numbers, space, archive, name="tuning"):
    how = {"space": space, "tuner": Random(), "evaluations": 25, "cv": 2}
    return tune(shrunk, numbers, archive=archive, name=name, **how)


def forked(work):
    child = os.fork()
    if child == 0:
        try:
            work()
        finally:
            os._exit(0)
    return child


def test_a_killed_search_goes_on_and_processes_share_it(shrunk, numbers, space, url):
    undisturbed = search(shrunk, numbers, space, None)

    def killed():
        def stop(done, total, text):
            if done == 9:
                os.kill(os.getpid(), signal.SIGKILL)

        tune(shrunk, numbers, space=space, tuner=Random(), evaluations=25, cv=2, archive=url, progress=stop)

    os.waitpid(forked(killed), 0)
    first = Archive.read(url).evaluations
    assert len(first) == 9
    for child in [forked(lambda: search(shrunk, numbers, space, url)) for _ in range(2)]:
        assert os.waitpid(child, 0)[1] == 0
    found = Archive.read(url)
    assert found.evaluations[:9] == first
    assert [each.scores for each in found] == [each.scores for each in undisturbed.archive]
    assert [each.config for each in found] == [each.config for each in undisturbed.archive]


def test_an_archive_of_another_search_is_an_error_there_too(shrunk, numbers, space, url):
    search(shrunk, numbers, space, url, name="other")
    with pytest.raises(DataError, match="holds the run 'other' of random_state 0; this is random_state 5"):
        tune(
            shrunk, numbers, space=space, tuner=Random(), evaluations=2, cv=2, archive=url, name="other", random_state=5
        )


def test_a_server_that_is_not_there_is_an_error_without_the_password():
    pytest.importorskip("psycopg", reason="psycopg is not installed")
    with pytest.raises(DataError, match="a PostgreSQL database that can be written") as caught:
        open_database("postgresql://me:secret@localhost:1/nothing?connect_timeout=2")
    assert "secret" not in str(caught.value)


def test_studies_are_kept_in_one_database_and_go_on(url, monkeypatch):
    import probus
    from probus.lifecycle import stored_options
    from probus.lifecycle._family_fits import FamilyFits

    how = {"target": "species", "models": ["bayes"], "cv": 2, "evaluations": 0, "progress": None, "archive": url}
    first = probus.study("iris", **how)
    other = probus.study("iris", random_state=1, **how)
    monkeypatch.setattr(FamilyFits, "split", lambda *job: pytest.fail("a finished fit was repeated"))
    assert float(probus.study("iris", **how).score) == float(first.score)
    assert float(probus.study("iris", random_state=1, **how).score) == float(other.score)
    assert (stored_options(url)["X"], stored_options(url)["random_state"]) == ("iris", 1)

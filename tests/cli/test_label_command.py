"""``probus label``: what it refuses, and what it writes when it is stopped."""

import pytest

from probus.active import Learner
from probus.active.labelling import LabelServer
from probus.data import read
from probus.naive_bayes import NaiveBayes

POOL = "age,city,kind\n1,Rome,0\n2,Oslo,\n3,,1\n4,Rome,\n5,Oslo,\n"


@pytest.fixture
def stopped(monkeypatch):
    """A server that is stopped at once."""

    def stop(server):
        raise KeyboardInterrupt

    monkeypatch.setattr(LabelServer, "serve_forever", stop)


def test_labels_of_the_file_are_kept_and_all_rows_are_written(run, stopped, tmp_path):
    (tmp_path / "pool.csv").write_text(POOL)
    how = ("--target", "kind", "--model", "bayes", "--no-browser")
    code, out, err = run("label", "pool.csv", *how, "--classes", "0,1", "--out", "done.csv")
    assert (code, err) == (0, "")
    assert "labels  http://127.0.0.1:" in out
    assert "2 of 5 rows labelled" in out
    assert (tmp_path / "done.csv").read_text() == POOL
    learner = Learner(NaiveBayes(), read(tmp_path / "pool.csv", kinds={"kind": "text"}), target="kind",
                      archive=tmp_path / "pool.labels.db")  # fmt: skip
    learner.tell({1: "1"})
    learner.close()
    code, out, _ = run("label", "pool.csv", *how, "--classes", "0,1", "--out", "done.csv")
    assert "3 of 5 rows labelled" in out
    assert (tmp_path / "done.csv").read_text() == POOL.replace("2,Oslo,", "2,Oslo,1")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--target kind --model lineer", "lineer"),
        ("--target kind --query margn", "Did you mean 'margin'?"),
        ("--target kind --drop nothing", "no column 'nothing'"),
        ("--target kind --classes yes,no", "the label '0'"),
        ("--target new --classes yes", "classes=['yes']"),
        ("--target kind --archive nowhere/labels.db", "there is no folder"),
        ("--target kind --drop age,city", "rows to label"),
    ],
)
def test_mistakes_are_one_readable_message(run, stopped, tmp_path, options, message):
    (tmp_path / "pool.csv").write_text(POOL)
    code, _, err = run("label", "pool.csv", "--no-browser", *options.split())
    assert code == 2
    assert message in err
    assert err.startswith("probus: ")


def test_an_archive_of_another_pool_is_refused(run, stopped, tmp_path):
    (tmp_path / "pool.csv").write_text(POOL)
    assert run("label", "pool.csv", "--target", "kind", "--model", "bayes", "--no-browser")[0] == 0
    (tmp_path / "pool.csv").write_text(POOL.replace("age", "years"))
    code, _, err = run("label", "pool.csv", "--target", "kind", "--no-browser")
    assert code == 2
    assert "of a pool with other columns: this one has no column 'age'" in err

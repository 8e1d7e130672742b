"""The loop: what is asked, told, kept and tested."""

import json
import sqlite3

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer

import probus
from probus.active import Learner
from probus.data import Table
from probus.errors import DataError
from probus.linear_model import LogisticRegression
from probus.naive_bayes import NaiveBayes


def test_the_model_is_that_of_a_fit_to_the_labels_so_far(mixed, answer):
    table, labels = mixed
    learner = Learner(NaiveBayes(), table)
    answer(learner, labels, 25)
    rows = list(learner.labels)
    direct = NaiveBayes().fit(table.take(rows), [labels[row] for row in rows])
    np.testing.assert_allclose(learner.model.predict_proba(table), direct.predict_proba(table))
    assert learner.labels == {row: labels[row] for row in rows}
    assert learner.classes == ("no", "yes")


@pytest.mark.slow
def test_the_same_question_is_asked_until_it_is_answered(mixed, answer):
    table, labels = mixed
    learner = Learner(NaiveBayes(), table)
    for n in (0, 15):
        answer(learner, labels, n)
        assert learner.ask() == learner.ask()
        assert [q.row for q in learner.ask(4)] == [q.row for q in learner.ask(4)]


@pytest.mark.slow
def test_an_archive_goes_on_where_it_ended_with_the_same_questions(mixed, answer, tmp_path):
    table, labels = mixed
    whole = answer(Learner(NaiveBayes(), table, archive=tmp_path / "whole.db"), labels, 30)
    parts = []
    for _ in range(3):
        learner = Learner(NaiveBayes(), table, archive=tmp_path / "parts.db", random_state=99 if parts else 0)
        parts += answer(learner, labels, 10)
        learner.close()
    assert [question.row for question in parts] == [question.row for question in whole]


def test_an_answer_is_in_the_file_when_tell_returns(mixed, tmp_path):
    table, labels = mixed
    learner = Learner(NaiveBayes(), table, archive=tmp_path / "labels.db")
    row = learner.ask()[0].row
    learner.tell(labels[row])
    reader = sqlite3.connect(tmp_path / "labels.db")
    found = reader.execute("SELECT kind, pool_row, label, asked FROM probus_labels").fetchall()
    assert found == [("label", row, json.dumps(labels[row]), "start")]


def test_undo_and_skip(mixed, answer):
    table, labels = mixed
    learner = Learner(NaiveBayes(), table)
    answer(learner, labels, 5)
    question = learner.ask()[0]
    learner.skip()
    assert learner.skipped == [question.row]
    assert learner.ask()[0].row != question.row
    again = learner.undo()
    assert (again.row, learner.skipped) == (question.row, [])
    learner.tell("yes")
    assert learner.labels[question.row] == "yes"
    last = learner.undo()
    assert last.row == question.row
    assert len(learner.labels) == 5
    assert Learner(NaiveBayes(), table).undo() is None


@pytest.mark.slow
def test_check_rows_are_a_random_sample_of_the_pool(answer):
    """Over seeds, every row is as often a tested one, although the strategy asks for some rows always."""
    X = np.linspace(0, 1, 40)[:, None]
    labels = (X[:, 0] > 0.5).astype(int).tolist()
    counts, total = np.zeros(40), 0
    for seed in range(60):
        learner = Learner(NaiveBayes(), X, start=4, check=4, random_state=seed)
        answer(learner, labels, 12)
        state = learner.snapshot()
        counts[state.rows[state.sample]] += 1
        total += int(state.sample.sum())
    expected = total / 40
    assert abs(counts[18:22].mean() - expected) < 4 * np.sqrt(expected / 4)
    assert ((counts - expected) ** 2 / expected).sum() < 75  # χ² of 39 degrees of freedom, 99.95 %


def test_labels_that_the_pool_comes_with(mixed):
    table, labels = mixed
    known = [label if row < 20 else None for row, label in enumerate(labels)]
    pool = table.with_columns(answer=known)
    learner = Learner(NaiveBayes(), pool, target="answer", start=2)
    assert len(learner.labels) == 20
    assert "answer" not in learner.pool.rows
    assert all(question.row >= 20 for question in learner.ask(5))
    state = learner.snapshot()
    assert not state.sample.any()  # nobody drew them at random
    assert learner.table()["answer"].decoded()[:20].tolist() == labels[:20]


def test_numbers_and_frames_and_arrays(answer):
    X, y = load_breast_cancer(return_X_y=True)
    learner = Learner(LogisticRegression(), X, start=5)
    answer(learner, y.tolist(), 30, batch=5)
    assert learner.classes == (0, 1)
    assert learner.model.score(Table.of(X), y) > 0.85
    learner.tell({400: np.int64(1), 401: True})
    assert learner.labels[400] == 1


def test_the_end_of_a_pool():
    learner = Learner(NaiveBayes(), [[0.0], [1.0], [2.0]], start=2)
    assert len(learner.ask(10)) == 3
    learner.tell(["a", "b", None])
    assert learner.ask() == []
    assert learner.skipped


# -- scores and the stopping rule ----------------------------------------------------------------------


@pytest.mark.slow
def test_the_curve_is_tested_on_random_rows_only(mixed, answer):
    table, labels = mixed
    learner = Learner(NaiveBayes(), table, start=10, check=4)
    with pytest.raises(DataError, match="0 labels of rows drawn at random"):
        learner.curve()
    answer(learner, labels, 60)
    curve = learner.curve()
    state = learner.snapshot()
    assert curve.n_tested == state.sample.sum() < 40
    assert curve.sizes[-1] == 60
    truth = np.mean(learner.model.predict(table) == labels)
    assert truth in curve.scores[-1]
    assert str(curve).startswith("accuracy ")
    assert learner.curve("log_loss").measure == "log loss"


@pytest.mark.slow
def test_the_curve_covers_the_accuracy_where_scores_of_all_labels_do_not(answer):
    """Rows that a strategy asks for are the hard ones: a score on them is too low, and on the random ones it is not."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 1500)
    X = rng.normal(size=(1500, 2)) + 1.2 * y[:, None]
    held, all_labels = [], []
    for seed in range(6):
        learner = Learner(LogisticRegression(), X, query="margin", start=10, check=3, random_state=seed)
        answer(learner, y.tolist(), 90, batch=10)
        truth = float(np.mean(learner.model.predict(Table.of(X)) == y))
        held.append(truth in learner.curve().scores[-1])
        rows = np.array(list(learner.labels))
        all_labels.append(float(np.mean(learner.model.predict(Table.of(X[rows])) == y[rows])) - truth)
    assert np.mean(held) >= 0.8
    assert np.mean(all_labels) < -0.03


def test_the_stopping_rule_knows_a_model_that_no_longer_changes(answer):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    X = rng.normal(size=(2000, 2)) + 8.0 * y[:, None]
    learner = Learner(NaiveBayes(), X)
    with pytest.raises(DataError, match="0 labels, to judge what 20 more would gain"):
        learner.stopping(20)
    answer(learner, y.tolist(), 60, batch=10)
    found = learner.stopping(20, tolerance=0.005)
    assert found.stop
    assert found.sentence.startswith("Another 20 labels gain less than 0.005 accuracy: ")
    assert found.gain.high <= found.changed.high


def test_the_stopping_rule_goes_on_where_predictions_still_change(mixed, answer):
    table, labels = mixed
    learner = Learner(NaiveBayes(), table)
    answer(learner, labels, 20)
    found = learner.stopping(8, tolerance=0.001)
    assert not found.stop
    assert "may gain more than 0.001" in found.sentence
    with pytest.raises(DataError, match="both above zero"):
        learner.stopping(8, tolerance=0)


# -- bad input -----------------------------------------------------------------------------------------


def test_contradictions_are_refused_for_a_row_and_listed_for_equal_rows():
    X = [[0.0], [0.0], [1.0], [2.0]]
    learner = Learner(NaiveBayes(), X, start=2)
    learner.tell({0: "a", 2: "b"})
    with pytest.raises(DataError, match="row 0 has the label 'a', and is told to have 'b'"):
        learner.tell({0: "b"})
    assert learner.labels[0] == "a"
    learner.tell({1: "b"})
    assert learner.contradictions == [(0, 1)]
    learner.tell({1: "a"}, replace=True)
    assert learner.contradictions == []
    assert list(learner.labels.values()).count("a") == 2


def test_an_archive_of_another_pool_is_refused(mixed, tmp_path):
    table, _ = mixed
    path = tmp_path / "labels.db"
    Learner(NaiveBayes(), table, archive=path).close()
    with pytest.raises(DataError, match="of a pool with other columns: this one has no column 'z'"):
        Learner(NaiveBayes(), table.drop("z"), archive=path)
    with pytest.raises(DataError, match="has a further column 'w'"):
        Learner(NaiveBayes(), table.with_columns(w=[1.0] * 300), archive=path)
    with pytest.raises(DataError, match="has them in another order"):
        Learner(NaiveBayes(), table.select("z", "x", "colour"), archive=path)
    with pytest.raises(DataError, match="of another pool of 300 rows, this one has 299"):
        Learner(NaiveBayes(), table.take(range(299)), archive=path)
    with pytest.raises(DataError, match="of another pool with other values"):
        Learner(NaiveBayes(), table.take([1, 0, *range(2, 300)]), archive=path)


def test_labels_that_cannot_be_right_are_refused(mixed):
    table, _ = mixed
    learner = Learner(NaiveBayes(), table, classes=["yes", "no"])
    learner.ask(2)
    with pytest.raises(DataError, match=r"the label 'yse'(.|\n)*Did you mean 'yes'"):
        learner.tell(["yse", "no"])
    with pytest.raises(DataError, match="1 label for 2 questions"):
        learner.tell("yes")
    with pytest.raises(DataError, match="row 300 of a pool of 300 rows"):
        learner.tell({300: "yes"})
    assert learner.labels == {}
    free = Learner(NaiveBayes(), table)
    free.tell({0: "yes"})
    with pytest.raises(DataError, match="the label 3, where others are like 'yes'"):
        free.tell({1: 3})
    with pytest.raises(DataError, match="labels of 1 class"):
        _ = free.model
    with pytest.raises(DataError, match=r"labels \['yes', 3\]\.\n  Expected labels of one type"):
        Learner(NaiveBayes(), table).tell({0: "yes", 1: 3})


def test_labels_come_as_a_series_and_its_missing_ones_skip(mixed):
    table, _ = mixed
    learner = Learner(NaiveBayes(), table)
    rows = [question.row for question in learner.ask(3)]
    learner.tell(pd.Series(["yes", pd.NA, "no"], dtype="string"))
    assert (learner.labels, learner.skipped) == ({rows[0]: "yes", rows[2]: "no"}, [rows[1]])


def test_settings_that_make_no_sense_are_refused(mixed):
    table, _ = mixed
    with pytest.raises(DataError, match="is a regressor"):
        Learner(probus.linear_model.LinearRegression(), table)
    with pytest.raises(DataError, match="start=1"):
        Learner(NaiveBayes(), table, start=1)
    with pytest.raises(DataError, match=r"classes=\['yes'\].*"):
        Learner(NaiveBayes(), table, classes=["yes"])
    with pytest.raises(DataError, match="the label 'no'"):
        Learner(NaiveBayes(), table.with_columns(y=["no"] * 300), target="y", classes=["yes", "never"])
    with pytest.raises(DataError, match="n=0"):
        Learner(NaiveBayes(), table).ask(0)
    with pytest.raises(DataError, match=r"skip\(\) before ask"):
        Learner(NaiveBayes(), table).skip()

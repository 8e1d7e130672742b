"""Columns and rows that a study leaves out, and that it says so."""

import numpy as np
import pytest

import probus
from probus.data import Column, Table
from probus.errors import DataError
from probus.lifecycle._study_task import choose_features

pytestmark = pytest.mark.slow  # every test runs studies


def test_identifiers_and_columns_that_say_nothing_are_left_out_with_the_reason(study, two_blobs):
    data = two_blobs(
        id=[f"A-{i:05d}" for i in range(60)],
        code=[f"code{i} only{i}" for i in range(60)],
        empty=[None] * 60,
    )
    result = study(Table.of(data).with_kinds(code="text"))
    assert result.features == ("x", "z")
    assert result.left_out == {
        "id": "identifies the rows",
        "code": "text without words that rows share",
        "empty": "all values are missing",
    }


def test_phrases_are_text_and_no_identifiers(study, two_blobs):
    data = two_blobs(remark=[f"visit {i}: all went well" for i in range(60)])
    assert "remark" in study(data).features


def test_text_and_dates_are_learnt_from(study, two_blobs):
    data = two_blobs(
        remark=[f"visit {i}: " + ("all went well" if i % 2 else "much to complain about") for i in range(60)],
        when=[f"2024-{1 + i % 12:02}-{1 + i % 28:02}" for i in range(60)],
    )
    table = Table.of(data).with_kinds(remark="text").drop("x", "z")
    labels = np.where(np.arange(60) % 2, "yes", "no")
    result = study(table.with_columns(Column.labels("y", labels.tolist())), allow_leaks=True)
    assert result.left_out == {}
    assert result.leaderboard["Tree"].scores["accuracy"] > 0.95
    assert any(note.startswith("remark is used as 1 score and") for note in result.preparation)
    assert f"{result.best}: remark is used as 1 score and" in str(result)


def test_rows_without_a_label_are_dropped_and_counted(study, two_blobs):
    data = two_blobs()
    data["y"] = [None if i < 6 else label for i, label in enumerate(data["y"])]
    result = study(data)
    assert len(result.task) == 54
    assert "6 of 60 rows have no y and were dropped" in result.notes


def test_classes_smaller_than_the_folds_are_noted(study, two_blobs):
    data = two_blobs()
    data["y"] = np.array(["rare" if i < 2 else label for i, label in enumerate(data["y"])])
    assert any("class rare has 2 rows, fewer than the 3 folds" in note for note in study(data).notes)


def test_noise_does_not_beat_a_baseline_that_has_not_seen_every_class(study):
    random = np.random.default_rng(0)
    data = {"x": random.normal(size=120), "y": [f"class {c}" for c in random.integers(0, 40, 120)]}
    result = study(data)
    assert result.best == "Zero-R" or "no clear gain over it" in result.headline()


def test_a_target_that_identifies_rows_is_refused(study, two_blobs):
    data = {**two_blobs(120), "y": [f"person {i}" for i in range(120)]}
    with pytest.raises(DataError, match="target 'y' has a class of its own in each of the 120 rows, as an identifier"):
        study(data)


def test_another_kind_is_advised_only_for_columns_that_it_may_make_features():
    y = np.arange(60.0)
    same = probus.Task({"a": ["k"] * 60, "y": y}, target="y")
    with pytest.raises(DataError, match=r"'a' \(the same value in every row\)\.") as constant:
        choose_features(same, probus.examine(same.table, "y"))
    assert "kinds" not in str(constant.value)
    named = probus.Task({"id": [f"k{i}" for i in range(60)], "y": y}, target="y")
    with pytest.raises(DataError, match=r"'id' \(identifies the rows\)\.\n .*Set their kinds\."):
        choose_features(named, probus.examine(named.table, "y"))

"""Scores that a reader without statistics can use."""

import re
from dataclasses import replace

import numpy as np
import pytest

from probus.report import StudyReport, model_card, study_page

pytestmark = pytest.mark.slow  # every test runs studies


def wild(n=12):
    """A few rows, some with a target that is a thousand times as large as that of others."""
    random = np.random.default_rng(0)
    x = random.normal(size=n)
    return {"x": x, "z": random.normal(size=n), "y": np.exp(4 * x) + random.normal(0, 0.1, n)}


@pytest.fixture(scope="module")
def few(study):
    return study(wild(), models=["linear", "tree"], cv=5)


def test_an_interval_that_excludes_nothing_is_replaced_by_the_reason(few):
    board = few.leaderboard
    lacking = [each.name for each in board if each.rank and board.without_interval(each.name, "rmse")]
    assert lacking
    shown = " ".join(repr(few).split())
    assert board.printed(lacking[0], "rmse").endswith(" (no interval: 2 rows in a fold)")
    assert f" {board.printed(lacking[0], 'rmse')} " in shown
    assert '"no interval": these rows exclude nothing between perfect and the score of Zero-R; add rows' in shown
    report = StudyReport.of(few, time=0)
    assert "no interval: 2 rows in a fold" in study_page(report)
    assert "no interval: 2 rows in a fold" in model_card(report)


def test_a_test_set_whose_score_may_be_any_is_not_announced(study, monkeypatch):
    random = np.random.default_rng(5)
    x = random.normal(size=120)
    found = study({"x": x, "y": x + random.normal(size=120)}, models=["linear"], cv=5)
    assert found.on_new_rows.startswith("RMSE of one test set of 120 new rows drawn alike")
    wide = replace(found.score, low=0.0, high=2.0 * found.leaderboard["Zero-R"].scores["rmse"].value)
    monkeypatch.setattr("probus.lifecycle._study_result.score_of_new_test_set", lambda *_: wide)
    assert found.on_new_rows == ""


def test_no_score_is_printed_as_zero_or_as_an_interval_without_width(few):
    for name in few.results:
        for measure in few.measures:
            value, _, rest = few.leaderboard.printed(name, measure.name).partition(" ")
            assert float(value.replace(",", "")) != 0
            if rest.startswith("["):
                low, high = rest.strip("[]").split(", ")
                assert low != high


def test_undecided_models_have_their_own_detectable_difference(blobs):
    undecided = blobs.leaderboard.with_verdict("undecided")
    known = [each for each in undecided if np.isfinite(each.detectable)]
    assert known
    for each in known:
        assert re.search(rf"{re.escape(each.name)} \([\d.]+\)", blobs.headline())


def test_a_table_with_the_name_of_its_target_is_named_once(study, two_blobs, tmp_path):
    import polars as pl

    path = tmp_path / "y.csv"
    pl.DataFrame(two_blobs()).write_csv(path)
    result = study(path)
    report = StudyReport.of(result, time=0)
    assert "Study: classify y, 60 rows" in repr(result)
    assert "<h1>Predicting y</h1>" in study_page(report)
    assert model_card(report).startswith("# Model card: y\n")


def test_groups_of_whole_numbers_and_counts_of_classes_are_read_without_doubt(study, two_blobs):
    random = np.random.default_rng(0)
    data = two_blobs(race=random.choice([1.0, 2.0, 3.0], 60))
    data["y"] = np.where(data["y"] == "yes", "1", "0")
    result = study(data, sensitive="race", allow_leaks=True)
    assert {each.group for each in result.group_scores} == {"1", "2", "3"}
    assert "Rows of each class: 0: 30, 1: 30." in model_card(StudyReport.of(result, time=0))

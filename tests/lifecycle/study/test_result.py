"""What a study returns, and how it shows itself."""

import json

import numpy as np
import pytest

import probus
from probus.data import Table
from probus.errors import DataError
from probus.lifecycle._families import families
from probus.persistence import inspect

pytestmark = pytest.mark.slow  # every test runs studies


def test_the_best_model_beats_the_baseline_where_there_is_something_to_learn(blobs):
    baseline = blobs.leaderboard["Zero-R"]
    assert blobs.best != "Zero-R"
    assert not baseline.tied
    assert baseline.behind.low > 0.2
    assert blobs.score > 0.9
    assert blobs.leaderboard.best.scores["accuracy"] > 0.85


def test_noise_is_not_taken_for_knowledge(study):
    random = np.random.default_rng(0)
    data = {"x": random.normal(size=80), "y": np.array(["a", "b"])[random.integers(0, 2, 80)]}
    baseline = study(data, cv=None).leaderboard["Zero-R"]
    assert baseline.tied or baseline.rank == 1


def test_the_best_is_fitted_on_every_row_and_survives_a_file(blobs, tmp_path, two_blobs):
    table = Table.of(two_blobs(20))
    path = blobs.save(tmp_path / "m.probus")
    assert probus.load(path).predict(table).tolist() == blobs.model.predict(table).tolist()
    stored = inspect(path).metadata
    assert (stored["target"], stored["pos_label"], stored["scoring"]) == ("y", "yes", "roc_auc")


def test_the_seed_decides_everything(study, two_blobs):
    data = two_blobs()

    def board_of(seed):
        lines = study(data, random_state=seed).leaderboard.to_dict()
        return [{key: value for key, value in line.items() if key != "seconds"} for line in lines]

    assert board_of(0) == board_of(0)
    assert board_of(0) != board_of(1)


def test_one_new_test_set_scores_in_a_wider_interval_than_new_rows_on_average(blobs):
    new = blobs.score_on_new_rows()
    assert new.value == blobs.score.value
    assert new.low < blobs.score.low
    assert new.half_width > blobs.score_on_new_rows(10_000).half_width
    assert blobs.to_dict()["score_on_new_rows"] == new.to_dict()
    ends = f"{new.low:.3f} to {new.high:.3f}"
    assert f"ROC AUC of one test set of 60 new rows drawn alike: {ends} in 95 % of cases" in str(blobs)
    with pytest.raises(DataError, match=r"n=0\. *\n? *Expected a number of rows, 1 or more"):
        blobs.score_on_new_rows(0)


def test_confusion_counts_every_row_once(blobs):
    counts = blobs.confusion()
    assert counts.sum() == 60
    assert counts.sum(axis=1).tolist() == [30, 30]
    assert np.trace(counts) > 45


def test_the_headline_names_best_ties_and_baseline(blobs):
    headline = blobs.headline()
    assert headline.startswith(f"Best: {blobs.best} — ROC AUC 0.")
    assert all(standing.name in headline for standing in blobs.leaderboard.tied)
    baseline = blobs.leaderboard["Zero-R"]
    score = blobs.leaderboard.printed("Zero-R", "roc_auc")
    assert f"Baseline Zero-R: {score}; the best is better by {baseline.behind} (p < 0.001)." in headline


def test_a_bias_of_selection_that_changes_no_digit_is_not_noted(monkeypatch, study):
    for bias, noted in ((1e-6, False), (0.2, True)):
        monkeypatch.setattr("probus.lifecycle._conclusion.selection_bias", lambda *_, bias=bias: bias)
        notes = study().notes
        assert (
            any("was chosen by this score, which makes it look better by about 0.2" in note for note in notes) == noted
        )
        assert any("was chosen by this score" in note for note in notes) == noted


def test_it_shows_itself_as_text_html_frame_and_dict(blobs):
    assert repr(blobs).startswith("Study: classify y of table, 60 rows, 2 features\n  Best: ")
    assert "stratified 5-fold cross-validation, 3 times" in repr(blobs)
    assert "<table>" in blobs._repr_html_()
    assert blobs.to_frame().height == len(blobs.leaderboard)
    assert json.loads(json.dumps(blobs.to_dict()))["pos_label"] == "yes"


def test_the_scores_are_those_of_scikit_learn_on_the_same_splits(blobs):
    from sklearn.model_selection import cross_val_score

    model = families("classification")["Naive Bayes"]
    how = {"cv": list(blobs.splits.pairs), "scoring": "roc_auc"}
    scores = cross_val_score(model, blobs.task.X.to_pandas(), blobs.task.y, **how)
    assert blobs.results["Naive Bayes"].scores() == pytest.approx(scores)

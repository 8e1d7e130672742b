"""Where no gain over the baseline is clear, the simplest model is saved, and it predicts the most probable class."""

import numpy as np
import pytest

from probus.cli._predict import predictions
from probus.data import Table
from probus.display import sentence
from probus.lifecycle._conclusion import PLAIN
from probus.lifecycle._ranking import chosen_model
from probus.report import StudyReport, model_card, study_page

pytestmark = pytest.mark.slow  # every test runs studies


def survey(n=237, seed=0):
    """Four classes, one with 80 %, which depend on nothing."""
    random = np.random.default_rng(seed)
    height = np.where(random.random(n) < 0.1, np.nan, random.normal(172, 9, n))
    return {
        "sex": random.choice(["f", "m"], n),
        "height": height,
        "exercise": random.choice(["none", "some", "often"], n, p=[0.1, 0.4, 0.5]),
        "smokes": random.choice(["never", "rarely", "often", "daily"], n, p=[0.8, 0.08, 0.07, 0.05]),
    }


def test_a_model_without_a_clear_gain_predicts_the_most_probable_class_and_says_so(study):
    result = study(survey(), target="smokes", models=["bayes", "tree"])
    X, baseline = result.task.X, result.leaderboard["Zero-R"].scores["accuracy"]
    predicted = result.model.predict(X)
    if result.best != result.baseline:
        np.testing.assert_array_equal(predicted, result.model.classes_[result.model.predict_proba(X).argmax(axis=1)])
    assert np.mean(predicted == result.task.y) > baseline.low
    for name in result.results:  # what is scored is what is saved
        assert result.leaderboard[name].scores["accuracy"] > baseline.low
    report = StudyReport.of(result, time=0)
    assert PLAIN in repr(result)
    assert "()" not in study_page(report).partition('class="answer"')[2].partition("</div>")[0]
    assert sentence(PLAIN) in study_page(report).replace("−", "-")
    assert sentence(PLAIN) in model_card(report)
    assert result.about_saved
    for shown in (repr(result), study_page(report), model_card(report)):
        assert result.about_saved in shown


def test_a_cost_that_was_given_is_kept(study):
    result = study(survey(), target="smokes", models=["bayes"], cost="balanced")
    assert PLAIN not in result.notes
    assert getattr(result.model, "cost", "balanced") == "balanced"


def test_a_clear_gain_keeps_decisions_by_cost(study):
    random = np.random.default_rng(1)
    x = random.normal(size=600)
    data = Table.of({"x": x, "y": np.where(random.random(600) < 1 / (1 + np.exp(3.5 - 2 * x)), "yes", "no")})
    result = study(data, target="y", models=["bayes"])
    assert result.model.cost == "balanced"
    assert PLAIN not in result.notes


def test_sets_of_a_study_with_weighted_decisions_are_by_class_and_hold_the_prediction(study):
    random = np.random.default_rng(2)

    def rows(n):
        x = random.normal(size=(2, n))
        return {"x": x[0], "z": x[1], "y": np.where(random.random(n) < 1 / (1 + np.exp(4 - 1.5 * x[0])), "yes", "no")}

    result = study(rows(1500), target="y", models=["bayes"])
    new = Table.of(rows(4000))
    predicted = predictions(result.model, new, sets=0.9)
    assert "set_90_by_class" in predicted.columns
    inside = [str(label) in sets.split(" | ") for label, sets in predicted[["prediction", "set_90_by_class"]].rows()]
    assert all(inside)
    held = np.array(
        [y in sets.split(" | ") for y, sets in zip(new["y"].decoded(), predicted["set_90_by_class"], strict=True)]
    )
    for label in ("yes", "no"):
        assert held[new["y"].decoded() == label].mean() > 0.84
    assert "for each class separately" in result.model.uncertainty


class Board:
    """A leaderboard of verdicts: models in order of simplicity, and their ranks."""

    def __init__(self, **ranked):
        from types import SimpleNamespace

        self.results = dict.fromkeys(ranked)
        self.lines = {
            name: SimpleNamespace(name=name, rank=rank, verdict=verdict, tied=verdict in ("undecided", "equivalent"))
            for name, (rank, verdict) in ranked.items()
        }
        self.best = min(self.lines.values(), key=lambda line: line.rank)
        self.measures = (SimpleNamespace(name="log_loss", needs="probabilities"),)

    def __getitem__(self, name):
        return self.lines[name]

    def __iter__(self):
        return iter(sorted(self.lines.values(), key=lambda line: line.rank))


@pytest.mark.parametrize(("verdict", "saved"), [("worse", "forest"), ("undecided", "tree"), ("equivalent", "tree")])
def test_the_simplest_model_ahead_of_the_baseline_is_saved_where_no_gain_is_clear(verdict, saved):
    board = Board(
        zero=(5, verdict), bayes=(6, "undecided"), ridge=(4, "worse"), tree=(3, "undecided"), forest=(1, ""),
        boosting=(2, "undecided"),
    )  # fmt: skip
    assert chosen_model(board, "zero") == saved
    assert chosen_model(Board(zero=(1, ""), bayes=(2, "undecided")), "zero") == "zero"

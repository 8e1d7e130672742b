"""What is ranked, saved and recommended."""

from types import SimpleNamespace

import numpy as np
import pytest

from probus.lifecycle import Study
from probus.lifecycle._ranking import simplest_equivalent
from probus.lifecycle._split_scores import SplitChoice

pytestmark = pytest.mark.slow  # every test runs studies


def test_more_classes_are_ranked_by_log_loss(study):
    assert study("iris", target="species").main.name == "log_loss"


def test_a_baseline_is_not_saved_while_another_has_better_probabilities(study):
    random = np.random.default_rng(0)
    x = random.normal(size=400)
    data = {"x": x, "y": np.where(random.uniform(size=400) < 0.1 / (1 + np.exp(-2 * x)), "yes", "no")}
    result = study(data, models=["bayes"], scoring="accuracy")
    assert result.leaderboard.best.name == "Zero-R"
    assert result.leaderboard["Naive Bayes"].scores["log_loss"] < result.leaderboard["Zero-R"].scores["log_loss"]
    assert result.best == "Naive Bayes"
    assert "Naive Bayes is saved: its probabilities are better than those of Zero-R." in result.headline()


def test_the_method_of_the_intervals_is_that_of_the_saved_model():
    scored = SimpleNamespace(
        splits=SimpleNamespace(how="5-fold"),
        score=SimpleNamespace(method="by rows"),
        leaderboard=SimpleNamespace(best=None),
        on_new_rows="",
        split=SplitChoice(),
    )
    assert Study.how_scored.fget(scored) == ["5-fold; 95 % intervals: by rows"]


def test_the_simplest_model_equivalent_to_the_best_is_recommended():
    verdicts = {
        "Zero-R": "equivalent",
        "bayes": "undecided",
        "logistic": "equivalent",
        "forest": "equivalent",
        "top": "",
    }

    class Board(dict):
        results, best = dict.fromkeys(verdicts), SimpleNamespace(name="top")

    board = Board({name: SimpleNamespace(verdict=verdict) for name, verdict in verdicts.items()})
    assert simplest_equivalent(board, "top", "Zero-R") == "logistic"
    board["logistic"] = board["forest"] = board["bayes"]
    assert simplest_equivalent(board, "top", "Zero-R") == "top"


def test_families_are_chosen_by_key_or_name(study):
    assert list(study(models=["Tree", "BAYES"]).results) == ["Zero-R", "Naive Bayes", "Tree"]

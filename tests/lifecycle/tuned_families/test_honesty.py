"""Scores of a study are of rows that its tuning never used, and depend on the seed only."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from probus.lifecycle._selection_bias import selection_bias
from probus.metrics import Outcome, measure
from probus.spaces import Integer, Space

# -- honest ---------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_labels_of_outer_test_rows_change_no_prediction_for_them(study, moons):
    data, rows = moons(), np.arange(120)
    split = [(rows[rows % 3 > 0], rows[rows % 3 == 0])]
    other = {**data, "y": np.where((rows % 6 == 0) & (rows < 60), "yes", data["y"])}
    first, second = (study(each, cv=split).results["k-NN"].outcomes[0].probabilities for each in (data, other))
    assert first.tolist() == second.tolist()


def test_tuning_improves_a_poor_default_and_both_scores_are_kept(study, tuned):
    default = study(evaluations=0)
    assert tuned.leaderboard["k-NN"].scores["roc_auc"] > default.leaderboard["k-NN"].scores["roc_auc"]
    assert default.inner_scores == {}
    assert set(tuned.inner_scores) == {"bayes", "k-NN"}
    inner = tuned.inner_scores[tuned.best]
    note = (
        f"{tuned.best} was tuned to ROC AUC {inner:.3g} on the rows that chose its parameters, trained on 67 % of all; "
        "the leaderboard has its score on rows that the tuning never used, trained on 67 %"
    )
    assert note in tuned.notes
    best = max((row for row in tuned.tried[1:] if row["model"] == "k-NN"), key=lambda row: row["score"])
    assert best["configuration"]["model__n_neighbors"] < 50


def test_every_evaluation_is_listed_with_its_configuration(tuned):
    rows = [row for row in tuned.tried if row["model"] == "k-NN"]
    assert len(rows) == 1 + 5 + (rows[1]["configuration"].get("model__n_neighbors") != 50)
    assert all(row["score"] is not None and row["error"] is None for row in rows)
    assert max(row["score"] for row in rows[1:]) == pytest.approx(tuned.inner_scores["k-NN"])


class Guess(ClassifierMixin, BaseEstimator):
    """Predicts by chance, with another chance for each value of its parameter."""

    def __init__(self, number=0):
        self.number = number

    def search_space(self):
        return Space({"number": Integer(0, 10**6)}, default={"number": self.number})

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        p = np.modf(np.abs(np.asarray(X)[:, 0] * (self.number + 1.5)) * 1e4)[0]
        return np.column_stack([1 - p, p])

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


@pytest.mark.slow
def test_the_tuned_score_of_chance_is_too_good_and_the_outer_score_is_not(search):
    # the best of 12 scores with a standard error of 1 / sqrt(3 * 60) has an excess of 1.63 standard errors, 0.12
    inner, outer = [], []
    for seed in range(8):
        data = {"x": np.random.default_rng(seed).normal(size=60), "y": ["no", "yes"] * 30}
        _, found = search(data, evaluations=12, models={"guess": Guess()})
        inner.append(found["guess"].inner_score)
        outer.append(np.mean([fit.score for fit in found["guess"].outer]))
    assert 0.56 < np.mean(inner) < 0.68
    assert abs(np.mean(outer) - 0.5) < 3 * 0.075 / np.sqrt(8)


@pytest.mark.slow
def test_the_best_of_equal_models_is_too_good_and_the_correction_finds_by_how_much():
    random, auc, n, k = np.random.default_rng(0), measure("roc_auc"), 150, 8
    excess, found = [], []
    for _ in range(12):
        actual = np.arange(n) % 2
        shared = random.normal(size=n)
        scores = {f"m{i}": actual + shared + random.normal(size=n) for i in range(k)}
        results = {name: _Predicted(_outcome(actual, each)) for name, each in scores.items()}
        reached = {name: auc.compute(each.pooled()) for name, each in results.items()}
        best = max(reached, key=reached.get)
        excess.append(reached[best] - np.mean([*reached.values()]))
        found.append(selection_bias(results, best, auc))
    assert np.mean(excess) > 0.01
    assert np.mean(found) == pytest.approx(np.mean(excess), abs=0.6 * np.mean(excess))


def _outcome(actual, scores):
    p = 1 / (1 + np.exp(-scores))
    return Outcome(actual, classes=("no", "yes"), positive=1).with_probabilities(np.column_stack([1 - p, p]))


class _Predicted:
    failures = ()

    def __init__(self, outcome):
        self._outcome = outcome

    def pooled(self):
        return self._outcome


def test_rows_that_cannot_be_split_again_are_not_tuned_on_and_said(study, moons):
    data = {**moons(60), "g": np.arange(60) % 20 // 10}
    result = study(data, group="g", cv=2)
    assert result.inner_scores == {}
    note = "the models have their default parameters, since training rows cannot be split: 1 group for 2 folds"
    assert note in result.notes


# -- deterministic --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_seed_decides_the_tuning(study, tuned, facts):
    assert facts(study()) == facts(tuned)


@pytest.mark.slow
def test_the_number_of_processes_does_not_change_the_result(study, tuned, facts):
    assert facts(study(n_jobs=2)) == facts(tuned)

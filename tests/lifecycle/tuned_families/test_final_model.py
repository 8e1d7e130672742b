"""Ensembles, calibrated probabilities, decisions by cost: the model that is saved."""

import numpy as np
import pytest

import probus
from probus.calibration._probability_maps import fitted_map
from probus.errors import DataError
from probus.lifecycle._as_saved import as_saved
from probus.lifecycle._families import families
from probus.lifecycle._family_fits import OUTER, FamilyFits
from probus.lifecycle._final_model import default_cost
from probus.lifecycle._stacked import Stack
from probus.lifecycle._study_archive import _fingerprint
from probus.metrics import measure
from probus.model_selection import splits_of
from probus.model_selection._joined_outcomes import joined
from probus.naive_bayes import NaiveBayes


def test_the_weights_of_the_ensemble_are_those_of_the_best_mean_on_inner_rows(two_families, moons, search):
    fits, found = search(moons())
    stack = Stack({name: found[name] for name in ("bayes", "k-NN")})
    weights = stack.weights(fits.last)
    assert sum(weights.values()) == pytest.approx(1.0)
    assert set(weights) <= {"bayes", "k-NN"}
    together = stack.resampled([measure("roc_auc")])
    share = [stack.weights(0).get(name, 0.0) for name in ("bayes", "k-NN")]
    expected = sum(w * found[name].outer[0].outcome.probabilities for w, name in zip(share, two_families, strict=True))
    assert together.outcomes[0].probabilities == pytest.approx(expected)


def test_an_ensemble_that_does_not_win_is_left_out_and_said(tuned):
    assert "Ensemble" not in tuned.results
    (note,) = (note for note in tuned.notes if note.startswith("a stacked ensemble of the families has ROC AUC 0."))
    score = float(note.split()[9])
    assert ("not clearly better" in note) == (score > tuned.score.value), (note, tuned.score)
    assert note.endswith("better, so it is left out")


def test_the_final_model_has_sets_of_classes_and_calibrated_probabilities(tuned):
    rows = tuned.task.X.take(range(4))
    assert len(tuned.model.predict_set(rows, level=0.9).labels) == 4
    assert tuned.model.predict_proba(rows).sum(axis=1) == pytest.approx(np.ones(4))


@pytest.mark.slow
def test_the_final_model_of_numbers_has_intervals():
    random = np.random.default_rng(0)
    x = random.normal(size=80)
    how = {"target": "y", "models": ["linear"], "evaluations": 0, "progress": None}
    result = probus.study({"x": x, "y": x + random.normal(size=80)}, **how)
    interval = result.model.predict_interval(result.task.X.take([0, 1]), level=0.9)
    assert interval.shape == (2, 2)
    assert (interval[:, 0] < interval[:, 1]).all()


def test_errors_of_a_rare_class_weigh_more_unless_a_cost_is_given(study):
    random = np.random.default_rng(1)
    rare = np.arange(200) % 10 == 0
    data = {"x": random.normal(size=200) + 1.2 * rare, "y": np.where(rare, "yes", "no")}
    how = {"models": {"bayes": NaiveBayes()}, "evaluations": 0}
    balanced, plain, given = (study(data, **how, **more).model for more in ({}, {"cost": None}, {"cost": 3.0}))
    table = probus.Table.of(data).drop("y")
    counts = [int((model.predict(table) == "yes").sum()) for model in (balanced, plain, given)]
    assert counts[1] < counts[2] < counts[0]
    assert given.costs_.max() == 3.0


@pytest.fixture(scope="module")
def overconfident():
    """Naive Bayes on ten copies of two columns, which it takes for independent evidence."""
    random = np.random.default_rng(2)
    labels = np.arange(3600) % 3
    x = random.normal(size=(3600, 2)) + 1.0 * np.column_stack([labels == 1, labels == 2])
    columns = {f"x{j}": x[:, j % 2] + 1e-9 * j for j in range(20)}
    table = probus.Table.of({**columns, "y": np.array(["a", "b", "c"])[labels]})
    how = {"target": "y", "models": {"bayes": NaiveBayes()}, "evaluations": 0, "progress": None, "cv": 5}
    return table.take(range(600, 3600)), probus.study(table.take(range(600)), allow_leaks=True, **how)


def test_the_scores_are_those_of_the_calibrated_model_that_is_saved(overconfident):
    held_out, result = overconfident
    raw = probus.resample(NaiveBayes(), probus.Task(result.task.table, "y"), cv=result.splits)
    assert float(raw.estimate("log_loss")) > 1.5 * float(result.score)
    p = result.model.predict_proba(held_out)
    actual = held_out["y"].values
    loss = -np.log(p[np.arange(len(p)), actual]).mean()
    assert result.score.low < loss < result.score.high
    assert any(
        note.startswith("the model is scored as it is saved: probabilities calibrated (") for note in result.notes
    )


def test_calibration_of_a_fold_uses_the_other_folds_only(overconfident):
    raw = probus.resample(NaiveBayes(), probus.Task(overconfident[1].task.table, "y"), cv=5, random_state=0)
    saved, method = as_saved(raw, None)
    others = joined(raw.outcomes[1:])
    expected = fitted_map(method, others.probabilities, others.actual, None)(raw.outcomes[0].probabilities)
    assert saved.outcomes[0].probabilities == pytest.approx(expected)


def test_accuracy_and_confusion_are_those_of_the_decisions_that_are_saved(study):
    random = np.random.default_rng(1)
    rare = np.arange(400) % 10 == 0
    data = {"x": random.normal(size=400) + 1.2 * rare, "y": np.where(rare, "yes", "no")}
    result = study(data, models={"bayes": NaiveBayes()}, evaluations=0, cv=5)
    found = result.confusion()
    assert found[1, 1] / found[1].sum() > 0.5  # most of the rare class is found, which the largest probability does not
    assert float(result.leaderboard["bayes"].scores["accuracy"]) == pytest.approx(np.trace(found) / 400)
    assert any("class yes is predicted where its probability is at least 0.1" in note for note in result.notes)
    plain = study(data, models={"bayes": NaiveBayes()}, evaluations=0, cv=5, scoring="accuracy")
    assert plain.model.cost is None


@pytest.mark.parametrize(
    ("counts", "cost"),
    [
        ((17, 83), "balanced"),
        ((25, 75), None),
        ((30,) * 8, None),
        ((6, *(30,) * 7), "balanced"),
        ((2, 50, 50), None),
        ((2, 50, 50, 12), "balanced"),
    ],
)
def test_a_class_is_rare_by_its_share_of_an_equal_one(counts, cost):
    labels = np.repeat([f"c{k}" for k in range(len(counts))], counts)
    task = probus.Task({"x": np.arange(len(labels)), "y": labels}, target="y")
    assert default_cost(task, measure("log_loss")) == cost
    assert default_cost(task, measure("accuracy")) is None


def test_a_mistyped_label_does_not_take_over_the_decisions(study):
    random = np.random.default_rng(0)
    x = random.normal(size=300)
    y = np.where(x + random.normal(size=300) > 2, "rare", np.where(x + random.normal(size=300) > 0, "b", "a"))
    y[:2] = "aa"
    result = study({"x": x, "z": random.normal(size=300), "y": y}, models={"bayes": NaiveBayes()}, evaluations=0, cv=5)
    assert result.model.cost == "balanced"
    assert np.mean(result.model.predict({"x": x, "z": x}) == "aa") < 0.02
    assert result.leaderboard["bayes"].scores["accuracy"] > 0.4


@pytest.mark.parametrize(
    ("data", "cost", "message"),
    [
        ({"x": np.arange(30.0) % 7, "y": ["a", "b", "c"] * 10}, 3.0, r"cost=3\.0 for 3 classes"),
        ({"x": np.arange(30.0) % 7, "y": np.arange(30.0) ** 2}, 3.0, r"cost=3\.0 for numbers"),
    ],
)
def test_a_cost_that_does_not_fit_is_an_error_before_any_fit(study, data, cost, message):
    with pytest.raises(DataError, match=message):
        study(data, cost=cost, models=["tree"], allow_leaks=True)


def rare_fits(which, cost):
    """Fits of naive Bayes on a rare class that is never the most probable one."""
    random = np.random.default_rng(0)
    label = np.arange(300) % 20 == 0
    data = {"x": random.normal(size=300) + label, "y": np.where(label, "yes", "no")}
    task = probus.Task(data, target="y", pos_label="yes")
    models = families("classification", {"bayes": NaiveBayes()})
    return FamilyFits(models, task, splits_of(2, task, random_state=0), measure(which), 0, cost)


def test_measures_of_predicted_classes_tune_by_the_decisions_of_the_saved_model():
    scores = {
        (family, cost): rare_fits("f1", cost).split(family, {}, 0, OUTER).score
        for family in ("bayes", "Zero-R")
        for cost in (None, "balanced")
    }
    assert scores["bayes", None] == 0
    assert scores["bayes", "balanced"] > 0.1
    assert scores["Zero-R", "balanced"] == 0


def test_fits_are_stored_by_their_cost_where_it_changes_scores():
    by_f1, by_area = ({_fingerprint(rare_fits(name, c)) for c in ("balanced", 5.0)} for name in ("f1", "roc_auc"))
    assert (len(by_f1), len(by_area)) == (2, 1)

"""Diagnoses of cases made to be what they are."""

import json

import numpy as np
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

from probus import DataError, Task, datasets
from probus.dummy import ZeroRClassifier
from probus.metrics import Measure, measure
from probus.model_selection._curve_scores import Scores
from probus.model_selection._diagnosis import diagnose
from probus.model_selection._expected_loss import bias_variance
from probus.model_selection._learning_curves import LearningCurve, learning_curve
from probus.model_selection._resampling import resample
from probus.model_selection._splits import Splits
from probus.model_selection._validation_curves import validation_curve
from probus.neighbors import KNeighborsClassifier

RNG = np.random.default_rng(0)
A, B = RNG.normal(size=(2, 600))
NOISE = Task({"a": A, "b": B, "y": RNG.choice(["p", "q"], 600)}, "y")
XOR = Task({"a": A, "b": B, "y": np.where(A * B > 0, "p", "q")}, "y")
LINE = Task({"a": A, "b": B, "y": np.where(A + B + RNG.normal(0, 0.1, 600) > 0, "p", "q")}, "y")
PLANE = Task({"a": A, "b": B, "y": 2 * A + B + RNG.normal(0, 0.5, 600)}, "y")


def made_up(train, test, zero_r, metric="accuracy", sizes=(50, 100), spread=0.01):
    """A learning curve that ends in those scores."""
    around = spread * np.linspace(-1, 1, 5)
    chosen = measure(metric)
    scores = Scores(
        (chosen,),
        {chosen.name: np.array([train, train])[:, None] + around},
        {chosen.name: np.array([test, test])[:, None] - around},
        {chosen.name: np.full(5, zero_r)},
        (),
    )
    rows = np.arange(10)
    return LearningCurve("model", sizes, scores, Splits(((rows, rows[:2]),) * 5, 5, 1, "made up"))


# -- cases whose trouble is known ----------------------------------------------------------------------


@pytest.mark.slow
def test_one_neighbour_on_noise_has_high_variance():
    found = learning_curve(KNeighborsClassifier(1), NOISE).diagnose()
    assert found.kind == "high variance"
    assert found.sure
    assert "is not distinguishable from Zero-R" in found.sentence
    assert "more neighbours" in " ".join(found.remedies)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "task"), [(ZeroRClassifier(), LINE), (LogisticRegression(), XOR), (DummyRegressor(), PLANE)]
)
def test_a_model_that_cannot_say_what_is_true_has_high_bias(model, task):
    found = learning_curve(model, task, random_state=0).diagnose()
    assert found.kind == "high bias"
    assert found.remedies[0] == "More training rows by themselves will not help."


@pytest.mark.slow
@pytest.mark.parametrize(("model", "task"), [(LogisticRegression(), LINE), (LinearRegression(), PLANE)])
def test_a_suitable_model_with_enough_rows_is_fine_and_what_is_left_may_be_noise(model, task):
    found = learning_curve(model, task, random_state=0).diagnose()
    assert found.kind == "fine"
    assert found.sure
    assert "noise" in found.remedies[0]


@pytest.mark.slow
def test_a_validation_curve_is_judged_at_its_best_and_at_its_ends():
    curve = validation_curve(
        KNeighborsClassifier(), XOR, param_name="n_neighbors", param_range=[1, 10, 400], scoring="accuracy"
    )
    assert curve.diagnose().kind == "fine"
    assert curve.diagnose(at=400).kind == "high bias"
    assert "towards 400 variance falls and bias grows" in " ".join(curve.diagnose().remedies)
    noisy = validation_curve(
        KNeighborsClassifier(), NOISE, param_name="n_neighbors", param_range=[1, 3], scoring="accuracy"
    ).diagnose(at=1)
    assert noisy.kind == "high variance"
    assert noisy.remedies[-1] == "n_neighbors=1 is at the end of the values tried: one beyond it may be better."


def wave(rng):
    X = rng.uniform(0, 6, (60, 1))
    return X, np.sin(X[:, 0]) + rng.normal(0, 0.5, 60)


@pytest.mark.parametrize(
    ("model", "kind"),
    [
        (DummyRegressor(), "high bias"),
        (DecisionTreeRegressor(), "high variance"),
        (KNeighborsRegressor(9), "fine"),
    ],
)
def test_a_decomposition_is_judged_by_its_parts(model, kind):
    found = bias_variance(model, wave, truth=lambda X: np.sin(X[:, 0]), n_rounds=60, random_state=0).diagnose()
    assert found.kind == kind
    assert ("noise is what limits it" in found.sentence) == (kind == "fine")


def test_a_decomposition_without_the_truth_calls_bias_only_what_noise_can_hardly_be():
    found = bias_variance(LogisticRegression(), XOR, n_rounds=20, random_state=0).diagnose()
    assert found.kind == "high bias"
    assert "bias and noise together make" in found.sentence


def test_resampled_models_are_asked_about_their_training_rows():
    kept = resample(KNeighborsClassifier(1), NOISE, keep_models=True)
    assert diagnose(kept).kind == "high variance"
    assert diagnose(kept).evidence["training accuracy"].value == 1.0


# -- the rule ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("train", "test", "kind"),
    [
        (0.99, 0.98, "fine"),
        (1.00, 0.90, "high variance"),
        (0.70, 0.69, "high bias"),
        (0.72, 0.55, "high bias and high variance"),
    ],
)
def test_shares_of_what_zero_r_loses_decide(train, test, kind):
    assert made_up(train, test, zero_r=0.5).diagnose().kind == kind


def test_errors_under_a_root_are_weighed_by_their_squares():
    # an RMSE of 0.6 against 1 leaves 36 % of the variance: less than half of it
    assert made_up(0.6, 0.61, zero_r=1.0, metric="rmse").diagnose().kind == "fine"
    assert made_up(0.6, 0.61, zero_r=1.0, metric="mae").diagnose().kind == "high bias"


@pytest.mark.parametrize(
    ("target", "kind"),
    [(0.80, "fine"), (0.90, "high variance"), (0.99, "high bias and high variance")],
)
def test_a_target_decides_by_what_keeps_the_test_score_from_it(target, kind):
    assert made_up(0.93, 0.85, zero_r=0.5).diagnose(target=target).kind == kind


def test_a_target_missed_on_training_rows_already_is_bias():
    assert made_up(0.70, 0.69, zero_r=0.5).diagnose(target=0.9).kind == "high bias"


def test_an_interval_across_the_line_is_told():
    found = made_up(1.0, 0.945, zero_r=0.5, spread=0.02).diagnose()
    assert found.doubts == ("variance",)
    assert not found.sure
    assert "This is uncertain: the interval of variance includes the threshold" in found.sentence


def test_more_rows_are_advised_only_while_the_curve_still_rises():
    rising = made_up(1.0, 0.8, zero_r=0.5)
    rising.scores.test["accuracy"][0] -= 0.1
    assert rising.diagnose().remedies[0].startswith("Add training rows: at the end of the curve each doubling still")
    assert made_up(1.0, 0.8, zero_r=0.5).diagnose().remedies[-1].startswith("More training rows may bring little")


def test_the_remedies_of_high_bias_and_variance_do_not_contradict_each_other():
    found = made_up(0.7, 0.6, zero_r=0.5).diagnose()
    assert found.kind == "high bias and high variance"
    assert [each.partition(":")[0] for each in found.remedies] == [
        "Use a model of another kind",
        "Replace features that contribute little by others that contribute more.",
        "More training rows may bring little",
    ]


# -- looks and errors ----------------------------------------------------------------------------------


def test_a_diagnosis_prints_serialises_and_frames():
    found = made_up(1.0, 0.8, zero_r=0.5).diagnose()
    assert repr(found).startswith("High variance: accuracy is 1.000")
    assert "→ Use fewer features." in repr(found)
    assert "<li>Use fewer features.</li>" in found._repr_html_()
    assert json.loads(json.dumps(found.to_dict()))["kind"] == "high variance"
    assert found.to_frame()["what"].to_list()[:3] == ["training accuracy", "test accuracy", "gap"]


IRIS = Task(datasets.load("iris"), "species")


def no_range():
    made = Measure("oddity", "oddity", lambda outcome: 1.0, "labels")
    return made_up(1.0, 0.8, 0.5, metric=made)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: diagnose(0.9), "found float to diagnose"),
        (lambda: diagnose(resample(KNeighborsClassifier(), IRIS, cv=2)), "kept no models.*\n.*keep_models=True"),
        (lambda: diagnose(no_range()), r"the best oddity is inf.*\n.*Pass target="),
        (lambda: diagnose(made_up(1.0, 1.0, zero_r=1.0)), "Zero-R is 0 away from it"),
        (lambda: diagnose(made_up(1.0, 0.8, 0.5), at=70), "no setting 70"),
        (
            lambda: diagnose(resample(KNeighborsClassifier(), IRIS, cv=2, keep_models=True), at=3),
            "at=3 for this result",
        ),
    ],
)
def test_what_cannot_be_diagnosed_is_refused_in_words(call, told):
    with pytest.raises(DataError, match=told):
        call()


def test_a_model_is_diagnosed_by_its_learning_curve():
    found = diagnose(KNeighborsClassifier(1), NOISE, scoring="accuracy", cv=2)
    X, y = NOISE.X, NOISE.y
    assert found.kind == diagnose(KNeighborsClassifier(1), X, y, scoring="accuracy", cv=2).kind == "high variance"


def test_a_perfect_model_needs_no_remedy_and_noise_no_tuning():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 2))
    perfect = diagnose(learning_curve(KNeighborsClassifier(1), np.sign(X), X[:, 0] > 0, train_sizes=[30, 60]))
    assert perfect.remedies == (
        "Nothing is left to improve on these rows. Check that no column contains the answer: probus.examine.",
    )
    noise = diagnose(learning_curve(KNeighborsClassifier(9), X, rng.random(90) > 0.5, train_sizes=[30, 60]))
    assert noise.remedies[0].startswith("The columns may not predict the target")
    assert len(noise.remedies) == 2

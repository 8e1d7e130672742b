"""Functions from elsewhere as measures."""

from functools import partial

import numpy as np
import pytest
import sklearn.metrics as sk

from probus.errors import DataError
from probus.metrics import Outcome, measure, signal_efficiency

TRUTH, SAID = ["no", "yes", "yes", "no"], ["no", "yes", "no", "no"]
CHANCES = np.array([[0.8, 0.2], [0.4, 0.6], [0.7, 0.3], [0.9, 0.1]])


def test_the_truth_decides_whether_predictions_are_labels_or_numbers():
    assert measure(sk.mean_absolute_error)([1.5, 2.5], [1, 2]) == 0.5
    assert measure(sk.mean_absolute_error)([1, 2], [1.5, 2.5]) == 0.5
    assert measure(sk.mean_absolute_error)([1, 5], [2, 7]) == 1.5
    assert measure(sk.accuracy_score)(TRUTH, SAID) == 0.75
    assert measure(sk.accuracy_score).needs == "predictions"


@pytest.mark.parametrize(
    ("function", "needs", "greater_is_better"),
    [
        (sk.accuracy_score, "predictions", True),
        (sk.mean_absolute_error, "predictions", False),
        (sk.mean_poisson_deviance, "predictions", False),
        (sk.roc_auc_score, "scores", True),
        (sk.log_loss, "probabilities", False),
        (sk.brier_score_loss, "probabilities", False),
        (partial(signal_efficiency, threshold=0.9), "scores", True),
        (lambda y, p: np.mean(y == p), "predictions", True),
        (max, "predictions", True),
    ],
)
def test_the_signature_says_what_a_function_needs_and_which_way_is_better(function, needs, greater_is_better):
    found = measure(function)
    assert (found.needs, found.greater_is_better) == (needs, greater_is_better)


def test_what_the_signature_cannot_say_can_be_said():
    regret = measure(lambda y, p: np.mean(y != p), greater_is_better=False)
    assert regret.better(0.25) == -0.25
    top = measure(lambda y, p: p.max(), needs="probabilities")
    assert top(TRUTH, CHANCES) == 0.9


def test_the_positive_class_is_told_to_those_who_ask():
    assert measure(sk.f1_score)(TRUTH, SAID) == pytest.approx(2 / 3)
    assert measure(sk.f1_score)(TRUTH, SAID, pos_label="no") == sk.f1_score(TRUTH, SAID, pos_label="no")


def test_a_partial_keeps_its_own_arguments_and_the_name_of_its_function():
    macro = measure(partial(sk.f1_score, average="macro"))
    assert macro.name == "f1_score"
    assert macro(TRUTH, SAID) == sk.f1_score(TRUTH, SAID, average="macro")
    named = measure(partial(sk.f1_score, pos_label="no"))
    assert named(TRUTH, SAID) == sk.f1_score(TRUTH, SAID, pos_label="no")


def test_scores_and_probabilities_reach_those_who_need_them():
    assert measure(sk.roc_auc_score)(TRUTH, CHANCES[:, 1]) == 1
    assert measure(sk.log_loss)(TRUTH, CHANCES) == pytest.approx(sk.log_loss(TRUTH, CHANCES))
    assert measure(sk.brier_score_loss)(TRUTH, CHANCES) == pytest.approx(measure("brier")(TRUTH, CHANCES))
    of_three = measure(partial(sk.roc_auc_score, multi_class="ovr"))
    truth, probabilities = ["a", "b", "c"], np.array([[0.6, 0.3, 0.1], [0.5, 0.2, 0.3], [0.1, 0.2, 0.7]])
    assert of_three(truth, probabilities) == pytest.approx(measure("roc_auc_ovr")(truth, probabilities))


def test_classes_that_a_fold_lacks_are_told_to_functions_of_probabilities():
    lone = Outcome.of(["no", "no"], CHANCES[:2], needs="probabilities", classes=["no", "yes"])
    assert measure(sk.log_loss).compute(lone) == pytest.approx(measure("log_loss").compute(lone))


def test_weights_are_passed_on():
    weighted = measure(sk.accuracy_score)(TRUTH, SAID, sample_weight=[1, 1, 4, 2])
    assert weighted == measure("accuracy")(TRUTH, SAID, sample_weight=[1, 1, 4, 2]) == 0.5
    assert measure(lambda y, p, **how: how["sample_weight"].sum())(TRUTH, SAID, sample_weight=[1, 1, 4, 2]) == 8


def test_a_function_that_cannot_weigh_says_so():
    with pytest.raises(DataError, match=r"agreement takes no sample_weight, and the rows have weights\."):
        measure(agreement)(TRUTH, SAID, sample_weight=[1, 1, 4, 2])


def test_a_measure_is_one_number():
    with pytest.raises(DataError, match=r"confusion_matrix gave an array of shape \(2, 2\)\.\n  Expected one number"):
        measure(sk.confusion_matrix)(TRUTH, SAID)


def agreement(y_true, y_pred):
    return np.mean(y_true == y_pred)


@pytest.mark.parametrize("function", [sk.log_loss, partial(sk.roc_auc_score, multi_class="ovr")])
def test_columns_of_probabilities_are_passed_in_the_order_of_their_labels(function):
    levels, rng = np.array(["low", "mid", "high"]), np.random.default_rng(0)
    codes, p = rng.integers(0, 3, 50), rng.dirichlet(np.ones(3), 50)
    outcome = Outcome(codes, classes=tuple(levels)).with_probabilities(p)
    expected = function(levels[codes], p[:, [2, 0, 1]], labels=["high", "low", "mid"])
    assert measure(function).compute(outcome) == pytest.approx(expected)


def test_the_mean_signed_error_has_students_interval():
    from scipy import stats

    from probus.metrics import mean_signed_error

    rng = np.random.default_rng(0)
    y, noise = rng.normal(size=(2, 30))
    found = mean_signed_error(y, y + 0.3 + noise)
    low, high = stats.ttest_1samp(0.3 + noise, 0).confidence_interval()
    np.testing.assert_allclose([found.value, found.low, found.high], [0.3 + noise.mean(), low, high])
    repeated = mean_signed_error(np.repeat(y, 2), np.repeat(y + noise, 2))
    assert mean_signed_error(y, y + noise, sample_weight=np.full(30, 2.0)).value == pytest.approx(repeated.value)

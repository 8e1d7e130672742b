import numpy as np
import pytest
from scipy import stats

from probus.comparison._bootstrap_rows import bootstrap_difference
from probus.comparison._paired_predictions import mcnemar
from probus.errors import DataError

rng = np.random.default_rng(0)
Y = rng.integers(0, 2, 300)
A = np.where(rng.random(300) < 0.85, Y, 1 - Y)
B = np.where(rng.random(300) < 0.75, Y, 1 - Y)


# -- properties ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", ["accuracy", "f1", "balanced_accuracy"])
def test_swapping_the_models_turns_everything_round(metric):
    one = bootstrap_difference(metric, Y, A, B, random_state=1, n_resamples=200)
    other = bootstrap_difference(metric, Y, B, A, random_state=1, n_resamples=200)
    assert one.pvalue == other.pvalue
    assert one.effect.low == pytest.approx(-other.effect.high)


@pytest.mark.parametrize("stratify", [True, False])
def test_both_models_are_scored_on_the_same_draws(stratify):
    # had each its own draws, a model would differ from itself
    values = rng.normal(size=50)
    found = bootstrap_difference("r2", values, values + 1, values + 1, n_resamples=50, stratify=stratify)
    assert (found.effect.low, found.effect.high, found.pvalue) == (0, 0, 1)
    assert found.sentence.startswith("a and b score the same on all 50 rows")


def test_rounding_is_no_difference():
    values = rng.normal(size=50)
    found = bootstrap_difference("mae", values, values + 0.1, values - 0.1, n_resamples=50)
    assert found.pvalue == 1
    assert found.sentence.startswith("a and b score the same on all 50 rows")


def test_rows_without_exception_decide_and_still_leave_room_for_one():
    values = np.arange(30.0)
    found = bootstrap_difference("mae", values, values + 1, values - 3, n_resamples=100, names=("near", "far"))
    assert found.effect.value == pytest.approx(-2)
    assert 0 < found.effect.half_width < 0.5
    assert found.sentence.startswith("near beats far on 30 rows")
    four = bootstrap_difference("mae", values[:4], values[:4] + 1, values[:4] - 3, n_resamples=100)
    assert four.pvalue > 0.1


def test_a_mean_over_rows_is_the_same_by_rows_and_by_the_measure():
    from dataclasses import replace

    from probus.metrics import measure

    accuracy = measure("accuracy")
    found = [
        bootstrap_difference(each, Y, A, B, random_state=3, n_resamples=100, sample_weight=np.arange(300))
        for each in (accuracy, replace(accuracy, counts=None))
    ]
    assert found[0].effect.low == pytest.approx(found[1].effect.low)
    assert found[0].pvalue == found[1].pvalue


def test_rows_without_weight_do_not_count():
    weight = np.repeat([1.0, 0.0], 150)
    found = bootstrap_difference("mape", Y.astype(float) + (weight > 0), A, B, sample_weight=weight, n_resamples=20)
    assert np.isfinite(found.effect.half_width)


def test_the_same_state_gives_the_same_result():
    one, other, third = (bootstrap_difference("f1", Y, A, B, random_state=s, n_resamples=100) for s in (5, 5, 6))
    assert one == other
    assert one.effect != third.effect


# -- references ----------------------------------------------------------------------------------------


def test_scipy_s_paired_bootstrap_gives_the_same_interval():
    def gap(y, a, b, axis=-1):
        return (a == y).mean(axis=axis) - (b == y).mean(axis=axis)

    expected = stats.bootstrap(
        (Y, A, B),
        gap,
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=4000,
        rng=np.random.default_rng(0),
    )
    found = bootstrap_difference("accuracy", Y, A, B, stratify=False, random_state=0, n_resamples=4000)
    assert found.effect.low == pytest.approx(expected.confidence_interval.low, abs=0.007)
    assert found.effect.high == pytest.approx(expected.confidence_interval.high, abs=0.007)
    assert found.details["standard_error"] == pytest.approx(expected.standard_error, rel=0.05)


def test_on_accuracies_it_agrees_with_mcnemar():
    found, exact = bootstrap_difference("accuracy", Y, A, B, random_state=0), mcnemar(Y, A, B)
    assert found.effect.value == pytest.approx(exact.effect.value)
    assert (found.effect.low, found.effect.high) == pytest.approx((exact.effect.low, exact.effect.high), abs=0.01)


def test_equal_models_are_told_apart_about_as_often_as_the_level_says():
    generator = np.random.default_rng(4)
    y = np.ones(80)
    noise = generator.normal(size=(200, 2, 80))
    found = [bootstrap_difference("mae", y, y + a, y + b, random_state=0, n_resamples=200) for a, b in noise]
    assert 0.02 < np.mean([each.significant() for each in found]) < 0.1


# -- forms and edges -----------------------------------------------------------------------------------


def test_probabilities_scores_and_functions_will_do():
    probabilities = np.clip(0.6 * Y + 0.4 * rng.random(300), 0, 1)
    other = np.full(300, 0.5)
    for metric in ("log_loss", "roc_auc"):
        found = bootstrap_difference(
            metric, Y, probabilities, other, n_resamples=50, random_state=0, names=("sure", "unsure")
        )
        assert found.sentence.startswith("sure beats unsure")

    def hits(y_true, y_pred):
        return np.sum(y_true == y_pred)

    assert bootstrap_difference(hits, Y, A, B, n_resamples=50).effect.value == (A == Y).sum() - (B == Y).sum()


def test_whole_groups_are_drawn_and_widen_the_interval():
    copies = np.repeat(np.arange(30), 10)
    y, a, b = (each[:30][copies] for each in (Y, A, B))
    rows = bootstrap_difference("accuracy", y, a, b, random_state=0, n_resamples=500)
    groups = bootstrap_difference("accuracy", y, a, b, groups=copies, random_state=0, n_resamples=500)
    assert groups.effect.half_width > 2 * rows.effect.half_width


def test_draws_without_a_class_are_left_out_and_told_of():
    y = np.array([0] * 12 + [1] * 3)
    how = {"n_resamples": 200, "random_state": 0}
    scores, other = np.linspace(0, 1, 15), np.linspace(1, 0, 15)
    found = bootstrap_difference("signal_efficiency_at_rejection", y, scores, other, **how)
    assert "signal efficiency at 90 % rejection is undefined on" in found.note
    kept = bootstrap_difference("signal_efficiency_at_rejection", y, scores, other, stratify=True, **how)
    assert kept.note == ""
    assert bootstrap_difference("roc_auc", y, scores, other, **how).note == ""  # by the influence of the rows


@pytest.mark.parametrize("metric", ["roc_auc", "log_loss", "f1", "balanced_accuracy"])
def test_two_rows_of_a_class_decide_nothing(metric):
    y = np.array([0] * 48 + [1] * 2)
    near, far = (np.column_stack([1 - p, p]) for p in (np.where(y, 0.9, 0.2), np.where(y, 0.4, 0.6)))
    found = bootstrap_difference(metric, y, near, far, random_state=0, names=("near", "far"))
    assert found.pvalue == 1
    assert found.sentence.startswith("near and far: undecided on 50 rows")
    assert "2 rows of class 1: too few to compare by" in found.note
    assert bootstrap_difference("brier", y, near, far, random_state=0).pvalue < 0.01


def test_class_counts_are_not_kept_unless_they_are_fixed():
    # equal log losses, one model better on either class: which one is ahead depends on the class counts
    y = np.repeat([0, 1], [180, 20])
    rare, common = np.where(y, 0.6, 0.2), np.where(y, 0.3, 0.1378)
    free, fixed = (bootstrap_difference("log_loss", y, rare, common, stratify=s, random_state=0) for s in (False, True))
    assert free.effect.half_width > 0.03
    assert bootstrap_difference("log_loss", y, rare, common, random_state=0) == free
    assert fixed.effect.half_width < 0.3 * free.effect.half_width


def test_one_row_or_one_group_says_nothing():
    with pytest.raises(DataError, match=r"one test row\.\n  Expected at least two: a single row has no spread"):
        bootstrap_difference("accuracy", [1], [1], [0])
    with pytest.raises(DataError, match=r"1 group\.\n  Expected 2 or more, since whole groups are drawn"):
        bootstrap_difference("accuracy", [1, 0], [1, 0], [0, 0], groups=["g", "g"])


def test_a_score_that_is_undefined_is_refused():
    with pytest.raises(DataError, match="ROC AUC of a and b is undefined on these rows"):
        bootstrap_difference("roc_auc", [1, 1], [0.2, 0.3], [0.1, 0.2], classes=[0, 1])


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ({"groups": [1, 2]}, "groups has 2 values for 300 rows.\n  Expected the group of every row"),
        ({"n_resamples": 1}, "n_resamples=1.\n  Expected at least 2"),
    ],
)
def test_what_cannot_be_drawn_is_refused(how, said):
    with pytest.raises(DataError, match=said):
        bootstrap_difference("accuracy", Y, A, B, **how)


def test_predictions_of_unequal_length_are_refused():
    with pytest.raises(DataError, match="y has 300 rows and b has 299"):
        bootstrap_difference("accuracy", Y, A, B[:-1])

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from probus.errors import DataError
from probus.metrics import choose_threshold

few = settings(max_examples=settings.default.max_examples // 3)

NAMES = {
    "f1": metrics.f1_score,
    "accuracy": metrics.accuracy_score,
    "balanced_accuracy": metrics.balanced_accuracy_score,
    "matthews_corrcoef": metrics.matthews_corrcoef,
}


@st.composite
def scored(draw):
    n = draw(st.integers(2, 25))
    y = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    scores = draw(st.lists(st.integers(-3, 3), min_size=n, max_size=n))
    weights = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    y[:2], weights[:2] = [0, 1], [1, 1]
    return np.array(y), np.array(scores) / 2, np.array(weights)


costs = st.sampled_from([0, 0.5, 1, 3])


@few
@given(scored(), costs, costs)
def test_no_threshold_costs_less(data, alarm, miss):
    if alarm == miss == 0:
        return
    y, scores, weights = data
    choice = choose_threshold(
        y, scores, cost_false_positive=alarm, cost_false_negative=miss, sample_weight=weights, n_resamples=2
    )

    def cost(threshold):
        called = scores >= threshold
        return np.average(alarm * (called & (y == 0)) + miss * (~called & (y == 1)), weights=weights)

    everywhere = [cost(t) for t in [np.inf, *scores[weights > 0]]]
    assert choice.value.value == pytest.approx(min(everywhere))
    assert cost(choice.threshold.value) == pytest.approx(min(everywhere))
    assert choice.values == pytest.approx([cost(t) for t in choice.thresholds])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NAMES)
@few
@given(data=scored())
def test_no_threshold_has_more_of_a_metric(name, data):
    y, scores, weights = data
    choice = choose_threshold(y, scores, scoring=name, sample_weight=weights, n_resamples=2)
    expected = [NAMES[name](y, scores >= t, sample_weight=weights) for t in choice.thresholds]
    assert choice.values == pytest.approx(np.nan_to_num(expected))
    assert choice.value.value == pytest.approx(max(choice.values))


@few
@given(scored())
def test_youden_is_the_height_over_the_diagonal(data):
    y, scores, weights = data
    choice = choose_threshold(y, scores, scoring="youden", sample_weight=weights, n_resamples=2)
    fpr, tpr, _ = metrics.roc_curve(y, scores, sample_weight=weights, drop_intermediate=False)
    assert choice.values == pytest.approx(tpr - fpr)


@few
@given(scored())
def test_weights_equal_repetition(data):
    y, scores, weights = data
    weighted = choose_threshold(y, scores, sample_weight=weights, cost_false_negative=2, n_resamples=2)
    repeated = choose_threshold(np.repeat(y, weights), np.repeat(scores, weights), cost_false_negative=2, n_resamples=2)
    assert weighted.threshold.value == repeated.threshold.value
    assert weighted.values == pytest.approx(repeated.values)


@few
@given(scored())
def test_only_the_ratio_of_the_costs_matters(data):
    y, scores, _ = data
    one, ten = (
        choose_threshold(
            y, scores, cost_false_positive=k, cost_false_negative=4 * k, n_resamples=20, random_state=0
        ).threshold
        for k in (1, 10)
    )
    assert one == ten


def test_calibrated_probabilities_are_cut_at_the_ratio_of_the_costs():
    rng = np.random.default_rng(0)
    p = rng.random(20_000)
    y = (rng.random(20_000) < p).astype(int)
    choice = choose_threshold(y, p, cost_false_positive=1, cost_false_negative=4, n_resamples=60, random_state=0)
    assert 0.2 in choice.threshold
    assert choice.threshold.value == pytest.approx(0.2, abs=0.03)


def test_of_equally_good_thresholds_the_highest_is_taken():
    assert choose_threshold([0, 1, 0, 1], [1, 2, 3, 4], n_resamples=2).threshold.value == 4


def test_where_alarms_cost_too_much_nothing_is_called():
    choice = choose_threshold([0, 1, 0], [1, 2, 3], cost_false_positive=100, n_resamples=20, random_state=0)
    assert choice.threshold.value == np.inf
    assert choice.value.value == pytest.approx(1 / 3)


def test_a_function_of_the_counts_will_do():
    def recall_minus_alarms(tp, fp, fn, tn):
        return tp / (tp + fn) - fp / (fp + tn)

    y, scores = [0, 1, 0, 1, 1], [1, 2, 3, 4, 5]
    own, named = (
        choose_threshold(y, scores, scoring=metric, n_resamples=2) for metric in (recall_minus_alarms, "youden")
    )
    assert own.criterion == "recall minus alarms"
    assert np.array_equal(own.values, named.values)


def test_what_was_chosen_on_noise_looks_better_than_it_is():
    rng = np.random.default_rng(1)
    choice = choose_threshold(rng.integers(0, 2, 100), rng.normal(size=100), scoring="youden", random_state=0)
    assert choice.optimism > 0.05


def test_the_intervals_hold_their_values():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 300)
    choice = choose_threshold(y, rng.normal(size=300) + y, n_resamples=100, random_state=0)
    assert choice.threshold.low <= choice.threshold.value <= choice.threshold.high
    assert (choice.band.low <= choice.band.value).all()
    assert (choice.band.value <= choice.band.high).all()
    assert (np.diff(choice.band.x) > 0).all()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"cost_false_positive": -1}, "costs of -1 and 1"),
        ({"cost_false_positive": 0, "cost_false_negative": 0}, "not both zero"),
        ({"cost_false_negative": np.inf}, "costs of 1 and inf"),
        ({"scoring": "f1", "cost_false_negative": 5}, "A measure does not depend on costs"),
        ({"scoring": "auc"}, r"scoring='auc'\.\n.*'f1', 'youden'.*a function of \(tp, fp, fn, tn\)"),
        ({"scoring": lambda tp, fp, fn, tn: tp[0]}, "a finite number for each"),
        ({"scoring": lambda tp, fp, fn, tn: tp * np.nan}, "a finite number for each"),
        ({"n_resamples": 0}, "n_resamples=0"),
    ],
)
def test_what_cannot_be_optimised_is_told(options, told):
    with pytest.raises(DataError, match=told):
        choose_threshold([0, 1, 1], [1, 2, 3], **options)


def test_one_class_has_no_threshold():
    with pytest.raises(DataError, match="every row that counts is of class 'yes'"):
        choose_threshold(["yes", "yes"], [1, 2])

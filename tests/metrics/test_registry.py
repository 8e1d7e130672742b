"""Every measure known by name: against scikit-learn, under weights, under other orders of rows, and where undefined."""

import pickle
import warnings

import numpy as np
import pytest
import sklearn.metrics as sk
from hypothesis import given, settings
from hypothesis import strategies as st

from probus.errors import DataError
from probus.metrics import MEASURES, Outcome, measure, measures

OF_CLASSES = [name for name, each in MEASURES.items() if each.needs != "values"]
OF_NUMBERS = [name for name, each in MEASURES.items() if each.needs == "values"]
COUNTED = [name for name, each in MEASURES.items() if each.counts is not None]
DECOMPOSED = [name for name, each in MEASURES.items() if each.rows is not None]

WEIGHTS, REPEATS = st.sampled_from([0.25, 0.5, 1.0, 1.7, 3.0]), st.integers(0, 3)

pytestmark = pytest.mark.filterwarnings("error")
few = settings(max_examples=settings.default.max_examples // 4)


@st.composite
def classified(draw, weights=WEIGHTS, n_classes=None):
    """Outcomes in which every class occurs; scores have ties."""
    k = n_classes or draw(st.integers(2, 4))
    codes = st.integers(0, k - 1)
    actual = np.array([*range(k), *draw(st.lists(codes, max_size=20))])
    n = len(actual)
    odds = np.array(draw(st.lists(st.integers(1, 4), min_size=n * k, max_size=n * k)), float).reshape(n, k)
    probabilities = odds / odds.sum(axis=1, keepdims=True)
    predicted = np.array(draw(st.lists(codes, min_size=n, max_size=n)))
    w = np.array(draw(st.lists(weights, min_size=n, max_size=n)), float)
    positive = draw(codes)
    return Outcome(actual, predicted, probabilities, probabilities[:, positive], tuple(range(k)), positive, w)


@st.composite
def regressed(draw, weights=WEIGHTS):
    """Outcomes of numbers above −1 whose truth is not constant."""
    number = st.floats(-0.9, 100).map(lambda x: round(x, 3))
    actual = np.array([0.5, 2.5, *draw(st.lists(number, max_size=20))])
    n = len(actual)
    predicted = np.array(draw(st.lists(number, min_size=n, max_size=n)))
    return Outcome(actual, predicted, weights=np.array(draw(st.lists(weights, min_size=n, max_size=n)), float))


def labelled(function, **how):
    return lambda o: function(o.actual, o.predicted, sample_weight=o.weights, **how)


def averaged(function):
    return {
        "": lambda o: function(
            o.actual == o.positive, o.predicted == o.positive, sample_weight=o.weights, zero_division=0
        ),
        **{
            f"_{how}": labelled(function, average=how, zero_division=0)
            for how in ("macro", "micro", "weighted")
        },
    }  # fmt: skip


def one_against_rest(o):
    areas = [
        sk.roc_auc_score(o.actual == k, o.probabilities[:, k], sample_weight=o.weights) for k in range(len(o.classes))
    ]
    return np.mean(areas)


def share(o, side, chosen):
    return np.average(chosen[side], weights=o.weights[side])


SCIKIT_LEARN = {
    "accuracy": labelled(sk.accuracy_score),
    "error_rate": labelled(sk.zero_one_loss),
    "balanced_accuracy": labelled(sk.balanced_accuracy_score),
    **{f"precision{how}": f for how, f in averaged(sk.precision_score).items()},
    **{f"recall{how}": f for how, f in averaged(sk.recall_score).items()},
    **{f"f1{how}": f for how, f in averaged(sk.f1_score).items()},
    "specificity": lambda o: share(o, o.actual != o.positive, o.predicted != o.positive),
    "mcc": labelled(sk.matthews_corrcoef),
    "kappa": labelled(sk.cohen_kappa_score),
    "roc_auc": lambda o: sk.roc_auc_score(o.actual == o.positive, o.scores, sample_weight=o.weights),
    "roc_auc_ovr": one_against_rest,
    "average_precision": lambda o: sk.average_precision_score(
        o.actual == o.positive, o.scores, sample_weight=o.weights
    ),
    "signal_efficiency": lambda o: share(o, o.actual == o.positive, o.scores >= 0.5),
    "background_rejection": lambda o: share(o, o.actual != o.positive, o.scores < 0.5),
    "log_loss": lambda o: sk.log_loss(o.actual, o.probabilities, sample_weight=o.weights, labels=o.classes),
    "brier": lambda o: sk.brier_score_loss(o.actual, o.probabilities, sample_weight=o.weights, labels=o.classes),
    "sse": lambda o: sk.mean_squared_error(o.actual, o.predicted, sample_weight=o.weights) * o.weights.sum(),
    "mse": labelled(sk.mean_squared_error),
    "rmse": labelled(sk.root_mean_squared_error),
    "mae": labelled(sk.mean_absolute_error),
    "median_absolute_error": labelled(sk.median_absolute_error),
    "mape": labelled(sk.mean_absolute_percentage_error),
    "msle": labelled(sk.mean_squared_log_error),
    "rmsle": labelled(sk.root_mean_squared_log_error),
    "rse": lambda o: np.sqrt(1 - sk.r2_score(o.actual, o.predicted, sample_weight=o.weights)),
    "r2": labelled(sk.r2_score),
}  # fmt: skip
OURS_ALONE = {"rae", "ece", "signal_efficiency_at_rejection"}


def close(a, b, name=""):
    np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12, err_msg=name)


def test_every_measure_is_held_to_scikit_learn_or_to_a_definition():
    assert set(SCIKIT_LEARN) | OURS_ALONE == set(MEASURES)


@pytest.mark.slow
@few
@given(classified(), regressed())
def test_measures_equal_scikit_learns(classes, numbers):
    for name, reference in SCIKIT_LEARN.items():
        outcome = classes if name in OF_CLASSES else numbers
        close(MEASURES[name].compute(outcome), reference(outcome), name)


def repeated(outcome):
    return outcome.take(np.repeat(np.arange(len(outcome)), outcome.weights.astype(int))).weighted(None)


@few
@given(classified(weights=REPEATS), regressed(weights=REPEATS))
def test_weights_equal_repetition(classes, numbers):
    for outcome, names in ((classes, OF_CLASSES), (numbers, OF_NUMBERS)):
        if outcome.weights.any():
            for name in names:
                close(MEASURES[name].compute(outcome), MEASURES[name].compute(repeated(outcome)), name)


@few
@given(classified(), regressed(), st.randoms(use_true_random=False))
def test_the_order_of_rows_plays_no_part(classes, numbers, random):
    for outcome, names in ((classes, OF_CLASSES), (numbers, OF_NUMBERS)):
        shuffled = outcome.take(np.array(random.sample(range(len(outcome)), len(outcome))))
        for name in names:
            close(MEASURES[name].compute(shuffled), MEASURES[name].compute(outcome), name)


@few
@given(classified(), regressed())
def test_every_value_is_within_its_range_and_rows_average_to_it(classes, numbers):
    for name, each in MEASURES.items():
        outcome = numbers if each.needs == "values" else classes
        value = each.compute(outcome)
        assert each.low - 1e-12 <= value <= each.high + 1e-12, name
        if each.rows is not None:
            close(value, np.average(each.rows(outcome), weights=outcome.weights), name)


@few
@given(st.lists(classified(n_classes=3), min_size=1, max_size=3))
def test_many_confusion_matrices_are_measured_as_each_alone(outcomes):
    from probus.metrics._confusion import counts_of

    counts = np.stack([counts_of(outcome) for outcome in outcomes])
    for name in COUNTED:
        alone = [MEASURES[name].compute(outcome) for outcome in outcomes]
        together = [MEASURES[name].counts(counts, outcome.positive)[i] for i, outcome in enumerate(outcomes)]
        close(together, alone, name)


@few
@given(classified())
def test_the_area_is_the_share_of_pairs_in_the_right_order(outcome):
    positive = outcome.actual == outcome.positive
    s, w = outcome.scores, outcome.weights
    above = (s[positive][:, None] > s[~positive]) + 0.5 * (s[positive][:, None] == s[~positive])
    pairs = w[positive][:, None] * w[~positive]
    close(measure("roc_auc").compute(outcome), (above * pairs).sum() / pairs.sum())


@few
@given(regressed())
def test_the_relative_errors_compare_with_the_mean(outcome):
    y, p, w = outcome.actual, outcome.predicted, outcome.weights
    mean = (w * y).sum() / w.sum()
    close(measure("rae").compute(outcome), (w * abs(y - p)).sum() / (w * abs(y - mean)).sum())
    close(measure("rse").compute(outcome), np.sqrt((w * (y - p) ** 2).sum() / (w * (y - mean) ** 2).sum()))


# -- where a measure is undefined --------------------------------------------------------------------------------

SURE = np.array([[0.9, 0.1], [0.8, 0.2], [0.3, 0.7]])


def outcome_of(actual, probabilities=SURE):
    return Outcome.of(actual, probabilities, needs="probabilities", classes=[0, 1])


@pytest.mark.parametrize("name", ["recall", "roc_auc", "roc_auc_ovr", "average_precision", "mcc", "signal_efficiency",
                                  "signal_efficiency_at_rejection"])  # fmt: skip
def test_without_a_positive_row_there_is_nothing_to_measure(name):
    assert np.isnan(measure(name).compute(outcome_of([0, 0, 0])))


@pytest.mark.parametrize("name", ["specificity", "background_rejection", "roc_auc", "signal_efficiency_at_rejection"])
def test_without_a_negative_row_there_is_nothing_to_measure(name):
    assert np.isnan(measure(name).compute(outcome_of([1, 1, 1])))


@pytest.mark.parametrize("name", OF_CLASSES)
def test_a_class_whose_rows_weigh_nothing_does_not_occur(name):
    weightless = outcome_of([0, 0, 1]).weighted(np.array([1.0, 1.0, 0.0]))
    absent = outcome_of([0, 0, 1]).take(np.array([0, 1]))
    np.testing.assert_allclose(measure(name).compute(weightless), measure(name).compute(absent))


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "mcc", "kappa"])
def test_a_model_that_never_says_yes_scores_zero(name):
    assert measure(name)([0, 0, 1], [0, 0, 0]) == pytest.approx(0)


@pytest.mark.parametrize("name", ["precision", "recall", "f1", "mcc", "kappa"])
def test_nothing_to_find_and_nothing_found_cannot_be_judged(name):
    assert np.isnan(measure(name)([0, 0, 0], [0, 0, 0]))


def test_averages_count_a_class_that_is_only_predicted_as_scikit_learn_does():
    truth, said = ["a", "a", "b"], ["a", "c", "b"]
    for average in ("macro", "weighted"):
        reference = sk.recall_score(truth, said, average=average, zero_division=0)
        close(measure(f"recall_{average}")(truth, said, classes=["a", "b", "c", "d"]), reference)


def test_a_class_that_does_not_occur_is_left_out_of_means_over_classes():
    truth, said = ["a", "a", "b"], ["a", "b", "b"]
    for name in ("balanced_accuracy", "f1_macro", "kappa", "mcc"):
        assert measure(name)(truth, said, classes=["a", "b", "c"]) == measure(name)(truth, said)
    probabilities = np.array([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.3, 0.6, 0.1]])
    two = probabilities[:, :2] / probabilities[:, :2].sum(axis=1, keepdims=True)
    seen = [
        measure("roc_auc_ovr")(truth, p, classes=c) for p, c in ((probabilities, ["a", "b", "c"]), (two, ["a", "b"]))
    ]
    assert seen[0] == pytest.approx(seen[1])


@pytest.mark.parametrize("name", ["r2", "rse", "rae"])
@pytest.mark.parametrize("truth", [[0.1, 0.1, 0.1], [7.0]])
def test_a_constant_truth_has_no_spread_to_compare_with(name, truth):
    assert np.isnan(measure(name)(truth, np.ones(len(truth))))


@pytest.mark.parametrize("name", ["msle", "rmsle"])
def test_logarithms_that_do_not_exist_are_undefined(name):
    assert np.isnan(measure(name)([1.0, 2.0], [1.0, -1.0]))
    assert np.isnan(measure(name)([1.0, -3.0], [1.0, 2.0]))
    assert measure(name)([1.0, -3.0], [1.0, 2.0], sample_weight=[1, 0]) == 0


def test_a_single_row_can_be_measured():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name, each in MEASURES.items():
            if each.needs != "values":
                each.compute(outcome_of([1], np.array([[0.2, 0.8]])))
            elif name not in ("r2", "rse", "rae"):
                assert each([2.0], [2.0]) == 0


def test_a_probability_of_zero_costs_as_much_as_scikit_learn_says():
    close(measure("log_loss")([0, 1], [1.0, 1.0]), sk.log_loss([0, 1], [1.0, 1.0]))


# -- errors and looks --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["f1", "precision", "recall", "specificity"])
def test_several_classes_ask_for_a_positive_one_or_an_average(name):
    with pytest.raises(DataError, match=r"(?s)no positive class among 3\..*'f1_macro'"):
        measure(name)(["a", "b", "c"], ["a", "b", "b"])
    assert 0 <= measure(name)(["a", "b", "c"], ["a", "b", "b"], pos_label="b") <= 1


@pytest.mark.parametrize("name", ["roc_auc", "average_precision", "signal_efficiency_at_rejection"])
def test_scores_of_several_classes_ask_for_a_positive_one(name):
    with pytest.raises(DataError, match=r"(?s)no positive class among 3\..*'roc_auc_ovr'"):
        measure(name)(["a", "b", "c"], np.eye(3))
    assert measure(name)(["a", "b", "c"], np.eye(3), pos_label="b") == 1


def test_an_outcome_that_lacks_what_a_measure_needs_says_so():
    labels_only = Outcome.of(["a", "b"], ["a", "b"])
    with pytest.raises(DataError, match=r"no probabilities to measure\."):
        measure("log_loss").compute(labels_only)
    with pytest.raises(DataError, match=r"no scores of the positive class to measure\."):
        measure("roc_auc").compute(labels_only)
    with pytest.raises(DataError, match=r"no predictions to measure\."):
        measure("accuracy").compute(Outcome.of(["a", "b"], [0.1, 0.3], needs="scores"))


def test_an_unknown_measure_gets_the_nearest_name():
    with pytest.raises(DataError, match=r"(?s)no measure 'acuracy'\..*Did you mean 'accuracy'"):
        measure("acuracy")


def test_the_table_lists_every_measure_once():
    table = measures()
    assert table["name"].to_list() == list(MEASURES)
    assert table.filter(name="rmse").row(0, named=True) == {
        "name": "rmse", "label": "RMSE", "needs": "values", "better": "lower",
        "low": 0.0, "high": np.inf, "mean_over_rows": False,
    }  # fmt: skip
    assert table.filter(mean_over_rows=True)["name"].to_list() == DECOMPOSED


@pytest.mark.parametrize("name", MEASURES)
def test_measures_travel_to_other_processes(name):
    assert pickle.loads(pickle.dumps(MEASURES[name])).name == name

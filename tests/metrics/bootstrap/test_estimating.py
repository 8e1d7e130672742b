"""The verb: what it returns, at the edges too, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import f1_score, max_error

from probus.errors import DataError
from probus.metrics import MEASURES, Outcome, RocCurve, estimate, measure
from probus.metrics.bootstrap import estimate_outcome
from probus.metrics.bootstrap._estimating import METHODS


def scored(n, seed=0, weights=None):
    rng = np.random.default_rng(seed)
    actual = (rng.random(n) < 0.4).astype(int)
    outcome = Outcome(actual, classes=("no", "yes"), positive=1, weights=weights)
    return outcome.with_probabilities(1 / (1 + np.exp(-rng.normal(size=n) - 2 * actual + 1)))


def valued(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.gamma(2, size=n)
    return Outcome(y, y + 0.3 * np.abs(rng.normal(size=n)))


# -- what holds always -------------------------------------------------------------------------------------------


@settings(max_examples=settings.default.max_examples // 5)
@given(st.integers(1, 60), st.sampled_from(METHODS[:-1]), st.integers(0, 99))
def test_an_estimate_holds_its_value_and_stays_in_range(n, method, seed):
    for outcome, kinds in ((scored(n, seed), ("labels", "scores", "probabilities")), (valued(n, seed), ("values",))):
        measures = [m for m in MEASURES.values() if m.needs in kinds]
        found = estimate_outcome(measures, outcome, method=method, n_resamples=50, random_state=seed)
        for each in measures:
            of = found[each.name]
            assert each.low <= of.low <= of.high <= each.high
            assert np.isnan(of.value) or of.value in of
            assert of.value == pytest.approx(each.compute(outcome), nan_ok=True)
            assert (of.level, of.n) == (0.95, n)


@pytest.mark.parametrize("method", METHODS)
def test_a_higher_level_is_wider(method):
    outcome = valued(80)
    widths = [
        estimate("rmse", outcome, method=method, level=level, random_state=0).half_width for level in (0.5, 0.9, 0.99)
    ]
    assert widths == sorted(widths)


@pytest.mark.parametrize("names", [("accuracy", "roc_auc", "log_loss"), ("rmse", "r2")])
def test_four_times_the_rows_halve_the_interval(names):
    few, many = (valued(3000), valued(12_000)) if "rmse" in names else (scored(500), scored(2000))
    for name in names:
        ratio = estimate(name, few, random_state=0).half_width / estimate(name, many, random_state=0).half_width
        assert ratio == pytest.approx(2, rel=0.25)


def test_methods_agree_on_many_rows():
    for outcome, name in (
        (scored(3000), "f1"),
        (scored(3000), "roc_auc"),
        (scored(3000), "log_loss"),
        (valued(3000), "r2"),
    ):
        found = [
            estimate(name, outcome, method=m, random_state=0) for m in ("auto", "bca", "percentile", "basic", "normal")
        ]
        for each in found[1:]:
            assert (each.low, each.high) == pytest.approx((found[0].low, found[0].high), abs=0.2 * found[0].half_width)


def test_several_measures_share_their_resamples():
    outcome = scored(300)
    together = estimate(["roc_auc", "f1", "log_loss"], outcome, method="percentile", random_state=7)
    assert list(together) == ["roc_auc", "f1", "log_loss"]
    for name, found in together.items():
        assert estimate(name, outcome, method="percentile", random_state=7) == found


def test_the_same_seed_gives_the_same_bytes_for_any_n_jobs():
    outcome = scored(20_000)
    how = {"method": "bca", "n_resamples": 100, "random_state": 3}
    assert estimate(["roc_auc", "log_loss"], outcome, n_jobs=1, **how) == estimate(
        ["roc_auc", "log_loss"], outcome, n_jobs=2, **how
    )


# -- the intervals chosen by "auto" ------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(0, 60))
def test_accuracy_has_wilsons_interval(n, wrong):
    truth = np.arange(n) % 2
    said = np.where(np.arange(n) < wrong, 1 - truth, truth)
    found = estimate("accuracy", truth, said, classes=[0, 1])
    expected = binomtest(int((truth == said).sum()), n).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-6)
    assert found.method == "Wilson"


def test_recall_and_f1_have_the_interval_of_the_share_they_are():
    """F1 = 2J/(1 + J) with J = TP/(TP + FP + FN), a share of the rows that are or are called positive."""
    truth = np.repeat([1, 1, 0, 0], [30, 10, 15, 145])
    said = np.repeat([1, 0, 1, 0], [30, 10, 15, 145])
    recall = estimate("recall", truth, said)
    expected = binomtest(30, 40).proportion_ci(method="wilson")
    assert (recall.low, recall.high) == pytest.approx((expected.low, expected.high), abs=1e-4)
    assert recall.method == "Wilson, 40 effective rows"
    f1 = estimate("f1", truth, said)
    jaccard = binomtest(30, 55).proportion_ci(method="wilson")
    ends = [2 * end / (1 + end) for end in jaccard]
    assert (f1.low, f1.high) == pytest.approx(ends, abs=0.01)


@pytest.mark.parametrize("n", [12, 80, 500])
def test_the_area_has_the_interval_of_its_curve(n):
    outcome = scored(n)
    curve = RocCurve.of(outcome).area
    found = estimate("roc_auc", outcome)
    assert (found.value, found.low, found.high) == pytest.approx((curve.value, curve.low, curve.high), rel=1e-6)


def test_the_calibration_error_of_true_probabilities_may_be_zero():
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(40):
        p = rng.random(200)
        outcome = Outcome((rng.random(200) < p).astype(np.int64), classes=("no", "yes"), positive=1)
        found = estimate("ece", outcome.with_probabilities(p), random_state=0, n_resamples=99)
        held += found.low == 0
        assert found.high > found.value
    assert held >= 36  # 58 % where only the bias of resamples is taken out


def test_a_calibration_error_of_zero_has_an_interval():
    outcome = Outcome(np.arange(200) % 2, classes=("no", "yes"), positive=1).with_probabilities(np.full(200, 0.5))
    found = estimate("ece", outcome, random_state=0)
    assert (found.value, found.low) == (0, 0)
    assert 0.04 < found.high < 0.1  # |mean of 200 labels − ½| is normal with deviation 0.035


def test_auto_says_what_it_did():
    assert estimate("rmse", valued(50), random_state=0).method == "bootstrap-t, 2000 resamples"
    assert estimate("rae", valued(50), random_state=0, n_resamples=99).method == "BCa, 99 resamples"
    assert estimate("ece", scored(50), random_state=0, n_resamples=99).method == "basic, 99 resamples"
    assert "effective rows" in estimate("roc_auc", scored(50)).method


def test_resamples_without_a_class_are_left_out_and_told():
    truth, score = [1] + [0] * 9, [0.7, *np.linspace(0, 0.9, 9)]
    found = estimate("roc_auc", truth, score, method="percentile", random_state=0, n_resamples=400)
    assert "of them undefined" in found.method
    kept = estimate("roc_auc", truth, score, method="percentile", stratify=True, random_state=0)
    assert kept.method == "percentile, 2000 resamples, within classes"


# -- stratified and clustered ------------------------------------------------------------------------------------


def test_keeping_class_counts_takes_their_chance_out_of_the_interval():
    truth = np.repeat([1, 0], [40, 160])
    said = np.where(np.arange(200) % 10 < np.where(truth, 4, 9), truth, 1 - truth)
    for method in ("auto", "percentile", "bca"):
        free, kept = (
            estimate("accuracy", truth, said, method=method, stratify=s, random_state=0, n_resamples=4000)
            for s in (False, True)
        )
        within = sum(n / 200 * (n / 200) * p * (1 - p) / n for n, p in ((40, 0.4), (160, 0.9)))
        assert free.half_width == pytest.approx(1.96 * np.sqrt(0.8 * 0.2 / 200), rel=0.1)
        assert kept.half_width == pytest.approx(1.96 * np.sqrt(within), rel=0.1)


def test_the_bootstrap_t_keeps_class_counts_as_percentiles_do():
    """Losses that hardly vary within a class: all but nothing is left when the classes are kept."""
    truth = np.repeat([1, 0], [100, 900])
    chance = np.where(truth, 0.3, 0.1) + 0.05 * np.random.default_rng(0).random(1000)
    free, t, percentile = (
        estimate("log_loss", truth, chance, method=method, stratify=kept, random_state=0)
        for method, kept in (("auto", False), ("auto", True), ("percentile", True))
    )
    assert (t.low, t.high) == pytest.approx((percentile.low, percentile.high), abs=0.1 * percentile.half_width)
    assert free.half_width > 5 * t.half_width


@pytest.mark.parametrize("method", ["auto", "bca", "percentile"])
@pytest.mark.parametrize("name", ["accuracy", "roc_auc", "log_loss", "rmse"])
def test_repeated_rows_in_groups_are_worth_one_row_each(name, method):
    one = valued(60) if name == "rmse" else scored(60)
    five = one.take(np.repeat(np.arange(60), 5))
    alone = estimate(name, one, method=method, random_state=0, n_resamples=4000)
    grouped = estimate(name, five, method=method, groups=np.repeat(np.arange(60), 5), random_state=0, n_resamples=4000)
    assert grouped.value == pytest.approx(alone.value)
    assert (grouped.low, grouped.high) == pytest.approx((alone.low, alone.high), abs=0.15 * alone.half_width)
    if method != "auto":
        assert "whole groups" in grouped.method


def test_weights_of_one_change_nothing():
    for name in ("accuracy", "roc_auc", "average_precision", "log_loss", "ece"):
        plain, ones = scored(90), scored(90, weights=np.ones(90))
        for method in ("auto", "bca"):
            a, b = (estimate(name, o, method=method, random_state=0, n_resamples=200) for o in (plain, ones))
            assert (a.value, a.low, a.high) == pytest.approx((b.value, b.low, b.high), rel=1e-6)


def test_unequal_weights_know_less():
    rng = np.random.default_rng(0)
    even, uneven = scored(400), scored(400, weights=rng.gamma(0.3, size=400) + 1e-6)
    for name in ("accuracy", "roc_auc", "log_loss"):
        assert estimate(name, uneven, random_state=0).half_width > 1.3 * estimate(name, even, random_state=0).half_width


# -- edges -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS[:-1])
def test_all_right_does_not_claim_certainty(method):
    found = estimate("accuracy", [0, 1] * 10, [0, 1] * 10, method=method, random_state=0)
    expected = binomtest(20, 20).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, 1), abs=1e-6)
    assert found.method == ("Wilson" if method == "auto" else "Wilson, since all resamples are equal")


@pytest.mark.parametrize("name", ["f1", "balanced_accuracy", "mcc", "kappa", "f1_macro", "precision", "specificity"])
def test_perfect_labels_of_few_rows_leave_much_open(name):
    few, many = (estimate(name, [0, 1] * n, [0, 1] * n) for n in (5, 50))
    assert few.value == few.high == 1
    assert few.low < many.low < 1
    assert few.low < 0.85


def test_a_class_of_five_rows_all_right_might_have_been_wrong():
    truth = np.repeat([0, 1], [95, 5])
    found = estimate("balanced_accuracy", truth, np.where(np.arange(100) < 3, 1, truth))
    assert found.low < 0.85


def test_a_perfect_order_is_as_sure_as_the_smaller_class():
    found = estimate("roc_auc", [0] * 90 + [1] * 10, np.arange(100))
    assert found.low == pytest.approx(binomtest(10, 10).proportion_ci(method="wilson").low)


def test_no_errors_at_all_say_nothing_about_the_next():
    found = estimate(["rmse", "r2"], [1.0, 2.0, 3.0], [1.0, 2.0, 3.0])
    assert (found["rmse"].low, found["rmse"].high) == (0, np.inf)
    assert (found["r2"].low, found["r2"].high) == (-np.inf, 1)
    assert found["rmse"].method == "unknown, since all resamples are equal"


def test_one_row():
    found = estimate(["mae", "r2"], [1.0], [2.0])
    assert (found["mae"].value, found["mae"].low, found["mae"].high) == (1, 0, np.inf)
    assert np.isnan(found["r2"].value)
    assert estimate("accuracy", ["a"], ["a"]).low == pytest.approx(0.2065, abs=1e-4)


def test_two_rows_are_too_few_for_a_bootstrap_t():
    found = estimate("mae", [1.0, 2.0], [1.5, 4.0], random_state=0)
    assert (found.low, found.high) == (0, np.inf)


def test_a_class_with_one_row():
    found = estimate(["roc_auc", "log_loss", "f1"], [1, 0, 0, 0, 0], [0.8, 0.1, 0.2, 0.9, 0.3], random_state=0)
    assert all(each.low <= each.value <= each.high for each in found.values())
    assert found["roc_auc"].half_width > 0.25


def test_an_undefined_measure_claims_nothing():
    found = estimate("roc_auc", [1, 1], [0.2, 0.3], classes=[0, 1])
    assert np.isnan(found.value)
    assert (found.low, found.high, found.method) == (0, 1, "undefined")


# -- functions ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_functions_get_intervals_too():
    outcome = scored(150)
    labels = np.array(outcome.classes)
    truth, said = labels[outcome.actual], labels[outcome.predicted]
    by_function = estimate(f1_score, truth, said, method="percentile", random_state=0, n_resamples=300, pos_label="yes")
    by_name = estimate("f1", truth, said, method="percentile", random_state=0, n_resamples=300)
    assert (by_function.low, by_function.high) == pytest.approx((by_name.low, by_name.high))
    worst = estimate(max_error, valued(40).actual, valued(40).predicted, random_state=0, n_resamples=200)
    assert worst.method == "BCa, 200 resamples"
    assert worst.low < worst.value


def test_lists_of_needs_are_met_by_probabilities():
    found = estimate(["accuracy", "roc_auc", "log_loss", "brier"], [0, 1, 1, 0] * 5, [0.2, 0.7, 0.4, 0.1] * 5)
    assert set(found) == {"accuracy", "roc_auc", "log_loss", "brier"}


@pytest.mark.parametrize("state", [None, 5, np.int64(5), np.random.RandomState(0), np.random.default_rng(0)])
def test_random_states_of_every_kind(state):
    assert estimate("mae", valued(30), n_resamples=20, random_state=state).value > 0


# -- errors ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "text"),
    [
        ({"method": "bootstrap"}, r"method='bootstrap'\.\n  Expected one of 'auto', 'bca'"),
        ({"n_resamples": 0}, r"n_resamples=0\.\n  Expected 1 or more"),
        ({"level": 95}, r"a confidence level of 95\.\n  Expected a number between 0 and 1"),
        ({"level": 0}, "a confidence level of 0"),
        ({"groups": [1, 2]}, r"groups has 2 values for 4 rows\.\n  Expected the group of every row"),
        ({"groups": [1, 1, 1, 1]}, r"1 group\.\n  Expected 2 or more, since whole groups are drawn"),
        ({"groups": [1, 1, np.nan, 2]}, "groups: 1 of 4 values are missing"),
        ({"method": "studentised"}, r"method='studentised' for 'accuracy'\.\n  Expected a measure made of sums"),
        ({"random_state": "seed"}, r"random_state='seed'\.\n  Expected None, a whole number"),
        ({"random_state": -1}, r"random_state=-1"),
        ({"sample_weight": [1, 2]}, "sample_weight has 2 values for 4 rows"),
    ],
)
def test_what_cannot_be_done_is_said(how, text):
    with pytest.raises(DataError, match=text):
        estimate("accuracy", [0, 1, 1, 0], [0, 1, 0, 0], **how)


def test_bad_predictions_are_refused():
    with pytest.raises(DataError, match="values are missing"):
        estimate("rmse", [1.0, 2.0], [1.0, np.nan])
    with pytest.raises(DataError, match="no y_pred"):
        estimate("rmse", [1.0, 2.0])
    with pytest.raises(DataError, match="no measure 'acuracy'"):
        estimate("acuracy", [1, 0], [1, 0])
    with pytest.raises(DataError, match=r"no measure\.\n  Expected at least one"):
        estimate([], [1, 0], [1, 0])
    with pytest.raises(DataError, match="an Outcome and sample_weight beside it"):
        estimate("rmse", valued(3), sample_weight=[1, 2, 3])
    with pytest.raises(DataError, match="more than one measure called 'f1'"):
        estimate(["f1", "accuracy", "f1"], [1, 0], [1, 0])
    with pytest.raises(DataError, match="measures of numbers and of classes at once: 'accuracy', 'rmse'"):
        estimate(["rmse", "accuracy"], [1, 0], [1, 0])
    with pytest.raises(DataError, match="no probabilities to measure"):
        estimate_outcome(measure("log_loss"), Outcome.of([0, 1], [0, 1]))

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from probus.metrics import measure
from probus.model_selection import _split_intervals as split_intervals
from probus.model_selection import corrected_interval
from probus.model_selection._score_variance import ScoreVariance
from probus.model_selection._split_intervals import METHOD, _as_mean
from probus.model_selection._tested_rows import TestedRows

scores = st.lists(st.floats(0, 1), min_size=2, max_size=30).map(np.array)


@given(scores, st.floats(0.01, 1))
def test_overlap_only_ever_widens_the_interval(values, ratio):
    plain, corrected = corrected_interval(values, 0.0), corrected_interval(values, ratio)
    assert corrected.value == plain.value
    assert corrected.half_width >= plain.half_width


@given(scores)
def test_without_overlap_it_is_students_interval(values):
    if values.std() < 1e-6:
        return
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.95)
    estimate = corrected_interval(values, 0.0)
    assert (estimate.low, estimate.high) == pytest.approx((expected.low, expected.high))


def test_the_formula_of_nadeau_and_bengio():
    values = np.array([0.80, 0.84, 0.82, 0.78, 0.81])
    half_width = stats.t.ppf(0.975, 4) * values.std(ddof=1) * np.sqrt(1 / 5 + 1 / 4)
    estimate = corrected_interval(values, 1 / 4)
    assert estimate.half_width == pytest.approx(half_width)
    assert (estimate.method, estimate.n, estimate.level) == (METHOD, 5, 0.95)


def test_it_covers_the_truth_about_as_often_as_it_says_where_the_usual_interval_does_not():
    """Cross-validated error of the mean as a predictor: known truth, overlapping training sets."""
    rng = np.random.default_rng(0)
    n, folds, repeats, rounds = 60, 5, 4, 300
    truth = 1 + 1 / (n - n / folds)  # variance of a new draw plus that of the mean it is compared with
    covered = {"plain": 0, "corrected": 0}
    for _ in range(rounds):
        x = rng.normal(size=n)
        errors = []
        for _ in range(repeats):
            for part in np.array_split(rng.permutation(n), folds):
                rest = np.delete(x, part)
                errors.append(np.mean((x[part] - rest.mean()) ** 2))
        covered["plain"] += truth in corrected_interval(np.array(errors), 0.0)
        covered["corrected"] += truth in corrected_interval(np.array(errors), 1 / (folds - 1))
    assert covered["plain"] / rounds < 0.8
    assert covered["corrected"] / rounds > 0.9


def test_undefined_scores_do_not_count():
    with_gap = corrected_interval(np.array([0.5, np.nan, 0.7, 0.6]), 0.25)
    assert with_gap == corrected_interval(np.array([0.5, 0.7, 0.6]), 0.25)
    assert with_gap.n == 3


def test_one_split_or_none_claims_nothing():
    assert str(corrected_interval(np.array([0.8]), 0.25)) == "0.800 [-inf, inf]"
    assert np.isnan(corrected_interval(np.array([np.nan]), 0.25).value)


def test_no_interval_leaves_the_range_of_its_score():
    estimate = corrected_interval(np.array([0.9, 1.0, 1.0]), 0.5, low=0, high=1)
    assert estimate.high == 1
    assert estimate.low > 0


# -- of the rows tested --------------------------------------------------------------------------------

MEASURES = ["accuracy", "balanced_accuracy", "log_loss", "roc_auc", "f1", "kappa", "mcc", "brier", "rmse", "mae", "r2"]


def estimate(made, name, level=0.95, **how):
    result = (made.regressed if name in ("rmse", "mae", "r2") else made.classified)(**how)
    return result.estimate(name, level)


@pytest.mark.parametrize("name", MEASURES)
def test_the_interval_contains_its_value_and_stays_in_the_range_of_its_measure(made, name):
    for how in ({}, {"n": 20}, {"repeats": 1}, {"noise": 0.0}, {"noise": 3.0}):
        found = estimate(made, name, **how)
        assert measure(name).low <= found.low < found.value < found.high <= measure(name).high
        assert found.method == "variance of rows and of training sets"


@pytest.mark.parametrize("name", MEASURES)
def test_a_higher_level_gives_a_wider_interval(made, name):
    usual, wide = (estimate(made, name, level) for level in (0.95, 0.99))
    assert wide.low < usual.low < usual.high < wide.high


@pytest.mark.parametrize("name", ["accuracy", "balanced_accuracy", "f1", "roc_auc"])
def test_a_perfect_score_is_not_certain(made, name):
    result = made.classified()
    perfect = [outcome.with_probabilities(0.1 + 0.8 * outcome.actual) for outcome in result.outcomes]
    found = made.result_of(result.task, result.splits, perfect).estimate(name)
    assert (found.value, found.high) == (1, 1)
    assert 0.8 < found.low < 0.99


def test_groups_make_the_interval_wider_where_their_rows_are_alike(made):
    groups = [f"g{i % 10}" for i in range(100)]  # rows of a group have one class, and here one error
    alone = made.classified(noise=0.0)
    task = made.classified(groups=groups).task
    odd = np.arange(100) % 10 % 3 == 0
    outcomes = [
        outcome.with_probabilities(np.where(odd[rows], 0.8 - 0.6 * outcome.actual, 0.2 + 0.6 * outcome.actual))
        for outcome, rows in zip(alone.outcomes, alone.rows, strict=True)
    ]
    of_rows = made.result_of(alone.task, alone.splits, outcomes).estimate("accuracy")
    of_groups = made.result_of(task, alone.splits, outcomes).estimate("accuracy")
    assert of_groups.value == pytest.approx(of_rows.value)
    assert of_groups.half_width > 2 * of_rows.half_width
    assert (of_groups.n, of_rows.n) == (10, 100)


@pytest.mark.parametrize("skewed", [False, True])
def test_for_many_rows_an_expansion_gives_the_ends_of_the_bootstrap(monkeypatch, skewed):
    rng = np.random.default_rng(0)
    losses = rng.exponential(size=12_000) if skewed else rng.normal(size=12_000)
    expanded = split_intervals._studentise(losses - losses.mean(), 0.95)
    monkeypatch.setattr(split_intervals, "_MANY", 20_000)
    monkeypatch.setattr(split_intervals, "_RESAMPLES", 10_000)
    drawn = split_intervals._studentise(losses - losses.mean(), 0.95)
    assert expanded == pytest.approx(drawn, abs=0.07)  # three standard errors of a quantile of 10,000


def test_heavy_tails_are_resampled_however_many_rows_there_are(monkeypatch):
    losses = np.zeros(12_000)
    losses[0] = 1.0
    assert split_intervals._studentise(losses - losses.mean(), 0.95)[1] == np.inf


def test_a_few_groups_have_students_interval(made):
    groups = [f"g{i % 3}" for i in range(100)]
    alone = made.regressed()
    found = replace(alone, task=made.task_of(alone.task.y, groups)).estimate("mae", 0.8)
    assert found.n == 3
    assert 0 < found.low < found.value < found.high < np.inf
    assert found.half_width == pytest.approx(found.high - found.value)


def test_a_loss_that_no_row_has_is_bounded_by_the_number_of_rows_and_the_range():
    low, high = split_intervals._without_spread(measure("brier"), 0.0, 100, 0.95)
    width = measure("brier").high - measure("brier").low
    assert (low, high) == (0.0, pytest.approx(width * 1.96**2 / (100 + 1.96**2), rel=1e-3))
    assert split_intervals._without_spread(measure("rmse"), 0.0, 100, 0.95) == (-np.inf, np.inf)


def test_a_loss_that_all_rows_have_may_differ_by_one_row_of_it():
    low, high = split_intervals._without_spread(measure("log_loss"), 0.5, 100, 0.95)
    assert (low, high) == (pytest.approx(0.5 - 1.96 * 0.005, abs=1e-4), pytest.approx(0.5 + 1.96 * 0.005, abs=1e-4))


@pytest.mark.parametrize("value", [0.3, 1.5, 40.0])
def test_the_lower_end_of_a_loss_approaches_0_and_does_not_reach_it(value):
    linear = value * np.linspace(1, -3, 50)
    ends = np.array([split_intervals._above_bound(value, low) for low in linear])
    assert (ends > 0).all()
    assert (np.diff(ends) < 0).all()
    assert np.abs(np.diff(ends) / np.diff(linear)).max() <= 1 + 1e-9  # without a jump
    np.testing.assert_array_equal(ends[linear >= value / 2], linear[linear >= value / 2])


def test_a_loss_with_a_few_very_large_ones_is_not_said_to_be_possibly_0(made):
    y = np.arange(60) % 2
    sure = np.where(np.arange(60) < 3, 1e-14, 0.9)  # of the right class; the three worst rows lose 32 each

    def fitted(train, test):
        own = np.where(test[0] % 2, sure[test], 0.9)  # only some of the models are so wrong
        return np.where(y[test] == 1, own, 1 - own)

    found = made.cross_validated(y, fitted).estimate("log_loss")
    assert 0 < found.low < found.value / 2


def _of_groups(sizes, seed):
    """The rows of a mean of squares over groups of these sizes, each with an effect of its own."""
    rng = np.random.default_rng(seed)
    of = np.repeat(np.arange(len(sizes)), sizes)
    loss = (np.sqrt(0.5) * rng.normal(size=len(sizes))[of] + np.sqrt(0.5) * rng.normal(size=len(of))) ** 2
    moves = loss - loss.mean()
    return TestedRows(loss.mean(), moves, moves, of, np.arange(len(sizes)), np.zeros(len(of), int), 1), of


def test_groups_of_unequal_sizes_widen_an_interval_and_equal_ones_do_not_change_it():
    def width(tested, groups):
        variance = ScoreVariance(tested.variance_of_rows, tested.variance_of_rows, 1e4)
        low, high = _as_mean(measure("mse"), tested, variance, 0.95, groups)
        assert low < tested.value < high
        return (high - low) / np.sqrt(variance.total)

    uneven, even = ([width(*_of_groups(sizes, seed)) for seed in range(5)] for sizes in ([15] * 8 + [2] * 32, [5] * 40))
    assert np.mean(uneven) > 1.1 * np.mean(even)


@pytest.mark.slow
def test_intervals_of_unequal_groups_hold():
    held = []
    for seed in range(60):
        rng = np.random.default_rng([3, seed])
        tested, groups = _of_groups(np.where(rng.uniform(size=60) < 0.2, 15, 2), seed)
        variance = ScoreVariance(tested.variance_of_rows, tested.variance_of_rows, 1e4)
        low, high = _as_mean(measure("mse"), tested, variance, 0.95, groups)
        held.append(low <= 1.0 <= high)
    assert np.mean(held) >= 0.9

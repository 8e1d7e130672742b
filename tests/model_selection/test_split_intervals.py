import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from probus.model_selection import corrected_interval
from probus.model_selection.split_intervals import METHOD

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

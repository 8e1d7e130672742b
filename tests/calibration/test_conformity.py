"""Ranks, against sorting everything."""

import numpy as np
import pytest
from scipy.stats import kstest

from probus.calibration import Conformity
from probus.calibration._conformity import checked_level
from probus.errors import DataError


def weighted_bound(values, mass, unit, level):
    """The least value at which the mass of all values up to it reaches the level."""
    order = np.argsort(values)
    reached = np.cumsum(mass[order]) >= level * (mass.sum() + unit) - 1e-9
    return values[order][np.argmax(reached)]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("folds", [1, 4, 37])
def test_a_bound_is_the_quantile_of_all_predictions_plus_residuals(folds, weighted):
    rng = np.random.default_rng(folds)
    score, fold = rng.exponential(size=37), rng.permutation(np.arange(37) % folds)
    weights = rng.integers(0, 3, 37).astype(float) if weighted else None
    mass = np.ones(37) if weights is None else weights
    unit = mass[mass > 0].mean()
    centres, scale = rng.normal(size=(folds, 8)), rng.uniform(0.5, 2, 8)
    found = Conformity.of(score, fold, weights, None).upper(centres, scale, 0.8)
    for j in range(8):
        values = centres[fold, j] + scale[j] * score
        expected = weighted_bound(values[mass > 0], mass[mass > 0], unit, 0.8)
        assert found[j] == pytest.approx(expected, abs=1e-12)


def test_tied_scores_of_constant_predictions_are_counted_together():
    conformity = Conformity.of(np.array([0.0, 1.0, 1.0, 1.0, 2.0] * 4), np.arange(20) % 4, None, None)
    assert conformity.upper(np.full((4, 1), 5.0), np.ones(1), 0.75)[0] == pytest.approx(6.0, abs=1e-12)
    assert conformity.upper(np.full((4, 1), 5.0), np.ones(1), 0.81)[0] == pytest.approx(7.0, abs=1e-12)


def test_the_share_above_counts_the_new_row_and_its_equals():
    rng = np.random.default_rng(0)
    score, fold = rng.integers(0, 5, 30) / 4, np.arange(30) % 3
    new = rng.integers(0, 5, (3, 7)) / 4
    found = Conformity.of(score, fold, None, None).share_above(new)
    expected = [(1 + sum(score[i] >= new[fold[i], j] for i in range(30))) / 31 for j in range(7)]
    np.testing.assert_allclose(found, expected)


def test_weights_count_as_repetition_up_to_the_new_row():
    score, weights = np.arange(10.0), np.array([1, 2, 3, 1, 1, 0, 2, 2, 1, 1.0])
    repeated = np.repeat(score, weights.astype(int))
    weighted = Conformity.of(score, np.zeros(10, int), weights * 7, None)
    single = Conformity.of(repeated, np.zeros(14, int), None, None)
    place = np.zeros((1, 1))
    for level in (0.3, 0.5, 0.7):  # levels that one row more or less does not decide
        assert weighted.upper(place, np.ones(1), level) == pytest.approx(single.upper(place, np.ones(1), level))


def test_the_rows_of_a_group_count_as_one():
    groups = np.repeat(np.arange(20), np.arange(20) % 4 + 1)
    conformity = Conformity.of(groups.astype(float), np.zeros(len(groups), int), None, groups)
    assert conformity.n_units == pytest.approx(20)
    assert conformity.upper(np.zeros((1, 1)), np.ones(1), 0.9)[0] == pytest.approx(18)  # the ⌈0.9 · 21⌉-th of 20 groups


@pytest.mark.parametrize("n", [9, 19, 50])
def test_coverage_of_exchangeable_scores_is_the_next_rank(n):
    """⌈(n + 1) · level⌉ / (n + 1) exactly (Vovk et al. 2005), here of 40,000 draws."""
    rng = np.random.default_rng(n)
    draws = np.sort(rng.random((40_000, n)), axis=1)
    rank = int(np.ceil(0.9 * (n + 1) - 1e-9))
    bounds = [
        Conformity.of(row, np.zeros(n, int), None, None).upper(np.zeros((1, 1)), np.ones(1), 0.9) for row in draws[:20]
    ]
    np.testing.assert_allclose(np.ravel(bounds), draws[:20, rank - 1])
    covered = (rng.random(40_000) <= draws[:, rank - 1]).mean()
    assert covered == pytest.approx(rank / (n + 1), abs=0.006)


def test_a_level_that_the_rows_cannot_give_is_refused():
    conformity = Conformity.of(np.arange(8.0), np.zeros(8, int), None, None)
    with pytest.raises(DataError) as error:
        conformity.must_reach(0.9)
    assert str(error.value) == (
        "level=0.9 from 8 rows or groups with out-of-fold predictions.\n"
        "  Expected at least 9, or a level of at most 0.888. An interval of fewer rows would be infinite."
    )
    Conformity.of(np.arange(9.0), np.zeros(9, int), None, None).must_reach(0.9)
    with pytest.raises(DataError, match="at least 9999, "):
        conformity.must_reach(0.9999)


@pytest.mark.parametrize("level", [0, 1, 90, -0.1, "0.9", None, np.nan])
def test_levels_are_between_0_and_1(level):
    with pytest.raises(DataError, match="between 0 and 1"):
        checked_level(level)


@pytest.mark.parametrize("n", [9, 12, 58])
def test_interpolated_quantiles_cover_about_as_often_as_they_say(n):
    """Of exponential scores, on average over samples: between the level and what the rank rounded up covers."""
    rng = np.random.default_rng(n)
    scores = rng.exponential(size=(2000, n))
    found = [Conformity.of(score, np.zeros(n, int), None, None).quantile(0.9) for score in scores]
    covered, by_rank = np.mean(1 - np.exp(-np.array(found))), np.ceil(0.9 * (n + 1) - 1e-9) / (n + 1)
    assert 0.897 < covered < by_rank + 0.003
    np.testing.assert_allclose(found, np.quantile(scores, 0.9, axis=1, method="weibull"))


def test_randomised_ranks_of_tied_scores_are_even():
    rng = np.random.default_rng(0)
    p = np.empty(4000)
    for run in range(4000):
        score = rng.integers(0, 3, 21) / 2
        p[run] = Conformity.of(score[:20], np.zeros(20, int), None, None).share_above(score[None, 20:], rng.random(1))[
            0
        ]
    assert kstest(p, "uniform").pvalue > 0.01

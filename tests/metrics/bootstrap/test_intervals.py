"""Intervals from resampled values, against SciPy's bootstrap on the same values."""

import numpy as np
import pytest
from scipy import stats

from probus.metrics import Outcome, measure
from probus.metrics.bootstrap import _intervals as intervals
from probus.metrics.bootstrap import estimate_outcome, resampled_values
from probus.metrics.bootstrap._draws import Draws, seeds_of
from probus.metrics.bootstrap._influence import influence
from probus.metrics.bootstrap._resamples import value_of


@pytest.fixture(scope="module")
def losses():
    return np.random.default_rng(4).gamma(1.5, size=60)


def as_outcome(losses):
    """An outcome whose mean absolute error is the mean of those numbers."""
    return Outcome(np.asarray(losses), np.zeros(len(losses)))


def jackknife(losses):
    return losses - losses.mean()


@pytest.mark.parametrize("method", ["percentile", "basic", "BCa"])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.99])
def test_ends_from_scipys_resamples_are_scipys(losses, method, level):
    theirs = stats.bootstrap((losses,), np.mean, confidence_level=level, method=method, n_resamples=999, rng=0)
    values, value = theirs.bootstrap_distribution, losses.mean()
    ours = {
        "percentile": lambda: intervals.percentile(values, level),
        "basic": lambda: intervals.basic(value, values, level),
        "BCa": lambda: intervals.bca(value, values, jackknife(losses), level),
    }[method]()
    assert ours == pytest.approx(tuple(theirs.confidence_interval), rel=1e-9)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_intervals_of_a_mean_are_scipys_within_monte_carlo_error(losses, method):
    theirs = stats.bootstrap((losses,), np.mean, method=method.replace("bca", "BCa"), rng=1).confidence_interval
    ours = estimate_outcome(measure("mae"), as_outcome(losses), method=method, n_resamples=9999, random_state=0)
    error = losses.std() / np.sqrt(len(losses))
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs), abs=0.08 * error)


def test_ties_with_the_value_count_half_in_the_bias_correction():
    assert intervals.bias_correction(2.0, np.array([1.0, 2.0, 2.0, 3.0])) == 0
    assert intervals.bias_correction(2.0, np.array([2.0, 2.0, 2.0, 3.0])) == pytest.approx(stats.norm.ppf(3 / 8))
    assert np.isfinite(intervals.bias_correction(9.0, np.array([1.0, 2.0])))


def test_bca_without_bias_and_acceleration_is_the_percentile():
    values = np.linspace(-1, 1, 1001)
    assert intervals.bca(0.0, values, np.array([1.0, -1.0]), 0.9) == pytest.approx(intervals.percentile(values, 0.9))


def test_the_normal_interval_is_symmetric():
    assert intervals.normal(1.0, 2.0, 0.95) == pytest.approx((1 - 3.919928, 1 + 3.919928))


def test_the_bootstrap_t_of_a_mean_is_that_of_its_textbook_loop(losses):
    outcome = as_outcome(losses)
    found = estimate_outcome(measure("mae"), outcome, method="studentised", n_resamples=500, random_state=0)
    draws, t = Draws.of(outcome), []
    for seed in seeds_of(0, 500):
        drawn = np.repeat(losses, draws.counts(seed))
        t.append((drawn.mean() - losses.mean()) / (drawn.std() / np.sqrt(60)))
    low, high = np.quantile(t, [0.025, 0.975], method="inverted_cdf")
    error = losses.std() / np.sqrt(60)
    assert (found.low, found.high) == pytest.approx((losses.mean() - high * error, losses.mean() - low * error))


@pytest.mark.parametrize("name", ["mae", "rmse", "r2", "rse", "sse", "accuracy", "f1_macro", "mcc", "roc_auc", "ece"])
@pytest.mark.parametrize("drawn", ["rows", "groups", "weights"])
def test_influence_agrees_with_leaving_units_out(name, drawn):
    """First order: each unit's influence is close to (n − 1)/n times the fall when it is left out."""
    rng = np.random.default_rng(0)
    n = 400
    weights = rng.random(n) + 0.5 if drawn == "weights" else None
    groups = np.arange(n) // 2 if drawn == "groups" else None
    of = measure(name)
    if of.needs == "values":
        y = rng.normal(size=n)
        outcome = Outcome(y, y + rng.normal(size=n), weights=weights)
    else:
        actual = rng.integers(0, 2, n)
        outcome = Outcome(actual, classes=(0, 1), positive=1, weights=weights)
        outcome = outcome.with_probabilities(1 / (1 + np.exp(-rng.normal(size=n) - actual)))
    draws = Draws.of(outcome, groups=groups)
    form = of.form_of(outcome)
    moved = influence(form, outcome, draws)
    unit = np.arange(n) if groups is None else groups
    rests = (outcome.take(np.flatnonzero(unit != u)) for u in range(draws.n_units))
    left_out = np.array([value_of(of, of.form_of(rest), rest) for rest in rests])
    fall = left_out.mean() - left_out
    if name == "ece":  # by blocks
        assert np.sqrt((moved**2).sum()) == pytest.approx(np.sqrt((fall**2).sum()), rel=0.25)
        return
    if name == "sse":  # a sum also falls because a row is gone
        assert np.corrcoef(moved, fall)[0, 1] == pytest.approx(1)
        return
    assert moved == pytest.approx(fall, abs=0.06 * np.abs(fall).max())
    spread = resampled_values([of], outcome, 2000, groups=groups, random_state=0)[0].std()
    assert np.sqrt((moved**2).sum()) == pytest.approx(spread, rel=0.1)


def test_average_precisions_influence_is_its_derivative():
    rng = np.random.default_rng(0)
    actual, scores = rng.integers(0, 2, 60), rng.normal(size=60).round(1)
    of, ones = measure("average_precision"), np.ones(60)
    outcome = Outcome(actual, scores=scores, classes=(0, 1), positive=1, weights=ones)
    form = of.form_of(outcome)
    moved = influence(form, outcome, Draws.of(outcome))
    step = 1e-6 * np.eye(60)
    slopes = [of.compute(outcome.weighted(ones + s)) - of.compute(outcome.weighted(ones - s)) for s in step]
    n = np.where(actual == 1, actual.sum(), 60 - actual.sum())
    expected = np.array(slopes) / 2e-6 * np.sqrt(n / (n - 1))
    assert moved == pytest.approx(expected - expected.mean(), abs=1e-7)

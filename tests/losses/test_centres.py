"""The best constants and steps: no other number does better."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from sklearn._loss import loss as theirs

from probus.losses import Exponential, Gamma, Huber, LogLoss, Poisson, Quantile, Softmax
from probus.losses._order import huber_centre, weighted_quantile
from probus.losses._search import LARGEST_STEP, best_step

SEEDS = st.integers(0, 2**32 - 1)
NUMBERS = st.lists(st.integers(-20, 20), min_size=1, max_size=12)


def summed(loss, y, raw, weight):
    return np.average(loss.value(y, raw), weights=weight)


def least(function, around):
    """The least value of a convex function of one number."""
    found = minimize_scalar(function, bounds=(around - 30, around + 30), method="bounded", options={"xatol": 1e-9})
    return found.fun


@settings(max_examples=8)
@given(seed=SEEDS, weighted=st.booleans())
def test_no_constant_is_better_than_the_constant(loss, rows_of, seed, weighted):
    y, raw = rows_of(loss, 15, seed)
    weight = np.random.default_rng(seed).integers(1, 5, 15).astype(float) if weighted else None
    constant = loss.constant(y, weight)
    assert constant.shape == (loss.n_outputs,)
    reached = summed(loss, y, np.zeros_like(raw) + constant, weight)
    for k in range(loss.n_outputs):
        direction = np.eye(loss.n_outputs)[k] if loss.n_outputs > 1 else 1.0
        best = least(lambda t, d=direction: summed(loss, y, np.zeros_like(raw) + constant + t * d, weight), 0.0)
        assert reached <= best + 1e-9


@settings(max_examples=8)
@given(seed=SEEDS, weighted=st.booleans())
def test_no_step_is_better_than_the_step(loss, rows_of, seed, weighted):
    y, raw = rows_of(loss, 15, seed)
    weight = np.random.default_rng(seed).integers(1, 5, 15).astype(float) if weighted else None
    for k in range(loss.n_outputs):
        direction = np.eye(loss.n_outputs)[k] if loss.n_outputs > 1 else 1.0
        step = loss.step(y, raw, weight, k)
        reached = summed(loss, y, raw + step * direction, weight)
        assert reached <= least(lambda t, d=direction: summed(loss, y, raw + t * d, weight), step) + 1e-9


def test_weights_equal_repetition(loss, rows_of):
    y, raw = rows_of(loss, 30, 4)
    times = np.random.default_rng(0).integers(0, 4, 30)
    weight = times.astype(float)
    np.testing.assert_allclose(loss.constant(np.repeat(y, times), None), loss.constant(y, weight), rtol=1e-9)
    repeated = loss.step(np.repeat(y, times), np.repeat(raw, times, axis=0), None)
    np.testing.assert_allclose(repeated, loss.step(y, raw, weight), rtol=1e-9)


@given(values=NUMBERS, alpha=st.sampled_from([0.1, 0.25, 0.5, 0.9]), seed=SEEDS)
def test_weighted_quantiles_are_those_of_repeated_values(values, alpha, seed):
    values = np.array(values, float)
    times = np.random.default_rng(seed).integers(0, 4, len(values))
    times[0] += 1
    repeated = np.repeat(values, times)
    expected = np.quantile(repeated, alpha, method="averaged_inverted_cdf")
    assert weighted_quantile(repeated, alpha, None) == expected
    assert weighted_quantile(values, alpha, times.astype(float)) == expected


@given(values=NUMBERS, delta=st.sampled_from([0.0, 0.5, 3.0, 1e6]), seed=SEEDS)
def test_residuals_cut_at_delta_balance_around_hubers_centre(values, delta, seed):
    values = np.array(values, float)
    weight = np.random.default_rng(seed).uniform(0.1, 2.0, len(values))
    centre = huber_centre(values, delta, weight)
    assert abs(weight @ np.clip(values - centre, -delta, delta)) <= 1e-9 * max(delta, 1.0)
    slack = 1e-12 * np.abs(values).max()
    assert values.min() - slack <= centre <= values.max() + slack


def test_one_output_has_the_constants_of_scikit_learn(rows_of):
    for ours, sklearns in [
        (Poisson(), theirs.HalfPoissonLoss()),
        (Gamma(), theirs.HalfGammaLoss()),
        (LogLoss(), theirs.HalfBinomialLoss()),
        (Exponential(), theirs.ExponentialLoss()),
    ]:
        y, raw = rows_of(ours, 100, 8)
        weight = np.abs(raw)
        np.testing.assert_allclose(ours.constant(y, weight), sklearns.fit_intercept_only(y, weight))
    y, raw = rows_of(Softmax(3), 100, 8)
    ours, sklearns = Softmax(3).constant(y, None), theirs.HalfMultinomialLoss(n_classes=3).fit_intercept_only(y)
    np.testing.assert_allclose(ours - ours.mean(), sklearns)  # scikit-learn's add up to zero


@pytest.mark.parametrize("y", [np.zeros(4), np.ones(4)])
def test_rows_of_one_class_have_a_large_but_finite_constant_and_step(y):
    for loss in (LogLoss(), Exponential()):
        assert 10 < abs(loss.constant(y, None)[0]) <= LARGEST_STEP
        assert 10 < abs(loss.step(y, np.zeros(4), None)) <= LARGEST_STEP
        assert np.sign(loss.step(y, np.zeros(4), None)) == 2 * y[0] - 1
    absent = Softmax(3).constant(y, None)
    assert np.isfinite(absent).all()
    assert Softmax(3).mean(absent[None])[0, int(y[0])] == pytest.approx(1.0)


def test_counts_that_are_all_zero_in_a_leaf_have_a_finite_step():
    assert Poisson().step(np.zeros(3), np.zeros(3), None) == -LARGEST_STEP


def test_huber_takes_its_delta_from_the_residuals_of_the_round():
    y, raw = np.arange(11.0), np.zeros(11)
    assert Huber(0.9).at(y, raw, None).delta == 9.0
    assert Huber(0.9).at(y, raw, np.where(y < 5, 1.0, 0.0)).delta == 4.0
    assert Quantile(0.9).at(y, raw, None) == Quantile(0.9)
    assert Huber(0.9).constant(y, None) == [5.0]


@pytest.mark.parametrize("root", [-1e4, -3.0, 0.0, 1e-3, 25.0])
def test_the_search_finds_a_root_at_any_distance(root):
    assert best_step(lambda step: np.tanh(step - root), limit=1e6) == pytest.approx(root, abs=1e-9)


def test_the_search_ends_at_its_limit_where_all_is_downhill():
    assert best_step(lambda step: -1.0, limit=7.0) == 7.0
    assert best_step(lambda step: 1.0, limit=7.0) == -7.0

"""Gradients and hessians are the derivatives of the value, everywhere."""

import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn._loss import loss as theirs

from probus.losses import (
    AbsoluteError,
    Exponential,
    Gamma,
    Huber,
    LogLoss,
    Poisson,
    Quantile,
    Softmax,
    SquaredError,
    Tweedie,
    derivatives,
)

SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=30)
@given(seed=SEEDS)
def test_gradients_are_differences_of_values(loss, rows_of, derivatives_of, seed):
    y, raw = rows_of(loss, 20, seed)
    gradient, _ = derivatives_of(loss, y, raw)
    eps = 1e-6
    for k in range(loss.n_outputs):
        shift = eps * np.eye(loss.n_outputs)[k] if loss.n_outputs > 1 else eps
        found = (loss.value(y, raw + shift) - loss.value(y, raw - shift)) / (2 * eps)
        away = np.abs(y - (raw if loss.n_outputs == 1 else raw[:, k])) > eps  # from a kink
        np.testing.assert_allclose(gradient.reshape(20, -1)[away, k], found[away], rtol=1e-6, atol=1e-6)


@settings(max_examples=30)
@given(seed=SEEDS)
def test_hessians_are_differences_of_gradients(smooth_loss, rows_of, derivatives_of, seed):
    y, raw = rows_of(smooth_loss, 20, seed)
    _, hessian = derivatives_of(smooth_loss, y, raw)
    eps = 1e-6
    for k in range(smooth_loss.n_outputs):
        shift = eps * np.eye(smooth_loss.n_outputs)[k] if smooth_loss.n_outputs > 1 else eps
        after, before = (
            derivatives_of(smooth_loss, y, raw + sign * shift)[0].reshape(20, -1)[:, k] for sign in (1, -1)
        )
        np.testing.assert_allclose(hessian.reshape(20, -1)[:, k], (after - before) / (2 * eps), rtol=1e-6, atol=1e-6)


def test_a_constant_hessian_is_one_and_may_be_left_out(loss, rows_of, derivatives_of):
    y, raw = rows_of(loss, 50, 0)
    gradient, hessian = derivatives_of(loss, y, raw)
    if loss.constant_hessian:
        assert (hessian == 1).all()
        alone = np.empty_like(raw)
        loss.derivatives(y, raw, alone, None)
        np.testing.assert_array_equal(alone, gradient)


@pytest.mark.parametrize("size", [0.0, 30.0, 800.0, 1e10, 1e300])
def test_raw_predictions_of_any_size_give_finite_derivatives_without_warnings(loss, rows_of, derivatives_of, size):
    y, raw = rows_of(loss, 40, 1)
    raw = np.sign(raw) * size
    with np.errstate(over="raise", divide="raise", invalid="raise"):
        gradient, hessian = derivatives_of(loss, y, raw)
        mean = loss.mean(raw)
    assert np.isfinite(gradient).all()
    assert np.isfinite(hessian).all()
    assert (hessian >= 0).all()
    assert np.isfinite(mean).all()


@given(seed=SEEDS)
def test_the_exponential_of_kernels_is_numpys(seed):
    raw = np.random.default_rng(seed).uniform(-derivatives.EXPONENT_LIMIT, derivatives.EXPONENT_LIMIT, 200)
    gradient, hessian = np.empty(200), np.empty(200)
    derivatives.poisson_derivatives(np.zeros(200), raw, gradient, hessian)
    np.testing.assert_allclose(hessian, np.exp(raw), rtol=1e-14)


def test_the_exponential_of_what_is_not_a_number_is_not_a_number():
    gradient, hessian = np.empty(1), np.empty(1)
    derivatives.poisson_derivatives(np.zeros(1), np.array([np.nan]), gradient, hessian)
    assert np.isnan(hessian[0])


def test_log_loss_keeps_its_figures_in_the_tails(derivatives_of):
    y, raw = np.array([1.0, 0.0]), np.array([50.0, -50.0])
    gradient, hessian = derivatives_of(LogLoss(), y, raw)
    np.testing.assert_allclose(gradient, [-np.exp(-50.0), np.exp(-50.0)], rtol=1e-12)
    np.testing.assert_allclose(hessian, np.exp(-50.0), rtol=1e-12)
    np.testing.assert_allclose(LogLoss().value(y, raw), np.exp(-50.0), rtol=1e-12)


def test_slices_of_rows_on_threads_give_the_same_bytes(loss, rows_of, derivatives_of):
    y, raw = rows_of(loss, 999, 3)
    whole, parts = derivatives_of(loss, y, raw), (np.empty_like(raw), np.empty_like(raw))

    def part(first):
        rows = slice(first, first + 100)
        loss.derivatives(y[rows], raw[rows], parts[0][rows], parts[1][rows])

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(part, range(0, 999, 100)))
    np.testing.assert_array_equal(parts, whole)


def test_kernels_run_as_plain_python_too(rows_of):
    for loss, kernel in [(LogLoss(), derivatives.log_loss_derivatives), (Softmax(3), derivatives.softmax_derivatives)]:
        y, raw = rows_of(loss, 20, 5)
        fast, slow = (np.empty_like(raw), np.empty_like(raw)), (np.empty_like(raw), np.empty_like(raw))
        kernel(y, raw, *fast)
        kernel.py_func(y, raw, *slow)
        np.testing.assert_allclose(fast, slow, rtol=1e-14)


PAIRS = [
    (SquaredError(), theirs.HalfSquaredError()),
    (AbsoluteError(), theirs.AbsoluteError()),
    (Quantile(0.9), theirs.PinballLoss(quantile=0.9)),
    (Huber(0.9, delta=1.5), theirs.HuberLoss(quantile=0.9, delta=1.5)),
    (Poisson(), theirs.HalfPoissonLoss()),
    (Gamma(), theirs.HalfGammaLoss()),
    (Tweedie(1.7), theirs.HalfTweedieLoss(power=1.7)),
    (LogLoss(), theirs.HalfBinomialLoss()),
    (Exponential(), theirs.ExponentialLoss()),
    (Softmax(3), theirs.HalfMultinomialLoss(n_classes=3)),
]


@pytest.mark.parametrize(("ours", "sklearns"), PAIRS, ids=lambda loss: type(loss).__name__)
def test_scikit_learn_has_the_same_values_and_derivatives(ours, sklearns, rows_of, derivatives_of):
    y, raw = rows_of(ours, 500, 11, spread=3.0)
    raw[:5] = y[:5] if ours.n_outputs == 1 else raw[:5]  # ties, where the slope is a matter of convention
    gradient, hessian = derivatives_of(ours, y, raw)
    expected_gradient, expected_hessian = sklearns.gradient_hessian(y, raw)
    np.testing.assert_allclose(gradient, expected_gradient, rtol=1e-9, atol=1e-12)
    if ours.newton:
        np.testing.assert_allclose(hessian, np.broadcast_to(expected_hessian, raw.shape), rtol=1e-9, atol=1e-12)
    deviance = isinstance(ours, (Poisson, Gamma, Tweedie))
    to_zero = sklearns.constant_to_optimal_zero(y) if deviance else 0.0
    np.testing.assert_allclose(ours.value(y, raw), sklearns.loss(y, raw) + to_zero, rtol=1e-9, atol=1e-9)
    mean = ours.mean(raw)
    mean = mean[:, 1] if isinstance(ours, (LogLoss, Exponential)) else mean
    expected = sklearns.predict_proba(raw) if isinstance(ours, Softmax) else sklearns.link.inverse(raw)
    np.testing.assert_allclose(mean, expected, rtol=1e-9)


def test_probabilities_add_up_to_one(loss, rows_of):
    _, raw = rows_of(loss, 50, 2, spread=20.0)
    if loss.for_classes:
        np.testing.assert_allclose(loss.mean(raw).sum(axis=1), 1.0)
        assert loss.mean(raw).shape == (50, max(loss.n_outputs, 2))


@pytest.mark.parametrize("loss", [ours for ours, _ in PAIRS], ids=str)
def test_losses_are_values(loss):
    assert pickle.loads(pickle.dumps(loss)) == loss
    assert hash(loss) == hash(pickle.loads(pickle.dumps(loss)))

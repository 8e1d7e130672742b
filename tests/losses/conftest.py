"""Each loss, and rows in its domain."""

import numpy as np
import pytest

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
    custom,
)


def log_cosh(y, raw):
    return np.logaddexp(raw - y, y - raw) - np.log(2.0)


def log_cosh_slope(y, raw):
    return np.tanh(raw - y)


def log_cosh_curvature(y, raw):
    return 1.0 - np.tanh(raw - y) ** 2


TWICE = [SquaredError(), Poisson(), Gamma(), Tweedie(1.5), LogLoss(), Exponential(), Softmax(3)]
TWICE += [custom(log_cosh, log_cosh_slope, log_cosh_curvature)]
ONCE = [Huber(0.9, delta=1.5), custom(log_cosh, log_cosh_slope), AbsoluteError(), Quantile(0.9), Quantile(0.25)]


def named(loss):
    return f"{type(loss).__name__}-{loss.name}"


@pytest.fixture(scope="session", params=TWICE, ids=named)
def smooth_loss(request):
    """A loss with a true hessian."""
    return request.param


@pytest.fixture(scope="session", params=TWICE + ONCE, ids=named)
def loss(request):
    return request.param


@pytest.fixture(scope="session")
def rows_of():
    """The target and raw predictions of n rows, drawn at random in the domain of a loss."""

    def rows(loss, n, seed, spread=1.0):
        rng = np.random.default_rng(seed)
        raw = spread * rng.normal(size=n if loss.n_outputs == 1 else (n, loss.n_outputs))
        if loss.for_classes:
            n_classes = max(loss.n_outputs, 2)
            y = rng.permutation(np.arange(n) % n_classes).astype(float)
        elif isinstance(loss, (Poisson, Tweedie)):
            y = rng.permutation(rng.poisson(2.0, n) + np.eye(n)[0])
        else:
            y = rng.gamma(2.0, 1.0, n) if isinstance(loss, Gamma) else rng.normal(0.0, 3.0, n)
        return y, raw

    return rows


@pytest.fixture(scope="session")
def derivatives_of():
    def derivatives(loss, y, raw):
        gradient, hessian = np.full_like(raw, np.nan), np.full_like(raw, np.nan)
        loss.derivatives(y, raw, gradient, hessian)
        return gradient, hessian

    return derivatives

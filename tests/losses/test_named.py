"""Losses by name, and the targets they refuse."""

import numpy as np
import pytest

from probus import DataError
from probus.losses import (
    Exponential,
    Gamma,
    Huber,
    LogLoss,
    Poisson,
    Quantile,
    Softmax,
    SquaredError,
    Tweedie,
    loss_named,
    loss_names,
)


def test_scikit_learns_names_are_known():
    assert loss_named("squared_error") == SquaredError()
    assert loss_named("huber", alpha=0.8) == Huber(0.8)
    assert loss_named("quantile", alpha=0.8) == Quantile(0.8)
    assert loss_named("log_loss") == loss_named("log_loss", n_classes=2) == LogLoss()
    assert loss_named("log_loss", n_classes=4) == Softmax(4)
    assert loss_named("exponential", n_classes=2) == Exponential()


def test_every_name_is_that_of_its_loss():
    names = {"squared_error", "absolute_error", "huber", "quantile", "poisson", "gamma", "tweedie"}
    assert set(loss_names(for_classes=False)) == names
    assert set(loss_names(for_classes=True)) == {"log_loss", "exponential"}
    for name in (*names, "log_loss", "exponential"):
        assert loss_named(name).name == name


def test_a_loss_is_handed_back():
    loss = Quantile(0.3)
    assert loss_named(loss) is loss


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda: loss_named("l2"), "loss='l2' is unknown.\n  Expected squared_error, absolute_error, huber, .*custom"),
        (
            lambda: loss_named("exponential", n_classes=3),
            "only suitable for a binary classification problem.*\n.*Use loss='log_loss'",
        ),
        (lambda: Quantile(1.0), "'alpha' parameter of Quantile must be a float in the range .* Got 1.0"),
        (lambda: Tweedie(2.0), "'power' parameter of Tweedie must be a float in the range .* Got 2.0"),
        (lambda: Huber(0.0), "'alpha' parameter of Huber must be a float in the range .* Got 0.0"),
        (lambda: Huber(0.9).value(np.ones(1), np.ones(1)), r"has no delta yet.*\n.*Call at\(y, raw, weight\)"),
    ],
)
def test_what_cannot_be_is_refused(ask, text):
    with pytest.raises(DataError, match=text):
        ask()


@pytest.mark.parametrize(
    ("loss", "y", "text"),
    [
        (Poisson(), [1.0, -1.0], "loss='poisson' requires non-negative y.* Here 1 of 2 values are negative.\n.*counts"),
        (Poisson(), [0.0, 0.0], r"sum\(y\) > 0. Here all 2 values are 0."),
        (Tweedie(), [0.0, -1.0], "loss='tweedie' requires non-negative y.* Here 1 of 2 values are negative"),
        (Gamma(), [1.0, 0.0], "requires strictly positive y. Here 1 of 2 values are 0 or negative.\n.*loss='poisson'"),
        (LogLoss(), [0.0, 2.0], "loss 'log_loss': 1 of 2 values of y are not codes of 2 classes, such as 2.\n.*0 to 1"),
        (Exponential(), [0.5, 1.0], "loss 'exponential': 1 of 2 values of y are not codes"),
        (Softmax(3), [-1.0, 3.0], "2 of 2 values of y are not codes of 3 classes, such as -1.\n.*codes from 0 to 2"),
    ],
)  # fmt: skip
def test_targets_outside_the_domain_are_refused(loss, y, text):
    with pytest.raises(DataError, match=text):
        loss.check(np.array(y))


def test_targets_inside_the_domain_pass(loss, rows_of):
    loss.check(rows_of(loss, 20, 0)[0])

"""Losses of plain functions are as good as ours, and what is wrong with them is said."""

import numpy as np
import pytest
from scipy.special import expit

from probus import DataError
from probus.losses import LogLoss, Poisson, SquaredError, check_derivatives, custom

HALF_SQUARE = custom(lambda y, raw: 0.5 * (y - raw) ** 2, lambda y, raw: raw - y, lambda y, raw: np.ones(len(y)))
TWO_CLASSES = custom(
    lambda y, raw: np.logaddexp(0.0, raw) - y * raw,
    lambda y, raw: expit(raw) - y,
    lambda y, raw: expit(raw) * expit(-raw),
    link="logit",
)
COUNTS = custom(lambda y, raw: np.exp(raw) - y * raw, lambda y, raw: np.exp(raw) - y, link="log")


@pytest.mark.parametrize(
    ("given", "known"), [(HALF_SQUARE, SquaredError()), (TWO_CLASSES, LogLoss()), (COUNTS, Poisson())]
)
def test_a_known_loss_given_by_functions_has_its_constant_step_and_mean(given, known, rows_of):
    y, raw = rows_of(known, 40, 6)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, 40)
    given.check(y)
    np.testing.assert_allclose(given.constant(y, weight), known.constant(y, weight), rtol=1e-8)
    np.testing.assert_allclose(given.step(y, raw, weight), known.step(y, raw, weight), rtol=1e-8)
    np.testing.assert_allclose(given.mean(raw), known.mean(raw))
    assert given.for_classes == known.for_classes


def test_without_a_hessian_leaves_are_set_by_line_search():
    assert not COUNTS.newton
    assert COUNTS.constant_hessian
    assert TWO_CLASSES.newton
    assert not TWO_CLASSES.constant_hessian


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
def test_the_search_follows_the_scale_of_the_target(scale):
    y = scale * np.array([0.0, 1.0, 2.0, 7.0])
    slope = custom(lambda y, raw: (y - raw) ** 2 / scale**2, lambda y, raw: 2 * (raw - y) / scale**2, start=0.0)
    np.testing.assert_allclose(slope.constant(y, None), [2.5 * scale], rtol=1e-9)


def broken(y, raw):
    return np.where(y > 1, np.nan, raw)


@pytest.mark.parametrize(
    ("loss", "text"),
    [
        (custom(broken, broken), "loss 'broken': 2 of 4 of its values are not finite."),
        (custom(lambda y, raw: 0.0, broken), r"its value has shape \(\) and dtype float64.\n  Expected one number for"),
        (custom(lambda y, raw: ["a"] * 4, broken), "dtype <U1.*\n.*Return the array, not its sum or mean."),
    ],
)
def test_a_value_that_cannot_be_used_is_named_when_the_target_is_checked(loss, text):
    with pytest.raises(DataError, match=text):
        loss.check(np.arange(4.0))


@pytest.mark.parametrize(
    ("gradient", "hessian", "text"),
    [
        (
            broken,
            None,
            "2 of 4 values of its gradient are not finite.\n  Expected a number for every row. "
            "Avoid overflow and undefined log",
        ),
        (lambda y, raw: raw.sum(), None, r"its gradient has shape \(\)"),
        (lambda y, raw: raw, broken, "2 of 4 values of its hessian are not finite"),
        (lambda y, raw: raw, lambda y, raw: raw[:2], r"its hessian has shape \(2,\)"),
        (lambda y, raw: raw, lambda y, raw: -raw - 1, "4 of 4 values of its hessian are negative.*\n.*line search"),
    ],
)
def test_derivatives_that_cannot_be_used_are_named(gradient, hessian, text):
    loss = custom(broken, gradient, hessian)
    with pytest.raises(DataError, match=text):
        loss.derivatives(np.arange(4.0), np.ones(4), np.empty(4), np.empty(4))


def test_an_unknown_link_is_refused():
    with pytest.raises(DataError, match=r"custom loss: link='probit'.\n  Expected 'identity', 'log' or 'logit'."):
        custom(broken, broken, link="probit")


@pytest.mark.parametrize(
    ("link", "y", "text"),
    [("log", -1.0, "y holds -1.\n  Expected no negative"), ("logit", 2.0, "y holds 2.\n  Expected 0 and 1 in y")],
)
def test_a_target_that_the_link_cannot_reach_is_refused(link, y, text):
    with pytest.raises(DataError, match=text):
        custom(broken, broken, link=link).check(np.array([0.0, y]))


def test_what_any_other_loss_wrote_is_checked_too():
    with pytest.raises(DataError, match="loss 'poisson': 1 of 2 values of its hessian are not finite"):
        check_derivatives(Poisson(), np.zeros(2), np.array([1.0, np.inf]))
    check_derivatives(Poisson(), np.zeros(2), None)

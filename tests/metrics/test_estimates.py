import math
from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probus.errors import DataError
from probus.metrics import Estimate

numbers = st.floats(-1e6, 1e6)


@st.composite
def estimates(draw):
    low, value, high = sorted(draw(st.tuples(numbers, numbers, numbers)))
    return Estimate(value, low, high, draw(st.floats(0.5, 0.99)), draw(st.text()), draw(st.integers(1, 99)))


@given(estimates())
def test_a_dict_and_back_is_the_same_estimate(estimate):
    assert Estimate.from_dict(estimate.to_dict()) == estimate


@given(estimates(), estimates())
def test_the_order_is_that_of_the_values(a, b):
    assert (a < b, a <= b, a > b, a >= b) == (
        a.value < b.value,
        a.value <= b.value,
        a.value > b.value,
        a.value >= b.value,
    )
    assert sorted([a, b]) == sorted([a, b], key=float)


@given(estimates())
def test_it_contains_its_value_and_its_ends_and_nothing_beyond(estimate):
    assert estimate.value in estimate
    assert estimate.low in estimate
    assert estimate.high in estimate
    assert math.nextafter(estimate.high, math.inf) not in estimate


@given(estimates())
def test_the_printed_ends_are_within_a_twentieth_of_the_half_width(estimate):
    if estimate.half_width < 1e-4:
        return
    _, printed = str(estimate).split(" ", 1)
    low, high = (float(end.replace(",", "")) for end in printed.strip("[]").split(", "))
    tolerance = estimate.half_width / 20 + 1e-9
    assert abs(low - estimate.low) <= tolerance
    assert abs(high - estimate.high) <= tolerance


@pytest.mark.parametrize(
    ("estimate", "printed"),
    [
        (Estimate(0.871, 0.852, 0.889), "0.871 [0.852, 0.889]"),
        (Estimate(4534.21, 4184.0, 4884.0), "4534 [4184, 4884]"),
        (Estimate(0.5, 0.1, 0.9), "0.50 [0.10, 0.90]"),
        (Estimate(0.62, 0.62, 0.62), "0.620 [0.620, 0.620]"),
        (Estimate(0.62, -math.inf, math.inf), "0.620 [-inf, inf]"),
    ],
)
def test_it_prints_two_significant_digits_of_its_uncertainty(estimate, printed):
    assert str(estimate) == repr(estimate) == f"{estimate}" == printed


def test_a_format_applies_to_all_three_numbers():
    assert f"{Estimate(0.871, 0.852, 0.889):.1%}" == "87.1% [85.2%, 88.9%]"


def test_html_says_how_the_interval_was_found_and_escapes_it():
    html = Estimate(0.871, 0.852, 0.889, method="a <b> method", n=10)._repr_html_()
    assert "95 % interval, a &lt;b&gt; method, n = 10" in html
    assert "0.871" in html


def test_it_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        Estimate(0.5, 0.4, 0.6).value = 1.0


def test_bad_levels_and_crossed_bounds_are_refused():
    with pytest.raises(DataError, match=r"a confidence level of 95\.\n  Expected a number between 0 and 1"):
        Estimate(0.5, 0.4, 0.6, level=95)
    with pytest.raises(DataError, match=r"an interval from 0\.6 to 0\.4\.\n  Expected the lower bound first"):
        Estimate(0.5, 0.6, 0.4)


def test_what_rounds_to_zero_has_no_sign():
    assert str(Estimate(-0.0001, -0.0302, 0.03)) == "-0.0001 [-0.030, 0.030]"
    assert str(Estimate(0.017, -0.0004, 0.034)) == "0.017 [0.000, 0.034]"
    assert f"{Estimate(-0.4, -0.6, 0.2):.0f}" == "0 [-1, 0]"
    assert "-0.000" not in Estimate(0.017, -0.0004, 0.034)._repr_html_()


def test_thousands_are_set_apart_from_five_digits_on():
    assert str(Estimate(18227.4, 17640.2, 18835.9)) == "18,227 [17,640, 18,836]"
    assert str(Estimate(9990.0, 8000.0, 12345.0)) == "9,990 [8,000, 12,345]"
    assert str(Estimate(2021.0, 1000.0, 3000.0)) == "2021 [1000, 3000]"
    assert f"{Estimate(18227.4, 17640.2, 18835.9):.3e}" == "1.823e+04 [1.764e+04, 1.884e+04]"


def test_numbers_far_from_one_are_powers_of_ten():
    assert str(Estimate(3.14159e-9, 2.9e-9, 3.4e-9)) == "3.14e-09 [2.90e-09, 3.40e-09]"
    assert str(Estimate(1e-9, 0.0, 2e-9)) == "1.0e-09 [0, 2.0e-09]"
    assert str(Estimate(4e50, 3e50, 5e50)) == "4.0e+50 [3.0e+50, 5.0e+50]"
    assert str(Estimate(1.0, 1 - 1e-9, 1.0)) == "1.00000000000 [0.99999999900, 1.00000000000]", "a score near its bound"

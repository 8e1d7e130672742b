"""How intervals are printed: nothing of them is lost or invented."""

import math
import re

from hypothesis import example, given
from hypothesis import strategies as st

from probus.display import interval_texts
from probus.metrics import Estimate

finite = st.floats(-1e12, 1e12) | st.floats(-1.0, 1.0) | st.floats(-1e-6, 1e-6)
trios = st.tuples(finite, finite, finite).map(sorted).map(lambda three: (three[1], three[0], three[2]))


def number(text):
    return float(text.replace(",", ""))


@given(trios, st.none() | st.integers(0, 6))
@example((0.0031, 0.0, 38.0), 0)
@example((1.02, 0.98, 1.06), 0)
@example((0.98, -1770.0, 1.0), 0)
@example((-0.0001, -0.0302, 0.03), None)
def test_a_value_is_never_printed_as_zero_nor_as_its_interval_unless_it_is(trio, decimals):
    value, low, high = trio
    texts = interval_texts(value, low, high, decimals)
    assert (number(texts[0]) == 0) == (value == 0)
    if abs(value) < 1 - 1e-6 and -1 <= low <= high <= 1:
        assert abs(number(texts[0])) < 1
    if (high - low) > 1e-14 * max(abs(low), abs(high)) and high - low > 1e-300:
        assert not texts[0] == texts[1] == texts[2]


@given(trios, st.none() | st.integers(0, 6))
def test_printed_bounds_are_in_order_and_near_the_numbers(trio, decimals):
    value, low, high = trio
    printed = [number(text) for text in interval_texts(value, low, high, decimals)]
    assert printed[1] <= printed[2]
    tolerance = (high - low) / 20
    for shown, true in zip(printed[1:], (low, high), strict=True):
        if tolerance > 1e-14 * abs(true):
            assert abs(shown - true) <= tolerance * (10 if decimals is not None else 1) + 1e-12 * abs(true) + 1e-15


@given(trios, st.none() | st.integers(0, 6))
def test_printed_numbers_can_be_copied_elsewhere(trio, decimals):
    for text in interval_texts(*trio, decimals):
        assert re.fullmatch(r"-?\d{1,3}(,\d{3})*(\.\d+)?|-?\d+(\.\d+)?(e[+-]\d+)?", text), text


def test_a_column_gives_a_number_at_most_one_more_decimal():
    assert interval_texts(38.12345, 31.0, 45.0, 6) == ["38.12", "31.00", "45.00"]
    assert interval_texts(0.98, 0.97, 0.99, 0) == ["0.98", "0.97", "0.99"]


def test_what_has_no_interval_has_three_digits():
    assert str(Estimate(43.2, -math.inf, math.inf)) == "43.2 [-inf, inf]"
    assert str(Estimate(0.00012345, 0.00012345, 0.00012345)) == "0.000123 [0.000123, 0.000123]"

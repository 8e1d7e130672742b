"""Levels that are intervals come back in numeric order, whatever their dress."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probus.data._interval_levels import in_numeric_order, interval_of

FORMS = {
    "a-b": "{}-{}",
    "a – b": "{} – {}",
    "a to b": "{} to {}",
    "[a, b)": "[{}, {})",
    "(a,b]": "({},{}]",
    "with a unit": "{}-{} years",
    "with two units": "{} mg/dl to {} mg/dl",
    "in dollars": "${}-${}",
    "x between": "{}<=x<{}",
}


@st.composite
def bounds(draw, most=10**6):
    return sorted(draw(st.sets(st.integers(0, most), min_size=3, max_size=12)))


@given(bounds(), st.sampled_from(sorted(FORMS)), st.randoms())
def test_adjoining_intervals_come_back_in_numeric_order(cuts, form, random):
    expected = [FORMS[form].format(low, high) for low, high in pairwise(cuts)]
    shuffled = random.sample(expected, len(expected))
    assert in_numeric_order(shuffled) == tuple(expected)


@given(bounds(), st.sampled_from(["<{}", "under {}", "-{}", "up to {}"]), st.sampled_from([">{}", "{}+", "{}-"]))
def test_open_ends_come_first_and_last(cuts, first, last):
    expected = [first.format(cuts[0]), *(f"{a}-{b}" for a, b in pairwise(cuts))]
    expected.append(last.format(cuts[-1]))
    assert in_numeric_order(expected[::-1]) == tuple(expected)


@given(bounds(), st.sampled_from(["{:,}", "{}"]))
def test_a_comma_or_nothing_between_thousands_reads_the_same(cuts, number):
    levels = [f"{number.format(a)}-{number.format(b)}" for a, b in pairwise(cuts)]
    assert in_numeric_order(levels[::-1]) == tuple(levels)


@given(st.lists(st.integers(0, 10**9).map(str), min_size=1, max_size=8, unique=True))
def test_plain_numbers_are_no_intervals(numbers):
    assert in_numeric_order(numbers) is None


@given(st.text(max_size=80))
def test_any_text_is_an_interval_or_nothing(text):
    interval = interval_of(text)
    assert interval is None or interval.low <= interval.high


@pytest.mark.parametrize(
    "levels",
    [
        ["under 6 months", "6 months to 1 year", "1-2 years", "2+ years"],
        ["0-50k", "50k-100k", "100k-1m", "1m+"],
        ["never", "1-2 times a week", "3+ times a week"],
        ["< 1 year", "1 year", "2 years", "10+ years"],
        ["<500", "500-1.000", "1.000-1.500"],
        ["1,5-2,5", "2,5-3"],
        ["(-inf, 0]", "(0, 10.5]", "(10.5, inf]"],
        ["(0,10]", "(10,100]", "(100,1e+03]"],
        ["-20--10", "-10-0", "0-10"],
        ["2", "3", "4", "5more"],
        ["One", "Two", "Three"],
        ["first", "second", "third"],
        ["1st", "2nd", "3rd", "10th"],
        ["9th grade", "10th grade"],
        ["Stage I", "Stage II", "Stage IV"],
        ["1980s", "1990s", "2000s"],
        ["50 ml", "100ml", "250 ml"],
    ],
)
def test_counted_and_measured_things_are_in_order(levels):
    assert in_numeric_order(sorted(levels)) == tuple(levels)


@pytest.mark.parametrize(
    "levels",
    [
        pytest.param(["0-9", "5-14"], id="they overlap"),
        pytest.param(["0-9", "0 - 9", "10-19"], id="one is there twice"),
        pytest.param(["2-1", "0-3", "1-1"], id="scores, not intervals"),
        pytest.param(["1-2 km", "3-4 kg"], id="units differ"),
        pytest.param(["1-2 years", "6 months", "3"], id="it is unclear what 3 is"),
        pytest.param(["1", "2", "3a"], id="only one has a unit"),
        pytest.param(["1st", "2nd", "Crew"], id="one does not belong"),
        pytest.param(["145", "145/80", "155/65"], id="sizes of tyres"),
        pytest.param(["2-4-d-injury", "brown-spot"], id="names of diseases"),
        pytest.param(["one-way", "two-way", "three-way"], id="names"),
        pytest.param(["1,234", "2,345", "3,456"], id="numbers"),
    ],
)
def test_what_has_no_numeric_order_has_none(levels):
    assert in_numeric_order(levels) is None

"""Parameters: every value has a place between 0 and 1 and comes back from it."""

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from probus.errors import DataError
from probus.spaces import Choice, Fixed, Integer, Real, Space

SPREAD = [
    (Real(-2, 5), stats.uniform(-2, 7)),
    (Real(1e-3, 1e2, log=True), stats.loguniform(1e-3, 1e2)),
    (Real(-3, 2, base=10), stats.loguniform(1e-3, 1e2)),
    (Real(-1, 3, base=0.5), stats.loguniform(1 / 8, 2)),
]


@pytest.mark.parametrize(("parameter", "expected"), SPREAD, ids=[repr(parameter) for parameter, _ in SPREAD])
def test_real_numbers_have_the_distribution_of_scipy(parameter, expected):
    drawn = [config["x"] for config in Space({"x": parameter}).sample(0, 2_000)]
    assert stats.kstest(drawn, expected.cdf).pvalue > 0.01


def test_whole_numbers_are_equally_frequent():
    drawn = [config["x"] for config in Space({"x": Integer(3, 7)}).sample(0, 2_000)]
    assert stats.chisquare(np.bincount(drawn)[3:]).pvalue > 0.01


def test_the_logarithm_of_whole_numbers_is_spread_evenly():
    drawn = [config["x"] for config in Space({"x": Integer(1, 1000, log=True)}).sample(0, 2_000)]
    for value in (1, 10, 100):  # P(x ≤ value) of a log-uniform number between 0.5 and 1000.5, rounded
        expected = math.log((value + 0.5) / 0.5) / math.log(1000.5 / 0.5)
        assert stats.binomtest(sum(x <= value for x in drawn), 2_000, expected).pvalue > 0.001


WHOLE = st.builds(lambda a, b, log: Integer(a, a + b, log), st.integers(1, 99), st.integers(1, 999), st.booleans())
REAL = st.builds(lambda a, b, log: Real(a, a * b, log), st.floats(1e-9, 1e9), st.floats(1.1, 1e9), st.booleans())
VALUE = st.one_of(st.integers(), st.text(), st.booleans(), st.none())
CHOICE = st.lists(VALUE, min_size=1, unique_by=repr).map(lambda values: Choice(*values))


@given(st.one_of(WHOLE, REAL, CHOICE), st.floats(0, 1))
def test_values_come_back_from_their_places_and_through_json(parameter, unit):
    value = parameter.from_unit(unit)
    assert parameter.holds(value)
    again = parameter.from_unit(parameter.to_unit(value))
    assert type(again) is type(value)
    assert again == (pytest.approx(value, rel=1e-9) if isinstance(value, float) else value)
    assert parameter.plain(json.loads(json.dumps(value))) == value


@pytest.mark.parametrize("parameter", [Real(0.1, 0.7), Real(1e-5, 3e4, log=True), Real(-12, 12, base=2)])
def test_the_bounds_are_values(parameter):
    assert all(parameter.holds(parameter.from_unit(end)) for end in (0.0, 1.0))
    assert (parameter.from_unit(0.0), parameter.from_unit(1.0)) == pytest.approx(parameter.bounds)


def test_values_of_a_choice_are_told_apart_by_type():
    choice = Choice(1, 1.0, True, None, "sqrt")
    assert [choice.index(value) for value in (1, 1.0, True, None, "sqrt", np.float64(1), "1")] == [
        0,
        1,
        2,
        3,
        4,
        1,
        None,
    ]
    assert Choice(1, 2).holds(2.0)
    assert not Choice(1, 2).holds(True)


def test_numbers_are_neither_booleans_nor_missing():
    assert not Integer(0, 3).holds(True)
    assert not Integer(0, 3).holds(2.0)
    assert not Real(0, 1).holds(None)
    assert not Real(0, 1).holds(math.nan)
    assert Integer(0, 3).holds(np.int64(3))


def test_the_grid_has_the_bounds_and_no_value_twice():
    assert Integer(1, 3).grid(10) == [1, 2, 3]
    assert Integer(1, 6, log=True).grid(6) == sorted(set(Integer(1, 6, log=True).grid(6)))
    assert Real(0, 1).grid(3) == [0.0, 0.5, 1.0]
    assert Choice("a", "b", "c").grid(2) == ["a", "b", "c"]
    assert Fixed(3).grid(9) == [3]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Real(1, 0), "Real(1, 0): low is 1 and high is 0.\n  Expected low < high. Swap them."),
        (lambda: Integer(4, 4), "Integer(4, 4): low is 4 and high is 4.\n  Expected low < high. Use Fixed(4)"),
        (lambda: Real(0, 1, log=True), "log=True and low is 0.0.\n  Expected low > 0. Begin at a small positive"),
        (lambda: Real(0, math.inf), "inf is not a bound.\n  Expected finite numbers"),
        (lambda: Real("1", 2), "'1' is not a bound"),
        (lambda: Integer(0.5, 2), "0.5 is not a bound.\n  Expected whole numbers"),
        (lambda: Real(1, 2, log=True, base=2), "Expected either log=True or a base. With a base,"),
        (lambda: Real(1, 2, base=1), "base=1.\n  Expected a positive number other than 1"),
        (lambda: Real(-9999, 9999, base=10), "a bound is too large for a power of 10"),
        (lambda: Choice(), "Choice() has no values.\n  Expected at least one value"),
        (lambda: Choice("a", "b", "a"), "has 'a' twice.\n  Expected different values"),
        (lambda: Choice(object), "type \"<class 'object'>\" cannot be a value.\n  Expected None, a boolean, a finite"),
        (lambda: Choice(math.nan), "float 'nan' cannot be a value"),
    ],
)  # fmt: skip
def test_errors_say_what_is_wrong_with_a_parameter(make, message):
    with pytest.raises(DataError) as error:
        make()
    assert message in str(error.value)


def test_a_list_or_an_array_is_a_choice_as_in_the_grids_of_scikit_learn():
    space = Space({"C": [0.1, 1, 10], "gamma": np.logspace(-2, 0, 3), "depth": range(2, 4), "layers": (8, 8)})
    assert [str(each) for each in space.parameters.values()] == [
        "Choice(0.1, 1, 10)", "Choice(0.01, 0.1, 1.0)", "Choice(2, 3)", "Fixed((8, 8))",
    ]  # fmt: skip


def test_a_choice_takes_values_as_arguments_and_spaces_by_value():
    with pytest.raises(DataError, match=r"Choice\(\[1, 2\]\) has one value, a list\.\n  Expected Choice\(1, 2\)"):
        Choice([1, 2])
    with pytest.raises(DataError, match=r"Choice\(\{'a': 1\}\)\.\n  Expected the space of the parameters of 'a'"):
        Choice({"a": 1})

"""Infinite and very large numbers are described and reported without warnings of NumPy."""

import warnings

import numpy as np
import pytest

import probus
from probus.data.large_numbers import moments, within_range


def table(*special):
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    x[: len(special)] = special
    return probus.Table.of({"x": x, "z": rng.normal(size=60), "c": np.array(list("ab"))[rng.integers(0, 2, 60)]})


SPECIAL = [(np.inf,), (-np.inf, np.inf), (1e300,), (1e300, -1e300), (1e200, 1e160), (5e-324,)]
VERBS = {
    "examine": lambda rows: f"{probus.examine(rows)} {probus.examine(rows, 'c')}",
    "describe": lambda rows: repr(rows.describe()),
    "explore": lambda rows: repr(probus.explore(rows)),
}


@pytest.mark.parametrize("special", SPECIAL, ids=str)
@pytest.mark.parametrize("verb", VERBS)
def test_no_raw_warning_is_printed(verb, special):
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        printed = VERBS[verb](table(*special))
    assert [str(each.message) for each in raised] == []
    assert printed


def test_infinite_values_are_a_finding():
    assert "PB205" in repr(probus.examine(table(np.inf)))


@pytest.mark.parametrize("power", [2.0**700, 2.0**900])
def test_moments_scale_with_the_numbers(power):
    values = np.random.default_rng(1).normal(size=50)
    mean, std = moments(values * power)
    assert mean / power == pytest.approx(values.mean())
    assert std / power == pytest.approx(values.std(ddof=1))


def test_ordinary_numbers_are_not_changed():
    values = np.array([3.0, -1e99])
    scaled, power = within_range(values)
    assert scaled is values
    assert power == 1


def test_a_spread_beyond_float64_is_infinite():
    assert moments(np.array([1.7e308, -1.7e308]))[1] == np.inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probus.errors import DataError
from probus.metrics.curves._shares import effective_size, quantile, wilson

few = settings(max_examples=settings.default.max_examples // 3)

levels = st.floats(0.5, 0.99)


@few
@given(st.integers(0, 50), st.integers(1, 50), levels)
def test_the_ends_are_the_shares_that_the_observed_one_just_contradicts(hits, misses, level):
    n = hits + misses
    p = hits / n
    for end in np.concatenate([np.atleast_1d(end) for end in wilson(p, n, level)]):
        assert (p - end) ** 2 == pytest.approx(quantile(level) ** 2 * end * (1 - end) / n, abs=1e-12)


@few
@given(st.floats(0, 1), st.floats(0, 1e6), levels)
def test_the_interval_holds_its_share_and_stays_a_share(p, n, level):
    low, high = wilson(p, n, level)
    assert 0 <= low <= p <= high <= 1


def test_it_is_that_of_r():
    # R 4.2, prop.test(8, 10, correct = FALSE)$conf.int
    assert np.array(wilson(0.8, 10, 0.95)) == pytest.approx([0.4901625, 0.9433178], abs=1e-7)


def test_of_no_rows_nothing_is_known():
    assert np.array_equal(wilson(np.array([np.nan, 0.0]), np.zeros(2), 0.95), [[0, 0], [1, 1]])


@few
@given(st.integers(1, 30), st.floats(0.1, 10))
def test_rows_of_equal_weight_count_once_each(n, weight):
    assert effective_size(n * weight, n * weight**2) == pytest.approx(n)


def test_uneven_weights_know_less():
    w = np.array([1.0, 1.0, 8.0])
    assert 1 < effective_size(w.sum(), (w**2).sum()) < 3


@pytest.mark.parametrize("level", [0, 1, 95])
def test_a_level_is_a_share(level):
    with pytest.raises(DataError, match=r"confidence level of \d+\.\n.*between 0 and 1\. 95 % is 0.95"):
        wilson(0.5, 10, level)

"""The code that a threshold falls after."""

import numpy as np
import pytest

from probus.tree.forest_engine._random_cut import last_below


@pytest.mark.parametrize("n_codes", [2, 3, 17, 255, 256, 1000])
def test_the_cut_is_after_the_last_code_whose_smallest_value_is_at_most_the_threshold(n_codes):
    rng = np.random.default_rng(n_codes)
    low = np.sort(rng.normal(size=n_codes))
    for _ in range(50):
        first, last = np.sort(rng.choice(n_codes, 2, replace=False))
        t = rng.choice([low[first], rng.uniform(low[first], low[last]), np.nextafter(low[last], -9.0)])
        at = int(last_below.py_func(low, first, last, t, 1 << (n_codes.bit_length() - 1)))
        assert first <= at < last
        assert low[at] <= t < low[at + 1]

"""Random cuts read no value that is not there."""

import numpy as np

from probus.tree.binned.random_cut import last_below


def test_the_code_of_missing_values_is_not_looked_up():
    low = np.array([1.0, 2.0, 3.0])
    own = np.array([0, 3, 2, 1], np.uint8)  # 3 is the code of missing values, of the last column
    assert last_below.py_func(low, own, 0, 2, 2.5) == 1

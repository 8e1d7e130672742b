"""What the method is for: of columns that say nothing, none is preferred, and hardly any is chosen."""

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

from probus.tree.conditional._independence import Independence, IndependenceData

N_ROWS, N_RUNS = 120, 1500
N_LEVELS = np.array([0, 0, 2, 0, 8])


def noise(rng):
    """Columns of two to 120 different values, as numbers and as levels."""
    few, two, steps, levels = (rng.integers(0, k, N_ROWS) for k in (3, 2, 10, 8))
    return np.stack([rng.normal(size=N_ROWS), few, two, steps, levels])


@pytest.mark.slow
@pytest.mark.parametrize("q", [1, 3])
@pytest.mark.parametrize("teststat", ["quadratic", "maximum"])
def test_noise_is_chosen_evenly_and_seldom(teststat, q):
    rng = np.random.default_rng(0)
    how = Independence(teststat, "bonferroni", 1, 0)
    rows, chosen, splits = np.arange(N_ROWS), np.zeros(5), 0
    for _ in range(N_RUNS):
        h = np.eye(3)[rng.integers(0, 3, N_ROWS)] if q == 3 else rng.normal(size=(N_ROWS, 1))
        tests = how.tests(IndependenceData(noise(rng), N_LEVELS, h, np.ones(N_ROWS)), rows, 0)
        chosen[np.argmin(tests.log_p)] += 1
        splits += len(tests.significant(0.05)) > 0
    if teststat == "quadratic":
        assert chisquare(chosen).pvalue > 0.001, f"columns chosen: {chosen}"
        assert binomtest(splits, N_RUNS, 0.05).pvalue > 0.001, f"{splits} splits"
    else:  # a bound: columns of many contrasts are chosen a little less often, never more
        assert splits <= binomtest(75, N_RUNS, 0.05).proportion_ci(0.999).high * N_RUNS

"""Intervals hold the truth as often as they say; research/coverage.py has the whole table."""

import numpy as np
import pytest
from scipy.stats import binom

from probus.metrics import Outcome, measure
from probus.metrics.bootstrap import estimate_outcome

REPLICATIONS = 400


def labelled(rng, n):
    actual = (rng.random(n) < 0.3).astype(np.int64)
    predicted = (rng.random(n) < np.where(actual, 0.7, 0.15)).astype(np.int64)
    return Outcome(actual, predicted, classes=(0, 1), positive=1)


def numbers(rng, n):
    predicted = rng.normal(size=n)
    return Outcome(predicted + rng.normal(size=n), predicted)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "sample", "truth"),
    [("accuracy", labelled, 0.805), ("f1", labelled, 0.42 / 0.615), ("rmse", numbers, 1.0), ("r2", numbers, 0.5)],
)
def test_ninety_five_in_a_hundred_intervals_of_fifty_rows_hold_the_truth(name, sample, truth):
    rng, of = np.random.default_rng(0), measure(name)
    found = (estimate_outcome(of, sample(rng, 50), random_state=i, n_resamples=999) for i in range(REPLICATIONS))
    held = sum(truth in each for each in found)
    lowest, highest = binom.ppf(0.001, REPLICATIONS, 0.93), binom.ppf(0.999, REPLICATIONS, 0.97)
    assert lowest <= held <= highest

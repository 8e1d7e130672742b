"""The score of one new test set: wider than the interval of the expected score, within bounds, and right."""

import math

import numpy as np
import pytest

from probus.lifecycle._new_test_set import score_of_new_test_set
from probus.metrics import Estimate, measure
from probus.metrics.curves._shares import wilson

SCORES = {
    "roc_auc": Estimate(0.9, 0.85, 0.94),
    "log_loss": Estimate(0.4, 0.3, 0.55),
    "r2": Estimate(0.5, 0.35, 0.6),
}


@pytest.mark.parametrize("name", ["roc_auc", "log_loss", "r2"])
def test_fewer_new_rows_vary_more_and_very_many_as_the_expected_score(name):
    score = SCORES[name]
    few, as_many, many = (score_of_new_test_set(score, measure(name), 100, n) for n in (20, 100, 10**9))
    assert few.low < as_many.low < many.low
    assert many.high < as_many.high < few.high
    assert [each.value for each in (few, as_many, many)] == [score.value] * 3
    assert many.half_width == pytest.approx(score.half_width, rel=0.05)


@pytest.mark.parametrize("name", ["roc_auc", "log_loss", "r2"])
def test_no_interval_crosses_a_bound_of_the_measure(name):
    found = score_of_new_test_set(SCORES[name], measure(name), 1000, 1)
    assert measure(name).low <= found.low < found.high <= measure(name).high


def test_a_small_set_may_have_no_error():
    assert score_of_new_test_set(Estimate(0.97, 0.94, 0.99), measure("accuracy"), 200, 30).high == 1
    assert score_of_new_test_set(Estimate(0.97, 0.94, 0.99), measure("accuracy"), 200, 10_000).high < 1


def test_a_score_at_its_bound_is_below_it_in_some_sets():
    found = score_of_new_test_set(Estimate(1.0, 0.96, 1.0), measure("accuracy"), 90, 90)
    assert (found.value, found.high) == (1, 1)
    assert found.low == pytest.approx(1 - math.sqrt(2) * 0.04)


def test_a_score_without_an_interval_has_none_for_new_rows():
    found = score_of_new_test_set(Estimate(3.0, -math.inf, math.inf), measure("rmse"), 10, 10)
    assert (found.low, found.high) == (0, math.inf)


def test_it_names_what_it_covers():
    found = score_of_new_test_set(Estimate(0.8, 0.7, 0.9, method="t"), measure("accuracy"), 100, 1)
    assert found.method == "for the score of one new test set of 1 row; t"


@pytest.mark.parametrize(("share", "new"), [(0.7, 200), (0.9, 200), (0.9, 60), (0.97, 60), (0.8, 2_000)])
def test_binomial_sets_score_within_it_as_often_as_the_level_states(share, new):
    random = np.random.default_rng(0)
    tested = 200
    held = []
    for right in random.binomial(tested, share, 400):
        low, high = wilson(right / tested, tested, 0.95)
        score = Estimate(right / tested, float(low), float(high))
        held += [random.binomial(new, share) / new in score_of_new_test_set(score, measure("accuracy"), tested, new)]
    assert 0.93 <= np.mean(held) <= 0.995

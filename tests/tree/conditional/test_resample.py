"""Permutation p-values: right on average, seeded, adjusted for all columns."""

from itertools import permutations

import joblib
import numpy as np
import pytest

from probus.tree.conditional._independence import Independence, IndependenceData
from probus.tree.conditional._pvalue import log_pvalues


def cases_of(columns, n_levels, h, w=None):
    columns = np.asarray(columns, float)
    return IndependenceData(columns, np.asarray(n_levels), h, np.ones(columns.shape[1]) if w is None else w)


def permuted(cases, teststat="quadratic", n_resamples=4999, seed=0):
    how = Independence(teststat, "montecarlo", n_resamples, seed)
    return how.tests(cases, np.arange(len(cases.w)), 0)


@pytest.mark.parametrize("teststat", ["quadratic", "maximum"])
def test_the_share_comes_near_that_of_all_permutations(teststat):
    rng = np.random.default_rng(1)
    h = rng.normal(size=(7, 1))
    cases = cases_of([h[:, 0] + rng.normal(size=7), np.arange(7) % 3], [0, 3], h)
    rows, maximum = np.arange(7), teststat == "maximum"
    observed = log_pvalues(*cases.statistics(rows, rows, maximum), maximum)
    every = [
        log_pvalues(*cases.statistics(rows, np.array(order), maximum), maximum).min()
        for order in permutations(range(7))
    ]
    expected = (np.array(every)[:, None] <= observed + 1e-9).mean(axis=0)
    np.testing.assert_allclose(permuted(cases, teststat).pvalue, expected, atol=4 * 0.5 / np.sqrt(4999))


def test_equal_columns_cost_no_adjustment():
    rng = np.random.default_rng(2)
    x, h = rng.normal(size=30), rng.normal(size=(30, 1))
    one, five = permuted(cases_of([x], [0], h)), permuted(cases_of([x] * 5, [0] * 5, h))
    np.testing.assert_allclose(five.pvalue, np.repeat(one.pvalue, 5))


def test_the_seed_decides_and_threads_do_not():
    rng = np.random.default_rng(3)
    cases = cases_of(rng.normal(size=(4, 200)), [0] * 4, rng.normal(size=(200, 1)))
    one = permuted(cases, n_resamples=999)
    with joblib.parallel_config("threading", n_jobs=2):
        np.testing.assert_array_equal(permuted(cases, n_resamples=999).pvalue, one.pvalue)
    assert (permuted(cases, n_resamples=999, seed=1).pvalue != one.pvalue).any()


def test_a_weight_of_two_is_two_cases_to_shuffle():
    rng = np.random.default_rng(4)
    x, h = rng.normal(size=20), rng.normal(size=(20, 1))
    twice = np.repeat(np.arange(20), 2)
    weighted = permuted(cases_of([x], [0], h, np.full(20, 2.0)))
    repeated = permuted(cases_of([x[twice]], [0], h[twice]))
    np.testing.assert_allclose(weighted.pvalue, repeated.pvalue)


def test_what_cannot_be_tested_has_no_p_value():
    h = np.random.default_rng(5).normal(size=(20, 1))
    tests = permuted(cases_of([np.zeros(20), np.arange(20)], [0, 0], h), n_resamples=99)
    assert np.isnan(tests.pvalue[0])
    assert 0 < tests.pvalue[1] <= 1

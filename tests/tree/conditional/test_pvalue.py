"""P-values in logarithms, compared with SciPy's, and where those underflow."""

import numpy as np
import pytest
from scipy.stats import chi2, norm

from probus.tree.conditional._pvalue import _log_far_tail, bonferroni, log_pvalues


def test_a_quadratic_form_has_the_tail_of_chi_squared():
    x, freedom = np.array([0.3, 5.0, 40.0, 900.0, np.nan]), np.array([1, 2, 8, 6, 1])
    np.testing.assert_allclose(log_pvalues(x, freedom, False), chi2.logsf(x, freedom), rtol=1e-10)


@pytest.mark.parametrize("freedom", [1, 2, 7, 200])
def test_the_far_tail_continues_the_near_one(freedom):
    x = np.array([700.0, 1000.0, 1250.0])
    np.testing.assert_allclose(_log_far_tail(np.full(3, 0.5 * freedom), 0.5 * x), chi2.logsf(x, freedom), rtol=1e-11)
    further = log_pvalues(np.array([1500.0, 3e4, 1e6]), np.full(3, freedom), False)
    assert np.isfinite(further).all()
    assert (np.diff(further) < 0).all()


def test_the_maximum_of_one_is_a_two_sided_normal_test():
    c = np.array([0.0, 1.96, 8.0])
    np.testing.assert_allclose(np.exp(log_pvalues(c, np.ones(3, int), True)), 2 * norm.sf(c), rtol=1e-10)


def test_sidaks_bound_holds_for_dependent_statistics():
    rng = np.random.default_rng(0)
    z = rng.multivariate_normal(np.zeros(3), [[1, -0.5, -0.5], [-0.5, 1, -0.5], [-0.5, -0.5, 1]], 20_000)
    share = (np.abs(z).max(axis=1) >= 2.0).mean()
    bound = np.exp(log_pvalues(np.array([2.0]), np.array([3]), True))[0]
    assert bound == pytest.approx(1 - (1 - 2 * norm.sf(2.0)) ** 3)
    assert share <= bound + 0.005


def test_bonferroni_counts_the_tests_that_were_made():
    p = np.array([0.02, np.nan, 0.5])
    np.testing.assert_allclose(bonferroni(np.log(p)), 1 - (1 - p) ** 2)


def test_the_smallest_numbers_are_adjusted_too():
    np.testing.assert_allclose(bonferroni(np.array([-700.0, -800.0])), [2 * np.exp(-700.0), 0.0])

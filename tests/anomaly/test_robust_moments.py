"""False alarms of the robust Mahalanobis distance, and the cut-offs of Hardin and Rocke (2005)."""

import numpy as np
import pytest

from probus.anomaly import Mahalanobis
from probus.anomaly._mahalanobis import raw_cut_off, robust_moments, too_narrow


@pytest.mark.slow
@pytest.mark.parametrize(("n", "p"), [(60, 3), (60, 4), (35, 3)])
def test_new_normal_rows_are_alarms_as_often_as_the_rate_says(n, p):
    """These numbers of rows were not used to simulate the cut-offs. 60 × 3 had 3 % of alarms at 1 %."""
    for rate, least, most in ((0.01, 0.0067, 0.0133), (0.05, 0.033, 0.067)):
        alarms = []
        for seed in range(60):
            rng = np.random.default_rng([seed, 1])
            model = Mahalanobis(method="mcd", false_alarm_rate=rate, random_state=0).fit(rng.normal(size=(n, p)))
            alarms.append((model.predict(rng.normal(size=(2000, p))) < 0).mean())
        assert least < np.mean(alarms) < most


@pytest.mark.slow
@pytest.mark.parametrize(("n", "p"), [(18, 7), (22, 9), (12, 4)])
def test_hardly_more_rows_than_a_subset_of_half_needs_give_few_false_alarms(n, p):
    """15 and 19 of 100 new normal rows were alarms at 5 %, of 7 and 9 columns."""
    alarms = []
    for seed in range(60):
        rng = np.random.default_rng([seed, 2])
        model = Mahalanobis(method="mcd", false_alarm_rate=0.05, random_state=0).fit(rng.normal(size=(n, p)))
        alarms.append((model.predict(rng.normal(size=(500, p))) < 0).mean())
    assert 0.01 < np.mean(alarms) < 0.09  # ± 0.015


def test_outliers_do_not_move_the_mean():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    X[:12, 0] += 8.0
    location, covariance, rows, subset = robust_moments(X, None, 0)
    assert np.abs(location).max() < 0.5
    assert np.abs(np.log(covariance.diagonal())).max() < 0.7
    assert (rows <= 48, subset) == (True, 32)
    model = Mahalanobis(method="mcd", random_state=0).fit(X)
    assert (model.predict(X[:12]) < 0).all()


def test_the_cut_off_of_the_subset_is_that_of_hardin_and_rocke():
    """With many rows it is that of χ², made consistent; with few it is wider."""
    from scipy import stats

    n, p, h = 1_000_000, 4, 500_002
    consistent = 0.5 / stats.chi2.cdf(stats.chi2.ppf(0.5, p), p + 2)
    assert raw_cut_off(n, p, h) == pytest.approx(consistent * stats.chi2.isf(0.025, p), rel=1e-3)
    assert raw_cut_off(60, 3, 32) > 1.5 * consistent * stats.chi2.isf(0.025, 3)
    assert raw_cut_off(60, 3, 60) == np.inf


def test_many_rows_need_no_correction():
    assert too_narrow(100_000, 5, 50_003, 0.01) == pytest.approx(1.0, abs=1e-3)
    assert too_narrow(60, 3, 32, 0.01) > too_narrow(60, 3, 50, 0.01) > too_narrow(60, 3, 60, 0.01) == 1.0
    assert too_narrow(45, 20, 33, 0.01) < 3.0


def test_collinear_columns_and_few_values_have_robust_distances():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 2))
    same = np.column_stack([X, X[:, 0] + X[:, 1]])
    model = Mahalanobis(method="mcd", random_state=0).fit(same)
    assert model.rank_ == 2
    assert np.isfinite(model.score_samples(same)).all()
    assert (model.predict(same) < 0).mean() < 0.15

"""Votes and averages against enumeration, closed forms, limits and simulation."""

from itertools import product

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import betabinom

from probus.comparison._voting_theory import (
    ensemble_variance,
    majority_vote_error,
    plot_ensemble_variance,
    plot_majority_vote,
)
from probus.errors import DataError

mpl.use("Agg")

errors = st.floats(0.01, 0.99)
correlations = st.floats(0.0, 1.0)


def enumerated(n, error, ties=0.5):
    """Every way n voters can be right or wrong, with its probability."""
    wrong = 0.0
    for votes in product((0, 1), repeat=n):
        chance = np.prod([error if vote else 1 - error for vote in votes])
        wrong += chance * (1.0 if 2 * sum(votes) > n else ties if 2 * sum(votes) == n else 0.0)
    return wrong


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7, 8])
def test_independent_voters_agree_with_enumeration(n):
    assert majority_vote_error(n, 0.3) == pytest.approx(enumerated(n, 0.3))
    assert majority_vote_error(n, 0.3, ties="wrong") == pytest.approx(enumerated(n, 0.3, ties=1.0))


def test_25_voters_of_error_035_err_in_six_of_a_hundred_cases():
    assert round(majority_vote_error(25, 0.35), 2) == 0.06


@given(n=st.integers(1, 60), error=errors, rho=correlations)
def test_right_and_wrong_votes_mirror_each_other(n, error, rho):
    both = majority_vote_error(n, error, rho) + majority_vote_error(n, 1 - error, rho)
    assert both == pytest.approx(1.0, abs=1e-8)


@given(half=st.integers(0, 30), error=st.floats(0.01, 0.49), rho=correlations)
def test_two_more_voters_never_harm_where_each_is_better_than_chance(half, error, rho):
    n = 2 * half + 1
    assert majority_vote_error(n + 2, error, rho) <= majority_vote_error(n, error, rho) + 1e-9


@given(n=st.integers(1, 40), error=errors, rho=correlations)
def test_an_even_number_of_voters_with_a_coin_equals_one_voter_fewer(n, error, rho):
    assert majority_vote_error(2 * n, error, rho) == pytest.approx(majority_vote_error(2 * n - 1, error, rho), abs=1e-8)


def test_correlation_runs_smoothly_from_independence_to_unanimity():
    rho = np.array([0.0, 1e-12, 1e-9, 1e-6, 0.1, 0.5, 0.9, 1 - 1e-9, 1.0])
    vote = majority_vote_error(25, 0.35, rho)
    assert np.all(np.diff(vote) >= -1e-6)
    assert vote[1:4] == pytest.approx(vote[0], abs=1e-4)
    assert vote[-2:] == pytest.approx(0.35, abs=1e-6)


def test_correlated_votes_agree_with_scipys_beta_binomial():
    a, b = 0.3 * 0.8 / 0.2, 0.7 * 0.8 / 0.2
    assert majority_vote_error(21, 0.3, 0.2) == pytest.approx(betabinom.sf(10, 21, a, b))


def test_the_edges_of_error_stay_where_they_are():
    assert majority_vote_error(9, 0.0, 0.3) == 0.0
    assert majority_vote_error(9, 1.0, 0.3) == 1.0


def test_correlated_votes_agree_with_simulated_voters_of_that_correlation():
    rng = np.random.default_rng(0)
    n, error, rho = 11, 0.3, 0.25
    hardness = rng.beta(error * (1 - rho) / rho, (1 - error) * (1 - rho) / rho, 200_000)
    wrong = rng.random((200_000, n)) < hardness[:, None]
    assert np.corrcoef(wrong[:, 0], wrong[:, 1])[0, 1] == pytest.approx(rho, abs=0.01)
    assert majority_vote_error(n, error, rho) == pytest.approx((wrong.sum(axis=1) > n / 2).mean(), abs=0.004)


@given(n=st.integers(1, 12), variance=st.floats(0, 100), rho=correlations)
def test_the_variance_of_a_mean_is_that_of_its_covariance_matrix(n, variance, rho):
    covariance = variance * ((1 - rho) * np.eye(n) + rho)
    mean = np.full(n, 1 / n)
    assert ensemble_variance(n, variance, rho) == pytest.approx(mean @ covariance @ mean, abs=1e-9)


def test_opposed_pairs_cancel():
    assert ensemble_variance(2, 3.0, -1.0) == 0.0


def test_the_variance_of_averaged_predictors_is_the_simulated_one():
    rng = np.random.default_rng(1)
    shared, own = rng.normal(size=(50_000, 1)), rng.normal(size=(50_000, 20))
    predictors = np.sqrt(0.3) * shared + np.sqrt(0.7) * own
    assert ensemble_variance(20, 1.0, 0.3) == pytest.approx(predictors.mean(axis=1).var(), rel=0.03)


def test_arrays_broadcast():
    assert majority_vote_error([1, 3, 25], 0.35).shape == (3,)
    assert ensemble_variance([[1], [10]], 1.0, [0.0, 0.5]).shape == (2, 2)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: majority_vote_error(0, 0.3), r"n=0 voters.\n  Expected a whole number, at least 1"),
        (lambda: majority_vote_error(2.5, 0.3), r"n=2.5 voters"),
        (lambda: majority_vote_error(3, 1.2), r"error=1.2.\n  Expected a probability: between 0 and 1"),
        (lambda: majority_vote_error(3, np.nan), r"error=nan"),
        (lambda: majority_vote_error(3, 0.3, -0.1), r"correlation=-0.1.\n  Expected a number between 0 and 1"),
        (lambda: majority_vote_error(4, 0.3, ties="right"), r"ties='right'.\n  Expected 'coin' or 'wrong'"),
        (lambda: ensemble_variance(3, -1.0), r"variance=-1.\n  Expected a finite number, not negative"),
        (lambda: ensemble_variance(5, 1.0, -0.5), r"correlation=-0.5.\n  Expected a number from −1/\(n − 1\)"),
    ],
)
def test_impossible_ensembles_are_refused_in_words(call, told):
    with pytest.raises(DataError, match=told):
        call()


def test_the_plots_name_every_line():
    votes, variances = plot_majority_vote((1, 25), error=0.35), plot_ensemble_variance((0.0, 0.5))
    assert {"1 voter: 0.35", "25 voters: 0.06"} <= {text.get_text() for text in votes.texts}
    assert {"ρ = 0", "ρ = 0.5"} == {text.get_text() for text in variances.texts}

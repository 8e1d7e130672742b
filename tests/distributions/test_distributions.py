"""Distributions agree with SciPy, with closed forms and with simulation."""

import runpy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import digamma

import probus
from probus.data import Table
from probus.distributions import (
    Bernoulli,
    Beta,
    Binomial,
    Categorical,
    Dirichlet,
    Exponential,
    Gamma,
    Normal,
    Poisson,
    bayes_error,
    neighbours_error_bound,
)
from probus.errors import DataError
from probus.neighbors import KNeighborsClassifier

DRAWN = {
    "Bernoulli": (Bernoulli(p=0.3), Bernoulli()),
    "Binomial": (Binomial(p=0.3, trials=7), Binomial(trials=7)),
    "Poisson": (Poisson(rate=2.5), Poisson()),
    "Normal": (Normal(mean=-3, scale=2), Normal()),
    "Normal of known mean": (Normal(mean=-3, scale=2), Normal(mean=-3)),
    "Normal of known scale": (Normal(mean=-3, scale=2), Normal(scale=2)),
    "Exponential": (Exponential(rate=0.2), Exponential()),
    "Gamma": (Gamma(shape=2.5, rate=3), Gamma()),
    "Gamma of known rate": (Gamma(shape=2.5, rate=3), Gamma(rate=3)),
    "Gamma of known shape": (Gamma(shape=2.5, rate=3), Gamma(shape=2.5)),
    "Beta": (Beta(a=0.7, b=3), Beta()),
    "Beta of known b": (Beta(a=0.7, b=3), Beta(b=3)),
}


@pytest.mark.parametrize("name", DRAWN)
def test_no_other_parameters_are_more_likely(name):
    truth, unknown = DRAWN[name]
    fitted = unknown.fit(truth.sample(60, random_state=0))
    best = fitted.log_likelihood()
    for parameter, value in fitted.known_.items():
        for factor in (0.999, 1.001):
            if getattr(fitted, parameter) is None:
                assert fitted.log_likelihood(**{parameter: value * factor}) < best


@pytest.mark.parametrize("x", [[1e-300, 0.5, 0.7], [1e-10, 0.001, 0.002], [0.2, 0.3, 0.9], [1e-10, 1 - 1e-10]], ids=str)
def test_a_beta_distribution_is_the_most_likely_one_for_extreme_values(x):
    """The slopes of a convex function are 0."""
    fitted = Beta().fit(x)
    a, b = fitted.a_, fitted.b_
    logs = [np.mean(np.log(x)), np.mean(np.log1p(-np.array(x)))]
    np.testing.assert_allclose([digamma(a) - digamma(a + b), digamma(b) - digamma(a + b)], logs, rtol=1e-9)


def test_equal_distributions_have_equal_parameters_and_trials():
    assert Binomial(p=0.5, trials=3) == Binomial(p=0.5, trials=3) != Binomial(p=0.5, trials=5)
    assert Bernoulli() == Bernoulli() != Bernoulli(p=0.5)


def test_intervals_of_less_than_one_row_are_infinite():
    found = Normal().fit([1.0, 2.0, 3.0], [0.2, 0.2, 0.2]).estimates()
    assert (found["mean"].low, found["mean"].high, found["scale"].high) == (-np.inf, np.inf, np.inf)


@pytest.mark.parametrize("name", DRAWN)
def test_weights_equal_repetition(name):
    truth, unknown = DRAWN[name]
    x = truth.sample(40, random_state=1)
    times = np.random.default_rng(2).integers(0, 4, 40)
    weighted = unknown.fit(x, sample_weight=times)
    known, estimates = weighted.known_, weighted.estimates()
    repeated = unknown.fit(np.repeat(x, times))
    assert repeated.known_ == pytest.approx(known)
    for parameter, estimate in repeated.estimates().items():
        assert estimate.low == pytest.approx(estimates[parameter].low, rel=1e-6)
        assert estimate.high == pytest.approx(estimates[parameter].high, rel=1e-6)


def test_fits_are_those_of_scipy():
    x = np.random.default_rng(0).gamma(2.0, 0.5, size=200)
    shape, _, scale = stats.gamma.fit(x, floc=0)
    found = Gamma().fit(x)
    assert (found.shape_, 1 / found.rate_) == pytest.approx((shape, scale), rel=1e-6)
    share = x / (1 + x)
    assert tuple(Beta().fit(share).known_.values()) == pytest.approx(
        stats.beta.fit(share, floc=0, fscale=1)[:2], rel=1e-4
    )
    assert tuple(Normal().fit(x).known_.values()) == pytest.approx(stats.norm.fit(x))
    assert 1 / Exponential().fit(x).rate_ == pytest.approx(stats.expon.fit(x, floc=0)[1])


@pytest.mark.slow
@pytest.mark.parametrize("name", DRAWN)
def test_intervals_hold_the_parameter_as_often_as_they_say(name):
    truth, unknown = DRAWN[name]
    profiles = "Beta" in name or "Gamma" in name
    n, tries = (25, 60) if profiles else (8, 1000)
    held = {parameter: 0 for parameter in truth.shapes if getattr(unknown, parameter) is None}
    for x in truth.sample(tries * n, random_state=3).reshape(tries, n):
        for parameter, estimate in unknown.fit(x).estimates(level=0.9).items():
            held[parameter] += getattr(truth, parameter) in estimate
    # three standard errors, and what intervals of counts oscillate around the level
    slack = 3 * np.sqrt(0.9 * 0.1 / tries) + (0.03 if truth.discrete else 0.0)
    assert all(abs(count / tries - 0.9) <= slack for count in held.values()), held


def test_a_coin():
    coin = Bernoulli().fit([1, 1, 0])  # heads, heads, tails
    assert coin.p_ == pytest.approx(2 / 3)
    assert [coin.likelihood(p=p) for p in (0, 0.5, 0.75)] == pytest.approx([0, 0.125, 0.140625])
    always = Bernoulli().fit([1, 1, 1])
    assert (always.p_, always.likelihood()) == (1, 1)
    assert always.map(Beta(2, 2)) == pytest.approx(0.8)
    assert always.map(Beta(1, 1)) == 1
    assert Bernoulli().fit(Table.of({"side": ["1", "1", "0"]})["side"].as_kind("numeric")).p_ == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("unknown", "x", "prior", "parameter"),
    [
        (Bernoulli(), [1, 0, 0, 1, 1], Beta(2, 3), "p"),
        (Binomial(trials=4), [1, 0, 4], Beta(2, 3), "p"),
        (Poisson(), [0, 2, 5], Gamma(2, 1.5), "rate"),
        (Exponential(), [0.2, 2, 5], Gamma(2, 1.5), "rate"),
        (Normal(scale=1.5), [0.2, 2, 5], Normal(1, 2), "mean"),
    ],
)
def test_a_posterior_is_the_likelihood_times_the_prior(unknown, x, prior, parameter):
    fitted = unknown.fit(x)
    posterior = fitted.posterior(prior)

    def product(at):
        return fitted.likelihood(**{parameter: at}) * prior.density(at)

    low, high = (0, 1) if parameter == "p" else posterior.quantile([1e-9, 1 - 1e-9])
    total = quad(product, low, high)[0]
    for at in posterior.quantile([0.1, 0.5, 0.9]):
        assert posterior.density(at) == pytest.approx(product(at) / total, rel=1e-5)
    best = fitted.map(prior)
    assert product(best) >= max(product(best * 0.999), product(best * 1.001))


def test_labels_have_shares_and_a_dirichlet_posterior():
    faces = Categorical().fit(["red", "red", "blue", "gold"])
    assert faces.likelihood() == pytest.approx(0.5**2 * 0.25**2)
    assert faces.likelihood({"red": 0.2, "blue": 0.4, "gold": 0.4}) < faces.likelihood()
    posterior = faces.posterior(2)
    assert posterior.alpha == {"blue": 3, "gold": 3, "red": 4}
    assert posterior.mode == pytest.approx({"blue": 2 / 7, "gold": 2 / 7, "red": 3 / 7})
    assert posterior.marginal("red") == Beta(4, 6)
    draws = np.random.default_rng(0).dirichlet([3, 3, 4], size=20_000)
    assert posterior.average["red"] == pytest.approx(draws[:, 2].mean(), abs=0.01)
    assert faces.estimates()["red"].low > 0
    table = Table.of({"x": ["a", "b", "a"]})
    assert Categorical().fit(table["x"]).shares_ == pytest.approx({"a": 2 / 3, "b": 1 / 3})
    assert Dirichlet({"a": 2.0, "b": 2.0}).mode == {"a": 0.5, "b": 0.5}


def test_the_bayes_error_of_known_distributions():
    assert bayes_error([Normal(0, 1), Normal(2, 1)]) == pytest.approx(stats.norm.cdf(-1))
    assert bayes_error([Normal(0, 1), Normal(0, 1)], [0.3, 0.7]) == pytest.approx(0.3)
    coins = [Binomial(p=0.5, trials=3), Binomial(p=0.9, trials=3)]
    by_hand = sum(min(stats.binom.pmf(k, 3, 0.5), stats.binom.pmf(k, 3, 0.9)) for k in range(4)) / 2
    assert bayes_error(coins) == pytest.approx(by_hand)
    mixed = [Normal(0, 1), Normal(0.5, 3), Exponential(rate=0.4)]

    def best(x):
        return max(each.density(x) / 3 for each in mixed)

    assert bayes_error(mixed) == pytest.approx(1 - quad(best, -40, 40, points=[-3, 0, 3], limit=400)[0], abs=1e-6)


def test_nearest_neighbours_stay_below_their_bound():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 6000)
    x = rng.normal(2.0 * y, 1.0)[:, None]
    least = bayes_error([Normal(0, 1), Normal(2, 1)])
    for k in (1, 5, 25):
        error = 1 - KNeighborsClassifier(k).fit(x[:3000], y[:3000]).score(x[3000:], y[3000:])
        assert least - 0.02 < error < neighbours_error_bound(least, k) + 0.02
    assert neighbours_error_bound(0.1) <= 0.2


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: Bernoulli().fit(["H", "T"]), "'H' among the values.*Categorical"),
        (lambda: Bernoulli().fit([0, 2]), "the value 2.*0 or 1"),
        (lambda: Poisson().fit([0.5]), "the value 0.5.*whole numbers"),
        (lambda: Beta().fit([0.0, 0.5]), "the value 0.*between 0 and 1"),
        (lambda: Normal().fit([1.0, np.nan]), "1 of 2 values are missing"),
        (lambda: Normal().fit([]), "no values"),
        (lambda: Normal().fit([2.0, 2.0]), "all the same"),
        (lambda: Gamma().fit([2.0, 2.0]), "all the same"),
        (lambda: Normal().fit([[1.0]]), "2 dimensions"),
        (lambda: Normal().fit([1.0, np.inf]), "infinite"),
        (lambda: Normal().fit([1.0, 2.0], [1.0]), "one weight per value"),
        (lambda: Normal().fit([1.0, 2.0], [-1.0, 1.0]), "negative"),
        (lambda: Normal().fit([0.1, 0.1, 0.1]), "all the same"),
        (lambda: Normal(mean=1).fit([1.0, 1.0]), "the known mean"),
        (lambda: Normal(scale=-1), "scale=-1"),
        (lambda: Normal(scale=0), "scale=0.*above 0"),
        (lambda: Normal(mean="high"), "mean='high'.*a number"),
        (lambda: Bernoulli(p=2), "p=2.*from 0 to 1"),
        (lambda: Normal().fit([1.0, 2.0]).log_likelihood(scale=-1), "scale=-1"),
        (lambda: Binomial(trials=0), "trials=0"),
        (lambda: Normal().density(0), "without mean and scale.*fit"),
        (lambda: Normal(0, 1).log_likelihood(), "not fitted"),
        (lambda: Bernoulli().fit([1, 0]).log_likelihood(q=0.5), "parameter 'q'"),
        (lambda: Bernoulli().fit([1, 0]).posterior(Gamma(1, 1)), r"Beta\(a, b\)"),
        (lambda: Normal().fit([1, 2]).posterior(Normal(0, 1)), "Give the scale"),
        (lambda: Gamma().fit([1, 2]).posterior(Gamma(1, 1)), "conjugate"),
        (lambda: Bernoulli(p=0.5).fit([1]).plot_likelihood(), "that was fitted"),
        (lambda: Categorical().fit([None, "a"]), "1 of 2 values are missing"),
        (lambda: Categorical().fit(["a", pd.NA]), "1 of 2 values are missing.*a label"),
        (lambda: Categorical().fit(np.array([["a"], ["b"]])), "among the labels.*one variable"),
        (lambda: Categorical().posterior(), "not fitted"),
        (lambda: Categorical().fit(["a", "b"]).likelihood({"a": 0.2, "b": 0.2}), "sum 0.4"),
        (lambda: Dirichlet({"a": 0.0}), "above 0"),
        (lambda: bayes_error([Normal(0, 1)]), "at least two"),
        (lambda: bayes_error([Normal(0, 1), Poisson(1)]), "one kind"),
        (lambda: bayes_error([Normal(0, 1), Normal(1, 1)], [0.5, 0.6]), "sum 1"),
        (lambda: neighbours_error_bound(0.7), "error of guessing"),
        (lambda: neighbours_error_bound(0.3, 5, 3), "two classes"),
    ],
)
def test_bad_input_is_named(call, text):
    with pytest.raises(DataError, match=r"(?s)" + text):
        call()


def test_pictures_show_the_likelihood_and_the_density():
    import matplotlib

    matplotlib.use("Agg")
    ax = Bernoulli().fit([1, 1, 0]).plot_likelihood()
    x, y = ax.lines[0].get_data()
    assert x[np.argmax(y)] == pytest.approx(2 / 3, abs=0.003)
    assert y.max() == pytest.approx(4 / 27, abs=1e-4)
    ax = Poisson().fit([3, 4]).plot_likelihood(prior=Gamma(2, 1))
    assert [line.get_label() for line in ax.lines if line.get_label()[0] != "_"] == ["likelihood", "prior", "posterior"]
    assert Normal().fit([1.0, 2.0, 4.0]).plot().get_ylabel() == "density"
    assert Poisson().fit([1, 2, 4]).plot().get_ylabel() == "probability"


def test_the_example_shows_what_it_says():
    example = runpy.run_path(str(Path(__file__).parents[2] / "examples" / "neighbours_and_dimension.py"))
    least, errors = example["against_the_bayes_error"](rows=2000)
    assert all(least - 0.03 < error < bound + 0.03 for error, bound in errors.values())
    added = example["as_columns_are_added"](columns=(1, 20))
    assert added[1][0] < 1.5 * added[1][1]
    assert added[20][0] > 5 * added[20][1]
    train, more = zip(*example["training_and_test_error"]().values(), strict=True)
    assert list(train) == sorted(train, reverse=True)
    assert more[-1] > more[0]


def test_the_package_is_there():
    assert probus.distributions.Bernoulli is Bernoulli

"""Gaussian mixtures: scikit-learn's and R's optima, a likelihood that never falls, and bad input."""

import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import multivariate_normal
from sklearn import mixture as sklearn_mixture
from sklearn.datasets import load_iris

from probus.errors import DataError
from probus.mixture import GaussianMixture

SHAPES = ("full", "tied", "diag", "spherical")


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    return np.vstack([rng.normal(size=(150, 3)) @ rng.normal(size=(3, 3)) + shift for shift in (0.0, 4.0)])


@pytest.mark.parametrize("shape", SHAPES)
def test_the_components_are_those_of_scikit_learn(rows, shape):
    settings = {"covariance_type": shape, "tol": 1e-9, "max_iter": 1000, "means_init": rows[[0, -1]]}
    ours = GaussianMixture(2, **settings, random_state=0).fit(rows)
    theirs = sklearn_mixture.GaussianMixture(2, **settings, random_state=0).fit(rows)
    for name in ("weights_", "means_", "covariances_", "precisions_", "precisions_cholesky_"):
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-3, atol=1e-4, err_msg=name)
    assert ours.score(rows) == pytest.approx(theirs.score(rows), abs=1e-7)
    for of in (theirs, ours):  # the criteria and probabilities of equal components
        of.weights_, of.means_, of.precisions_cholesky_ = theirs.weights_, theirs.means_, theirs.precisions_cholesky_
    np.testing.assert_allclose(ours.predict_proba(rows), theirs.predict_proba(rows), atol=1e-12)
    assert ours.bic(rows) == pytest.approx(theirs.bic(rows))
    assert ours.aic(rows) == pytest.approx(theirs.aic(rows))


# R 4.2.2, mclust 6.0.0: Mclust(X, G, modelNames, control = emControl(tol = c(1e-12, 1e-12), itmax = c(1e4, 1e4)));
# log-likelihood and BIC, whose sign is the opposite of ours; X is iris[1:4] or faithful
MCLUST = [
    ("iris", 2, "VII", -478.5590958, -1012.23518), ("iris", 2, "VVI", -386.1853469, -857.5514939),
    ("iris", 2, "EEE", -296.4475748, -688.0972201), ("iris", 2, "VVV", -214.3547044, -574.0178323),
    ("iris", 3, "VII", -384.3140951, -853.8089901), ("iris", 3, "VVI", -307.1775716, -744.6316608),
    ("iris", 3, "EEE", -256.3540431, -632.9633333), ("iris", 3, "VVV", -180.1854771, -580.8389072),
    ("faithful", 2, "VII", -1709.529282, -3458.299179), ("faithful", 2, "VVI", -1147.806353, -2346.064924),
    ("faithful", 2, "EEE", -1140.186759, -2325.219935), ("faithful", 2, "VVV", -1130.26396, -2322.191743),
]  # fmt: skip
# where ours finds a better optimum
WORSE = [
    ("iris", 4, "VII", -348.6732721), ("iris", 4, "VVI", -287.8205011), ("iris", 4, "EEE", -250.3331062),
    ("iris", 4, "VVV", -165.5475244), ("faithful", 3, "VVI", -1131.818535), ("faithful", 3, "VVV", -1127.071667),
    ("faithful", 4, "VII", -1579.346648), ("faithful", 4, "VVV", -1111.247969),
]  # fmt: skip
MODELS = {"VII": "spherical", "VVI": "diag", "EEE": "tied", "VVV": "full"}


def r_data(name):
    if name == "iris":
        return load_iris().data
    return np.loadtxt(Path(__file__).parent / "faithful.csv", delimiter=",", skiprows=1)


def precise(k, model, **settings):
    how = {"tol": 1e-10, "reg_covar": 1e-9, "max_iter": 5000, "random_state": 0}
    return GaussianMixture(k, covariance_type=MODELS[model], **how, **settings)


@pytest.mark.parametrize(("name", "k", "model", "likelihood", "bic"), MCLUST)
def test_likelihood_and_criterion_are_those_of_mclust(name, k, model, likelihood, bic):
    X = r_data(name)
    mixture = precise(k, model).fit(X)
    assert mixture.score(X) * len(X) == pytest.approx(likelihood, abs=2e-5)
    assert -mixture.bic(X) == pytest.approx(bic, abs=4e-5)


@pytest.mark.parametrize(("name", "k", "model", "likelihood"), WORSE)
def test_several_starts_find_a_better_optimum_than_mclust(name, k, model, likelihood):
    X = r_data(name)
    mixture = precise(k, model, n_init=5, init_params="k-means++").fit(X)
    assert mixture.score(X) * len(X) > likelihood + 1


def test_means_and_weights_are_those_of_mclust():
    # R 4.2.2, mclust 6.0.0: Mclust(faithful, G = 2, modelNames = "EEE")$parameters, at its default tolerance
    mixture = precise(2, "EEE").fit(r_data("faithful"))
    order = mixture.weights_.argsort()[::-1]
    np.testing.assert_allclose(mixture.weights_[order], [0.640763794716, 0.359236205284], rtol=1e-4)
    means = [[4.29601197588, 80.0359955751], [2.04615832595, 54.5960855183]]
    np.testing.assert_allclose(mixture.means_[order], means, rtol=1e-4)


def test_the_density_is_that_of_scipy(rows):
    model = GaussianMixture(2, random_state=0).fit(rows)
    parts = zip(model.weights_, model.means_, model.covariances_, strict=True)
    density = sum(weight * multivariate_normal(mean, cov).pdf(rows) for weight, mean, cov in parts)
    np.testing.assert_allclose(model.score_samples(rows), np.log(density))
    assert model.lower_bound_ == pytest.approx(model.score(rows))


@given(seed=st.integers(0, 10**6), shape=st.sampled_from(SHAPES), k=st.integers(1, 4))
@settings(max_examples=15, deadline=None)
def test_the_likelihood_never_falls(seed, shape, k):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(30, 2)) * 10.0 ** rng.integers(-3, 4, size=2)
    weights = rng.integers(1, 4, 30)
    model = GaussianMixture(k, covariance_type=shape, tol=0, max_iter=30, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, sample_weight=weights)
    assert (np.diff(model.lower_bounds_) >= 0).all()
    np.testing.assert_allclose(model.weights_.sum(), 1.0)


def test_weights_are_repetition_and_the_order_of_rows_does_not_matter(rows):
    counts = np.random.default_rng(1).integers(0, 3, len(rows))
    repeated = np.random.default_rng(2).permutation(np.repeat(np.arange(len(rows)), counts))
    weighted = GaussianMixture(2, random_state=0).fit(rows, sample_weight=counts)
    np.testing.assert_allclose(weighted.means_, GaussianMixture(2, random_state=0).fit(rows[repeated]).means_)


def test_rows_drawn_from_the_density_have_its_moments(rows):
    model = GaussianMixture(2, random_state=0).fit(rows)
    drawn, component = model.sample(20_000)
    of_first = drawn[component == 0]
    np.testing.assert_allclose(np.cov(of_first.T), model.covariances_[0], rtol=0.15, atol=0.1)
    np.testing.assert_allclose(of_first.mean(axis=0), model.means_[0], atol=0.1)


def test_the_criterion_finds_the_number_of_components(rows):
    assert min(range(1, 5), key=lambda k: GaussianMixture(k, random_state=0).fit(rows).bic(rows)) == 2


def test_singular_covariances_are_kept_positive_or_refused(rows):
    constant = np.column_stack([rows, np.ones(len(rows)), rows[:, 0]])
    model = GaussianMixture(2, random_state=0).fit(constant)
    assert np.isfinite(model.score_samples(constant)).all()
    with pytest.raises(DataError, match="ill-defined empirical covariance"):
        GaussianMixture(2, reg_covar=0.0, random_state=0).fit(constant)


def test_diagonal_is_another_name_of_diag(rows):
    found, same = (GaussianMixture(2, covariance_type=name, random_state=0).fit(rows) for name in ("diagonal", "diag"))
    np.testing.assert_array_equal(found.covariances_, same.covariances_)
    assert found.bic(rows) == same.bic(rows)
    assert found.score(found.sample(20)[0]) < 0


def test_fewer_rows_than_components_are_refused():
    with pytest.raises(DataError, match="n_components = 3, n_samples = 2"):
        GaussianMixture(3).fit([[0.0], [1.0]])


def test_components_far_from_each_other_keep_their_digits():
    """Sums about one centre would lose the variances of components that are 10⁷ of their deviations away."""
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(100, 2)) + shift for shift in (-1e7, 1e7)])
    model = GaussianMixture(2, reg_covar=0.0, random_state=0).fit(X)
    first = X[:100] if model.means_[0, 0] < 0 else X[100:]
    np.testing.assert_allclose(model.covariances_[0], np.cov(first.T, ddof=0), rtol=1e-6)


def test_joint_products_give_the_sums_of_each_component(rows, monkeypatch):
    start = {"means_init": rows[[0, -1]], "tol": 0.0, "max_iter": 5, "random_state": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        joint = GaussianMixture(2, **start).fit(rows)
        monkeypatch.setattr("probus.mixture._expectation._FAR", 0.0)
        separate = GaussianMixture(2, **start).fit(rows)
    np.testing.assert_allclose(joint.covariances_, separate.covariances_, rtol=1e-9)
    np.testing.assert_allclose(joint.lower_bounds_, separate.lower_bounds_, rtol=1e-12)

"""Normal classes with four kinds of covariance."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.datasets import load_iris

from probus import DataError
from probus.discriminant_analysis import (
    GaussianClassifier,
    LinearDiscriminantAnalysis,
    QuadraticDiscriminantAnalysis,
)
from probus.naive_bayes import GaussianNB

KINDS = ["full", "shared", "diagonal", "spherical"]


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X, np.where(np.arange(len(y)) % 7 == 0, 0, y)  # classes of unequal size


@pytest.mark.parametrize("covariance", KINDS)
def test_the_joint_density_is_that_of_scipy(iris, covariance):
    X, y = iris
    model = GaussianClassifier(covariance=covariance, priors=[0.2, 0.3, 0.5], reg=0.1).fit(X, y)
    for k, prior in enumerate(model.priors_):
        own = model.covariance_ if covariance == "shared" else model.covariance_[k]
        density = multivariate_normal(model.means_[k], own * np.eye(4) if np.ndim(own) < 2 else own)
        expected = np.log(prior) + density.logpdf(X)
        np.testing.assert_allclose(model.predict_joint_log_proba(X)[:, k], expected, rtol=1e-9)


@pytest.mark.parametrize(
    ("covariance", "known"),
    [
        ("full", QuadraticDiscriminantAnalysis()),
        ("shared", LinearDiscriminantAnalysis()),
        ("diagonal", GaussianNB(var_smoothing=0)),
    ],
)
def test_three_kinds_have_names_of_their_own(iris, covariance, known):
    found = GaussianClassifier(covariance=covariance, reg=0).fit(*iris).predict_proba(iris[0])
    np.testing.assert_allclose(found, known.fit(*iris).predict_proba(iris[0]), atol=1e-10)


def test_spherical_classes_of_equal_spread_have_the_nearest_mean():
    rng = np.random.default_rng(0)
    noise = rng.normal(size=(30, 2))
    X, y = np.vstack([noise, noise + np.array([2.0, 1.0])]), np.repeat([0, 1], 30)
    model = GaussianClassifier(covariance="spherical").fit(X, y)
    nearest = ((X[:, None] - model.means_) ** 2).sum(axis=2).argmin(axis=1)
    np.testing.assert_array_equal(model.predict(X), nearest)


@pytest.mark.parametrize("covariance", KINDS)
def test_the_units_of_a_column_do_not_matter_but_to_spheres(iris, covariance):
    X, y = iris
    units = np.array([1.0, 1e-6, 1e6, 1.0])
    how = {"covariance": covariance, "reg": 0.3}
    plain, scaled = (GaussianClassifier(**how).fit(X * u, y).predict_proba(X * u) for u in (np.ones(4), units))
    assert np.allclose(plain, scaled, atol=1e-8) == (covariance != "spherical")


@pytest.mark.parametrize("covariance", ["full", "shared", "diagonal"])
def test_constant_columns_change_nothing(iris, covariance):
    X, y = iris
    model = GaussianClassifier(covariance=covariance, reg=0.01)
    expected = model.fit(X, y).predict_proba(X)
    more = np.column_stack([X, np.full(len(X), 0.1)])
    np.testing.assert_allclose(model.fit(more, y).predict_proba(more), expected, atol=1e-9)


def test_a_singular_covariance_is_refused_by_name(iris):
    X, y = iris
    doubled = np.column_stack([X, X[:, 0]])
    with pytest.raises(DataError, match="covariance of class 0 is singular"):
        GaussianClassifier(reg=0).fit(doubled, y)
    with pytest.raises(DataError, match="covariance of the classes is singular"):
        GaussianClassifier(covariance="shared", reg=0).fit(doubled, y)
    with pytest.raises(DataError, match="Increase reg, which is 0"):
        GaussianClassifier(covariance="diagonal", reg=0).fit(np.zeros((4, 2)), [0, 0, 1, 1])
    assert GaussianClassifier().fit(doubled, y).score(doubled, y) > 0.8

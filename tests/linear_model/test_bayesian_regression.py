"""Bayesian regression: scikit-learn's solutions, the evidence, and intervals that hold."""

import numpy as np
import pytest
import sklearn.linear_model as peer
from scipy import stats

from probus.errors import DataError
from probus.linear_model import ARDRegression, BayesianRidge, Ridge

rng = np.random.default_rng(0)
CLASSES = [(BayesianRidge, peer.BayesianRidge), (ARDRegression, peer.ARDRegression)]


CASES = [(*both, shape) for both in CLASSES for shape in [(30, 4), (30_000, 4)]] + [(*CLASSES[0], (8, 12))]


@pytest.mark.parametrize(("ours", "theirs", "shape"), CASES)
def test_posterior_and_scores_are_those_of_scikit_learn(ours, theirs, shape):
    """Many rows by their products, in one pass."""
    X = rng.normal(size=shape) + 2
    y = X[:, 0] - 2 * X[:, 1] + rng.normal(size=len(X))
    for options in ({"compute_score": True}, {"fit_intercept": False, "lambda_1": 0.1, "alpha_2": 0.2}):
        one, two = ours(**options, tol=1e-8).fit(X, y), theirs(**options, tol=1e-8).fit(X, y)
        np.testing.assert_allclose(one.coef_, two.coef_, rtol=1e-5, atol=1e-7)
        np.testing.assert_allclose(one.sigma_, two.sigma_, rtol=1e-4, atol=1e-9)
        np.testing.assert_allclose(one.alpha_, two.alpha_, rtol=1e-5)
        assert one.n_iter_ == two.n_iter_
        np.testing.assert_allclose(one.scores_, two.scores_, rtol=1e-7)
        for a, b in zip(one.predict(X[:5], return_std=True), two.predict(X[:5], return_std=True), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5)


def test_relevance_of_more_columns_than_rows_is_that_of_scikit_learn():
    X = rng.normal(size=(40, 60))
    y = X[:, 0] - 2 * X[:, 1] + rng.normal(size=40)
    ours, theirs = (cls(max_iter=20).fit(X, y) for cls in CLASSES[1])
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-8)


def test_weights_equal_repetition():
    X, y, w = rng.normal(size=(30, 3)), rng.normal(size=30), rng.integers(0, 3, 30)
    for cls, _ in CLASSES:
        weighted, repeated = cls().fit(X, y, w), cls().fit(np.repeat(X, w, axis=0), np.repeat(y, w))
        np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-5)
    assert peer.BayesianRidge().fit(X, y, w).alpha_ == pytest.approx(BayesianRidge().fit(X, y, w).alpha_, rel=1e-5)


def test_the_score_is_the_log_density_of_the_target():
    X, y = rng.normal(size=(15, 3)), rng.normal(size=15)
    model = BayesianRidge(max_iter=1, fit_intercept=False, compute_score=True, alpha_init=2.0, lambda_init=3.0).fit(
        X, y
    )
    covariance = np.eye(15) / 2.0 + X @ X.T / 3.0
    known = stats.multivariate_normal(np.zeros(15), covariance).logpdf(y)
    priors = 1e-6 * (np.log(2.0) + np.log(3.0) - 5.0)
    assert model.scores_[0] == pytest.approx(known + priors)
    ridge = Ridge(model.lambda_ / model.alpha_, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, ridge.coef_)


def test_intervals_hold_as_often_as_they_say():
    truth, inside, covered = np.array([1.0, -1.0, 0.5]), [], []
    for _ in range(150):
        X = rng.normal(size=(40, 3)) + 5
        y, new = X @ truth + rng.normal(size=40), rng.normal(size=(20, 3)) + 5
        model = BayesianRidge().fit(X, y)
        low, high = model.predict_interval(new, level=0.8).T
        target = new @ truth + rng.normal(size=20)
        inside.append((low <= target) & (target <= high))
        summary = model.summary(level=0.8)
        covered.append((summary.low <= [*truth, 0.0]) & ([*truth, 0.0] <= summary.high))
    assert np.mean(inside) == pytest.approx(0.8, abs=0.03)
    assert np.mean(covered) == pytest.approx(0.8, abs=0.05)


def test_summaries_name_the_columns_that_are_left():
    X = rng.normal(size=(60, 5))
    model = ARDRegression().fit(X, X[:, 1] - X[:, 3] + 0.1 * rng.normal(size=60))
    summary = model.summary()
    assert {"x1", "x3", "intercept"} <= set(summary.terms)
    assert len(summary.terms) == len(model.sigma_) + 1
    assert "standard deviation of the noise 0." in repr(summary)
    nothing = ARDRegression(threshold_lambda=1e-3).fit(X, rng.normal(size=60))
    with pytest.raises(DataError, match="every coefficient is zero"):
        nothing.summary()
    with pytest.raises(DataError, match="level is 2"):
        model.predict_interval(X, level=2)

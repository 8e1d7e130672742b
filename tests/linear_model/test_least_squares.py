"""Least squares and ridge: certified digits, scikit-learn's solutions, and the normal equations."""

import numpy as np
import pytest
import sklearn.linear_model as peer
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from probus.data import Table
from probus.errors import DataError
from probus.linear_model import LinearRegression, Ridge
from probus.linear_model.datafits._moments import moments_of

rng = np.random.default_rng(0)

CERTIFIED = np.array([15.0618722713733, -0.358191792925910e-01, -2.02022980381683, -1.03322686717359,
                      -0.511041056535807e-01, 1829.15146461355])  # fmt: skip


def digits(found, certified):
    """The number of correct digits of the worst coefficient."""
    return -np.log10(np.max(np.abs(found - certified) / np.abs(certified)) + 1e-16)


def test_longley_has_the_certified_digits(longley):
    model = LinearRegression().fit(*longley)
    assert digits(model.coef_, CERTIFIED) >= 9
    assert digits(model.intercept_, -3482258.63459582) >= 9
    assert model.rank_ == 6


@pytest.mark.parametrize("base", [1.0, 0.1], ids=["Wampler1", "Wampler2"])
def test_the_polynomials_of_wampler_have_the_certified_digits(base):
    x = np.arange(21.0)
    X = x[:, None] ** np.arange(1, 6)
    certified = base ** np.arange(1, 6)
    assert digits(LinearRegression().fit(X, 1.0 + X @ certified).coef_, certified) >= 9


@pytest.mark.parametrize(("n", "p"), [(40, 4), (5, 9), (4000, 40)])
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_solutions_are_those_of_scikit_learn(n, p, intercept, weighted):
    X, Y = rng.normal(size=(n, p)) * rng.uniform(0.1, 10, p) + rng.normal(size=p), rng.normal(size=(n, 2))
    w = rng.uniform(0.2, 2.0, n) if weighted else None
    ours, theirs = (c(fit_intercept=intercept).fit(X, Y, w) for c in (LinearRegression, peer.LinearRegression))
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-8, atol=1e-10)
    np.testing.assert_allclose(ours.singular_, theirs.singular_, rtol=1e-7, atol=1e-9)
    assert ours.rank_ == theirs.rank_
    for solver in ("auto", "svd"):
        alpha = np.array([0.5, 20.0])
        ours = Ridge(alpha, fit_intercept=intercept, solver=solver).fit(X, Y, w)
        theirs = peer.Ridge(alpha, fit_intercept=intercept, solver="svd").fit(X, Y, w)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, rtol=1e-7, atol=1e-9)


@given(st.integers(0, 10_000), st.integers(1, 6), st.floats(0, 100))
@settings(deadline=None)
def test_the_gradient_of_ridge_is_zero(seed, p, alpha):
    draw = np.random.default_rng(seed)
    X, y = draw.normal(size=(12, p)), draw.normal(size=12)
    X[:, -1] = X[:, 0]  # dependent columns
    model = Ridge(alpha).fit(X, y)
    residual = y - model.predict(X)
    assert abs(residual.sum()) < 1e-9
    np.testing.assert_allclose(X.T @ residual, alpha * model.coef_, atol=1e-8)


def test_units_of_columns_do_not_matter():
    X, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    units = np.array([1e-120, 1.0, 1e120])
    np.testing.assert_allclose(LinearRegression().fit(X * units, y).coef_ * units, LinearRegression().fit(X, y).coef_)


def test_dependent_columns_give_the_shortest_coefficients():
    X = rng.normal(size=(30, 2))
    model = LinearRegression().fit(np.column_stack([X, X[:, 0]]), X[:, 0])
    np.testing.assert_allclose(model.coef_, [0.5, 0.0, 0.5], atol=1e-12)
    assert model.rank_ == 2


def test_sparse_rows_have_the_solution_of_dense_ones():
    X = rng.normal(size=(60, 5)) * (rng.random((60, 5)) < 0.4)
    y, w = rng.normal(size=60), rng.uniform(0.5, 2, 60)
    for model in (LinearRegression(tol=1e-12), Ridge(tol=1e-12)):
        dense = type(model)().fit(X, y, w)
        np.testing.assert_allclose(model.fit(csr_matrix(X), y, w).coef_, dense.coef_, rtol=1e-6, atol=1e-8)


def test_sums_do_not_depend_on_threads_and_survive_a_large_mean():
    X = rng.normal(size=(70_000, 6)) + 1e8
    Y = rng.normal(size=(70_000, 1))
    one, two = (moments_of(X, Y, None, centred=True, n_jobs=jobs) for jobs in (1, 2))
    np.testing.assert_array_equal(one.gram, two.gram)
    centred = X - X.mean(axis=0)
    np.testing.assert_allclose(one.gram, centred.T @ centred, rtol=1e-6, atol=1e-2)


def test_penalties_must_fit_the_targets():
    with pytest.raises(DataError, match=r"Number of targets and number of penalties do not correspond: 2 != 3"):
        Ridge(alpha=np.ones(2)).fit(np.eye(3), np.eye(3))
    with pytest.raises(DataError, match=r"alpha holds \[-1.0\]"):
        Ridge(alpha=np.array([1.0, -1.0])).fit(np.eye(3), np.ones((3, 2)))


def test_a_target_given_as_a_column_has_the_shapes_of_scikit_learn():
    X, y = rng.normal(size=(20, 3)), rng.normal(size=(20, 1))
    for solver in ("auto", "lsqr"):
        ours, theirs = (c(solver=solver).fit(X, y) for c in (Ridge, peer.Ridge))
        assert ours.coef_.shape == theirs.coef_.shape
        assert ours.intercept_.shape == theirs.intercept_.shape
        assert ours.predict(X).shape == theirs.predict(X).shape


def test_sparse_rows_are_not_decomposed():
    with pytest.raises(DataError, match=r"solver='svd' does not support sparse X"):
        Ridge(solver="svd").fit(csr_matrix(np.eye(3)), np.ones(3))


def test_levels_are_named_with_a_hint():
    with pytest.raises(DataError, match=r"'sex' \((nominal|bina)(?s:.)*probus.tabular\(LinearRegression\(\)\)"):
        LinearRegression().fit(Table.of({"sex": ["m", "f", "m"]}), [1.0, 2.0, 3.0])


@pytest.mark.parametrize("intercept", [True, False])
def test_a_small_sparse_ridge_regression_is_exact(intercept):
    draw = np.random.default_rng(5)
    X = np.where(draw.random((60, 40)) < 0.7, 0.0, draw.normal(size=(60, 40))) * np.geomspace(1, 100, 40)
    y, weights = 100 + X @ draw.normal(size=40) + draw.normal(size=60), draw.uniform(0.1, 2, 60)
    options = {"alpha": 0.01, "fit_intercept": intercept}
    sparse, dense = (Ridge(**options).fit(rows, y, weights) for rows in (csr_matrix(X), X))
    np.testing.assert_allclose(sparse.coef_, dense.coef_, rtol=1e-9)
    expected = peer.Ridge(solver="svd", **options).fit(X, y, weights)
    np.testing.assert_allclose(sparse.predict(csr_matrix(X)), expected.predict(X), rtol=1e-7)
    assert sparse.training_range_ is None

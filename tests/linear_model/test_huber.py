"""Huber's regression: the optimality conditions, scikit-learn's and R's solutions."""

import numpy as np
import pytest
import sklearn.linear_model as peer
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from probus.linear_model import HuberRegressor, LinearRegression
from probus.linear_model.solvers._concomitant import scale_of

rng = np.random.default_rng(0)


def slopes(model, X, y, w):
    """Half the derivatives of the objective by the coefficients, the intercept and the scale."""
    r, s, eps = y - model.predict(X), model.scale_, model.epsilon
    psi = w * np.clip(r / s, -eps, eps)
    by_scale = 0.5 * (w.sum() - (w * np.minimum((r / s) ** 2, eps**2)).sum())
    return np.concatenate([model.alpha * model.coef_ - X.T @ psi, [-psi.sum(), by_scale]])


@given(st.integers(0, 10_000), st.floats(1.1, 3.0), st.floats(0.0, 2.0))
@settings(max_examples=25)
def test_the_gradient_is_zero_in_coefficients_and_scale(seed, epsilon, alpha):
    draw = np.random.default_rng(seed)
    X, w = draw.normal(size=(40, 3)) * [1, 10, 0.1], draw.uniform(0.5, 2, 40)
    y = X @ draw.normal(size=3) + draw.standard_t(1.5, 40)
    model = HuberRegressor(epsilon=epsilon, alpha=alpha).fit(X, y, w)
    assert np.abs(slopes(model, X, y, w)).max() < 1e-5 * len(y)
    np.testing.assert_array_equal(model.outliers_, np.abs(y - model.predict(X)) > epsilon * model.scale_)


def test_the_solution_is_that_of_scikit_learn():
    X = rng.normal(size=(80, 4))
    y, w = X @ [1.0, -2.0, 0.0, 3.0] + 5 + rng.standard_t(2, 80), rng.uniform(0.2, 2, 80)
    for options in ({}, {"alpha": 3.0, "fit_intercept": False}, {"epsilon": 2.5}):
        ours = HuberRegressor(**options).fit(X, y, w)
        theirs = peer.HuberRegressor(**options, tol=1e-9, max_iter=10_000).fit(X, y, w)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
        assert ours.scale_ == pytest.approx(theirs.scale_, rel=1e-5)
        np.testing.assert_allclose(ours.fit(csr_matrix(X), y, w).coef_, theirs.coef_, atol=1e-5)


# MASS::rlm(stack.loss ~ ., stackloss, scale.est=, acc=1e-14) of R 4.2.2: coefficients and errors, intercept last
RLM = {
    "mad": ([0.829385770254, 0.926059415549, -0.127846317965, -41.026485373295], 2.44048904599,
            [0.111174962320, 0.303393403350, 0.128846345687, 9.806872294353]),
    "proposal 2": ([0.816732448345, 0.983794408113, -0.131433292638, -41.140878413075], 2.85513271974,
                   [0.120607594206, 0.329134795393, 0.139778304856, 10.638935686855]),
}  # fmt: skip


@pytest.mark.parametrize("scale", RLM)
def test_the_scales_of_r_give_its_coefficients_and_standard_errors(scale, stackloss):
    coefficients, size, errors = RLM[scale]
    model = HuberRegressor(epsilon=1.345, alpha=0.0, scale=scale, tol=1e-11).fit(*stackloss)
    summary = model.summary()
    np.testing.assert_allclose(summary.coefficient, coefficients, rtol=1e-8)
    assert model.scale_ == pytest.approx(size, rel=1e-9)
    np.testing.assert_allclose(summary.standard_error, errors, rtol=1e-6)
    assert repr(summary).startswith(f"HuberRegressor: scale {size:.4g}")
    assert "21 rows, " in repr(summary)
    assert "shrunk" not in repr(summary)


def test_a_large_epsilon_is_least_squares_and_outliers_do_not_matter():
    X, y = rng.normal(size=(50, 2)), rng.normal(size=50)
    np.testing.assert_allclose(
        HuberRegressor(epsilon=100, alpha=0).fit(X, y).coef_, LinearRegression().fit(X, y).coef_, rtol=1e-6
    )
    moved = y.copy()
    for size in (1e6, 1e12):
        moved[np.argmax(y)] = size
        for scale in ("concomitant", "mad"):
            model = HuberRegressor(scale=scale)
            np.testing.assert_allclose(model.fit(X, y).coef_, model.fit(X, moved).coef_, atol=0.02)


def test_rows_that_are_fitted_exactly_leave_no_scale_and_the_right_line():
    X = rng.normal(size=(60, 3))
    y = X @ [1.0, 2.0, 3.0] + 4.0
    np.testing.assert_allclose(HuberRegressor(alpha=0).fit(X, y).coef_, [1, 2, 3], atol=1e-8)
    y[:20] += 10 * rng.normal(size=20)
    model = HuberRegressor(alpha=0).fit(X, y)
    np.testing.assert_allclose(model.coef_, [1, 2, 3], atol=1e-6)
    assert model.scale_ < 1e-5


@pytest.mark.parametrize("shape", [(5, 20), (30, 4)])
def test_dependent_and_constant_columns_converge(shape):
    X, y = rng.normal(size=shape), rng.normal(size=shape[0])
    X[:, 1], X[:, 2] = X[:, 0], 7.0
    model = HuberRegressor().fit(X, y)
    assert model.optimality_ < 1e-9
    assert np.isfinite(model.coef_).all()


def test_many_rows_start_from_a_sample():
    X = rng.normal(size=(170_000, 2)) + 3
    y = X @ [1.0, 2.0] + rng.standard_t(2, len(X))
    model = HuberRegressor().fit(X, y)
    assert model.n_iter_ <= 4
    assert np.abs(slopes(model, X, y, np.ones(len(y)))).max() < 1e-5 * len(y)


def test_the_scale_of_residuals_solves_its_equation():
    r, w = rng.standard_t(1, 100), rng.uniform(0.1, 3, 100)
    s = scale_of(r, w, 1.35, w.sum())
    assert (w * np.minimum((r / s) ** 2, 1.35**2)).sum() == pytest.approx(w.sum())
    assert scale_of(np.zeros(5), np.ones(5), 1.35, 5.0) == 0.0


def test_too_few_iterations_warn(stackloss):
    X, y = stackloss
    for scale in ("concomitant", "mad"):
        with pytest.warns(ConvergenceWarning, match=r"failed to converge after 1 iterations: optimality .*max_iter"):
            HuberRegressor(max_iter=1, scale=scale).fit(X, y)
    model = HuberRegressor(warm_start=True).fit(X, y)
    assert model.fit(X, y).n_iter_ == 0


@pytest.mark.slow
def test_many_columns_are_left_to_scikit_learn():
    X, y = rng.normal(size=(60, 1100)), rng.standard_t(2, 60)
    ours, theirs = (cls(alpha=1e4, max_iter=500).fit(X, y) for cls in (HuberRegressor, peer.HuberRegressor))
    np.testing.assert_allclose(ours.coef_, theirs.coef_)
    assert ours.optimality_ < 1e-4
    with pytest.warns(ConvergenceWarning, match="failed to converge"):  # nearly exact: scikit-learn stops far away
        HuberRegressor(alpha=1.0).fit(X, y)

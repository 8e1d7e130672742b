"""Quantiles and absolute deviations: the dual certificate, scikit-learn's and R's solutions."""

import numpy as np
import pytest
import sklearn.linear_model as peer
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from probus.errors import DataError
from probus.linear_model import LeastAbsoluteDeviations, QuantileRegressor
from probus.linear_model._quantile_regression import pinball_fit
from probus.linear_model.solvers import _pinball_programme as pinball_programme

rng = np.random.default_rng(0)


def objective(model, X, y, w=None, quantile=0.5):
    r = y - model.predict(X)
    return (
        np.average(np.where(r > 0, quantile * r, (quantile - 1) * r), weights=w)
        + model.alpha * np.abs(model.coef_).sum()
    )


@given(st.integers(0, 10_000), st.sampled_from([0.1, 0.5, 0.7]), st.sampled_from([0.0, 0.05, 1.0]), st.booleans())
@settings(max_examples=20)
def test_the_objective_is_that_of_scikit_learn(seed, quantile, alpha, many):
    """With many rows by the interior point, whose rows near the fit are then solved exactly."""
    draw = np.random.default_rng(seed)
    n = 500 if many else 60
    X, w = draw.normal(size=(n, 4)) * [1, 100, 0.01, 1] + [0, 1e4, 0, 0], draw.uniform(0, 2, n)
    y = X @ [1.0, 0.1, 30.0, 0.0] + draw.standard_t(2, n)
    ours = QuantileRegressor(quantile=quantile, alpha=alpha).fit(X, y, w)
    theirs = peer.QuantileRegressor(quantile=quantile, alpha=alpha).fit(X, y, w)
    best = objective(theirs, X, y, w, quantile)
    assert objective(ours, X, y, w, quantile) == pytest.approx(best, rel=1e-7)
    assert ours.dual_gap_ <= 1e-9 * best
    assert np.mean(np.abs(y - ours.predict(X)) < 1e-7 * np.abs(y).max()) + np.mean(ours.coef_ == 0) > 0  # a vertex


@given(st.integers(0, 10_000))
@settings(max_examples=15)
def test_interior_point_and_vertex_agree_on_rows_with_ties(seed):
    draw = np.random.default_rng(seed)
    X, y = draw.integers(0, 3, (450, 3)).astype(float), draw.integers(0, 4, 450).astype(float)
    ours, theirs = LeastAbsoluteDeviations().fit(X, y), QuantileRegressor(alpha=0, solver="highs-ds").fit(X, y)
    assert objective(ours, X, y) == pytest.approx(objective(theirs, X, y), rel=1e-9)
    assert ours.dual_gap_ < 1e-9


def test_many_rows_that_are_fitted_exactly_take_no_simplex_steps():
    X, y = rng.integers(0, 4, (6000, 3)).astype(float), rng.poisson(0.4, 6000).astype(float)
    for alpha in (0.0, 0.001):
        model = LeastAbsoluteDeviations(alpha=alpha).fit(X, y)
        np.testing.assert_allclose(model.predict(X), 0.0, atol=1e-9)
        assert model.n_iter_ < 60
        assert model.dual_gap_ < 1e-8


# quantreg 5.94 of R: rq(stack.loss ~ ., tau, stackloss), summary(se="ker"); intercept last
RQ = {
    0.5: ([0.831884057971, 0.5739130434783, -0.0608695652174, -39.6898550724638],
          [0.243502747606, 0.578943305021, 0.181421698395, 14.059736430164]),
    0.25: ([0.5, 1.0, 0.0, -36.0], [0.378800219821, 0.814533414390, 0.328362375636, 23.641828323160]),
}  # fmt: skip


@pytest.mark.parametrize("quantile", RQ)
def test_coefficients_and_standard_errors_are_those_of_r(quantile, stackloss):
    coefficients, errors = RQ[quantile]
    summary = QuantileRegressor(quantile=quantile, alpha=0).fit(*stackloss).summary()
    np.testing.assert_allclose(summary.coefficient, coefficients, atol=1e-9)
    np.testing.assert_allclose(summary.standard_error, errors, rtol=1e-7)
    assert repr(summary).startswith("QuantileRegressor: R¹ 0.")
    assert "17 degrees of freedom" in repr(summary)


def test_a_penalty_sets_coefficients_to_zero_and_has_no_standard_errors():
    X = rng.normal(size=(600, 6))
    y = X[:, 0] + 0.1 * rng.normal(size=600)
    model = QuantileRegressor(alpha=0.1).fit(X, y)
    np.testing.assert_array_equal(model.coef_[1:], 0.0)
    assert model.coef_[0] > 0.5
    with pytest.raises(DataError, match="QuantileRegressor: there are no standard errors"):
        model.summary()


def test_absolute_deviations_are_twice_the_median():
    X, y = rng.normal(size=(60, 3)), rng.standard_t(2, 60)
    ours = LeastAbsoluteDeviations(alpha=0.1).fit(X, y)
    half = QuantileRegressor(alpha=0.05).fit(X, y)
    np.testing.assert_allclose(ours.coef_, half.coef_, atol=1e-9)
    np.testing.assert_allclose(ours.fit(csr_matrix(X), y).coef_, half.coef_, atol=1e-9)


@pytest.mark.parametrize("n", [100, 600])
def test_exact_fits_constant_columns_and_wide_data(n):
    X = rng.normal(size=(n, 4))
    X[:, 1], X[:, 3] = 5.0, X[:, 0]
    y = X[:, 0] - X[:, 2]
    for X_new, y_new in ((X, y), (X, np.ones(n)), (X[:3], y[:3])):
        model = LeastAbsoluteDeviations().fit(X_new, y_new)
        np.testing.assert_allclose(model.predict(X_new), y_new, atol=1e-9)
        assert model.dual_gap_ < 1e-9


def test_weights_equal_repetition_and_zero_weights_remove_rows():
    X, y, w = rng.normal(size=(450, 2)), rng.standard_t(2, 450), rng.integers(0, 4, 450)
    weighted, repeated = (QuantileRegressor(quantile=0.8, alpha=0.01).fit(*data) for data in
                          ((X, y, w), (np.repeat(X, w, axis=0), np.repeat(y, w))))  # fmt: skip
    np.testing.assert_allclose(weighted.coef_, repeated.coef_, atol=1e-8)


def test_a_quadratic_penalty_has_a_gap_too():
    """Against a smooth minimisation of the dual."""
    from scipy import optimize

    X, y = rng.normal(size=(40, 3)), rng.standard_t(2, 40)
    coef, _, found = pinball_fit(X, y, None, 0.5, 0.0, intercept=False, l2=0.2)

    def dual(d):
        slope = X.T @ d / len(y)
        return 0.5 * slope @ slope / 0.2 - y @ d / len(y), X @ slope / 0.2 / len(y) - y / len(y)

    best = optimize.minimize(dual, np.zeros(40), jac=True, bounds=[(-0.5, 0.5)] * 40, options={"ftol": 1e-15})
    value = 0.5 * np.abs(y - X @ coef).mean() + 0.1 * coef @ coef
    assert value == pytest.approx(-best.fun, rel=1e-7)
    assert found.gap < 1e-7


def test_solvers_that_scipy_removed_are_refused():
    with pytest.raises(DataError, match="Solver interior-point is not anymore available"):
        QuantileRegressor(solver="interior-point").fit([[0.0], [1.0]], [0.0, 1.0])


def test_wrong_signs_of_the_interior_point_are_corrected(monkeypatch):
    """From a point far from the solution, rows with a wrong sign join the vertex programme."""
    far = pinball_programme._interior_point
    monkeypatch.setattr(pinball_programme, "_interior_point", lambda programme: far(programme, tol=0.3))
    X, y = rng.normal(size=(900, 3)), rng.standard_t(2, 900)
    model = LeastAbsoluteDeviations().fit(X, y)
    assert model.dual_gap_ < 1e-12

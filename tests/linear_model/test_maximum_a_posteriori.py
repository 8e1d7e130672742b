"""The maximum of the posterior equals the penalised regressions, and cannot be improved."""

import numpy as np
import pytest
from scipy import optimize, stats
from sklearn.exceptions import ConvergenceWarning

from probus.errors import DataError
from probus.linear_model import MAP, Lasso, LeastAbsoluteDeviations, LinearRegression, Ridge

rng = np.random.default_rng(0)
X = rng.normal(size=(50, 3)) + 1
y = X @ [1.0, -2.0, 0.0] + 3 + rng.standard_t(2, 50)
w = rng.uniform(0.5, 2.0, 50)
KNOWN = {cls.__name__: cls for cls in (LinearRegression, Ridge, Lasso, LeastAbsoluteDeviations)}
PAIRS = [(likelihood, prior) for likelihood in ("gaussian", "laplace") for prior in ("flat", "gaussian", "laplace")]
PAIRS.remove(("laplace", "gaussian"))  # no other class has it


@pytest.mark.parametrize(("likelihood", "prior"), PAIRS)
@pytest.mark.parametrize("weights", [None, w], ids=["plain", "weighted"])
def test_priors_are_penalties(likelihood, prior, weights):
    """``equivalent_`` is the code of the model with the same coefficients."""
    model = MAP(likelihood, prior, noise_scale=2.0, prior_scale=0.7).fit(X, y, weights)
    other = eval(model.equivalent_, {}, KNOWN)
    if isinstance(other, Lasso):
        other.set_params(tol=1e-9)
    other.fit(X, y, weights)
    np.testing.assert_allclose(model.coef_, other.coef_, atol=1e-5)
    assert model.intercept_ == pytest.approx(other.intercept_, abs=1e-5)


@pytest.mark.parametrize("likelihood", ["gaussian", "laplace", "student"])
@pytest.mark.parametrize("prior", ["gaussian", "laplace", "flat"])
def test_no_other_coefficients_have_a_larger_posterior(likelihood, prior):
    model = MAP(likelihood, prior, noise_scale=0.8, prior_scale=0.5, degrees_of_freedom=3.0).fit(X, y)
    laws = {"gaussian": stats.norm(scale=0.8), "laplace": stats.laplace(scale=0.8), "student": stats.t(3.0, scale=0.8)}
    priors = {"gaussian": stats.norm(scale=0.5), "laplace": stats.laplace(scale=0.5)}

    def negative(theta):
        value = -laws[likelihood].logpdf(y - X @ theta[:3] - theta[3]).sum()
        return value - (priors[prior].logpdf(theta[:3]).sum() if prior in priors else 0.0)

    assert model.optimality_ <= 1e-7
    own = negative(np.append(model.coef_, model.intercept_))
    assert own == pytest.approx(-model.log_posterior_)
    start = np.append(model.coef_, model.intercept_)
    better = optimize.minimize(negative, start, method="Nelder-Mead", options={"xatol": 1e-9, "fatol": 1e-11}).fun
    assert own <= better + 1e-6


@pytest.mark.parametrize("prior", ["gaussian", "laplace", "flat"])
@pytest.mark.parametrize("likelihood", ["gaussian", "student"])
def test_the_certificate_is_zero_at_the_maximum_only_and_has_no_unit(likelihood, prior):
    model = MAP(likelihood, prior, noise_scale=2.0, prior_scale=0.3).fit(X, y, w)
    assert model.optimality_ <= 1e-7
    expected = 5.0 / (4.0 + ((y - model.predict(X)) / 2.0) ** 2) if likelihood == "student" else 1.0
    for step in 0.1 * np.eye(3):
        moved = model.coef_ + step
        assert model._violation(X, y, w * expected, moved, model.intercept_) > 1e-3
    assert model._violation(X, y, w * expected, model.coef_, model.intercept_ + 0.1) > 1e-3
    moved = model.coef_ + 0.1
    larger = MAP(likelihood, prior, noise_scale=2e3, prior_scale=0.3)
    assert larger._violation(1e3 * X, 1e3 * y, w * expected, moved, 1e3 * model.intercept_) == pytest.approx(
        model._violation(X, y, w * expected, moved, model.intercept_)
    )


def test_students_errors_ignore_gross_outliers():
    moved = y.copy()
    moved[:5] += 1e4
    clean, robust = MAP("student", "flat").fit(X, y), MAP("student", "flat").fit(X, moved)
    np.testing.assert_allclose(clean.coef_, robust.coef_, atol=0.5)
    with pytest.warns(ConvergenceWarning, match="MAP failed to converge after 1 iterations"):
        MAP("student", max_iter=1).fit(X, y)


def test_a_normal_posterior_has_a_summary():
    model = MAP("gaussian", "gaussian", noise_scale=1.5, prior_scale=2.0).fit(X, y)
    ones = np.column_stack([X, np.ones(50)])
    precision = ones.T @ ones / 1.5**2 + np.diag([1, 1, 1, 0]) / 2.0**2
    summary = model.summary()
    np.testing.assert_allclose(summary.standard_error, np.sqrt(np.diag(np.linalg.inv(precision))))
    assert repr(summary).startswith("MAP: Ridge(alpha=0.5625)")
    with pytest.raises(DataError, match=r"MAP: Lasso(?s:.)*the penalty is on absolute values"):
        MAP("gaussian", "laplace").fit(X, y).summary()

"""Poisson and gamma regression against scikit-learn."""

import numpy as np
import pytest
import sklearn.linear_model as peer
from scipy.sparse import csr_matrix

from probus.errors import DataError
from probus.linear_model import GammaRegressor, PoissonRegressor

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 4))
MEAN = np.exp(X @ [0.5, -0.3, 0.0, 0.2] + 1)
TARGETS = {"PoissonRegressor": rng.poisson(MEAN), "GammaRegressor": rng.gamma(2.0, MEAN / 2)}


@pytest.mark.parametrize("Ours", [PoissonRegressor, GammaRegressor])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("options", [{}, {"alpha": 0.0}, {"fit_intercept": False}])
def test_solutions_are_those_of_scikit_learn(Ours, weighted, options):
    y, w = TARGETS[Ours.__name__], rng.uniform(0.3, 2, 150) if weighted else None
    ours, theirs = Ours(**options), getattr(peer, Ours.__name__)(tol=1e-10, max_iter=10_000, **options)
    ours.fit(csr_matrix(X), y, w)
    theirs.fit(X, y, w)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-4)
    assert ours.score(X, y, w) == pytest.approx(theirs.score(X, y, w))
    assert ours.optimality_ < 1e-9


def test_a_warm_start_at_the_solution_needs_one_iteration():
    model = PoissonRegressor(warm_start=True).fit(X, TARGETS["PoissonRegressor"])
    assert model.n_iter_ > 1
    assert model.fit(X, TARGETS["PoissonRegressor"]).n_iter_ == 1


def test_targets_outside_the_domain_are_counted():
    with pytest.raises(DataError, match=r"valid range of the loss: .* 1 of 2 values are negative"):
        PoissonRegressor().fit([[0.0], [1.0]], [-1.0, 2.0])
    with pytest.raises(DataError, match="1 of 2 values are 0 or negative"):
        GammaRegressor().fit([[0.0], [1.0]], [0.0, 2.0])


@pytest.mark.parametrize("Ours", [PoissonRegressor, GammaRegressor])
@pytest.mark.parametrize("intercept", [True, False])
def test_a_perfect_fit_ends_at_the_precision_of_numbers(Ours, intercept):
    draw = np.random.default_rng(3)
    rows, y = draw.normal(size=(4, 11)), np.exp(draw.uniform(-3, 3, size=4))
    model = Ours(alpha=0.0, tol=1e-12, max_iter=1000, fit_intercept=intercept).fit(rows, y)
    np.testing.assert_allclose(model.predict(rows), y, rtol=1e-10)
    assert model.n_iter_ < 20

"""The parts of the working set: equations of changing supports, sparse columns, bounds of correlations."""

import numpy as np
import pytest
import sklearn.linear_model as peer
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import nnls

from probus.linear_model import lasso_path
from probus.linear_model.datafits._quadratic import DenseRows, SparseRows, problem_of
from probus.linear_model.solvers._support_equations import SupportEquations
from probus.linear_model.solvers._working_columns import SparseColumns
from probus.linear_model.solvers._working_set import WorkingSet, path_fits


@given(st.integers(0, 10_000), st.floats(0, 2))
@settings(deadline=None, max_examples=30)
def test_equations_of_changing_supports_are_solved(seed, l2):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(80, 60))
    G, equations = X.T @ X, SupportEquations()
    support = np.sort(draw.choice(60, 30, replace=False))
    for _ in range(6):
        c = draw.normal(size=len(support))
        found = equations.solve(G, l2, support, c)
        expected = np.linalg.solve(G[np.ix_(support, support)] + l2 * np.eye(len(support)), c)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-9)
        flipped = draw.choice(60, draw.integers(0, 9), replace=False)
        support = np.setxor1d(support, flipped)


def test_dependent_columns_have_no_solution_that_is_not_finite():
    X = np.random.default_rng(0).normal(size=(20, 5))
    G = np.column_stack([X, X])
    found = SupportEquations().solve(G.T @ G, 0.0, np.arange(10), G.T @ X[:, 0])
    np.testing.assert_allclose(G @ found, X[:, 0], atol=1e-5)


def words(n=120, p=300, seed=0):
    draw = np.random.default_rng(seed)
    X = sparse.random_array((n, p), density=0.05, rng=draw, format="csc")
    X.data = np.abs(draw.normal(size=X.nnz)) + 0.1
    return X, X[:, :8] @ draw.normal(size=8) + 0.1 * draw.normal(size=n) + 1.0


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("slow", [0.0, 1.0], ids=["conjugate gradients", "coordinate descent"])
def test_sparse_columns_have_the_path_of_dense_ones(intercept, weighted, slow, monkeypatch):
    monkeypatch.setattr(SparseColumns, "slow", slow)
    X, y = words()
    w = np.random.default_rng(1).uniform(0.3, 2, len(y)) if weighted else None
    alphas = np.geomspace(0.05, 0.002, 6)
    for l1_ratio in (0.7, 1.0):
        problems = [problem_of(rows, y, w, intercept=intercept)[0] for rows in (X, X.toarray())]
        assert isinstance(problems[0], SparseRows)
        ours, dense = ([fit.coef for fit in path_fits(p, alphas, l1_ratio, tol=1e-10, max_iter=9999)] for p in problems)
        np.testing.assert_allclose(ours, dense, atol=1e-5)


def test_a_sparse_path_is_that_of_scikit_learn():
    X, y = words()
    alphas, coefs, gaps = lasso_path(X, y, alphas=30, tol=1e-8)
    theirs = peer.lasso_path(X, y, alphas=alphas, tol=1e-12, max_iter=100_000)[1]
    np.testing.assert_allclose(coefs, theirs, atol=1e-4)
    assert (gaps <= 1e-10 * (y @ y) / len(y)).all()


def test_a_jump_to_a_small_penalty_converges():
    draw = np.random.default_rng(0)
    X = draw.normal(size=(100, 1600))
    y = X[:, :10] @ draw.normal(size=10) + draw.normal(size=100)
    gaps = lasso_path(X, y, alphas=2)[2]
    assert gaps.max() <= 1e-6 * (y @ y) / 100


def test_correlations_are_exact_above_the_limit_and_bounded_below():
    draw = np.random.default_rng(0)
    X, y = np.asfortranarray(draw.normal(size=(50, 400))), draw.normal(size=50)
    problem, w = DenseRows(X, y), np.zeros(400)
    for step in range(6):
        w[step] = 0.02
        residual = y - X @ w
        found, rr = problem.correlations(w, np.flatnonzero(w), 12.0)
        exact = X.T @ residual
        above = np.abs(exact) >= 12.0
        np.testing.assert_allclose(found[above], exact[above])
        assert (np.abs(found) >= np.abs(exact) - 1e-9).all()
        assert np.abs(found[~above]).max() < 12.0
        assert rr == pytest.approx(residual @ residual)


@given(st.integers(0, 10_000), st.booleans(), st.booleans())
@settings(deadline=None, max_examples=12)
def test_the_compiled_path_of_few_columns_is_that_of_the_working_set(seed, positive, repeated):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(40, 9)) + draw.normal(size=(40, 1)) * draw.uniform(0, 5)
    X = np.column_stack([X, X[:, :2]]) if repeated else X
    problem = problem_of(X, X[:, 0] + draw.normal(size=40), None, intercept=True)[0]
    for l1_ratio in (0.3, 1.0):
        alphas = np.geomspace(1, 1e-3, 9)
        l1s, l2s = alphas * l1_ratio * 40, alphas * (1 - l1_ratio) * 40
        fits = WorkingSet(problem, positive=positive).solve_path(l1s, l2s, 1e-8, 1000)
        other = WorkingSet(problem, positive=positive)
        for fit, l1, l2 in zip(fits, l1s, l2s, strict=True):
            expected = other.solve(l1, l2, 1e-8, 1000)
            assert max(fit.gap, expected.gap) <= 1e-8
            values = [_objective(problem, w, l1, l2) for w in (fit.coef, expected.coef)]
            assert abs(values[0] - values[1]) <= 1e-8
            assert not positive or fit.coef.min() >= 0


def _objective(problem, w, l1, l2):
    _, rr = problem.correlations(w, np.flatnonzero(w), 0.0)
    return 0.5 * rr + l1 * np.abs(w).sum() + 0.5 * l2 * w @ w


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("width", [2, 80])
def test_a_gap_that_cannot_be_reached_ends_the_fit_early(l1_ratio, width):
    x = np.random.default_rng(0).normal(size=(100, 1))
    X = np.repeat(x, width, axis=1)
    problem = problem_of(X, 2 * x[:, 0], None, intercept=True)[0]
    (fit,) = path_fits(problem, np.array([1e-9]), l1_ratio, tol=0.0, max_iter=100_000, quiet=True)
    assert fit.n_iter < 2_000
    np.testing.assert_allclose(X @ fit.coef, 2 * x[:, 0], atol=1e-6)


def test_columns_kept_at_zero_count_nothing_for_the_gap_of_a_non_negative_ridge_regression():
    draw = np.random.default_rng(1)
    X, y = draw.normal(size=(50, 6)), draw.normal(size=50)
    problem = problem_of(X, y, None, intercept=False)[0]
    (fit,) = path_fits(problem, np.array([0.01]), 0.0, positive=True, tol=1e-10)
    raised = np.vstack([X, np.sqrt(0.5) * np.eye(6)])
    np.testing.assert_allclose(fit.coef, nnls(raised, np.append(y, np.zeros(6)))[0], atol=1e-8)
    assert fit.converged
    assert 0 in fit.coef

"""Lasso and elastic net of several targets: the optimality conditions and scikit-learn's solutions."""

import numpy as np
import pytest
import sklearn.linear_model as peer
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from sklearn.exceptions import ConvergenceWarning

from probus.linear_model import Lasso, MultiTaskElasticNet, MultiTaskLasso, Ridge
from probus.linear_model.solvers._block_descent import descend_blocks

rng = np.random.default_rng(0)


def data(n, p, k=3, seed=0):
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(n, p)) + draw.normal(size=(n, 1)) + 1
    return X, X[:, :2] @ draw.normal(size=(2, k)) + draw.normal(size=(n, k))


@given(
    st.integers(0, 10_000), st.sampled_from([(20, 4), (8, 30), (40, 130)]), st.floats(0.02, 1.0), st.floats(0.1, 1.0)
)
@settings(max_examples=20)
def test_the_optimality_conditions_hold(seed, shape, alpha, ratio):
    X, Y = data(*shape, seed=seed)
    X[:, -1] = X[:, 0]
    model = MultiTaskElasticNet(alpha, l1_ratio=ratio, tol=1e-8, max_iter=20_000).fit(X, Y)
    left = (X - X.mean(axis=0)).T @ (Y - model.predict(X)) / len(X) - alpha * (1 - ratio) * model.coef_.T
    size = np.linalg.norm(model.coef_.T, axis=1)
    assert np.linalg.norm(left, axis=1).max() <= alpha * ratio + 1e-4
    used = size > 1e-6
    np.testing.assert_allclose(left[used], alpha * ratio * model.coef_.T[used] / size[used, None], atol=1e-3)
    assert model.dual_gap_ <= 1e-8 * (Y**2).sum() / len(Y) + 1e-12


@pytest.mark.parametrize("shape", [(30, 5), (20, 150), (2000, 120)])
@pytest.mark.parametrize("options", [{}, {"l1_ratio": 0.9, "fit_intercept": False}, {"selection": "random"}], ids=str)
def test_solutions_are_those_of_scikit_learn(shape, options):
    X, Y = data(*shape)
    w = rng.uniform(0.5, 2, shape[0])
    ours = MultiTaskElasticNet(0.3, **options, tol=1e-8).fit(X, Y, w)
    theirs = peer.MultiTaskElasticNet(0.3, **options, tol=1e-9, max_iter=50_000).fit(X, Y, w)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-3)
    np.testing.assert_allclose(
        MultiTaskElasticNet(0.3, **options, tol=1e-8).fit(csr_matrix(X), Y, w).coef_, ours.coef_, atol=2e-4
    )


def test_a_column_has_coefficients_for_all_targets_or_none():
    X, Y = data(60, 20)
    coef = MultiTaskLasso(alpha=0.5).fit(X, Y).coef_
    some = (coef != 0).any(axis=0)
    assert 0 < some.sum() < 20
    assert (coef[:, some] != 0).all()


def test_one_target_is_the_lasso_and_no_absolute_values_are_ridge():
    X, Y = data(40, 6, k=1)
    np.testing.assert_allclose(
        MultiTaskLasso(0.1, tol=1e-9).fit(X, Y).coef_[0], Lasso(0.1, tol=1e-9).fit(X, Y[:, 0]).coef_, atol=1e-5
    )
    np.testing.assert_allclose(MultiTaskLasso(0.1).fit(X, Y[:, 0]).coef_, MultiTaskLasso(0.1).fit(X, Y).coef_[0])
    ridge = Ridge(40 * 0.2).fit(X, Y[:, 0])
    np.testing.assert_allclose(MultiTaskElasticNet(0.2, l1_ratio=0.0).fit(X, Y).coef_[0], ridge.coef_, atol=1e-9)


def test_a_start_at_the_solution_needs_no_epoch_and_too_few_warn():
    X, Y = data(40, 130)
    model = MultiTaskLasso(0.01, warm_start=True, max_iter=10_000).fit(X, Y)
    before = model.coef_.copy()
    assert model.fit(X, Y).n_iter_ == 1
    np.testing.assert_array_equal(model.coef_, before)
    with pytest.warns(ConvergenceWarning, match=r"Objective did not converge.*Duality gap .* tolerance"):
        MultiTaskLasso(0.001, max_iter=1).fit(X, Y)


def test_an_epoch_is_the_plain_loop():
    G = rng.normal(size=(5, 4)) @ rng.normal(size=(4, 5))
    G, C, W = G @ G.T, rng.normal(size=(2, 5)), rng.normal(size=(2, 5))
    W[:, 3] = 0.0
    fast, Q = W.copy(), C - W @ G
    descend_blocks(G, Q, fast, np.arange(5), 1.5, 0.2)
    for j in range(5):
        pull = C[:, j] - W @ G[:, j] + G[j, j] * W[:, j]
        W[:, j] = max(1 - 1.5 / np.linalg.norm(pull), 0) * pull / (G[j, j] + 0.2)
    np.testing.assert_allclose(fast, W)
    np.testing.assert_allclose(Q, C - W @ G)

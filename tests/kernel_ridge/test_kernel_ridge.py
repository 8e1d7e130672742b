"""Kernel ridge regression: scikit-learn's solution, leaving one out by fitting again, landmarks."""

import numpy as np
import pytest
import sklearn.kernel_ridge as peer
from scipy import sparse

from probus import DataError
from probus.kernel_ridge import KernelRidge
from probus.kernel_ridge._kernel_ridge_model import nystroem_factor


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    X = np.abs(rng.normal(size=(60, 3)))
    Y = np.column_stack([np.sin(X[:, 0]) + X[:, 1], X[:, 2] ** 2]) + 0.1 * rng.normal(size=(60, 2))
    return X, Y, rng.random(60)


@pytest.mark.parametrize(
    "kernel", ["linear", "rbf", "poly", "laplacian", "chi2", "sigmoid", "cosine", lambda a, b: a @ b]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_coefficients_are_those_of_scikit_learn(rows, kernel, weighted):
    X, Y, weight = rows
    weight = weight if weighted else None
    if kernel == "sigmoid":
        X = X / 10
    for y, alpha in ((Y[:, 0], 0.5), (Y, [0.5, 2.0])):
        ours, theirs = (
            cls(alpha=alpha, kernel=kernel, gamma=0.4).fit(X, y, sample_weight=weight)
            for cls in (KernelRidge, peer.KernelRidge)
        )
        np.testing.assert_allclose(ours.dual_coef_, theirs.dual_coef_, rtol=1e-7, atol=1e-10)
        np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-7)


@pytest.mark.parametrize("how", [{}, {"n_landmarks": 60}])
@pytest.mark.parametrize("weighted", [False, True])
def test_residuals_of_rows_left_out_are_those_of_fitting_again(rows, how, weighted):
    X, Y, weight = rows
    model = KernelRidge(alpha=0.3, kernel="rbf", leave_one_out=True, **how).fit(X, Y, weight if weighted else None)
    for i in (0, 7, 59):
        others = np.arange(60) != i
        again = KernelRidge(alpha=0.3, kernel="rbf").fit(X[others], Y[others], weight[others] if weighted else None)
        expected = Y[i] - again.predict(X[[i]])[0]
        np.testing.assert_allclose(model.loo_residuals_[i], expected, rtol=1e-6)


def test_precomputed_kernels_and_sparse_rows_give_the_same(rows):
    X, Y, _ = rows
    expected = KernelRidge(n_landmarks=None).fit(X, Y).predict(X)
    np.testing.assert_allclose(KernelRidge().fit(sparse.csr_array(X), Y).predict(sparse.csr_array(X)), expected)
    K = X @ X.T
    for how in ({}, {"n_landmarks": 60, "random_state": 0}):
        np.testing.assert_allclose(KernelRidge(kernel="precomputed", **how).fit(K, Y).predict(K), expected)
    with pytest.raises(ValueError, match=r"requires shape \(n_queries, n_indexed\)"):
        KernelRidge(kernel="precomputed").fit(K[:, :5], Y)


@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_all_rows_as_landmarks_are_exact(rows, kernel):
    X, Y, _ = rows
    exact = KernelRidge(kernel=kernel, alpha=0.1).fit(X, Y).predict(X)
    model = KernelRidge(kernel=kernel, alpha=0.1, n_landmarks=60, random_state=0).fit(X, Y)
    np.testing.assert_allclose(model.predict(X), exact, rtol=1e-6)
    assert model.approximation_error_ < 1e-9


def test_the_error_is_the_trace_that_is_missing_and_falls_with_landmarks(rows):
    X, Y, _ = rows
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / 3)
    errors, gaps = [], []
    exact = KernelRidge(kernel="rbf", alpha=0.1).fit(X, Y).predict(X)
    for m in (5, 15, 40):
        factor = nystroem_factor(lambda rows: K[:, rows], np.diag(K).copy(), m, np.random.RandomState(0))
        assert len(factor.landmarks) == len(set(factor.landmarks)) == m
        assert factor.error == pytest.approx(np.trace(K - factor.F @ factor.F.T) / np.trace(K), abs=1e-9)
        np.testing.assert_allclose((factor.F @ factor.F.T)[factor.landmarks], K[factor.landmarks], atol=1e-8)
        model = KernelRidge(kernel="rbf", alpha=0.1, n_landmarks=m, random_state=0).fit(X, Y)
        errors.append(model.approximation_error_)
        gaps.append(np.abs(model.predict(X) - exact).max())
    assert errors[0] > errors[1] > errors[2]
    assert gaps[0] > gaps[2]


def test_a_kernel_of_low_rank_needs_no_more_landmarks_than_its_rank(rows):
    X, Y, _ = rows
    model = KernelRidge(kernel="linear", n_landmarks=50, random_state=0).fit(X, Y)
    assert len(model.landmarks_) == 3
    np.testing.assert_allclose(model.predict(X), KernelRidge().fit(X, Y).predict(X), rtol=1e-8)


def test_a_singular_matrix_is_solved_by_least_squares_with_a_warning(rows):
    X, Y, _ = rows
    with pytest.warns(UserWarning, match="Singular matrix in solving dual problem"):
        model = KernelRidge(alpha=0).fit(np.vstack([X, X]), np.vstack([Y, Y]))
    np.testing.assert_allclose(model.predict(X), X @ np.linalg.lstsq(X, Y)[0], rtol=1e-6)


def test_a_matrix_larger_than_the_memory_is_refused(monkeypatch, rows):
    monkeypatch.setattr("os.sysconf", lambda name: 10)
    with pytest.raises(DataError, match="Pass n_landmarks=1000"):
        KernelRidge().fit(rows[0], rows[1])

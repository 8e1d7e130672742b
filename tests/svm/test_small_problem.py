"""Small problems: the rows of their kernels, and machines of nearly singular kernel matrices."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import pairwise_kernels

from probus.svm import SVC, NuSVC, OneClassSVM
from probus.svm._kernel_functions import KernelFunction
from probus.svm._row_kernel import kernel_row, row_source


@pytest.mark.parametrize("d", [1, 4, 7])
@pytest.mark.parametrize("name", ["linear", "poly", "rbf", "sigmoid", "precomputed"])
def test_a_row_and_the_diagonal_are_those_of_scikit_learn(name, d):
    X = np.random.default_rng(0).normal(size=(20, d)) + 3
    parameters = {"gamma": 0.3, "coef0": 0.5, "degree": 2}
    if name == "precomputed":
        X = expected = X @ X.T
    else:
        expected = pairwise_kernels(X, metric=name, filter_params=True, **parameters)
    source, diagonal = row_source(KernelFunction(name, **parameters), X)
    out = np.empty(20, dtype=np.float32)
    kernel_row.py_func(source, 11, np.empty(20), out)
    np.testing.assert_allclose(out, expected[11], rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(diagonal, np.diagonal(expected), rtol=1e-6, atol=1e-6)


def test_nearly_singular_kernels_are_solved_in_few_steps(iris):
    model = SVC(kernel="poly", C=1e3, tol=1e-6).fit(*iris)
    assert model.optimality_.max() <= 1e-6
    assert model.n_iter_.max() < 20_000  # 118,000 if only two variables move at a time


def test_free_variables_that_move_together_keep_the_sums_and_the_bounds(iris):
    X, y = iris[0][50:], iris[1][50:]
    weights = np.linspace(0.5, 1.5, 100)
    model = NuSVC(nu=0.3, tol=1e-10, gamma=0.01).fit(X, y, weights)
    dual = model.dual_coef_[0]
    scale = np.max(np.abs(dual) / weights[model.support_])  # the coefficients are divided by the margin
    for sign, rows in ((-1, y[model.support_] == 1), (1, y[model.support_] == 2)):
        assert np.isclose(sign * dual[rows].sum(), 0.5 * 0.3 * weights.sum() * scale, rtol=1e-9)


def test_the_region_of_nearly_equal_rows_is_found():
    X = 1e-4 * np.random.default_rng(0).normal(size=(40, 2))
    model = OneClassSVM(tol=1e-12, gamma=1.0, nu=0.4).fit(X)
    assert model.optimality_ <= 1e-12
    assert np.isclose(model.dual_coef_.sum(), 0.4 * 40)


def test_after_the_last_step_nothing_moves(iris):
    with pytest.warns(ConvergenceWarning, match="Solver terminated early"):
        model = SVC(kernel="poly", C=1e3, tol=1e-6, max_iter=1000).fit(*iris)
    assert model.n_iter_.max() == 1000  # where free variables would move together
    assert model.fit_status_ == 1

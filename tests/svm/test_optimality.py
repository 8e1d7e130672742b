"""The optimality conditions of every machine on random problems, with duplicates, collinear and constant columns."""

import numpy as np
import pytest
import sklearn.svm
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from probus.svm import SVC, SVR, LinearSVC, LinearSVR, OneClassSVM
from probus.svm._smo import minimise

KERNELS = {"linear": linear_kernel, "rbf": lambda A: rbf_kernel(A, gamma=0.5)}


@st.composite
def problems(draw):
    """Few rows on a coarse grid, so that rows repeat, with columns that depend on others or are constant."""
    n, d = draw(st.integers(4, 14)), draw(st.integers(1, 3))
    seed = draw(st.integers(0, 10_000))
    rng = np.random.default_rng(seed)
    X = rng.integers(-2, 3, (n, d)).astype(float)
    form = draw(st.sampled_from(["plain", "collinear", "constant", "wide", "equal rows"]))
    if form == "collinear":
        X = np.column_stack([X, X @ rng.normal(size=d)])
    elif form == "constant":
        X = np.column_stack([X, np.full(n, 7.0)])
    elif form == "wide":
        X = np.column_stack([X, rng.normal(size=(n, 40))])
    elif form == "equal rows":
        X[:] = X[0]
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)[rng.permutation(n)]
    return X, y, draw(st.sampled_from([0.1, 1.0, 10.0])), draw(st.sampled_from(sorted(KERNELS)))


def full(model, n):
    beta = np.zeros(n)
    beta[model.support_] = model.dual_coef_[0]
    return beta


def assert_optimal(g, beta, lo, hi, atol):
    """No pair of variables can move in opposite directions and reduce the objective with gradient g."""
    rises, falls = g[beta < hi], g[beta > lo]
    assert (beta >= lo).all()
    assert (beta <= hi).all()
    assert len(rises) == 0 or len(falls) == 0 or falls.max() - rises.min() <= atol


@settings(max_examples=40, deadline=None)
@given(problems())
def test_classification_fulfils_its_conditions(problem):
    X, y, C, kernel = problem
    model = SVC(C=C, kernel=kernel, gamma=0.5, tol=1e-6).fit(X, y)
    K, beta = KERNELS[kernel](X), full(model, len(y))
    assert_optimal(K @ beta - y, beta, np.minimum(C * y, 0), np.maximum(C * y, 0), 1e-4)
    assert abs(beta.sum()) < 1e-9
    np.testing.assert_allclose(model.decision_function(X), K @ beta + model.intercept_, atol=1e-9)


@settings(max_examples=30, deadline=None)
@given(problems())
def test_regression_and_one_class_fulfil_theirs(problem):
    X, y, C, kernel = problem
    y = y * np.arange(len(y))
    K = KERNELS[kernel](X)
    model = SVR(C=C, kernel=kernel, gamma=0.5, epsilon=0.2, tol=1e-6).fit(X, y)
    beta = full(model, len(y))
    up, down = np.maximum(beta, 0), np.minimum(beta, 0)
    g, none, caps = K @ beta - y, np.zeros(len(y)), np.full(len(y), C)
    both, ends = np.concatenate([up, down]), (np.concatenate([none, -caps]), np.concatenate([caps, none]))
    assert_optimal(np.concatenate([g + 0.2, g - 0.2]), both, *ends, 1e-3)
    model = OneClassSVM(nu=0.4, kernel=kernel, gamma=0.5, tol=1e-6).fit(X)
    beta = full(model, len(y))
    assert_optimal(K @ beta, beta, none, none + 1.0, 1e-4)
    assert beta.sum() == pytest.approx(0.4 * len(y))


@settings(max_examples=30, deadline=None)
@given(problems(), st.sampled_from(["hinge", "squared_hinge"]), st.booleans())
def test_linear_machines_have_no_better_neighbour(problem, loss, numeric):
    """The objective does not fall along random directions from the solution."""
    X, y, C, _ = problem
    how = {"C": C, "tol": 1e-9, "max_iter": 100_000}
    if numeric:
        name = "squared_epsilon_insensitive" if loss == "squared_hinge" else "epsilon_insensitive"
        model = LinearSVR(loss=name, epsilon=0.1, **how).fit(X, y)
    else:
        model = LinearSVC(loss=loss, **how).fit(X, y)
    augmented = np.column_stack([X, np.ones(len(y))])
    w = np.append(np.ravel(model.coef_), model.intercept_)

    def objective(w):
        raw = augmented @ w
        slack = np.maximum(np.abs(y - raw) - 0.1, 0) if numeric else np.maximum(1 - y * raw, 0)
        return 0.5 * w @ w + C * np.sum(slack**2 if loss == "squared_hinge" else slack)

    best = objective(w)
    for direction in np.random.default_rng(0).normal(size=(20, len(w))):
        assert objective(w + 1e-3 * direction) >= best - 1e-9 * max(best, 1.0)
    assert model.dual_gap_ <= 1e-10


def test_steps_on_a_given_kernel_matrix_find_the_machine_of_scikit_learn():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), np.repeat([1.0, -1.0], 15)
    K = rbf_kernel(X).astype(np.float32)
    g, beta = -y, np.zeros(30)
    nothing = (np.empty((0, 0)), np.empty(0), 0, 0.0, 0.0, 0)
    lo, hi, places = np.minimum(y, 0), np.maximum(y, 0), np.arange(30)
    steps, violation = minimise(K, places, nothing, np.ones(30, np.float32), g, beta, lo, hi, 30, 1e-8, 10_000)
    assert steps < 10_000
    assert violation <= 1e-8
    np.testing.assert_allclose(g, K.astype(float) @ beta - y, atol=1e-12)
    peer = sklearn.svm.SVC(kernel="precomputed", tol=1e-8).fit(K.astype(float), y)
    np.testing.assert_allclose(beta, full(peer, 30), atol=1e-6)

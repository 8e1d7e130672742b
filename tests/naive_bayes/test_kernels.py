"""Each kernel against a slow and simple reference implementation."""

import numpy as np
import pytest

from probus.naive_bayes import _kernels as kernels

rng = np.random.default_rng(0)
N, D, K = 3000, 5, 3  # more than two blocks of rows
X = rng.normal(size=(N, D)) * [1, 10, 1e-3, 1, 1] + [0, 0, 0, 1e8, -5]
LABEL = rng.integers(0, K, N)
W = rng.integers(0, 4, N).astype(float)
CODES = rng.integers(0, 4, (N, D))
START = np.arange(D) * 4


def nothing():
    return kernels.Moments(np.zeros(K), *np.zeros((3, K, D)))


def twin_moments(X, label, w):
    means = np.array([np.average(X[label == k], axis=0, weights=w[label == k]) for k in range(K)])
    ssd = np.array([(w[label == k, None] * (X[label == k] - means[k]) ** 2).sum(axis=0) for k in range(K)])
    return np.bincount(label, w, K), means, ssd


@pytest.mark.parametrize("weights", [W, np.empty(0)], ids=["weighted", "unweighted"])
def test_class_moments_are_those_of_each_class(weights):
    out = nothing()
    kernels.class_moments(X, LABEL, weights, nothing(), out)
    total, means, ssd = twin_moments(X, LABEL, weights if len(weights) else np.ones(N))
    np.testing.assert_allclose(out.total, total)
    np.testing.assert_allclose(out.shift + out.mean, means, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(out.ssd, ssd, rtol=1e-11)


def test_merged_moments_are_those_of_all_rows():
    whole, part, rest = nothing(), nothing(), nothing()
    kernels.class_moments(X, LABEL, W, nothing(), whole)
    kernels.class_moments(X[:1700], LABEL[:1700], W[:1700], nothing(), part)
    kernels.class_moments(X[1700:], LABEL[1700:], W[1700:], nothing(), rest)
    kernels.merge_moments(part, rest)
    np.testing.assert_allclose(part.shift + part.mean, whole.shift + whole.mean, rtol=1e-13)
    np.testing.assert_allclose(part.ssd, whole.ssd, rtol=1e-11)


def test_merging_with_nothing_changes_nothing():
    whole, empty = nothing(), nothing()
    kernels.class_moments(X, LABEL, W, nothing(), whole)
    kernels.merge_moments(empty, whole)
    for merged, before in zip(empty, whole, strict=True):
        np.testing.assert_array_equal(merged, before)


def test_moments_survive_a_first_row_that_is_far_away():
    outlying = X.copy()
    outlying[0] = 1e8
    out = nothing()
    kernels.class_moments(outlying, np.zeros(N, dtype=np.int64), np.empty(0), nothing(), out)
    np.testing.assert_allclose(out.ssd[0] / N, outlying.var(axis=0), rtol=1e-11)


def test_gaussian_scores():
    constant, theta, precision = rng.normal(size=K), rng.normal(size=(K, D)), rng.uniform(0.5, 2, (K, D))
    out = np.empty((N, K))
    kernels.gaussian_scores(X, constant, theta, precision, out)
    expected = constant - 0.5 * ((X[:, None] - theta) ** 2 * precision).sum(axis=2)
    np.testing.assert_allclose(out, expected, rtol=1e-13)


def test_category_ranges():
    low, high = np.zeros((2, D), dtype=np.int64)
    kernels.category_ranges(CODES - 1, low, high)
    np.testing.assert_array_equal(low, np.minimum(CODES.min(axis=0) - 1, 0))
    np.testing.assert_array_equal(high, np.maximum(CODES.max(axis=0) - 1, 0))


@pytest.mark.parametrize("weights", [W, np.empty(0)], ids=["weighted", "unweighted"])
def test_count_categories_counts_the_given_columns(weights):
    out = np.zeros((K, 4 * D))
    kernels.count_categories(CODES, LABEL, weights, START, (1, 4), out)
    expected = np.zeros((K, 4 * D))
    for i in range(N):
        for j in range(1, 4):
            expected[LABEL[i], START[j] + CODES[i, j]] += weights[i] if len(weights) else 1.0
    np.testing.assert_array_equal(out, expected)


def test_category_scores():
    constant, table = rng.normal(size=K), rng.normal(size=(K, 4 * D))
    out = np.empty((N, K))
    kernels.category_scores(CODES, constant, START, table, out)
    expected = constant + sum(table[:, START[j] + CODES[:, j]].T for j in range(D))
    np.testing.assert_allclose(out, expected, rtol=1e-13, atol=1e-13)


def test_kernel_log_densities_are_the_average_of_normal_densities():
    value, weight, width = np.sort(rng.normal(size=50)), rng.uniform(1, 3, 50), 0.3
    x = np.append(rng.normal(size=40) * 3, np.nan)
    out = np.empty(41)
    kernels.kernel_log_densities(x, value, weight, width, out)
    z = (x[:, None] - value) / width
    expected = np.log((weight * np.exp(-0.5 * z**2)).sum(axis=1) / (weight.sum() * width * np.sqrt(2 * np.pi)))
    np.testing.assert_allclose(out[:-1], expected[:-1], rtol=1e-12)
    assert out[-1] == 0.0


def test_kernel_log_densities_do_not_underflow_far_from_every_value():
    out = np.empty(1)
    kernels.kernel_log_densities(np.array([1000.0]), np.array([-1.0, 0.0]), np.ones(2), 0.5, out)
    z = 1000.0 / 0.5
    np.testing.assert_allclose(out, -0.5 * z**2 - np.log(2 * 0.5 * np.sqrt(2 * np.pi)), rtol=1e-14)


def test_kernels_run_as_plain_python_too():
    compiled, plain = np.empty((20, K)), np.empty((20, K))
    args = X[:20], np.zeros(K), np.zeros((K, D)), np.ones((K, D))
    kernels.gaussian_scores(*args, compiled)
    kernels.gaussian_scores.py_func(*args, plain)
    np.testing.assert_allclose(compiled, plain, rtol=1e-13)

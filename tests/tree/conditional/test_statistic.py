"""Statistics against all permutations, against SciPy, and against what must not change them."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, pearsonr

from probus.tree.conditional._statistic import column_statistics, shuffled_statistics

KINDS = [(0, 1), (0, 3), (3, 1), (3, 3), (2, 2)]  # levels of the column, columns of the response


def statistic_of(x, n_levels, h, w=None, maximum=False):
    """The statistic of one column and its degrees of freedom."""
    columns = np.asarray(x, float)[None]
    w = np.ones(columns.shape[1]) if w is None else w
    rows = np.arange(columns.shape[1])
    statistic, freedom = np.empty(1), np.empty(1, np.int64)
    column_statistics(columns, np.array([n_levels]), h, w, rows, rows, maximum, 0, 1, statistic, freedom)
    return statistic[0], freedom[0]


def by_all_permutations(x, n_levels, h):
    """T of the data, and its mean and covariance over all orders of the responses."""
    g = np.eye(n_levels)[x.astype(int)] if n_levels else x[:, None]
    found = np.array([(g.T @ h[list(order)]).ravel() for order in permutations(range(len(x)))])
    return found[0], found.mean(axis=0), np.cov(found.T, bias=True).reshape(found.shape[1], -1)


def small_data(seed, n_levels, q, n=6):
    rng = np.random.default_rng(seed)
    x = rng.permutation(np.arange(n) % n_levels).astype(float) if n_levels else rng.normal(size=n)
    h = np.eye(q)[rng.permutation(np.arange(n) % q)] if q > 1 else rng.normal(size=(n, 1))
    return x, h


@pytest.mark.parametrize(("n_levels", "q"), KINDS)
def test_the_quadratic_form_is_that_of_all_permutations(n_levels, q):
    x, h = small_data(1, n_levels, q)
    T, mean, covariance = by_all_permutations(x, n_levels, h)
    away = T - mean
    expected = away @ np.linalg.pinv(covariance, rcond=1e-10, hermitian=True) @ away
    statistic, freedom = statistic_of(x, n_levels, h)
    assert statistic == pytest.approx(expected)
    assert freedom == np.linalg.matrix_rank(covariance, tol=1e-8)


@pytest.mark.parametrize(("n_levels", "q"), KINDS)
def test_the_maximum_is_that_of_all_permutations(n_levels, q):
    x, h = small_data(2, n_levels, q)
    T, mean, covariance = by_all_permutations(x, n_levels, h)
    z = np.abs(T - mean) / np.sqrt(np.diag(covariance))
    statistic, freedom = statistic_of(x, n_levels, h, maximum=True)
    assert statistic == pytest.approx(z.max())
    correlation = np.abs(covariance / np.sqrt(np.outer(np.diag(covariance), np.diag(covariance)))).round(6)
    assert freedom == len(np.unique(correlation == 1, axis=0))  # coordinates that are not ± each other


@pytest.mark.parametrize(("n_levels", "q"), KINDS)
@pytest.mark.parametrize("maximum", [False, True])
@settings(max_examples=15)
@given(seed=st.integers(0, 1000))
def test_weights_equal_repetition(n_levels, q, maximum, seed):
    x, h = small_data(seed, n_levels, q, n=9)
    w = np.random.default_rng(seed).integers(0, 4, len(x))
    rows = np.repeat(np.arange(len(x)), w)
    weighted = statistic_of(x, n_levels, h, w.astype(float), maximum)
    repeated = statistic_of(x[rows], n_levels, h[rows], None, maximum)
    np.testing.assert_allclose(weighted, repeated, rtol=1e-9, atol=1e-12)


def test_two_nominal_variables_give_pearsons_chi_squared():
    rng = np.random.default_rng(3)
    x, label = rng.integers(0, 4, 60), rng.integers(0, 3, 60)
    table = np.zeros((4, 3))
    np.add.at(table, (x, label), 1)
    expected = chi2_contingency(table, correction=False)
    statistic, freedom = statistic_of(x, 4, np.eye(3)[label])
    assert statistic == pytest.approx(59 / 60 * expected.statistic)
    assert freedom == expected.dof


def test_two_numbers_give_the_squared_correlation():
    x, y = np.random.default_rng(4).normal(size=(2, 40))
    statistic, freedom = statistic_of(x, 0, y[:, None])
    assert statistic == pytest.approx(39 * pearsonr(x, y).statistic ** 2)
    assert freedom == 1


def test_a_binary_column_gives_the_same_result_as_number_and_as_levels():
    rng = np.random.default_rng(5)
    x, h = rng.integers(0, 2, 50), np.eye(3)[rng.integers(0, 3, 50)]
    for maximum in (False, True):
        np.testing.assert_allclose(statistic_of(x, 0, h, None, maximum), statistic_of(x, 2, h, None, maximum))


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1.0, 1e9, 1e300])
def test_units_and_origin_do_not_matter(scale):
    rng = np.random.default_rng(6)
    x, h = rng.integers(0, 50, 30).astype(float), rng.normal(size=(30, 1))
    expected = statistic_of(x, 0, h)[0]
    assert statistic_of(x * scale, 0, h)[0] == pytest.approx(expected)
    assert statistic_of(x + 1e12, 0, h)[0] == pytest.approx(expected)


def test_rows_with_missing_values_are_left_out():
    rng = np.random.default_rng(7)
    x, h = rng.normal(size=30), np.eye(2)[rng.integers(0, 2, 30)]
    gone = np.arange(30) % 4 == 0
    assert statistic_of(np.where(gone, np.nan, x), 0, h) == statistic_of(x[~gone], 0, h[~gone])


@pytest.mark.parametrize(
    ("x", "n_levels", "y"),
    [
        ([1.0, 1.0, 1.0], 0, [1.0, 2.0, 3.0]),  # constant column
        ([2.0, 2.0, 2.0], 3, [1.0, 2.0, 3.0]),  # one level
        ([1.0, 2.0, 3.0], 0, [0.1, 0.1, 0.1]),  # constant response
        ([np.nan, np.nan, np.nan], 0, [1.0, 2.0, 3.0]),  # nothing known
        ([np.nan, np.nan, 0.0], 2, [1.0, 2.0, 3.0]),  # a single case
    ],
)
def test_there_is_nothing_to_test_where_nothing_varies(x, n_levels, y):
    assert np.isnan(statistic_of(x, n_levels, np.array(y)[:, None])[0])


def test_shuffles_are_the_same_statistic_of_other_orders():
    rng = np.random.default_rng(8)
    columns = np.stack([rng.normal(size=20), rng.integers(0, 3, 20).astype(float)])
    h, w, rows = np.eye(3)[rng.integers(0, 3, 20)], np.ones(20), np.arange(20)
    shuffles = np.stack([rng.permutation(20) for _ in range(4)])
    statistic, freedom = np.empty((4, 2)), np.empty((4, 2), np.int64)
    shuffled_statistics(columns, np.array([0, 3]), h, w, rows, shuffles, False, statistic, freedom)
    for b, order in enumerate(shuffles):
        for j, n_levels in enumerate((0, 3)):
            expected = statistic_of(columns[j], n_levels, h[order])
            assert (statistic[b, j], freedom[b, j]) == expected


def test_the_kernel_runs_as_plain_python():
    rows, statistic, freedom = np.arange(5), np.empty(1), np.empty(1, np.int64)
    columns, h = np.array([[1.0, 2.0, np.nan, 4.0, 8.0]]), np.arange(5.0)[:, None]
    arguments = (columns, np.array([0]), h, np.ones(5), rows, rows, False, 0, 1)
    column_statistics.py_func(*arguments, statistic, freedom)
    x, y = columns[0, [0, 1, 3, 4]], np.array([0.0, 1.0, 3.0, 4.0])
    assert statistic[0] == pytest.approx(3 * pearsonr(x, y).statistic ** 2)

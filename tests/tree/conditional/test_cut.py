"""The cut that is found against every cut there is."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probus.tree.conditional._cut import best_cut, every_partition, scan


def two_sample(left, h, w):
    """The quadratic form of the indicator of one side, spelt out."""
    n, g = w.sum(), left.astype(float)
    mean = w @ h / n
    covariance = (h - mean).T @ (w[:, None] * (h - mean)) / n
    away = (w * g) @ (h - mean)
    spread = (w @ g) * (n - w @ g) / (n - 1)
    return away @ np.linalg.pinv(covariance, rcond=1e-10, hermitian=True) @ away / spread


def best_of(sides, h, w, smallest):
    allowed = [left for left in sides if min(w[left].sum(), w[~left].sum()) >= smallest]
    return max((two_sample(left, h, w) for left in allowed), default=None)


def drawn(seed, q, n=40):
    rng = np.random.default_rng(seed)
    h = np.eye(q)[rng.integers(0, q, n)] if q > 1 else rng.normal(size=(n, 1))
    return rng, h, rng.integers(1, 4, n).astype(float)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), q=st.sampled_from([1, 2, 4]), smallest=st.sampled_from([0.0, 7.0, 30.0]))
def test_numbers_are_cut_where_the_sides_differ_most(seed, q, smallest):
    rng, h, w = drawn(seed, q)
    x = rng.integers(0, 12, len(w)).astype(float)
    cut = best_cut(5, x, 0, h, w, smallest)
    expected = best_of([x <= value for value in np.unique(x)[:-1]], h, w, smallest)
    assert (cut is None) == (expected is None)
    if cut is not None:
        assert cut.threshold in x
        assert two_sample(x <= cut.threshold, h, w) == pytest.approx(expected)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), q=st.sampled_from([1, 2, 4]), smallest=st.sampled_from([0.0, 7.0, 30.0]))
def test_few_levels_are_split_by_the_best_partition(seed, q, smallest):
    rng, h, w = drawn(seed, q)
    x = rng.choice([0.0, 2.0, 3.0, 4.0, 6.0], len(w))
    levels = np.unique(x)
    ways = [np.isin(x, some) for size in range(1, len(levels)) for some in combinations(levels, size)]
    expected = best_of(ways, h, w, smallest)
    cut = best_cut(5, x, 8, h, w, smallest)
    assert (cut is None) == (expected is None)
    if cut is not None:
        left = cut.sides(x) == 1
        assert two_sample(left, h, w) == pytest.approx(expected)
        np.testing.assert_array_equal(np.flatnonzero(cut.known), levels)


@pytest.mark.parametrize("q", [1, 2])
def test_many_levels_are_split_optimally_for_numbers_and_two_classes(q):
    _, h, w = drawn(11, q, n=60)
    x = (np.arange(60) % 12).astype(float)
    ways = [np.isin(x, some) for size in range(1, 7) for some in combinations(range(12), size)]
    cut = best_cut(0, x, 12, h, w, 0.0)
    assert two_sample(cut.sides(x) == 1, h, w) == pytest.approx(best_of(ways, h, w, 0.0))


def test_many_levels_of_many_classes_are_split_well():
    rng = np.random.default_rng(12)
    x = rng.integers(0, 40, 4000).astype(float)
    label = np.where(rng.random(4000) < 0.8, x.astype(int) % 2, rng.integers(0, 4, 4000))
    cut = best_cut(0, x, 40, np.eye(4)[label], np.ones(4000), 7.0)
    assert len(set(np.flatnonzero(cut.left) % 2)) == 1  # odd from even


def test_rows_with_missing_values_are_ignored():
    rng, h, w = drawn(13, 1)
    x = rng.normal(size=len(w))
    gone = np.arange(len(w)) % 3 == 0
    holed = np.where(gone, np.nan, x)
    assert best_cut(0, holed, 0, h, w, 7.0).threshold == best_cut(0, x[~gone], 0, h[~gone], w[~gone], 7.0).threshold


def test_a_level_that_was_not_there_cannot_be_sent():
    cut = best_cut(0, np.array([0.0, 0.0, 2.0, 2.0]), 3, np.array([[1.0], [2.0], [8.0], [9.0]]), np.ones(4), 1.0)
    np.testing.assert_array_equal(cut.sides(np.array([0.0, 1.0, 2.0, np.nan])), [1, -1, 0, -1])


def test_ties_go_to_the_first_cut_whatever_the_rounding():
    x = np.arange(4.0)
    y = np.array([[0.1], [0.3], [0.3], [0.1]])  # by symmetry the first and the last cut are alike
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        assert best_cut(0, x[order], 0, y[order], np.ones(4), 1.0).threshold == 0.0


def test_kernels_run_as_plain_python():
    N, T, metric = np.array([3.0, 2.0, 4.0]), np.array([[2.0], [-2.5], [0.5]]), np.ones(1)
    may_close = np.array([True, True, False])
    assert scan.py_func(N, T, metric, may_close, 1.0) == scan(N, T, metric, may_close, 1.0) == 0
    assert every_partition.py_func(N, T, metric, 1.0) == every_partition(N, T, metric, 1.0) == 0b101

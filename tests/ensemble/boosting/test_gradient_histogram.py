"""Histograms are what bincount counts, and those of columns that share a byte can be told apart."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba import njit

from probus.ensemble.boosting._gradient_histogram import add_shares, clear, count_rows, marginal, subtract

seeds = st.integers(0, 2**32)


@njit
def marginal_of(cells, base, stride, size, n_cells, out):
    marginal(cells, base, stride, size, n_cells, out)


@njit
def difference(cells, others, begin, end):
    subtract(cells, others, begin, end)


@njit
def together(cells, shares, begin, end):
    add_shares(cells, shares, begin, end)


@njit
def count_stretch(codes, rows, first, last, row_values, cells, g_first, g_last):
    clear(cells, 256 * g_first, 256 * g_last)
    count_rows(codes, rows, first, last, row_values, cells, g_first, g_last)


def counted(codes: np.ndarray, rows: np.ndarray, row_values: np.ndarray) -> np.ndarray:
    """By NumPy, byte by byte."""
    out = np.zeros((codes.shape[1], 256), np.int64)
    for byte, cells in zip(codes.T, out, strict=True):
        np.add.at(cells, byte[rows], row_values[rows])
    return out.ravel()


@given(seeds, st.integers(1, 60), st.integers(1, 9), st.data())
def test_a_stretch_is_counted_as_bincount_does(seed, n, width, data):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 256, (n, width), dtype=np.uint8)
    row_values = rng.integers(-(2**62), 2**62, n)
    rows = rng.permutation(n).astype(np.int32)
    first = data.draw(st.integers(0, n))
    last = data.draw(st.integers(first, n))
    before = rng.integers(0, 99, 256 * width)  # what was there is forgotten
    g_first = data.draw(st.integers(0, width))
    g_last = data.draw(st.integers(g_first, width))
    cells = before.copy()
    count_stretch(codes, rows, first, last, row_values, cells, g_first, g_last)
    mine = slice(256 * g_first, 256 * g_last)
    expected = before.copy()
    expected[mine] = counted(codes, rows[first:last], row_values)[mine]
    assert (cells == expected).all()


@pytest.mark.parametrize("n", [1, 15, 16, 17, 33])
def test_looking_ahead_stays_within_the_stretch(n):
    codes = np.arange(3 * n, dtype=np.uint8).reshape(n, 3)
    rows = np.concatenate([np.arange(n), np.full(20, 2**30)]).astype(np.int32)  # no row of these may be asked for
    cells = np.zeros(3 * 256, np.int64)
    count_stretch(codes, rows, 0, n, np.ones(n, np.int64), cells, 0, 3)
    assert (cells == counted(codes, rows[:n], np.ones(n, np.int64))).all()


@given(seeds, st.lists(st.integers(1, 16), min_size=1, max_size=4))
def test_marginals_are_the_histograms_of_the_columns_alone(seed, sizes):
    while np.prod(sizes) > 256:
        sizes = sizes[:-1]
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, size, 200) for size in sizes]
    strides = np.cumprod([1, *sizes[:-1]])
    codes = sum(column * stride for column, stride in zip(columns, strides, strict=True)).astype(np.uint8)
    row_values = rng.integers(-(2**40), 2**40, 200)
    cells = np.concatenate([np.full(256, 7), counted(codes[:, None], np.arange(200), row_values)])
    for column, size, stride in zip(columns, sizes, strides, strict=True):
        out = np.full(size, 99)
        marginal_of(cells, 256, stride, size, np.prod(sizes), out)
        expected = np.zeros(size, np.int64)
        np.add.at(expected, column, row_values)
        assert (out == expected).all()


def test_the_larger_child_is_what_remains():
    cells, others = np.array([5, 7, -2, 9]), np.array([1, 7, 4, 9])
    difference(cells, others, 0, 3)
    assert cells.tolist() == [4, 0, -6, 9]


def test_what_threads_counted_is_added_up():
    cells = np.array([9, 9, 9, 9])
    together(cells, np.array([[1, 2, 3, 4], [10, 20, 30, 40], [100, 200, 300, 400]]), 1, 3)
    assert cells.tolist() == [9, 222, 333, 9]

import numpy as np
import pytest

from probus.tree.forest_engine._column_bins import N_CODES, START, binned
from probus.tree.preparation._design import Design


def bins_of(X, max_bins, n_levels=None):
    return binned(Design(X, np.zeros(X.shape[1], np.int64) if n_levels is None else n_levels), max_bins, n_jobs=1)


def ranges(bins, j):
    own = slice(bins.about[j, START], bins.about[j, START] + bins.about[j, N_CODES])
    return bins.low[own], bins.high[own]


def test_few_values_keep_a_bin_each():
    X = np.random.default_rng(0).integers(-3, 4, (500, 2)) / 2.0
    bins = bins_of(X, 255)
    for j in range(2):
        low, high = ranges(bins, j)
        assert (low == np.unique(X[:, j])).all()
        assert (low == high).all()
        assert (low[bins.codes[j]] == X[:, j]).all()


@pytest.mark.parametrize("n", [1000, 30_000])  # sorted by NumPy, and by us
def test_each_value_lies_in_its_bin_and_bins_do_not_overlap(n):
    rng = np.random.default_rng(1)
    X = np.column_stack(
        [rng.normal(size=n), rng.exponential(size=n).round(2), np.where(rng.random(n) < 0.4, 0, rng.normal(size=n))]
    )
    bins = bins_of(X, 60)
    for j in range(3):
        low, high = ranges(bins, j)
        assert len(low) <= 60
        assert (low[bins.codes[j]] <= X[:, j]).all()
        assert (X[:, j] <= high[bins.codes[j]]).all()
        assert (high[:-1] < low[1:]).all()


def test_bins_hold_about_equally_many_rows():
    X = np.random.default_rng(2).normal(size=(25_500, 1))
    counts = np.bincount(bins_of(X, 255).codes[0])
    assert len(counts) == 255
    assert abs(counts - 100).max() <= 1


def test_a_frequent_value_takes_one_bin_and_leaves_the_others_to_the_rest():
    x = np.concatenate([np.zeros(900), np.arange(1.0, 101.0)])
    low, high = ranges(bins_of(x[:, None], 11), 0)
    assert (low[0], high[0]) == (0.0, 0.0)
    assert len(low) == 11
    assert (high[1:] - low[1:]).max() <= 10


def test_a_frequent_value_in_the_middle_leaves_equally_many_bins_to_both_sides():
    x = np.concatenate([np.zeros(600), np.arange(1.0, 201.0), -np.arange(1.0, 201.0)])
    low, _ = ranges(bins_of(x[:, None], 21), 0)
    assert ((low < 0).sum(), (low > 0).sum()) == (10, 10)


def test_missing_values_have_the_code_after_the_last():
    X = np.array([[1.0], [np.nan], [2.0], [np.nan], [1.0]])
    bins = bins_of(X, 255)
    assert bins.codes[0].tolist() == [0, 2, 1, 2, 0]
    assert bins.about[0, N_CODES] == 2
    assert bins_of(np.full((3, 1), np.nan), 255).codes[0].tolist() == [0, 0, 0]


def test_levels_are_their_own_codes():
    X = np.array([[2.0, 0.5], [np.nan, 0.5], [0.0, 1.5]])
    bins = bins_of(X, 255, np.array([4, 0]))
    assert bins.codes[0].tolist() == [2, 4, 0]
    assert bins.about[:, N_CODES].tolist() == [4, 2]


def test_many_levels_or_bins_take_wider_codes():
    X = np.arange(600.0)[:, None]
    assert bins_of(X, 255).codes.dtype == np.uint8
    wide = bins_of(X, 1000)
    assert wide.codes.dtype == np.uint16
    assert (wide.codes[0] == np.arange(600)).all()
    assert bins_of(X, 255, np.array([600])).codes.dtype == np.uint16

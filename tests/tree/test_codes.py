import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from probus.tree.preparation._codes import MISSING, N_CODES, PLACE, by_row, coded, in_order
from probus.tree.preparation._design import Design

FLOATS = st.floats(width=64, allow_nan=True, allow_infinity=False)
FEW = st.sampled_from([-0.0, 0.0, 1.0, -1.5, 1e-300, 3e300, np.nan])


def code(x: np.ndarray, max_bins: int | None = None, label: np.ndarray | None = None, **params):
    label = np.zeros(len(x), np.int32) if label is None else label
    return coded(Design(x[:, None], np.zeros(1, np.int64)), label, max_bins=max_bins, **params)


def codes_of(columns) -> np.ndarray:
    """The code of each row, whether the column was counted or listed."""
    return columns.codes[0] if columns.about[0, PLACE] < 0 else by_row(columns.lists[0])


@given(x=arrays(np.float64, st.integers(0, 60), elements=FLOATS | FEW))
def test_rows_are_ordered_as_a_stable_sort_orders_them(x):
    np.testing.assert_array_equal(in_order(x), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("scale", [1.0, 1e-12])
def test_many_rows_are_ordered_too(scale):
    """At the small scale numbers differ only in the last of their bits."""
    x = 1.0 + scale * np.random.default_rng(0).normal(size=20_000)
    x[5_000:10_000] = x[:5_000]
    np.testing.assert_array_equal(in_order(x), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("n_values", [1, 20, 256, 257, 900])
def test_codes_are_ranks_and_the_missing_come_last(n_values):
    rng = np.random.default_rng(n_values)
    x = np.concatenate([rng.normal(size=n_values), np.full(5, np.nan)])
    x = rng.permutation(np.concatenate([x, x[rng.integers(0, len(x), 300)]]))
    columns, values = code(x)
    known, ranks = np.unique(x[~np.isnan(x)], return_inverse=True)
    expected = np.full(len(x), n_values)
    expected[~np.isnan(x)] = ranks
    np.testing.assert_array_equal(codes_of(columns), expected)
    np.testing.assert_array_equal(values.low, known)
    np.testing.assert_array_equal(values.high, known)
    assert columns.about[0, [N_CODES, MISSING]].tolist() == [n_values, 1]


def test_a_list_is_in_order_and_carries_the_class():
    rng = np.random.default_rng(1)
    x, label = rng.normal(size=1000), rng.integers(0, 2, 1000).astype(np.int32)
    entries = code(x, label=label)[0].lists[0]
    rows = (entries & np.uint64(0xFFFFFFFF)).astype(np.int64) >> 1
    assert (np.diff(entries.astype(np.int64) >> 32) >= 0).all()
    np.testing.assert_array_equal(rows, np.argsort(x))
    np.testing.assert_array_equal(entries & np.uint64(1), label[rows])


def test_levels_keep_their_codes():
    x = np.array([2.0, 0.0, np.nan, 2.0])
    columns, _ = coded(Design(x[:, None], np.array([3])), np.zeros(4, np.int32), max_bins=None)
    assert columns.codes[0].tolist() == [2, 0, 3, 2]


@given(seed=st.integers(0, 2**32 - 1), max_bins=st.integers(2, 40), ties=st.booleans())
def test_bins_are_ranges_of_about_equally_many_rows(seed, max_bins, ties):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=400).round(1 if ties else 12)
    columns, values = code(x, max_bins)
    codes = codes_of(columns)
    assert len(values.low) <= max_bins
    ordered = codes[np.argsort(x)]
    assert (np.diff(ordered) >= 0).all()
    assert len(np.unique(np.column_stack([x, codes]), axis=0)) == len(np.unique(x))  # equal values share a bin
    for bin_, (low, high) in enumerate(zip(values.low, values.high, strict=True)):
        assert (x[codes == bin_].min(), x[codes == bin_].max()) == (low, high)
    if not ties:
        assert np.bincount(codes).max() <= 400 / max_bins + 1
        assert len(values.low) == max_bins


def test_one_frequent_value_does_not_starve_the_others():
    x = np.concatenate([np.zeros(10_000), np.arange(1.0, 101.0)])
    assert len(code(x, 32)[1].low) == 32

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probus import ModelFileError, Table
from probus.tree.multiway import C45Classifier
from probus.tree.multiway._coding import coding_of, quantile_edges
from probus.tree.preparation._design import design_of

numbers = st.lists(st.integers(-20, 20).map(float), min_size=1, max_size=40)


@given(numbers, st.integers(2, 8), st.data())
def test_weights_equal_repetition_in_quantiles(x, n_bins, data):
    w = np.array(data.draw(st.lists(st.integers(1, 4), min_size=len(x), max_size=len(x))))
    x = np.array(x)
    weighted = quantile_edges(x, w.astype(float), n_bins)
    np.testing.assert_array_equal(weighted, quantile_edges(np.repeat(x, w), np.ones(w.sum()), n_bins))


@given(numbers, st.integers(2, 8))
def test_edges_make_bins_none_of_them_empty_and_not_too_many(x, n_bins):
    edges = quantile_edges(np.array(x), np.ones(len(x)), n_bins)
    bins = np.searchsorted(edges, x)
    assert len(edges) < n_bins
    assert set(bins) == set(range(len(edges) + 1))


def test_few_values_have_a_bin_each_and_distinct_values_bins_of_equal_size():
    np.testing.assert_array_equal(quantile_edges(np.array([3.0, 1, 1, 7, np.nan]), np.ones(5), 3), [2, 5])
    bins = np.searchsorted(quantile_edges(np.arange(100.0), np.ones(100), 4), np.arange(100.0))
    np.testing.assert_array_equal(np.bincount(bins), [25, 25, 25, 25])


def test_adjacent_floats_are_in_different_bins():
    x = np.array([1.0, np.nextafter(1.0, 2)])
    edges = quantile_edges(x, np.ones(2), 2)
    np.testing.assert_array_equal(np.searchsorted(edges, x), [0, 1])


def coding(**ways):
    table = Table.of({"size": [1.0, 2, 3, 4], "colour": ["a", "b", "c", "a"], "grade": ["S", "M", "L", "M"]})
    model = C45Classifier()
    table = table.with_kinds(size="numeric", colour="nominal", grade=["S", "M", "L"])
    design = design_of(model, table, reset=True)
    return design, coding_of(design, model.schema_, np.ones(4), **ways)


def test_columns_are_split_by_level_bin_or_threshold():
    design, by_threshold = coding(n_bins=None, ordinal_levels=False)
    assert by_threshold.n_codes.tolist() == [0, 3, 0]
    assert by_threshold.coded(design.X) is design.X
    design, by_code = coding(n_bins=2, ordinal_levels=True)
    assert by_code.n_codes.tolist() == [2, 3, 3]
    assert by_code.ordered.tolist() == [1, 0, 1]
    np.testing.assert_array_equal(by_code.coded(design.X).T, [[0, 0, 1, 1], [0, 1, 2, 0], [0, 1, 2, 1]])


@pytest.mark.parametrize(
    "forged",
    [
        {"edge_start": np.array([0, 1, 1])},
        {"edge_start": np.array([0, 1, 1, 9])},
        {"edge_start": np.array([0, 1, 0, 1])},
        {"n_codes": np.array([3, 3, 3])},
        {"binned": np.array([0, 0, 0], np.uint8)},
    ],
    ids=str,
)
def test_edges_that_fit_no_column_are_refused(forged):
    _, sound = coding(n_bins=2, ordinal_levels=True)
    sound.check()
    with pytest.raises(ModelFileError, match="coding"):
        replace(sound, **forged).check()

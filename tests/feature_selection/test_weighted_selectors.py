"""Weights of rows in filters of subsets, the path of the lasso and stability selection; and too large numbers."""

import numpy as np
import pytest

from probus.data import Column, Table
from probus.errors import DataError
from probus.feature_selection import CorrelationSubset, L1Selection, MinimumRedundancy, SelectKBest, StabilitySelection
from probus.feature_selection._redundancy import coded_values


@pytest.fixture
def weighted():
    """Mixed columns with missing values, a target of numbers, and whole weights, some of them 0."""
    rng = np.random.default_rng(0)
    a, b, c = rng.normal(size=(3, 120)).round(1)
    level = rng.choice(list("uvw"), 120)
    y = a + (level == "u") + 0.5 * rng.normal(size=120)
    a[:7] = np.nan
    table = Table([Column.numbers("a", a), Column.numbers("b", b), Column.labels("level", level),
                   Column.numbers("both", a + 0.3 * c)])  # fmt: skip
    return table, y, rng.integers(0, 4, 120)


@pytest.mark.parametrize("of_classes", [False, True])
@pytest.mark.parametrize(
    ("selector", "attribute"),
    [
        (L1Selection(k=2), "entries_"),
        (MinimumRedundancy(k=3), "relevance_"),
        (CorrelationSubset(), "merit_"),
        (CorrelationSubset(measure="correlation"), "merit_"),
    ],
    ids=str,
)
def test_whole_weights_are_repeated_rows(weighted, selector, attribute, of_classes):
    table, y, w = weighted
    y = np.where(y > 0, "high", np.where(y > -1, "middle", "low")) if of_classes else y
    rows = np.repeat(np.arange(len(y)), w)
    repeated = selector.fit(table.take(rows), y[rows])
    expected, kept = getattr(repeated, attribute), repeated.get_support().tolist()
    selector.fit(table, y, sample_weight=w)
    np.testing.assert_allclose(getattr(selector, attribute), expected, rtol=1e-9)
    assert selector.get_support().tolist() == kept
    assert not np.allclose(getattr(selector.fit(table, y), attribute), expected)


def test_stability_with_weights_repeats_rows_within_their_half(weighted):
    table, y, w = weighted
    rows = np.repeat(np.arange(len(y)), w)
    selector = StabilitySelection(q=2, threshold=0.7, n_pairs=4, random_state=0)
    expected = selector.fit(table.take(rows), y[rows], groups=rows).frequencies_
    np.testing.assert_array_equal(selector.fit(table, y, sample_weight=w).frequencies_, expected)


def test_bins_have_equal_weight():
    x, w = np.arange(10.0), np.array([8.0, 1, 1, 1, 1, 1, 1, 1, 6, 7])
    codes = coded_values(x, w)
    np.testing.assert_array_equal(coded_values(np.repeat(x, w.astype(int))), np.repeat(codes, w.astype(int)))
    assert np.bincount(codes, w).tolist() == [10, 11, 7]  # cuts where 28/3 and 56/3 are reached


def test_what_has_no_weighted_form_is_refused(weighted):
    table, y, w = weighted
    with pytest.raises(DataError, match="sample_weight for SelectKBest, which takes none"):
        StabilitySelection(SelectKBest("mutual_information"), q=1, threshold=0.7).fit(table, y, sample_weight=w)
    with pytest.raises(DataError, match="5 groups of 120 rows"):
        StabilitySelection(q=1, threshold=0.7).fit(table, y, groups=np.arange(5))


def test_more_columns_than_there_are_is_refused(weighted):
    table, y, _ = weighted
    with pytest.raises(DataError, match=r"k=50 of 4 columns\.\n.*from 1 to 4"):
        L1Selection(k=50).fit(table, y)

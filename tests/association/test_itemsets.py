"""Frequent, closed and maximal itemsets: brute force, both searches, every form of input, and limits."""

from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from probus import DataError, Table
from probus.association import Baskets, frequent_itemsets


@st.composite
def purchases(draw):
    n, d = draw(st.integers(1, 90)), draw(st.integers(1, 7))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    bought = rng.random((n, d)) < draw(st.sampled_from([0.1, 0.4, 0.8, 1.0])) * rng.random(d)
    bought[0, 0] = True
    return bought, draw(st.sampled_from([0.02, 0.1, 0.34, 1.0]))


def brute_force(bought, support):
    n, d = bought.shape
    sets = (chosen for k in range(1, d + 1) for chosen in combinations(range(d), k))
    counts = {chosen: int(bought[:, chosen].all(axis=1).sum()) for chosen in sets}
    return {chosen: count for chosen, count in counts.items() if count / n >= support and count}


def found(*args, **options):
    return {each.items: each.count for each in frequent_itemsets(*args, **options)}


@settings(max_examples=30)
@given(purchases())
@pytest.mark.slow
def test_every_search_finds_what_brute_force_finds(case):
    bought, support = case
    expected = brute_force(bought, support)
    assert list(found(bought, support).items()) == list(expected.items())
    assert found(bought, support, algorithm="apriori") == expected
    assert found(bought, support, max_length=2) == {s: c for s, c in expected.items() if len(s) <= 2}
    above = {s: [o for o in expected if set(s) < set(o)] for s in expected}
    closed = {s: c for s, c in expected.items() if all(expected[o] < c for o in above[s])}
    assert found(bought, support, kind="closed") == closed
    assert found(bought, support, kind="maximal") == {s: c for s, c in expected.items() if not above[s]}


def test_both_searches_examine_the_same_sets_for_any_number_of_threads():
    bought = np.random.default_rng(0).random((1000, 30)) < 0.3
    results = [
        frequent_itemsets(bought, 0.02, n_jobs=1),
        frequent_itemsets(bought, 0.02, n_jobs=2),
        frequent_itemsets(bought, 0.02, algorithm="apriori"),
    ]
    assert len(results[0]) > 500
    for other in results[1:]:
        np.testing.assert_array_equal(other.items, results[0].items)
        np.testing.assert_array_equal(other.counts, results[0].counts)
        np.testing.assert_array_equal(np.trim_zeros(other.examined), np.trim_zeros(results[0].examined))


def test_more_than_64_items_deep_and_more_levels_than_are_set_aside():
    bought = np.triu(np.ones((40, 40), dtype=bool))  # every suffix is closed
    assert len(frequent_itemsets(bought, 1 / 40, kind="closed")) == 40
    assert [len(each.items) for each in frequent_itemsets(bought, 1 / 40, kind="maximal")] == [40]


BASKETS = [["bread", "milk"], ["milk", "beer", "milk"], [], ["bread", "milk", "beer"]]
EXPECTED = {
    ("beer",): 2, ("bread",): 2, ("milk",): 3, ("beer", "milk"): 2, ("bread", "milk"): 2,
}  # fmt: skip


def test_lists_sets_and_generators():
    assert found(BASKETS, 0.5) == EXPECTED
    assert found([set(basket) for basket in BASKETS], 0.5) == EXPECTED
    assert found((iter(basket) for basket in BASKETS), 0.5) == EXPECTED
    assert found([[1, "1"], [1, "1"], [1]], 0.5) == {(1,): 3, ("1",): 2, (1, "1"): 2}


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict])
@pytest.mark.parametrize("dtype", [bool, int, float])
def test_boolean_frames(make, dtype):
    columns = {
        name: np.array([name in basket for basket in BASKETS]).astype(dtype) for name in ("milk", "beer", "bread")
    }
    assert {frozenset(s): c for s, c in found(make(columns), 0.5).items()} == {
        frozenset(s): c for s, c in EXPECTED.items()
    }


def test_matrices_dense_and_sparse():
    matrix = np.array([[1, 1, 0], [0, 1, 1], [0, 0, 0]])
    expected = {(0,): 1, (1,): 2, (2,): 1, (0, 1): 1, (1, 2): 1}
    assert found(matrix, 0.3) == found(matrix == 1, 0.3) == found(sparse.csc_matrix(matrix), 0.3) == expected


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict])
def test_long_tables(make):
    rows = [(b, item) for b, basket in enumerate(BASKETS) for item in (basket or [None])]
    long = make({"order": [b for b, _ in rows], "product": [item for _, item in rows]})
    assert found(long, 0.5, basket="order", item="product") == EXPECTED


def test_typed_tables_have_a_level_of_a_column_as_an_item():
    table = Table.of({
        "sex": ["m", "f", None, "f"] * 3, "size": ["S", "L", "M", "L"] * 3, "price": [1.0, 2.0, 3.0, np.nan] * 3,
        "weight": np.arange(12.0),
    }).with_kinds(size=["S", "M", "L"])  # fmt: skip
    baskets = Baskets.of(table, bins=3)
    assert baskets.labels == (
        "3.5 < weight ≤ 7.5", "price = 1", "price = 2", "price = 3", "sex = f", "sex = m", "size = L", "size = M",
        "size = S", "weight > 7.5", "weight ≤ 3.5",
    )  # fmt: skip
    assert np.bincount(baskets.items).tolist() == [4, 3, 3, 3, 6, 3, 6, 3, 3, 4, 4]
    assert found(table, 0.5) == {("sex = f",): 6, ("size = L",): 6, ("sex = f", "size = L"): 6}


def test_parts_of_a_column_that_four_digits_do_not_distinguish_have_different_names():
    labels = Baskets.of(Table.of({"x": 1e6 + np.arange(6.0) / 100, "y": ["a", "b"] * 3})).labels
    assert len(set(labels)) == len(labels) == 5


def test_text_frame_and_picture():
    itemsets = frequent_itemsets([["a", "b"]] * 30 + [[str(i)] for i in range(25)], 0.01)
    assert "Itemsets: 28 frequent in 55 baskets of 27 items, support ≥ 0.01" in repr(itemsets)
    assert "… and 8 more: see to_frame()" in repr(itemsets)
    assert itemsets.to_frame().filter(pl.col("length") == 2).row(0) == (["a", "b"], 2, 30, 30 / 55)
    assert "<svg" in itemsets._repr_html_()
    assert itemsets[-1].items == ("a", "b")
    assert len(frequent_itemsets([["a"], ["b"], ["c"]], 0.9).to_frame()) == 0


@pytest.mark.parametrize(("data", "options", "text"), [
    ("bread", {}, "baskets are str.\n  Expected a list of baskets"),
    (["bread", "milk"], {}, r"basket 0 is 'bread'.\n  Expected a list of baskets, each .* For one basket, write"),
    ([["a"], 3], {}, "basket 1 is 3"),
    ([[["a"]]], {}, r"basket 0 holds \['a'\].\n  Expected items that are strings or numbers"),
    ([["a", None]], {}, "baskets hold missing items"),
    ([["a", float("nan")]], {}, "baskets hold missing items"),
    ([], {}, "there are no baskets"),
    ([[], []], {}, "all 2 baskets are empty"),
    (np.zeros((3, 2)), {}, "all 3 baskets are empty"),
    (np.array([[0, 2]]), {}, "values other than 0 and 1"),
    (np.zeros(3), {}, "1 dimensions"),
    ([["a"]], {"min_support": 0}, "min_support=0.\n  Expected a share"),
    ([["a"]], {"min_support": 20}, "A number of baskets divided by 1"),
    ([["a"]], {"min_support": float("nan")}, "min_support=nan"),
    ([["a"]], {"kind": "open"}, "kind='open'.\n  Expected one of all, closed, maximal"),
    ([["a"]], {"algorithm": "fp"}, "algorithm='fp'"),
    ([["a"]], {"max_length": 0}, "max_length=0"),
    ([["a"]], {"max_length": 2, "kind": "closed"}, "max_length=2 with kind='closed'"),
    ([["a"]], {"max_itemsets": 0}, "max_itemsets=0"),
    ({"a": [1], "b": ["x"]}, {"basket": "a"}, "only one of basket and item"),
    ({"a": [None, 1], "b": ["x", "y"]}, {"basket": "a", "item": "b"}, "column 'a': 1 rows belong to no basket"),
    (Table.of({"a": ["x", "y"]}).with_kinds(a="text"), {}, "column 'a' is text"),
    (Table.of({"a": [1.0, 2.0]}), {"bins": 1}, "bins=1"),
])  # fmt: skip
def test_bad_input_is_a_clear_error(data, options, text):
    with pytest.raises(DataError, match=text):
        frequent_itemsets(data, **options)


@pytest.mark.parametrize("options", [{}, {"algorithm": "apriori"}, {"n_jobs": 2}])
def test_a_support_that_lets_too_many_itemsets_through_is_stopped(options):
    """Forty items in every basket have 2⁴⁰ subsets."""
    bought = np.ones((100, 40), dtype=bool)
    with pytest.raises(DataError, match=r"(?s)more than 5,000 frequent itemsets have a support .* use kind='closed'"):
        frequent_itemsets(bought, 0.5, max_itemsets=5000, **options)
    assert len(frequent_itemsets(bought, 0.5, kind="closed", max_itemsets=1)) == 1
    with pytest.raises(DataError, match=r"more than 2 closed itemsets have a support of at least 0.1."):
        frequent_itemsets(np.eye(3), 0.1, kind="closed", max_itemsets=2)
    with pytest.raises(DataError, match=r"more than 2 closed itemsets .*, among which maximal ones are looked for"):
        frequent_itemsets(np.eye(3), 0.1, kind="maximal", max_itemsets=2)


def test_a_boolean_frame_with_missing_values_is_not_read_as_a_typed_table():
    frame = pd.DataFrame({"bread": [True, None, False], "milk": [True, True, False]})
    text = r"column 'bread' of a Boolean frame: 1 of 3 values are missing.\n.*use frame.fillna\(False\)"
    for holed in (frame, pd.DataFrame({"bread": [1, None, 0], "milk": [1, 1, 0]})):
        with pytest.raises(DataError, match=text):
            frequent_itemsets(holed, 0.1)
    assert frequent_itemsets(frame.fillna(False), 0.1).labels == ("bread", "milk")
    assert "bread = True" in frequent_itemsets(Table.of(frame), 0.1).labels

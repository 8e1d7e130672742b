import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probus.data import Column, Kind
from probus.data._column import level_key, natural_order
from probus.errors import DataError

labels = st.lists(st.one_of(st.none(), st.sampled_from(["a", "b", "c", "d"])), min_size=1, max_size=20)
numbers = st.lists(st.one_of(st.just(np.nan), st.floats(-1e6, 1e6)), min_size=1, max_size=20)


@given(labels)
def test_labels_come_back_as_they_went_in(cells):
    column = Column.labels("c", cells)
    assert column.values.dtype == np.int32
    assert [None if gone else v for v, gone in zip(column.decoded(), column.missing, strict=True)] == cells


@given(numbers)
def test_numbers_survive_being_levels(values):
    column = Column.numbers("x", values)
    np.testing.assert_array_equal(column.as_kind("nominal").as_kind("numeric").values, column.values)


@given(labels, st.randoms())
def test_relevelling_changes_codes_and_no_value(cells, random):
    column = Column.labels("c", cells)
    order = list(column.levels)
    random.shuffle(order)
    moved = column.relevelled(order, Kind.ORDINAL)
    assert moved.levels == tuple(order)
    assert list(moved.decoded()) == list(column.decoded())


def test_a_list_of_levels_makes_a_column_ordinal():
    column = Column.labels("size", ["M", "S", "L"]).as_kind(["S", "M", "L"])
    assert column.kind is Kind.ORDINAL
    assert column.values.tolist() == [1, 0, 2]


def test_levels_of_numbers_match_their_strings():
    column = Column.labels("k", ["1", "2"]).relevelled([1.0, 2], Kind.NOMINAL)
    assert column.decoded().tolist() == [1.0, 2]
    assert level_key(2.0) == level_key("2") == level_key(2)


def test_natural_order_is_by_number_then_no_before_yes_then_letter():
    assert natural_order({"10", "2", "1"}) == ("1", "2", "10")
    assert natural_order({"Yes", "No"}) == ("No", "Yes")
    assert natural_order({"present", "absent"}) == ("absent", "present")
    assert natural_order({"b", "a"}) == ("a", "b")


def test_binary_columns_of_numbers_can_be_used_as_numbers():
    assert Column.labels("b", [True, False, None]).numbers_array().tolist()[:2] == [1.0, 0.0]
    assert not Column.labels("b", ["yes", "no"]).is_number_like


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("numeric", r"column 'age': 3 of 4 values are not numbers: '\?', 'n/a'"),
        ("binary", "column 'age' has 3 levels"),
        ("wrong", "unknown kind 'wrong'"),
        (["4"], r"column 'age' holds '\?', 'n/a', which are not among the given levels"),
    ],
)
def test_the_error_of_an_impossible_kind_gives_the_reason(kind, message):
    column = Column.labels("age", ["?", "n/a", "?", "4"])
    with pytest.raises(DataError, match=message):
        column.as_kind(kind)


def test_the_error_of_a_column_that_is_not_numeric_suggests_a_fix():
    with pytest.raises(DataError, match=r"Pass missing=\['n/a'\] to read\(\), or kinds=\{'age': 'nominal'\}"):
        Column.labels("age", ["n/a", "4"]).as_kind("numeric")


def test_a_column_is_an_array_to_numpy():
    assert np.asarray(Column.labels("c", ["b", "a"])).tolist() == ["b", "a"]
    assert np.asarray(Column.labels("k", [3, 1])).dtype.kind == "i"
    assert len(Column.text("t", ["some words", None])) == 2

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probus.data import Column, Kind, Table
from probus.errors import DataError
from probus.preprocessing import CumulativeEncoder

DEGREES = ["bachelors", "masters", "PhD"]


@given(st.lists(st.integers(-1, 5), min_size=1, max_size=30), st.booleans())
def test_the_coding_keeps_the_order_and_counts_the_rank(codes, drop_first):
    levels = tuple("abcdef")
    column = Column("grade", Kind.ORDINAL, np.array(codes, dtype=np.int32), levels)
    coded = CumulativeEncoder(drop_first=drop_first).fit_transform(Table([column])).numbers()
    present = np.array(codes) >= 0
    assert coded.shape[1] == len(levels) - drop_first
    assert np.isnan(coded[~present]).all()
    assert (np.diff(coded[present], axis=1) <= 0).all()
    np.testing.assert_array_equal(coded[present].sum(axis=1), np.array(codes)[present] + 1 - drop_first)


def test_the_example_of_the_notes():
    coded = CumulativeEncoder({"degree": DEGREES}).fit_transform(Table.of({"degree": ["bachelors", "PhD"]}))
    assert coded.numbers().tolist() == [[1, 0, 0], [1, 1, 1]]
    assert coded.names == ("degree>=bachelors", "degree>=masters", "degree>=PhD")


def test_the_first_column_can_be_left_out():
    encoder = CumulativeEncoder({"degree": DEGREES}, drop_first=True)
    coded = encoder.fit_transform(Table.of({"degree": ["bachelors", "PhD", "masters"]}))
    assert coded.numbers().tolist() == [[0, 0], [1, 1], [1, 0]]


def test_ordered_categories_of_a_frame_are_coded_and_other_columns_pass():
    frame = pd.DataFrame({"size": pd.Categorical(["L", "S"], ["S", "M", "L"], ordered=True), "town": ["Rome", "Bonn"]})
    coded = CumulativeEncoder().fit_transform(frame)
    assert coded.columns.tolist() == ["size>=S", "size>=M", "size>=L", "town"]
    assert coded["town"].tolist() == ["Rome", "Bonn"]


def test_a_level_outside_the_order_given_is_an_error():
    with pytest.raises(DataError, match="holds 'none', which are not among the given levels"):
        CumulativeEncoder({"degree": DEGREES}).fit(Table.of({"degree": ["PhD", "none"]}))

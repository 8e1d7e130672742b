import numpy as np
import pandas as pd
import pytest

from probus.data import Kind, Schema, Table, UnseenLevelWarning
from probus.errors import SchemaError

TRAIN = Table.of({"age": [22.0, 38.5], "sex": ["m", "f"], "k": [1, 2]}).with_kinds(k="nominal")


def test_columns_are_matched_by_name_and_others_left_out():
    new = TRAIN.schema.apply({"more": ["z"], "sex": ["f"], "k": [2], "age": [7.5]})
    assert new.schema == TRAIN.schema
    assert new.to_dict() == {"age": [7.5], "sex": ["f"], "k": [2]}


@pytest.mark.parametrize("cells", [["1", "2"], [1.0, 2.0], pd.Categorical([1, 2]), np.array([1, 2], dtype="int8")])
def test_levels_match_whatever_type_they_come_in(cells):
    assert TRAIN.select("k").schema.apply(pd.DataFrame({"k": cells}))["k"].values.tolist() == [0, 1]


def test_unseen_levels_become_missing_with_one_warning():
    with pytest.warns(UnseenLevelWarning, match="'sex': 'x'; 'k': 9") as caught:
        new = TRAIN.schema.apply({"age": [1.5], "sex": ["x"], "k": [9]})
    assert len(caught) == 1
    assert [bool(c.missing[0]) for c in new] == [False, True, True]


def test_a_missing_column_is_an_error_that_names_it():
    with pytest.raises(SchemaError, match=r"1 column missing from the new data: 'sex'(?s:.)*Found 'age', 'k'"):
        TRAIN.schema.apply({"age": [1.5], "k": [1]})


def test_strings_in_a_numeric_column_are_named():
    with pytest.raises(ValueError, match="column 'age': 1 of 1 values are not numbers: 'old'"):
        TRAIN.schema.apply({"age": ["old"], "sex": ["m"], "k": [1]})


def test_another_kind_is_no_advice_for_new_rows():
    with pytest.raises(ValueError, match=r"Pass missing=\['old'\] to read\(\), or correct them\.$"):
        TRAIN.schema.apply({"age": ["old"], "sex": ["m"], "k": [1]})


def test_a_schema_goes_through_json():
    assert Schema.from_dict(TRAIN.schema.to_dict()) == TRAIN.schema
    assert hash(TRAIN.schema) == hash(Schema.from_dict(TRAIN.schema.to_dict()))


def test_fields_are_found_by_name_and_place():
    assert TRAIN.schema["sex"].kind is Kind.BINARY
    assert TRAIN.schema[0].name == "age"
    with pytest.raises(SchemaError, match="no column 'nowhere'"):
        TRAIN.schema["nowhere"]

import numpy as np
import pandas as pd
import polars as pl
import pytest

from probus.data import Kind, Table, UnseenLevelWarning
from probus.errors import DataError, SchemaError
from probus.preprocessing import AsTable


def test_the_kinds_given_win_over_dtypes():
    frame = pd.DataFrame({"cyl": [4, 6, 4], "size": ["S", "L", "M"]})
    typed = AsTable(kinds={"cyl": "nominal", "size": ["S", "M", "L"]}).fit_transform(frame)
    assert typed.kinds == {"cyl": Kind.NOMINAL, "size": Kind.ORDINAL}
    assert typed["cyl"].levels == (4, 6)


def test_new_data_gets_the_kinds_and_levels_of_the_training_data():
    typed = AsTable(kinds={"cyl": "nominal"}).fit(pl.DataFrame({"cyl": [4, 6, 8], "mpg": [20.0, 15.0, 12.0]}))
    new = typed.transform(pl.DataFrame({"more": [1], "mpg": [18.0], "cyl": [8]}))
    assert new.names == ("cyl", "mpg")
    assert new["cyl"].values.tolist() == [2]
    assert new["cyl"].levels == (4, 6, 8)


def test_a_level_never_seen_becomes_missing_with_a_warning():
    typed = AsTable().fit(Table.of({"sex": ["m", "f"]}))
    with pytest.warns(UnseenLevelWarning, match="'sex': 'x'"):
        assert typed.transform(Table.of({"sex": ["x", "f"]}))["sex"].missing.tolist() == [True, False]


def test_a_column_that_is_not_there_is_named():
    typed = AsTable().fit(Table.of({"sex": ["m", "f"], "age": [1, 2]}))
    with pytest.raises(SchemaError, match="missing from the new data: 'age'"):
        typed.transform(Table.of({"sex": ["m"]}))


def test_a_kind_for_a_column_that_does_not_exist_is_an_error():
    with pytest.raises(DataError, match="no column 'agee'"):
        AsTable(kinds={"agee": "nominal"}).fit(Table.of({"age": [1, 2]}))


def test_arrays_of_strings_are_levels():
    typed = AsTable().fit(np.array([["a", "x"], ["b", "y"], ["c", "x"]], dtype=object))
    assert typed.transform(np.array([["c", "y"]], dtype=object)).to_dict() == {"x0": ["c"], "x1": ["y"]}


def test_the_output_is_a_table_for_any_set_output():
    assert isinstance(AsTable().set_output(transform="pandas").fit_transform([[1.0]]), Table)


def test_categories_keep_their_order_and_their_type():
    sizes = pl.DataFrame({"size": pl.Series(["L", "S", None], dtype=pl.Enum(["S", "M", "L"]))})
    assert AsTable().fit_transform(sizes)["size"].levels == ("S", "M", "L")
    grades = pd.DataFrame({"grade": pd.Categorical([3, 1, None], [3, 2, 1], ordered=True)})
    assert AsTable().fit_transform(grades)["grade"].levels == (3, 2, 1)
    cylinders = pd.DataFrame({"cyl": pd.Categorical([8, 4, None], [8, 6, 4])})
    assert AsTable().fit_transform(cylinders)["cyl"].levels == (4, 6, 8)


def test_a_frame_after_an_array_is_matched_by_position_with_a_warning():
    typed = AsTable().fit(np.array([[1.0, 2.0]]))
    with pytest.warns(UserWarning, match="X has feature names, but AsTable was fitted without feature names"):
        assert typed.transform(pd.DataFrame({"a": [5.0], "b": [6.0]})).to_dict() == {"x0": [5.0], "x1": [6.0]}
    with pytest.raises(DataError, match="X has 1 features, but AsTable is expecting 2"):
        typed.transform(pd.DataFrame({"a": [5.0]}))

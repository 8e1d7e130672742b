import numpy as np
import pandas as pd
import polars as pl
import pytest

import probus
from probus.data import Column, Kind, Table, UnseenLevelWarning
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


TOWNS = ["Bonn"] * 60 + ["Oslo"] * 37 + ["Rome"] * 2 + ["Kyiv"]


def test_levels_of_few_rows_are_grouped_and_listed():
    table = Table([Column.labels("town", TOWNS), Column.labels("sex", ["f", "m"] * 50)])
    typed = AsTable(rare=20).fit(table)
    assert typed.grouped_[0].tolist() == ["Kyiv", "Rome"]
    assert typed.grouped_[1].tolist() == []
    assert typed.transform(table)["town"].decoded().tolist() == ["Bonn"] * 60 + ["Oslo"] * 37 + ["other"] * 3
    assert typed.notes() == [
        "levels with fewer than 20 rows, and fewer than 5 %, are grouped as 'other': town (2 levels)"
    ]


def test_what_is_fitted_and_transformed_at_once_is_the_same():
    table = Table([Column.labels("town", TOWNS)])
    at_once, later = AsTable(rare=20).fit_transform(table), AsTable(rare=20).fit(table).transform(table)
    assert at_once.to_dict() == later.to_dict()
    assert at_once.schema == later.schema


@pytest.mark.parametrize("container", [Table.of, pd.DataFrame, pl.DataFrame, dict])
def test_unknown_levels_belong_to_the_group_without_a_warning(container, recwarn):
    typed = AsTable(rare=20).fit(container({"town": TOWNS}))
    new = typed.transform(container({"town": ["Lima", "Bonn", "Kyiv", None]}))
    assert new["town"].decoded().tolist() == ["other", "Bonn", "other", None]
    assert not recwarn.list


def test_arrays_and_numbers_that_are_levels_are_grouped_too():
    cells = np.array([[town, 1.0] for town in TOWNS], dtype=object)
    new = AsTable(rare=20).fit(cells).transform(np.array([["Lima", 2.0]], dtype=object))
    assert new["x0"].decoded().tolist() == ["other"]
    codes = AsTable({"code": "nominal"}, rare=20).fit({"code": np.repeat([1, 2, 3], [50, 49, 1])})
    assert codes.grouped_[0].tolist() == [3]
    assert codes.transform({"code": [2, 3, 9]})["code"].decoded().tolist() == ["2", "other", "other"]


def test_without_a_group_unknown_levels_are_missing():
    typed = AsTable(rare=20).fit(Table([Column.labels("town", ["Bonn", "Oslo", "Rome"] * 30)]))
    with pytest.warns(UnseenLevelWarning, match="'town': 'Lima'"):
        assert typed.transform(Table([Column.labels("town", ["Lima"])]))["town"].missing.all()


def test_small_tables_and_columns_of_rare_levels_only_keep_their_levels():
    few = Table([Column.labels("town", ["Bonn"] * 8 + ["Oslo"] * 8 + ["Rome"] * 4)])
    assert AsTable(rare=20).fit(few).grouped_[0].size == 0
    codes = Table([Column.labels("code", [f"c{i % 50}" for i in range(200)])])
    assert AsTable(rare=20).fit(codes).grouped_[0].size == 0


def test_a_level_named_other_is_the_group():
    table = Table([Column.labels("town", ["Bonn"] * 60 + ["other"] * 39 + ["Rome"])])
    assert AsTable(rare=20).fit_transform(table)["town"].levels == ("Bonn", "other")


def test_a_negative_number_of_rows_is_refused():
    with pytest.raises(DataError, match=r"The 'rare' parameter of AsTable must be an int in the range \[0, inf\)"):
        AsTable(rare=-1).fit([[1.0]])


def test_groups_are_saved(tmp_path):
    typed = AsTable(rare=20).fit(Table([Column.labels("town", TOWNS)]))
    probus.save(typed, tmp_path / "typed.probus")
    again = probus.load(tmp_path / "typed.probus")
    assert again.transform(Table([Column.labels("town", ["Lima"])]))["town"].decoded().tolist() == ["other"]


@pytest.mark.parametrize(("y", "n_grouped"), [(None, 30), (np.arange(100) % 2, 0), (np.eye(100, 2), 30)])
def test_levels_are_not_grouped_where_the_target_encodes_them(y, n_grouped):
    """Of 100 rows, 60 have levels of fewer than 5."""
    table = Table([Column.labels("town", ["Bonn"] * 40 + [f"t{i % 30}" for i in range(60)])])
    typed = AsTable(rare=5).fit(table, y)
    assert len(typed.grouped_[0]) == n_grouped

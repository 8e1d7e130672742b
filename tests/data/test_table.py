import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import cross_val_score

from probus.data import Column, Kind, Table
from probus.errors import DataError

PEOPLE = {
    "age": [22.0, 38.5, None, 4.0],
    "sex": ["m", "f", "f", None],
    "size": ["S", "L", "M", "M"],
    "alive": [True, False, True, False],
}


def people():
    return Table.of(PEOPLE).with_kinds(size=["S", "M", "L"])


def test_kinds_come_from_the_values():
    assert Table.of(PEOPLE).kinds == {
        "age": Kind.NUMERIC,
        "sex": Kind.BINARY,
        "size": Kind.ORDINAL,
        "alive": Kind.BINARY,
    }


@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_a_frame_goes_out_as_it_came_in(library):
    table = people()
    frame = {"pandas": table.to_pandas, "polars": table.to_polars, "pyarrow": table.to_arrow}[library]()
    back = Table.of(frame, infer=False)
    assert back.origin == library
    assert back.schema == table.schema
    assert back.to_dict() == table.to_dict()
    assert type(back.to_native()) is type(frame)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, dict])
def test_every_source_gives_the_same_table(make):
    table = Table.of(make(PEOPLE))
    assert table.schema == Table.of(PEOPLE).schema
    assert table.to_dict() == Table.of(PEOPLE).to_dict()


def test_a_table_without_a_frame_stays_a_table():
    assert Table.of(PEOPLE).to_native() is not None
    assert isinstance(Table.of(PEOPLE).to_native(), Table)


def test_dtypes_declare_the_kinds_when_nothing_is_inferred():
    frame = pd.DataFrame(
        {
            "flag": [0, 1],
            "grade": pd.Categorical(["low", "high"], ["low", "high", "top"], ordered=True),
            "colour": pd.Categorical(["red", "blue"], ["red", "blue", "grey"]),
            "when": pd.to_datetime(["1970-01-02 00:00", "1970-01-03 12:00"]),
            "maybe": pd.array([1, None], dtype="Int64"),
        }
    )
    table = Table.of(frame, infer=False)
    assert [str(kind) for kind in table.kinds.values()] == ["numeric", "ordinal", "nominal", "numeric", "numeric"]
    assert table["grade"].levels == ("low", "high", "top")
    assert table["when"].values.tolist() == [1.0, 2.5]
    assert table["maybe"].missing.tolist() == [False, True]
    assert table.to_pandas()["when"].tolist() == frame["when"].tolist()


def test_arrays_records_and_structured_arrays():
    assert Table.of(np.eye(2)).names == ("x0", "x1")
    assert Table.of([{"a": 1.5}, {"a": 2.5, "b": "x"}])["b"].missing.tolist() == [True, False]
    structured = np.array([(1.5, "x"), (2.5, "y")], dtype=[("a", float), ("b", "U1")])
    assert Table.of(structured).names == ("a", "b")


def test_rows_and_columns_are_taken_by_any_key():
    table = people()
    assert table[["sex", "age"]].names == ("sex", "age")
    assert table[np.array([True, False, False, True])]["age"].values.tolist() == [22.0, 4.0]
    assert table[1:3].n_rows == table.take([1, 2]).n_rows == 2
    assert table.take([]).n_rows == 0
    assert table.drop("age", "sex").names == ("size", "alive")


def test_a_table_is_never_changed_in_place():
    table = people()
    table.with_kinds(sex="nominal").with_columns(Column.numbers("more", [1, 2, 3, 4]))
    assert table.kinds["sex"] is Kind.BINARY
    assert "more" not in table


def test_scikit_learn_splits_a_table():
    scores = cross_val_score(DummyClassifier(), people()[["age", "sex"]], [0, 1, 0, 1], cv=2)
    assert scores.shape == (2,)


def test_only_numbers_become_a_matrix():
    assert people().select("age", "alive").numbers().shape == (4, 2)
    with pytest.raises(DataError, match=r"'sex' \(binary\), 'size' \(ordinal\)(?s:.)*probus.tabular"):
        np.asarray(people())


def test_text_and_html():
    text = repr(people())
    assert text.splitlines()[0] == "Table: 4 rows × 4 columns"
    assert "S < M < L" in text
    assert "1 (25 %)" in text
    page = Table.of({"<b>": ["<script>", "x"]})._repr_html_()
    assert "<script>" not in page
    assert "&lt;b&gt;" in page


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"x": [[1], [2]]}, "column 'x' holds values of type list"),
        ({"x": [1, "a", 2]}, "column 'x' mixes numbers with strings: 'a'"),
        ({"x": 5, "y": [5]}, r"column 'x' is 5\.\n  Expected a list or an array of values"),
        ({"x": [1, 2], "y": [1]}, "columns of different lengths: 'x' 2, 'y' 1"),
        ({"x": np.zeros(2, complex)}, "Complex data not supported"),
        ({"x": np.zeros((2, 2))}, r"column 'x' holds arrays of shape \(2,\)"),
        (np.zeros(3), "found an array of 1 dimension"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "duplicate column names: 'a'"),
        (pl.DataFrame({"x": [[1], [2]]}), "column 'x' holds lists or records"),
    ],
)
def test_what_is_no_table_is_refused(data, message):
    with pytest.raises(DataError, match=message):
        Table.of(data)


def test_columns_that_are_not_there_are_named():
    with pytest.raises(DataError, match=r"no column 'agee'(?s:.)*one of 'age', 'sex'"):
        people()["agee"]


def test_nothing_but_missing_values_is_a_numeric_column():
    table = Table.of({"x": [None, None]})
    assert table.kinds["x"] is Kind.NUMERIC
    assert table["x"].why == "all values are missing"


def test_all_representations_of_missing_are_missing():
    cells = np.array(["a", None, np.nan, pd.NA, pd.NaT], dtype=object)
    assert Table.of({"c": cells})["c"].missing.tolist() == [False, True, True, True, True]


def test_an_empty_table_has_no_rows():
    assert Table.of({}).shape == (0, 0)
    assert "0 rows" in repr(Table.of({"x": np.empty(0)}))

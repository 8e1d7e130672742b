"""Lines above the table, comments, duplicate names, chosen columns, cells of lists."""

import io
import json
import sqlite3

import pandas as pd
import polars as pl
import pytest

import probus
from probus.data import Table
from probus.errors import DataError


def read(text, **options):
    return probus.read(io.BytesIO(text.encode()), **options)


def cells(table):
    return table.to_dict()


def test_excels_separator_line_gives_the_delimiter():
    table = read("sep=;\r\na;b\r\n1;x, y\r\n2;z\r\n")
    assert cells(table) == {"a": [1, 2], "b": ["x, y", "z"]}
    assert "delimiter ';' given by the line 'sep=;'" in table.notes
    assert read('"sep=|"\na|b\n1|2\n3|4\n').names == ("a", "b")
    assert read("sep=,\na;b\n1;2\n3;4\n", delimiter=";").names == ("a", "b")


def test_comments_above_the_table_are_recognised_and_said():
    table = read("# made by hand\n# in 2024, twice\n\na,b\n1,x\n2,y\n")
    assert cells(table) == {"a": [1, 2], "b": ["x", "y"]}
    assert "2 leading comment lines skipped" in table.notes


def test_a_comment_with_the_names_is_the_header():
    table = read("# measured\n# a,b\n1,2.5\n3,4.5\n")
    assert cells(table) == {"a": [1, 3], "b": [2.5, 4.5]}
    assert "the comment above the first row is used as header" in table.notes
    assert read("#,name\n1,x\n2,y\n").names == ("#", "name")


def test_values_that_begin_with_a_number_sign_are_values():
    assert cells(read("colour\n#ff0000\n#00ff00\n#0000ff\n"))["colour"] == ["#ff0000", "#00ff00", "#0000ff"]
    assert cells(read("#ff0000\n#00ff00\n#0000ff\n", header=False))["x0"] == ["#ff0000", "#00ff00", "#0000ff"]


def test_comments_anywhere_are_skipped_where_their_beginning_is_given():
    table = read("% one\na,b\n1,2\n% two\n3,4\n", comment="%")
    assert cells(table) == {"a": [1, 3], "b": [2, 4]}
    assert "2 comment lines skipped" in table.notes
    assert cells(read("a,b\n1,2\n//\n3,4", comment="//")) == {"a": [1, 3], "b": [2, 4]}


def test_errors_state_whether_comments_are_counted():
    with pytest.raises(DataError, match="without its 1 comment line: line 3 has 3 fields"):
        read("%\na,b\n1,2\n1,2,3\n", comment="%")
    with pytest.raises(DataError, match="the open file: line 4 has 3 fields"):
        read("#\na,b\n1,2\n1,2,3\n")


def test_lines_above_the_header_are_skipped():
    assert cells(read("Report\nof 2024\na,b\n1,2\n3,4\n", skip=2)) == {"a": [1, 3], "b": [2, 4]}
    with pytest.raises(DataError, match="the open file: line 5 has 3 fields"):
        read("Report\nof 2024\na,b\n1,2\n1,2,3\n", skip=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"skip": -1}, "skip is -1.\n  Expected the number of lines above the header"),
        ({"skip": "2"}, "skip is '2'"),
        ({"skip": 9}, "no line below the 9 that are skipped"),
        ({"comment": ""}, "comment is ''.\n  Expected the characters that begin a comment line"),
        ({"columns": ["c"]}, "no column 'c'.\n  Expected one of 'a', 'b'"),
        ({"columns": []}, "columns is empty"),
    ],
)
def test_options_that_cannot_be_followed(options, message):
    with pytest.raises(DataError) as caught:
        read("a,b\n1,2\n3,4\n", **options)
    assert message in str(caught.value)


def test_duplicate_names_are_numbered_and_said():
    table = read("a,b,a,b,c,a_2,a\n1,2,3,4,5,6,7\n8,9,1,2,3,4,5\n")
    assert table.names == ("a", "b", "a_3", "b_2", "c", "a_2", "a_4")
    assert "duplicate names in the header: 'a' renamed to 'a_3', 'a_4'" in table.notes
    assert "duplicate names in the header: 'b' renamed to 'b_2'" in table.notes


@pytest.mark.parametrize("ending", ["csv", "irregular.csv", "parquet", "feather", "jsonl", "json", "sqlite", "xlsx"])
def test_only_the_chosen_columns_are_read_in_their_order(tmp_path, ending):
    path = tmp_path / f"a.{ending}"
    frame = pl.DataFrame({"a": [1, 2, 3], "b": ["x", "y", "z"], "c": [1.5, 2.5, 3.5]})
    if ending == "sqlite":
        with sqlite3.connect(path) as connection:
            connection.execute("create table t (a, b, c)")
            connection.executemany("insert into t values (?, ?, ?)", frame.rows())
        connection.close()
    elif ending == "json":
        path.write_text(json.dumps(frame.to_dicts()))
    elif ending == "irregular.csv":
        path.write_text('a,b,c,d\n1,x,1.5,5" pipe\n2,y,2.5,\n3,z,3.5,\n')
    else:
        write = {
            "csv": "write_csv",
            "parquet": "write_parquet",
            "feather": "write_ipc",
            "jsonl": "write_ndjson",
            "xlsx": "write_excel",
        }
        getattr(frame, write[ending])(path)
    table = probus.read(path, columns=["c", "a"])
    assert cells(table) == {"c": [1.5, 2.5, 3.5], "a": [1, 2, 3]}
    with pytest.raises(DataError, match="no column 'e'"):
        probus.read(path, columns=["e"])


def test_a_column_of_lists_is_left_out_and_said(tmp_path):
    frame = pl.DataFrame({"a": [1, 2], "tags": [["x"], ["y", "z"]], "place": [{"x": 1}, {"x": 2}], "b": ["u", "v"]})
    frame.write_parquet(tmp_path / "a.parquet")
    frame.write_ndjson(tmp_path / "a.jsonl")
    rows = frame.to_dicts()
    for source in (
        tmp_path / "a.parquet",
        tmp_path / "a.jsonl",
        frame,
        pd.DataFrame(rows),
        rows,
        frame.to_dict(as_series=False),
    ):
        table = Table.of(source)
        assert table.names == ("a", "b")
        (note,) = table.notes
        assert note.startswith("left out, because their cells are neither numbers, strings nor dates: 'tags' (")
        assert "'place' (" in note


def test_a_model_refuses_a_column_of_lists():
    with pytest.raises(DataError, match="column 'tags' holds"):
        Table.of({"a": [1, 2], "tags": [["x"], ["y"]]}, infer=False)


def test_values_that_mean_missing_are_for_all_columns():
    with pytest.raises(DataError, match=r"missing is a dict\.\n  Expected one value or a list, for all columns"):
        probus.read(io.StringIO("a,b\n-9,1\n2,3\n"), missing={"a": [-9]})

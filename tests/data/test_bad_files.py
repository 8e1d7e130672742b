"""Bad files: each is an error that says what was found, what was expected and what to do."""

import gzip
import io
import re
import sqlite3
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import probus


def error_of(source, **options):
    with pytest.raises(probus.DataError) as caught:
        probus.read(source, **options)
    return str(caught.value)


def text_error(text, **options):
    return error_of(io.BytesIO(text.encode() if isinstance(text, str) else text), **options)


def file(tmp_path, name, content):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# -- no table in it ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.parquet", "a.db"])
def test_an_empty_file(tmp_path, name):
    assert "is empty.\n  Expected a table with a header and rows." in error_of(file(tmp_path, name, b""))


def test_white_space_only():
    assert "is empty: it has only white space." in text_error(" \n\n  \n")


@pytest.mark.parametrize("text", ["a,b\n", "a,b", "a,b\n  \n"])
def test_a_header_and_no_rows(text):
    assert text_error(text) == (
        "the open file has a header and no rows.\n  Expected at least one row. Pass header=False if that is a row."
    )


def test_no_rows_in_a_typed_file(tmp_path):
    pl.DataFrame({"a": pl.Series([], dtype=pl.Float64)}).write_parquet(tmp_path / "a.parquet")
    assert "a.parquet' has no rows.\n  Expected at least one row." in error_of(tmp_path / "a.parquet")
    assert "has no rows" in error_of(file(tmp_path, "a.json", "[]"))


# -- broken text ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("line", "count"), [("3", "1 field"), ("3,4,5", "3 fields")])
def test_ragged_rows_are_named_by_line(line, count):
    assert text_error(f'a,b\n1,"x\ny"\n\n2,z\n{line}\n5,6\n') == (
        f"the open file: line 6 has {count}, the first line 2.\n  Expected the same number in every line. "
        "Correct that line, put quotes around cells that hold the delimiter, pass delimiter=…, or skip=… for lines "
        "above the header."
    )


def test_ragged_rows_among_stray_quotes_are_named_by_line():
    assert "line 3 has 3 fields, the first line 2" in text_error('a,b\n5" pipe,1\n1,2,3\n')


def test_ragged_rows_far_down_are_named_by_line():
    assert "line 200002 has 1 field" in text_error("a,b\n" + "1,2\n" * 200_000 + "3\n")


@pytest.mark.parametrize("text", ['a,b\n1,"x\n2,y\n', 'a,b\n1,"x\n2,"y"\n3,z\n', 'a,b\n1,"x"y\n3,z\n'])
def test_a_quote_without_its_partner(text):
    message = text_error(text)
    assert "the record that begins in line 2 has an unmatched quote" in message
    assert "Expected matching quotes around a cell, doubled inside it. Correct that line." in message


def test_the_wrong_encoding():
    assert text_error("a,b\n1,é\n", encoding="ascii") == (
        "the open file is not ascii: line 2 has the byte 0xc3.\n"
        "  Expected text in one encoding. Omit encoding to detect it."
    )
    assert "unknown encoding 'klingon'" in text_error("a\n1\n", encoding="klingon")


@pytest.mark.parametrize("content", [b"\0" * 4096, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256))])
def test_a_binary_called_csv(tmp_path, content):
    assert "a.csv' is not text: it holds NUL bytes." in error_of(file(tmp_path, "a.csv", content))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delimiter": ";;"}, "delimiter is ';;'.\n  Expected one ASCII character"),
        ({"decimal": "_"}, "decimal is '_'.\n  Expected '.' or ','."),
        ({"header": 0}, "header is 0.\n  Expected True, False, or None to detect it."),
        ({"table": "t"}, "read as delimited text, which does not take 'table'"),
        (
            {"kinds": {"a": "number"}},
            "unknown kind 'number'.\n  Expected one of numeric, binary, nominal, ordinal, text.",
        ),
        ({"kinds": {"c": "text"}}, "no column 'c'.\n  Expected one of 'a', 'b'."),
    ],
)
def test_options_that_make_no_sense(options, message):
    assert message in text_error("a,b\n1,x\n", **options)


def test_a_kind_that_the_values_do_not_allow_names_them():
    message = text_error("age\n1\n2\nold\n", kinds={"age": "numeric"})
    assert "column 'age': 1 of 3 values are not numbers: 'old' (row 2)." in message
    assert "Pass missing=['old'] to read()" in message


# -- no file -------------------------------------------------------------------------------------------


def test_a_file_that_is_not_there_suggests_its_neighbours(tmp_path):
    file(tmp_path, "titanic.csv", "a\n1\n")
    message = error_of(tmp_path / "titanik.csv")
    assert re.search(r"no file '.*titanik.csv'.\n  Expected a path to a file. Did you mean 'titanic.csv'\?", message)
    assert "Looked in" in error_of(tmp_path / "zebra.parquet")
    assert "no folder" in error_of(tmp_path / "nowhere" / "a.csv")


def test_a_folder_names_what_it_holds(tmp_path):
    assert "It contains no readable file." in error_of(tmp_path)
    file(tmp_path, "a.csv", "a\n1\n")
    assert "is a folder.\n  Expected a file. It contains 'a.csv'." in error_of(tmp_path)


def test_no_permission(tmp_path, monkeypatch):
    path = file(tmp_path, "a.csv", "a\n1\n")

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    assert "no permission to read" in (message := error_of(path))
    assert "Expected a file this user may read. Try: chmod u+r a.csv" in message


def test_a_device_that_fails(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "open", fail)
    assert "Input/output error" in error_of(tmp_path / "a.csv")


def test_an_unknown_ending(tmp_path):
    message = error_of(file(tmp_path, "a.sav", "a\n1\n"))
    assert "has an unknown extension: '.sav'.\n  Expected one of .csv, .tsv, .txt, .dat, .parquet" in message
    assert "cannot be read as Excel" in error_of(file(tmp_path, "a.xlsx", b"PK\3\4"))


def test_sources_that_are_no_files():
    assert "a value of type int.\n  Expected a path, an address, an open file, or a frame" in error_of(3)
    assert "data in memory with 'delimiter'" in error_of({"a": [1]}, delimiter=",")
    closed = io.BytesIO(b"a\n1\n")
    closed.close()
    assert "cannot read the open file" in error_of(closed)
    assert "open as text, but encoding is given" in error_of(io.StringIO("a\n1\n"), encoding="utf-8")


# -- damaged files -------------------------------------------------------------------------------------


def test_a_truncated_gzip(tmp_path):
    whole = gzip.compress(b"a,b\n" + b"1,2\n" * 1000)
    assert "is a damaged gzip file" in error_of(file(tmp_path, "a.csv.gz", whole[: len(whole) // 2]))
    assert "has the extension .gz but is not gzip" in error_of(file(tmp_path, "b.csv.gz", "a,b\n1,2\n"))


@pytest.mark.parametrize("ending", ["parquet", "feather"])
def test_a_truncated_binary_file(tmp_path, ending):
    frame = pl.DataFrame({"a": range(1000)})
    (frame.write_parquet if ending == "parquet" else frame.write_ipc)(tmp_path / "whole")
    content = (tmp_path / "whole").read_bytes()
    for size in (6, len(content) // 2, len(content) - 6):
        message = error_of(file(tmp_path, f"a.{ending}", content[:size]))
        assert f"a.{ending}' cannot be read as" in message
        assert "Expected a complete file. Get it again." in message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"a": 1}\n{"a": \n', "line 2 is not JSON"),
        ('{"a": 1}\n[1, 2]\n', "line 2 holds a JSON array.\n  Expected an object whose keys are column names."),
        ('{"a": [1, 2]}\n', "column 'a' holds values of type list.\n  Expected one value per cell."),
        ('{"a": {"b": 2}}\n', "column 'a' holds values of type dict.\n  Expected one value per cell."),
        ('{"a": 1}\n{"a": "old"}\n', "column 'a' mixes 1 numbers with strings: 'old'."),
        ("[" * 100_000, "line 1 is nested too deeply"),
    ],
)
def test_broken_json(tmp_path, text, message):
    assert message in error_of(file(tmp_path, "a.jsonl", text))


def test_a_mixed_column_is_read_if_the_strings_are_declared_missing(tmp_path):
    path = file(tmp_path, "a.jsonl", '{"a": 1}\n{"a": "old"}\n')
    assert "Pass missing=['old'] if they mean missing values." in error_of(path)
    assert probus.read(path, missing="old").to_dict() == {"a": [1, None]}


def test_a_column_of_lists_in_parquet(tmp_path):
    pl.DataFrame({"a": [[1, 2], [3]]}).write_parquet(tmp_path / "a.parquet")
    assert "column 'a' holds lists or records.\n  Expected one value per cell." in error_of(tmp_path / "a.parquet")


# -- sqlite --------------------------------------------------------------------------------------------


@pytest.fixture
def database(tmp_path):
    connection = sqlite3.connect(tmp_path / "a.db")
    connection.executescript("create table people (age); insert into people values (1); create table pets (n)")
    connection.close()
    return tmp_path / "a.db"


def test_a_database_with_several_tables_lists_them(database):
    assert "has 2 tables: 'people', 'pets'.\n  Expected one. Pass table=NAME (or query=SQL)." in error_of(database)
    message = error_of(database, table="peeple")
    assert "has no table 'peeple'.\n  Expected one of 'people', 'pets'. Did you mean 'people'?" in message


def test_a_database_without_tables(tmp_path):
    connection = sqlite3.connect(tmp_path / "b.db")
    connection.executescript("create table t (a); drop table t")
    connection.close()
    assert "has no tables" in error_of(tmp_path / "b.db")


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("select age from nowhere", "SQLite reports: no such table: nowhere."),
        ("selct 1", "SQLite reports: near"),
        ("select 1 as a; select 2", "SQLite reports: You can only execute one statement at a time"),
        ("select 1 as a, 2 as a", "duplicate column names: 'a'.\n  Expected unique names. Rename them with AS."),
        ("select 1 as a where 0", "has no rows"),
        ("", "has no rows"),
        ("select x'00ff' as a", "column 'a' holds values of type bytes"),
    ],
)
def test_bad_queries(database, query, message):
    assert message in error_of(database, query=query)


def test_table_and_query_at_once(database):
    assert "both table and query are given.\n  Expected one of them." in error_of(database, table="t", query="q")


def test_a_damaged_database(tmp_path):
    assert "SQLite reports: file is not a database" in error_of(file(tmp_path, "a.db", "no database at all" * 100))


def test_a_database_that_is_not_on_disk(database, tmp_path):
    message = "is a SQLite database that is compressed or not on disk.\n  Expected an uncompressed file."
    assert message in error_of(io.BytesIO(database.read_bytes()))
    assert message in error_of(file(tmp_path, "a.db.gz", gzip.compress(database.read_bytes())))


# -- options and wide files ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kinds": {"a": 3}}, "kind 3 for column 'a'.\n  Expected the name of a kind, a format, or levels in order"),
        ({"kinds": {"a": None}}, "kind None for column 'a'"),
        ({"kinds": {"a": "%Q"}}, "unknown kind '%Q'"),
        ({"delimiter": 5}, "delimiter is 5"),
        ({"encoding": 5}, "unknown encoding 5"),
        ({"columns": [3]}, "no column 3"),
    ],
)
def test_options_of_the_wrong_type_are_named(options, message):
    assert message in text_error("a,b\n1,2\n3,4\n", **options)


def test_thousands_of_columns_are_read():
    names = ",".join(f"c{j}" for j in range(3000))
    table = probus.read(io.BytesIO(f"{names}\n{'1,' * 2999}1\n{'2,' * 2999}3\n".encode()))
    assert table.shape == (2, 3000)
    assert table["c2999"].values.tolist() == [1, 3]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(["a", "1", ",", ";", "\n", "\r\n", '"', "#", " ", "\t", "$", "%", ".", "-", "1,097",
                                 "31.01.2024", "NA", "é", "\\", "007", "1e5", "inf", "sep=", "\ufeff", "/", "€"]),
                min_size=1, max_size=40))  # fmt: skip
def test_any_text_is_read_or_refused(pieces):
    for encoding in ("utf-8", "utf-16"):
        with suppress(probus.DataError):
            table = probus.read(io.BytesIO("".join(pieces).encode(encoding)))
            assert repr(table)
            assert repr(table.describe())

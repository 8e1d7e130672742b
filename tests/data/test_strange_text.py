"""Text that few people write: it is read as it stands, or an error names what is wrong."""

import csv
import io
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import polars as pl
import pytest

import probus
from probus import Kind
from probus.data.reading._delimited import long_fields
from probus.errors import DataError

LONG = "x" * 200_000  # more than the csv module allows


def read(text, **options):
    return probus.read(io.BytesIO(text if isinstance(text, bytes) else text.encode()), **options)


# -- long cells and wide tables ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        f"a;b\n1,5;{LONG}\n2,5;y\n3,5;z\n",
        f'a;b\n1,5;"{LONG}"\n2,5;y\n3,5;z\n',
        f'a;b\n1,5;{LONG}5" pipe\n2,5;y\n3,5;z\n',
    ],
)
def test_long_cells_do_not_hide_the_format_of_the_file(text):
    table = read(text)
    assert table.to_dict()["a"] == [1.5, 2.5, 3.5]
    assert len(table.to_dict()["b"][0]) >= len(LONG)
    assert table.notes == ("delimiter ';' and decimal comma detected",)


def test_a_long_name_is_a_name():
    assert read(f"a,{LONG}\n1,2\n3,4\n").names == ("a", LONG)


def test_the_limit_of_the_csv_module_is_as_before():
    before = csv.field_size_limit()

    def nested(depth):
        with long_fields():
            return nested(depth - 1) if depth else csv.field_size_limit()

    with ThreadPoolExecutor(4) as pool:
        assert min(pool.map(nested, [3] * 40)) > before
    assert csv.field_size_limit() == before


@pytest.mark.parametrize("cell", ["w{0}", '"w{0}"', "{0}.5", "{0}"])
def test_many_columns_take_as_many_queries_as_few(monkeypatch, cell):
    """A query of polars takes much longer than typing a short column."""

    def queries(width):
        count, eager = 0, pl.LazyFrame._collect_eager

        def counted(self, *arguments, **options):
            nonlocal count
            count += 1
            return eager(self, *arguments, **options)

        monkeypatch.setattr(pl.LazyFrame, "_collect_eager", counted)
        rows = [",".join(cell.format(row) for _ in range(width)) for row in (1, 2)]
        table = read("\n".join([",".join(f"c{j}" for j in range(width)), *rows]) + "\n")
        monkeypatch.undo()
        assert table.shape == (2, width)
        return count

    assert queries(300) == queries(3)


# -- numbers -------------------------------------------------------------------------------------------


def test_the_first_integer_that_is_not_exact_is_kept():
    table = read("a,b\n9007199254740993,1\n9007199254740992,2\n")
    assert table.to_dict()["a"] == ["9007199254740993", "9007199254740992"]
    assert "more digits than float64 can represent" in table.notes[0]
    assert read("a,b\n9007199254740991,1\n5,2\n")["a"].values.tolist() == [9007199254740991.0, 5.0]


@pytest.mark.parametrize(("number", "value"), [("1e400", np.inf), ("-1e400", -np.inf)])
def test_numbers_that_become_infinite_are_noted(number, value):
    table = read(f"a,b\n{number},1\n2,3\n4,5\n")
    assert table["a"].values.tolist() == [value, 2.0, 4.0]
    assert table.notes == (f"column 'a': {number!r} beyond float64, read as infinite",)
    assert read("a,b\ninf,1\n2,3\n4,5\n").notes == ()


def test_a_date_that_is_none_is_named():
    table = read("a,b\n0000-00-00,1\n2024-01-02,3\n2024-01-03,5\n")
    assert table["a"].kind is Kind.NOMINAL
    assert "1 of 3 values are not dates written %Y-%m-%d: '0000-00-00'; pass missing=['0000-00-00']" in table.notes[0]


# -- what the file is ----------------------------------------------------------------------------------


def test_every_mark_at_the_beginning_is_removed():
    assert read(b"\xef\xbb\xbf\xef\xbb\xbfa,b\n1,2\n3,4\n").names == ("a", "b")


def test_a_mark_of_another_encoding_is_named():
    with pytest.raises(DataError, match=r"is not utf-16: line 3 has the byte 0x00\.\n(.*) pass encoding="):
        read("a,b\n1,é\n".encode("utf-16") + b"\0")


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"PK\x03\x04\x14\0\0\0\x08\0", "a zip archive"),
        (b"%PDF-1.4\n%\xe2\xe3\n1 0 obj\n", "a PDF document"),
        (b"\n<!DOCTYPE html>\n<html>\n<p>a, b\n", "a web page"),
        (b"<html>\n<p>a, b\n", "a web page"),
    ],
)
def test_files_that_hold_no_table_are_named(content, what):
    with pytest.raises(DataError, match=f"the open file is {what}.\n  Expected delimited text"):
        read(content)


@pytest.mark.parametrize(
    ("text", "table"),
    [
        ("a,b\r\n1,x\n2,y\r3,z\r\n", {"a": [1.0, 2.0, 3.0], "b": ["x", "y", "z"]}),
        ('"a\nb",c\n1,2\n3,4\n', {"a\nb": [1.0, 3.0], "c": [2.0, 4.0]}),
        ("a,a,a_2\n1,2,3\n4,5,6\n", {"a": [1.0, 4.0], "a_3": [2.0, 5.0], "a_2": [3.0, 6.0]}),
        ("a\n1\n\n3\n", {"a": [1.0, None, 3.0]}),
        ("a,b\n,\n,\n", {"a": [None, None], "b": [None, None]}),
        ("a,b\n1\x0b,2\n\x0c\n3,4\n", {"a": [1.0, 3.0], "b": [2.0, 4.0]}),
    ],
)
def test_strange_but_clear_text_is_read(text, table):
    assert read(text).to_dict() == table

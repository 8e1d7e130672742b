"""Sheets of Excel files."""

import datetime
import sys

import pytest
import xlsxwriter

import probus
from probus.data import Kind
from probus.errors import DataError


@pytest.fixture
def book(tmp_path):
    def written(**sheets):
        path = tmp_path / "book.xlsx"
        with xlsxwriter.Workbook(path, {"default_date_format": "yyyy-mm-dd"}) as file:
            for name, rows in sheets.items():
                sheet = file.add_worksheet(name)
                for r, row in enumerate(rows):
                    for c, cell in enumerate(row):
                        if cell is not None:
                            sheet.write(r, c, cell)
        return path

    return written


def test_a_sheet_is_read_with_its_types(book):
    day = datetime.date(2024, 1, 31)
    path = book(
        a=[["age", "name", "when", "ok", "price"], [22, "Ann", day, True, "$5"], [38.5, "Bo", None, False, "$1,000"]]
    )
    table = probus.read(path)
    assert {name: str(kind) for name, kind in table.kinds.items()} == {
        "age": "numeric", "name": "binary", "when": "numeric", "ok": "binary", "price": "numeric"
    }  # fmt: skip
    assert table.to_dict()["price"] == [5, 1000]
    assert table["when"].dates
    assert table["when"].values[0] == (day - datetime.date(1970, 1, 1)).days
    assert table["ok"].levels == (False, True)


def test_numbers_beside_strings_are_kept(book):
    table = probus.read(book(a=[["x", "y"], [1, 1], [2, "n/a"], ["unknown", 3], [4, 5]]))
    assert table.to_dict() == {"x": ["1", "2", "unknown", "4"], "y": [1, None, 3, 5]}
    assert "1 of 4 values are not numbers: 'unknown'" in " ".join(table.notes)
    assert probus.read(book(a=[["x"], [1], ["unknown"], [4]]), missing="unknown").to_dict() == {"x": [1, None, 4]}


def test_a_sheet_is_chosen_by_name_or_number(book):
    path = book(first=[["a"], [1], [2]], second=[["b"], [3], [4]])
    table = probus.read(path)
    assert table.names == ("a",)
    assert "sheet 'first' is read; pass sheet= for 'second'" in table.notes
    for sheet in ("second", 2):
        assert probus.read(path, sheet=sheet).names == ("b",)
    for sheet in ("third", 0, 3):
        with pytest.raises(
            DataError, match=r"has no sheet .*\n  Expected one of 'first', 'second', or its number from 1"
        ):
            probus.read(path, sheet=sheet)


def test_titles_blank_rows_and_unnamed_columns(book):
    rows = [["A title"], [], ["a", "b", "a", None], [1, 2, 3, None], [], [4, None, 6, None]]
    table = probus.read(book(a=rows), skip=2)
    assert table.to_dict() == {"a": [1, 4], "b": [2, None], "a_2": [3, 6]}
    assert "1 blank row skipped" in table.notes
    assert "duplicate names in the header: 'a' renamed to 'a_2'" in table.notes


def test_empty_sheets_are_refused(book):
    for rows, text in (([], "the sheet has no rows"), ([["a", "b"]], "the sheet has a header and no rows")):
        with pytest.raises(DataError, match=text):
            probus.read(book(a=rows))


def test_without_fastexcel_the_error_names_it(book, monkeypatch):
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(DataError) as caught:
        probus.read(book(a=[["a"], [1]]))
    assert "is an Excel file, and fastexcel is not installed.\n  Expected fastexcel to read it." in str(caught.value)
    assert "pip install 'probus[excel]'" in str(caught.value)


def test_leading_zeros_are_labels(book):
    assert probus.read(book(a=[["zip"], ["007"], ["010"], ["123"]]))["zip"].kind is Kind.NOMINAL

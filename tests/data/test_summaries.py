"""Head, description, frequencies, and what a table displays."""

import io

import numpy as np
import polars as pl
import pytest

import probus
from probus.data import Column, Table
from probus.errors import DataError


@pytest.fixture
def people():
    return Table.of(
        {
            "age": [22.5, 38, None, 35, 35, 54, 2],
            "sex": ["m", "f", "f", None, "f", "m", "m"],
            "when": ["2024-01-31", "2024-02-01", None, "2024-02-01", "2024-02-03", "2024-02-04", "2024-02-05"],
            "size": ["S", "M", "L", "L", "M", "S", "L"],
        }
    )


def test_the_head_is_a_table_with_the_first_rows(people):
    assert people.head(2).to_dict() == {key: cells[:2] for key, cells in people.to_dict().items()}
    assert len(people.head()) == 5
    assert people.head(100).shape == people.shape
    assert people.head(2)["sex"].levels == ("f", "m")


def test_the_description_agrees_with_polars(people):
    frame = people.describe().to_frame()
    assert frame["name"].to_list() == ["age", "sex", "when", "size"]
    assert frame["missing"].to_list() == [1, 1, 1, 0]
    assert frame["unique"].to_list() == [5, 2, 5, 3]
    age = pl.Series(people["age"].values, nan_to_null=True).drop_nulls()
    row = frame.row(0, named=True)
    expected = {"mean": age.mean(), "std": age.std(), "min": age.min(), "median": age.median(), "max": age.max()}
    expected |= {f"q{q}": age.quantile(q / 100, "linear") for q in (25, 75)}
    assert {key: row[key] for key in expected} == pytest.approx(expected)
    assert frame["top"].to_list() == [None, "f (3), m (3)", None, "L (3), S (2), M (2)"]


def test_the_description_prints_numbers_dates_and_levels(people):
    text = repr(people.describe())
    assert text.splitlines()[0] == "Description: 7 rows × 4 columns"
    assert "2024-01-31" in text
    assert "1 (14 %)" in text
    assert "L: 3 (43 %), S: 2 (29 %), M: 2 (29 %)" in text
    assert "each once, such as a b" in repr(Table.of({"x": ["a b", "c", "d"]}).describe())


def test_a_description_of_odd_columns():
    table = Table(
        [Column.numbers("none", [np.nan] * 2), Column.numbers("inf", [np.inf, 1.0]), Column.text("t", [None] * 2)]
    )
    frame = table.describe().to_frame()
    assert frame["unique"].to_list() == [0, 2, 0]
    assert frame["mean"].to_list() == [None, 1.0, None]
    assert "inf" in repr(table.describe())
    assert "0 rows" in repr(Table.of({"x": np.empty(0), "y": []}).describe())
    assert "0 columns" in repr(Table([]).describe())


def test_frequencies_are_sorted_and_leave_out_missing_values(people):
    sizes = people.value_counts("size").to_frame()
    assert sizes.rows() == [("L", 3, 3 / 7), ("S", 2, 2 / 7), ("M", 2, 2 / 7)]
    assert people.value_counts("sex").missing == 1
    assert people.value_counts("age").to_frame()["count"].to_list() == [2, 1, 1, 1, 1]
    assert repr(people.value_counts("when")).splitlines()[:2] == [
        "when: 6 values, 5 distinct, 1 missing",
        "  2024-02-01  2  33 %",
    ]
    with pytest.raises(DataError, match="no column 'sise'"):
        people.value_counts("sise")


def test_many_frequencies_are_cut_in_text_only():
    counts = Table.of({"x": np.arange(50.0)}).value_counts("x")
    assert "… and 30 more: see to_frame()" in repr(counts)
    assert len(counts.to_frame()) == 50


def test_the_first_rows_are_displayed(people):
    text, page = repr(people), people._repr_html_()
    assert "  0  22.5  m    2024-01-31  S" in text
    assert text.count("\n  4  ") == 1
    assert "\n  5  " not in text
    assert ">2024-01-31<" in page
    assert ">22.5<" in page


def test_columns_that_do_not_fit_are_counted():
    table = Table.of({f"a long name {j}": [j, 2] for j in range(30)})
    line = next(line for line in repr(table).splitlines() if "more columns" in line)
    assert len(line) < 120
    assert "… 24 more columns" in line


def test_long_cells_are_cut_to_one_line():
    text = repr(probus.read(io.StringIO('a;b\n"line\nbreak and many, many more words";1\nx;2\n')))
    assert "line break and many, ma…" in text
    assert "\nbreak" not in text


def test_many_columns_are_listed_in_part():
    shown = str(Table.of({f"c{j}": [1.0, 2.0] for j in range(3000)}))
    assert "… (2,900 more)" in shown
    assert shown.count("\n") < 120
    assert "c49 " in shown
    assert "c2950 " in shown

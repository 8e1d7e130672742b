"""Numbers, percentages and dates as people write them."""

import datetime
import io

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probus
from probus.data import Kind, Table
from probus.data._written_formats import fit_format, parse
from probus.errors import DataError


def read(*cells, **options):
    """A table with the cells in column x, in quotes, beside a column of plain numbers."""
    lines = "".join(f'"{cell}",{i}\n' if cell else f",{i}\n" for i, cell in enumerate(cells))
    return probus.read(io.StringIO("x,n\n" + lines), **options)


def day(*date):
    return (datetime.date(*date) - datetime.date(1970, 1, 1)).days


NUMBERS = [
    (["1,097,769", "512", "-3,000.5"], [1097769, 512, -3000.5], "1,234.5"),
    (["1.055.847,19", "512,5"], [1055847.19, 512.5], "1.234,5"),
    (["1.055.847", "512"], [1055847, 512], "1.234,5"),
    (["1 097 769", "12 500,5"], [1097769, 12500.5], "1 234,5"),
    (["1'097'769", "12.5"], [1097769, 12.5], "1'234.5"),
    (["$105", "-$3", "$1,200.50"], [105, -3, 1200.5], "$1,234.5"),
    (["€ 105", "€ -3"], [105, -3], "€1,234.5"),
    (["£5.20", "£1.05"], [5.2, 1.05], "£1,234.5"),
    (["105 €", "1.105,50 €"], [105, 1105.5], "1.234,5 €"),
    (["USD 105", "USD 1,105"], [105, 1105], "USD 1,234.5"),
    (["-0.1%", "12%", "+3.5 %"], [-0.1, 12, 3.5], "1,234.5%"),
    (["0,5%", "−1,25%"], [0.5, -1.25], "1.234,5%"),
    (["0,5", "1,25", "3"], [0.5, 1.25, 3], "1.234,5"),
    (["0,123", "0,456"], [0.123, 0.456], "1.234,5"),
]


@pytest.mark.parametrize(("cells", "expected", "format"), NUMBERS)
def test_numbers_are_read_where_the_whole_column_agrees(cells, expected, format):
    for table in (read(*cells), Table.of({"x": cells}), Table.of(pd.DataFrame({"x": cells}))):
        assert table["x"].kind is Kind.NUMERIC
        assert table["x"].values.tolist() == expected
        assert table["x"].format == format
        (note,) = [note for note in table.notes if note.startswith("column 'x'")]
        assert f"written {format}: " in note
        assert "kinds={'x': 'text'}" in note


DATES = [
    (["31.01.2024", "1.2.2024"], [(2024, 1, 31), (2024, 2, 1)], "%d.%m.%Y"),
    (["1/31/2024", "2/1/2024"], [(2024, 1, 31), (2024, 2, 1)], "%m/%d/%Y"),
    (["31/1/2024", "1/2/2024"], [(2024, 1, 31), (2024, 2, 1)], "%d/%m/%Y"),
    (["31-Jan-24", "01-Feb-99"], [(2024, 1, 31), (1999, 2, 1)], "%d-%B-%y"),
    (["31 January 2024", "1 May 2024"], [(2024, 1, 31), (2024, 5, 1)], "%d %B %Y"),
    (["Jan 31, 2024", "May 1, 2024"], [(2024, 1, 31), (2024, 5, 1)], "%B %d, %Y"),
    (["2024/01/31", "2024/02/01"], [(2024, 1, 31), (2024, 2, 1)], "%Y/%m/%d"),
    (["31.01.24", "01.02.24"], [(2024, 1, 31), (2024, 2, 1)], "%d.%m.%y"),
    (["2024-01-31", "2024-02-01"], [(2024, 1, 31), (2024, 2, 1)], "%Y-%m-%d"),
]


@pytest.mark.parametrize(("cells", "expected", "format"), DATES)
def test_dates_are_read_where_the_whole_column_agrees(cells, expected, format):
    for table in (read(*cells), Table.of({"x": cells}), Table.of(pl.DataFrame({"x": cells}))):
        assert table["x"].dates
        assert table["x"].values.tolist() == [day(*date) for date in expected]
        assert table["x"].format == format


@pytest.mark.parametrize(
    "cells",
    [
        ["1/31/2024 14:05", "2/1/2024 0:00"],
        ["1/31/2024 2:05 PM", "2/1/2024 12:00 AM"],
        ["2024-01-31T14:05:00", "2024-02-01T00:00:00.0"],
    ],
)
def test_the_time_of_day_is_kept(cells):
    assert read(*cells)["x"].values.tolist() == [day(2024, 1, 31) + (14 * 60 + 5) / 1440, day(2024, 2, 1)]


@pytest.mark.parametrize("cells", [cells for cells, *_ in NUMBERS + DATES])
@pytest.mark.parametrize("kind", ["text", "nominal"])
def test_the_strings_come_back_exactly(cells, kind):
    cells = [*cells, "", *cells]
    expected = [cell or None for cell in cells]
    assert read(*cells, kinds={"x": kind}).to_dict()["x"] == expected
    table = read(*cells).with_kinds(x=kind)
    assert table.to_dict()["x"] == expected
    assert not any("'x'" in note for note in table.notes)


def test_the_strings_follow_the_rows():
    table = read("$1", "$2", "", "$3").take([3, 2, 0])
    assert table.with_kinds(x="text").to_dict()["x"] == ["$3", None, "$1"]


def test_a_date_that_is_ambiguous_is_read_by_rule_and_said():
    table = read("01/02/2024", "03/04/2024")
    assert table["x"].values.tolist() == [day(2024, 1, 2), day(2024, 3, 4)]
    assert "ambiguous: for %d/%m/%Y, kinds={'x': '%d/%m/%Y'}" in table["x"].why
    expected = [day(2024, 2, 1), day(2024, 4, 3)]
    assert table.with_kinds(x="%d/%m/%Y")["x"].values.tolist() == expected
    assert read("01/02/2024", "03/04/2024", kinds={"x": "%d/%m/%Y"})["x"].values.tolist() == expected
    assert read("01.02.2024", "03.04.2024")["x"].values.tolist() == expected


def test_thousands_or_decimals_are_decided_by_the_column():
    assert read("1,097", "2,500")["x"].values.tolist() == [1097, 2500]
    assert "ambiguous: for 1.234,5, kinds={'x': '1.234,5'}" in read("1,097", "2,500")["x"].why
    assert read("1,097", "2,500", kinds={"x": "1.234,5"})["x"].values.tolist() == [1.097, 2.5]
    assert "ambiguous" not in read("$1,097", "$2,500", "$950")["x"].why
    assert read("1,097", "2,5")["x"].values.tolist() == [1.097, 2.5]
    assert read("€1.097", "€2.500")["x"].values.tolist() == [1097, 2500]
    assert read("1.097%", "2.500%")["x"].values.tolist() == [1.097, 2.5]


@pytest.mark.parametrize(
    "cells",
    [["$105", "€3"], ["31.01.2024", "1/31/2024"], ["12%", "0.5"], ["1,23,456", "1,2"], ["30.02.2024", "01.01.2024"]],
)
def test_a_column_that_does_not_agree_stays_as_it_is(cells):
    table = read(*cells)
    assert table["x"].kind is Kind.BINARY
    assert table.to_dict()["x"] == cells


def test_a_few_strings_among_numbers_are_named():
    cells = [f"${i},000" for i in range(1, 30)]
    table = probus.read(io.StringIO("x;n\n" + "".join(f"{cell};1\n" for cell in [*cells, "free", "sold"])))
    assert table["x"].kind is Kind.NOMINAL
    (note,) = [note for note in table.notes if "'x'" in note]
    assert "2 of 31 values are not numbers written $1,234.5: 'free', 'sold'" in note
    assert "missing=['free', 'sold']" in note
    assert [finding.code for finding in probus.examine(table) if finding.column == "x"].count("PB208") == 1


def test_a_mixture_of_formats_is_said():
    cells = [*(f"{day}.01.2024" for day in range(10, 25)), *(f"1/{day}/2024" for day in range(10, 20))]
    table = read(*cells)
    assert table["x"].kind is Kind.NOMINAL
    assert table.to_dict()["x"] == cells
    text = "10 of 25 values are not dates written %d.%m.%Y: '1/10/2024', '1/11/2024'"
    assert any(note.startswith(f"column 'x' is nominal: {text}") for note in table.notes)
    assert Table.of({"x": cells})["x"].why.startswith(text)


def test_declared_numbers_are_missing_in_any_format():
    np.testing.assert_array_equal(read("$5", "$0", "$7", missing=0)["x"].values, [5, np.nan, 7])


def test_codes_in_groups_are_labels_where_the_name_says_code():
    cells = ["01.11.12", "02.10.20", "03.01.15"]
    assert Table.of({"code": cells})["code"].kind is Kind.NOMINAL
    assert Table.of({"day": cells})["day"].dates


def test_markers_of_missing_values_are_recognised_among_formatted_numbers():
    table = probus.read(io.StringIO("x;when\n$105;31.01.2024\n-;?\nNA;\n$3;01.02.2024\n"))
    np.testing.assert_array_equal(table["x"].values, [105, np.nan, np.nan, 3])
    np.testing.assert_array_equal(table["when"].values, [day(2024, 1, 31), np.nan, np.nan, day(2024, 2, 1)])


def test_distinct_amounts_are_no_identifier():
    table = read(*(f"{i:,}" for i in range(1000, 90_000, 1009)))
    assert table["x"].kind is Kind.NUMERIC
    assert not [finding for finding in probus.examine(table) if finding.column == "x" and finding.code == "PB204"]


def test_telephone_numbers_are_labels():
    cells = ["612 345 678", "611 222 333", "699 100 200"]
    assert Table.of({"phone": cells})["phone"].kind is Kind.NOMINAL
    assert Table.of({"revenue": cells})["revenue"].kind is Kind.NUMERIC


def test_new_data_are_read_in_the_format_of_the_training_data():
    schema = read("31/01/2024", "01/02/2024").schema
    expected = [day(2024, 3, 2), day(2024, 4, 3)]
    for new in ({"x": ["02/03/2024", "03/04/2024"], "n": [0, 1]}, read("02/03/2024", "03/04/2024")):
        assert schema.apply(new)["x"].values.tolist() == expected
    schema = read("0,5", "1,25").schema
    assert schema.apply({"x": ["1,097", "2"], "n": [0, 1]})["x"].values.tolist() == [1.097, 2]
    assert schema.apply({"x": [1.5, 2], "n": [0, 1]})["x"].values.tolist() == [1.5, 2]


def test_the_format_of_a_column_is_saved_with_the_model(tmp_path):
    table = read(*["31/01/2024", "01/02/2024", "05/02/2024", "07/03/2024"] * 5)
    from probus.tree import DecisionTreeRegressor

    model = DecisionTreeRegressor().fit(table.select("x"), table["n"].values)
    probus.save(model, tmp_path / "m.probus")
    new = {"x": ["05/02/2024", "07/03/2024"]}
    np.testing.assert_array_equal(probus.load(tmp_path / "m.probus").predict(new), model.predict(new))


def test_labels_can_be_made_numeric_by_any_format():
    assert Table.of({"x": ["$1,000", "$2"]}, kinds={"x": "nominal"}).with_kinds(x="numeric")["x"].values.tolist() == [
        1000,
        2,
    ]


def test_strings_that_do_not_have_the_given_format_are_named():
    text = r"'x' holds '31/01/2024' \(row 0\), which are not dates in the format '%m/%d/%Y'\.\n  Expected dates such as"
    with pytest.raises(DataError, match=text):
        read("31/01/2024", "01/02/2024", kinds={"x": "%m/%d/%Y"})


@given(st.lists(st.floats(-1e12, 1e12).map(lambda x: round(x, 2)), min_size=1))
def test_written_numbers_have_their_value(numbers):
    american = pl.Series([f"{x:,}" for x in numbers])
    assert parse(american, "1,234.5").to_list() == numbers
    swapped = american.str.replace_all(",", "_").str.replace_all(".", ",", literal=True).str.replace_all("_", ".")
    assert parse(swapped, "1.234,5").to_list() == numbers


@given(st.lists(st.dates(datetime.date(1000, 1, 1)), min_size=1), st.sampled_from(["%d.%m.%Y", "%d %B %Y", "%Y/%m/%d"]))
def test_written_dates_have_their_value(dates, format):
    found = fit_format(pl.Series([date.strftime(format) for date in dates]))
    assert parse(pl.Series([date.strftime(format) for date in dates]), format).to_list() == [
        (date - datetime.date(1970, 1, 1)).days for date in dates
    ]
    assert found.format == format


@given(st.lists(st.text(max_size=12), min_size=1))
def test_any_strings_are_accepted(cells):
    fit = fit_format(pl.Series(cells))
    assert fit is None or len(fit.values) == len(cells)


# -- points that may separate thousands ----------------------------------------------------------------

PERHAPS = [
    (["1.250", "12.300", "850"], [1.25, 12.3, 850], [1250, 12300, 850]),
    (["1.000", "2.000", "NA"], [1, 2, np.nan], [1000, 2000, np.nan]),
    (["-1.250", "0", "999.999"], [-1.25, 0, 999.999], [-1250, 0, 999999]),
]


@pytest.mark.parametrize(("cells", "decimals", "thousands"), PERHAPS)
@pytest.mark.parametrize(("sign", "other"), [(".", ","), (",", ".")])
def test_three_digits_after_every_decimal_sign_are_decimals_with_a_note(cells, decimals, thousands, sign, other):
    text = "x;n\n" + "".join(f"{cell.replace('.', sign)};{i}\n" for i, cell in enumerate(cells))
    table = probus.read(io.StringIO(text))
    np.testing.assert_array_equal(table["x"].values, decimals)
    as_thousands = f"1{sign}234{other}5"
    note = next(note for note in table.notes if note.startswith("column 'x'"))
    assert f"ambiguous: for {as_thousands}, kinds={{'x': '{as_thousands}'}}" in note
    np.testing.assert_array_equal(probus.read(io.StringIO(text), kinds={"x": as_thousands})["x"].values, thousands)
    np.testing.assert_array_equal(probus.read(io.StringIO(text), decimal=other)["x"].values, thousands)


@pytest.mark.parametrize("shown", ["12.5", "0.125", "1234.125", "1.2345", ".125", "1.250e2", "850."])
@pytest.mark.parametrize("rows", ["1.250,{}\n12.300,3\n", "1.250,1\n{},3\n"], ids=["beside", "below"])
def test_a_number_that_cannot_have_thousands_decides_for_all(shown, rows):
    table = probus.read(io.StringIO("x,z\n" + rows.format(shown)))
    assert table.notes == ()
    assert table["x"].values[0] == 1.25


def test_whole_numbers_from_1000_show_that_no_sign_separates_thousands():
    assert probus.read(io.StringIO("x\n1.250\n1250\n")).notes == ()


def test_a_decimal_sign_that_is_given_is_not_doubted():
    assert probus.read(io.StringIO("x\n1.250\n850\n"), decimal=".").notes == ()


def test_new_rows_of_a_column_that_may_have_thousands_are_read_as_the_first_ones_were():
    table = probus.read(io.StringIO("x\n1.250\n12.300\n850\n"))
    later = probus.read(io.StringIO("x\n1.5\n1234.5\n1e2\n"))
    assert table.schema.apply(later)["x"].values.tolist() == [1.5, 1234.5, 100]

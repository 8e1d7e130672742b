"""Integers that are dates, such as 20240131, are reported, and become days where that is asked for."""

import io
from datetime import date, timedelta

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression

import probus
from probus.data import Column, Kind, Table
from probus.errors import DataError

DAYS = [int((date(2023, 11, 20) + timedelta(i)).strftime("%Y%m%d")) for i in range(0, 200, 3)]


def table_of(days, name="x"):
    return probus.read(io.StringIO(f"{name},y\n" + "".join(f"{day},{i}.5\n" for i, day in enumerate(days))))


def about(table, name="x"):
    findings = probus.examine(table).of("PB215").column(name)
    return [note for note in table.notes if f"column {name!r}" in note], list(findings)


def test_integers_that_are_all_dates_stay_numbers_and_are_reported_with_what_to_do():
    table = table_of(DAYS)
    assert table["x"].kind is Kind.NUMERIC
    assert table["x"].values.tolist() == DAYS
    (note,), (finding,) = about(table)
    assert "that are all dates: treated as numbers; if 20240605 is 2024-06-05, kinds={'x': '%Y%m%d'}" in note
    assert (finding.severity, finding.suggestion) == ("note", "table.with_kinds(x='%Y%m%d')")


@pytest.mark.parametrize("make", ["read", "numbers", "strings"])
def test_integers_become_dates_where_their_format_is_given(make):
    frame = {"x": DAYS if make == "numbers" else list(map(str, DAYS)), "y": np.arange(len(DAYS))}
    table = table_of([*DAYS, ""]) if make == "read" else Table.of(frame)
    column = table.with_kinds(x="%Y%m%d")["x"]
    assert column.dates
    assert column.values[:2].tolist() == [(date(2023, 11, 20) - date(1970, 1, 1)).days + i for i in (0, 3)]
    assert np.isnan(column.values).sum() == (make == "read")
    assert about(table.with_kinds(x="%Y%m%d")) == (["column 'x': set by you"], [])


def test_a_model_fitted_on_such_dates_takes_integers():
    table = Table.of({"x": DAYS, "y": np.arange(len(DAYS))}, {"x": "%Y%m%d"})
    model = probus.tabular(LinearRegression()).fit(table.select("x"), np.arange(len(DAYS)))
    assert_allclose(model.predict({"x": DAYS}), np.arange(len(DAYS)), atol=2.0)


@pytest.mark.parametrize(
    ("name", "days"),
    [
        ("x", DAYS[:9]),  # too few without a name
        ("date", DAYS[:2]),
        ("date", [*DAYS, 20240230]),  # no day
        ("date", [*DAYS, 20241301]),
        ("date", [*DAYS, 18991231]),
        ("date", [*DAYS, 5]),
        ("x", range(20240101, 20240131)),  # may count rows
        ("x", range(20240101, 20240301)),
    ],
)
def test_other_integers_are_not_called_dates(name, days):
    table = table_of(days, name)
    assert about(table, name) == ([], [])
    assert "dates" not in table[name].why


@pytest.mark.parametrize("name", ["date", "OrderDate", "birth_day", "date_id"])
def test_few_dates_are_enough_in_a_column_that_is_named_so(name):
    notes, findings = about(table_of(DAYS[:3], name), name)
    assert len(notes) == len(findings) == 1


def test_columns_of_such_dates_share_a_note():
    text = "a,b\n" + "".join(f"{day},{day}\n" for day in DAYS)
    assert sum("likewise 'b'" in note for note in probus.read(io.StringIO(text)).notes) == 1


def test_numbers_without_separators_have_full_width():
    """1112024 may be the first or the eleventh."""
    assert Column.numbers("x", [11022024.0, np.nan]).as_kind("%d%m%Y").values[0] == 19764
    with pytest.raises(DataError, match=r"holds '1112024' \(row 0\), which are not dates in the format '%d%m%Y'"):
        Column.numbers("x", [1112024.0]).as_kind("%d%m%Y")


def test_the_kind_date_is_explained():
    with pytest.raises(DataError, match=r"unknown kind 'date'.*\n.*pass their format, such as '%d.%m.%Y' or '%Y%m%d'"):
        Table.of({"x": [1]}, {"x": "date"})

"""Strings that are dates become days."""

import datetime

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import probus
from probus.data import Table
from probus.data._dates import day_of
from probus.errors import DataError
from probus.linear_model import Ridge

EPOCH = datetime.datetime(1970, 1, 1)


@given(st.dates(min_value=datetime.date(1000, 1, 1)))
def test_all_date_formats_give_the_same_number(day):
    expected = (day - EPOCH.date()).days
    for written in (f"{day:%Y-%m-%d}", f"{day:%d-%b-%Y}", f"{day:%d %B %Y}", f" {day:%Y-%m-%dT00:00:00Z}"):
        assert day_of(written) == expected


@given(st.datetimes(min_value=datetime.datetime(1000, 1, 1)))
def test_moments_keep_their_time(moment):
    assert day_of(moment.isoformat(" ")) == (moment - EPOCH) / datetime.timedelta(days=1)


def test_zones_are_respected():
    assert day_of("1970-01-01T01:00+01:00") == 0


@pytest.mark.parametrize("text", ["03/04/2024", "2024", "2024-03", "2024-02-30", "12:30", "1-Foo-2024", "soon", ""])
def test_what_can_be_read_in_two_ways_or_none_is_no_date(text):
    assert day_of(text) is None


def test_new_strings_are_read_as_the_dates_of_the_schema():
    schema = Table.of({"when": ["2024-03-01", "2024-03-02", None]}).schema
    new = schema.apply({"when": ["1-Mar-2024", None]})["when"]
    assert new.dates
    np.testing.assert_equal(new.values, [19783, np.nan])


def test_new_strings_that_are_no_dates_are_named():
    schema = Table.of({"when": ["2024-03-01", "2024-03-02"]}).schema
    with pytest.raises(
        DataError, match=r"'when': 2 of 3 values are not dates: 'soon' \(rows 1, 2\)\.\n  Expected dates"
    ):
        schema.apply({"when": ["2024-03-01", "soon", "soon"]})


FAR = np.array(["400000-01-01", "2024-03-01"], "datetime64[D]")


@pytest.mark.parametrize(
    "cells",
    [
        {"when": FAR},
        {"when": list(FAR)},
        {"when": FAR.astype("datetime64[s]")},
        {"when": FAR - FAR[1]},
        pl.DataFrame({"when": pl.Series([200_000_000, 1]).cast(pl.Int32).cast(pl.Date)}),
        pl.DataFrame({"when": pl.Series([2**62, 1]).cast(pl.Datetime("ms"))}),
    ],
    ids=["days", "objects", "seconds", "spans", "polars", "milliseconds"],
)
def test_dates_that_64_bits_do_not_reach_are_an_error(cells):
    with pytest.raises(DataError, match="column 'when' holds dates or spans of more than 292,000 years"):
        Table(cells)


def test_a_row_of_dates_is_a_date():
    when = Table.of({"when": ["2024-03-01", None]})["when"]
    assert when[0] == np.datetime64("2024-03-01")
    assert when[1] is None


def test_numbers_for_dates_are_days_or_written_dates_and_else_an_error():
    days = np.datetime64("2021-01-04") + 10 * np.arange(40)
    model = probus.tabular(Ridge(1e-6)).fit(Table({"d": days.astype(str)}), np.arange(40.0))
    expected = model.predict({"d": ["2021-03-05", "2021-03-15"]})
    np.testing.assert_allclose(model.predict({"d": [20210305, 20210315]}), expected)
    np.testing.assert_allclose(model.predict({"d": [18691, 18701]}), expected)
    for number, unit in ((1614902400, "s"), (1614902400000, "ms"), (1614902400000000000, "ns")):
        hint = rf"to_datetime\(frame\['d'\], unit='{unit}'\)"
        with pytest.raises(DataError, match=rf"numbers such as {number}.*\n.*{hint}"):
            model.predict({"d": [number, number]})

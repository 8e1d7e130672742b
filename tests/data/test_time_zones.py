"""Times with a zone become the same instants in UTC, whatever holds them."""

import io
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import probus
from probus.data import Table
from probus.tree import DecisionTreeClassifier

ZONED = pd.DataFrame({"when": pd.date_range("2024-01-01", periods=20, freq="h", tz="Europe/Berlin")})
HOURS = 19722 + (23 + np.arange(20)) / 24  # midnight in Berlin is 23:00 of the day before in UTC

SOURCES = {
    "pandas": lambda: ZONED,
    "polars": lambda: pl.from_pandas(ZONED),
    "pyarrow": lambda: pa.Table.from_pandas(ZONED),
    "datetimes": lambda: {"when": [moment.to_pydatetime() for moment in ZONED["when"]]},
    "objects": lambda: ZONED.astype(object),
    "series": lambda: {"when": ZONED["when"]},
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("infer", [True, False])
def test_zoned_times_are_instants_in_utc(source, infer):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        column = Table.of(SOURCES[source](), infer=infer)["when"]
    assert column.dates
    np.testing.assert_allclose(column.values, HOURS, rtol=1e-12)


@pytest.mark.parametrize("source", ["pandas", "polars", "pyarrow"])
def test_the_conversion_is_noted(source):
    table = Table.of(SOURCES[source]())
    assert table.notes == ("column 'when': times in Europe/Berlin, converted to UTC",)
    assert table["when"].why == "dates, as days since 1970-01-01, in UTC (from Europe/Berlin)"
    assert Table.of(ZONED.assign(when=ZONED["when"].dt.tz_convert("UTC"))).notes == ()


def test_the_conversion_of_a_file_is_noted(tmp_path):
    ZONED.to_parquet(tmp_path / "a.parquet")
    assert probus.read(tmp_path / "a.parquet").notes == ("column 'when': times in Europe/Berlin, converted to UTC",)


def test_a_tree_predicts_the_same_in_any_zone():
    y = np.arange(20) >= 10
    tree = DecisionTreeClassifier().fit(ZONED, y)
    elsewhere = ZONED.assign(when=ZONED["when"].dt.tz_convert("Asia/Tokyo"))
    np.testing.assert_array_equal(tree.predict(elsewhere), y)


def test_a_note_on_times_written_with_a_zone():
    table = probus.read(io.StringIO("d,x\n2024-01-01T11:00:00+02:00,1\n2024-01-02T11:00:00+02:00,2\n"))
    assert table.notes == ("column 'd': dates, as days since 1970-01-01, in UTC (written with +02:00)",)
    assert not probus.read(io.StringIO("d,x\n2024-01-01T11:00:00Z,1\n2024-01-02T11:00:00+00:00,2\n")).notes

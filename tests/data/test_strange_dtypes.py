"""Columns of unusual types: a clear reading or a clear error, in a table, in fit and in predict."""

import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from probus import Kind, Table, Task
from probus.errors import DataError
from probus.naive_bayes import GaussianNB
from probus.tree import DecisionTreeClassifier

HOURS = [datetime.timedelta(hours=6 * i) for i in range(4)]
MIDNIGHTS = pd.date_range("2024-01-01", periods=4, tz="America/New_York")  # 5 o'clock in UTC
NUMBERS = {
    "128 bits": (pl.Series([2**100, 2**101, 3, 4], dtype=pl.Int128), [2.0**100, 2.0**101, 3, 4]),
    "128 bits unsigned": (pl.Series([2**127, 2, 3, 4], dtype=pl.UInt128), [2.0**127, 2, 3, 4]),
    "64 bits unsigned": (pl.Series([2**64 - 1, 2, 3, 4], dtype=pl.UInt64), [2.0**64, 2, 3, 4]),
    "64 bits unsigned in pandas": (pd.array([2**64 - 1, 2, 3, 4], dtype="UInt64"), [2.0**64, 2, 3, 4]),
    "beyond 64 bits": (pd.Series([2**70, 2, 3, 4], dtype=object), [2.0**70, 2, 3, 4]),
    "decimal": (pl.Series([Decimal("1.10"), Decimal("2.25"), Decimal("3"), Decimal("4")]), [1.1, 2.25, 3, 4]),
    "decimal objects": (pd.Series([Decimal("1.10"), Decimal("2.25")] * 2), [1.1, 2.25, 1.1, 2.25]),
    "fractions": (pd.Series([Fraction(1, 2), Fraction(3, 2)] * 2), [0.5, 1.5, 0.5, 1.5]),
    "durations": (pl.Series(HOURS), [0, 0.25, 0.5, 0.75]),
    "durations in pandas": (pd.Series(HOURS), [0, 0.25, 0.5, 0.75]),
    "duration objects": (pd.Series(HOURS, dtype=object), [0, 0.25, 0.5, 0.75]),
    "zone": (pd.Series(MIDNIGHTS), 19723 + 5 / 24 + np.arange(4)),
    "zone objects": (pd.Series(MIDNIGHTS, dtype=object), 19723 + 5 / 24 + np.arange(4)),
    "zone in polars": (pl.Series(MIDNIGHTS), 19723 + 5 / 24 + np.arange(4)),
}


def frame_of(cells, name="x"):
    """A frame of the library that the cells are from, with another column."""
    library = pl if isinstance(cells, pl.Series) else pd
    return library.DataFrame({name: cells, "z": [1.0, 2.0, 3.0, 4.0]})


@pytest.mark.parametrize("container", [frame_of, lambda cells: {"x": cells, "z": [1.0, 2.0, 3.0, 4.0]}])
@pytest.mark.parametrize("name", NUMBERS)
def test_numbers_dates_and_durations_of_any_type_are_numbers(name, container):
    cells, expected = NUMBERS[name]
    for infer in (True, False):
        column = Table.of(container(cells), infer=infer)["x"]
        assert column.kind is Kind.NUMERIC
        np.testing.assert_allclose(column.values, np.asarray(expected, dtype=float), rtol=1e-15)


@pytest.mark.parametrize("model", [DecisionTreeClassifier(random_state=0), GaussianNB()])
@pytest.mark.parametrize("name", NUMBERS)
def test_models_take_them_as_these_numbers(name, model):
    cells, expected = NUMBERS[name]
    frame, y = frame_of(cells), [0, 1, 0, 1]
    numbers = pd.DataFrame({"x": np.asarray(expected, dtype=float), "z": [1.0, 2.0, 3.0, 4.0]})
    predictions = model.fit(numbers, y).predict(numbers)
    np.testing.assert_array_equal(model.predict(frame), predictions)
    np.testing.assert_array_equal(model.fit(frame, y).predict(frame), predictions)


STRANGE = {
    "lists": (pl.Series([[1, 2]] * 4), "lists or records"),
    "records": (pl.Series([{"a": 1}] * 4), "lists or records"),
    "arrays": (pd.Series([np.arange(3)] * 4), "values of type ndarray"),
    "arrays of other lengths": (pd.Series([np.arange(i) for i in range(4)]), "values of type ndarray"),
    "dicts": (pd.Series([{"a": 1}] * 4), "values of type dict"),
    "times of day": (pl.Series([datetime.time(i) for i in range(4)]), "values of type time"),
    "bytes": (pl.Series([b"a"] * 4), "values of type bytes"),
}


@pytest.mark.parametrize("container", [frame_of, lambda cells: {"x": cells, "z": [1.0, 2.0, 3.0, 4.0]}])
@pytest.mark.parametrize("name", STRANGE)
def test_other_cells_are_left_out_of_a_table_and_refused_by_models(name, container):
    cells, what = STRANGE[name]
    table = Table.of(container(cells))
    assert table.names == ("z",)
    note = f"left out, because their cells are neither numbers, strings nor dates: 'x' ({what})"
    assert table.notes == (note,)
    numbers = {"x": [1.0, 2.0, 3.0, 4.0], "z": [1.0, 2.0, 3.0, 4.0]}
    expected = rf"column 'x' holds {what}\.\n  Expected one value per cell\. Split it into columns, convert"
    for model in (DecisionTreeClassifier(), GaussianNB()):
        with pytest.raises(DataError, match=expected):
            model.fit(container(cells), [0, 1, 0, 1])
        with pytest.raises(DataError, match=expected):
            model.fit(numbers, [0, 1, 0, 1]).predict(container(cells))


def test_an_integer_beyond_float64_is_an_error():
    with pytest.raises(
        DataError, match=r"column 'x' holds a number of 401 digits\.\n  Expected numbers below 1\.8e308"
    ):
        Table.of({"x": [10**400, 1]})


def test_categories_that_are_intervals_or_dates_are_strings():
    halves = pd.cut(pd.Series([1.0, 2.0, 3.0, 4.0]), [0, 2, 3, 4])
    days = pd.Categorical(pd.to_datetime(["2024-01-02", "2024-01-01", "2024-01-02", None]))
    table = Table.of(pd.DataFrame({"half": halves, "day": days}))
    assert (table["half"].kind, table["half"].levels) == (Kind.ORDINAL, ("(0, 2]", "(2, 3]", "(3, 4]"))
    assert table.to_dict()["day"] == ["2024-01-02 00:00:00", "2024-01-01 00:00:00", "2024-01-02 00:00:00", None]


def test_series_in_a_dict_keep_their_categories():
    sizes = pl.Series(["S", "L", "M"], dtype=pl.Enum(["S", "M", "L"]))
    codes = pd.Series([10, 9, 10], dtype="category")
    table = Table.of({"size": sizes, "code": codes})
    assert table.kinds == {"size": Kind.ORDINAL, "code": Kind.BINARY}
    assert (table["size"].levels, table["code"].levels) == (("S", "M", "L"), (9, 10))


@pytest.mark.parametrize(
    "column",
    [
        pd.Series(pd.array([True, None, False], dtype="boolean")),
        pd.Series([True, None, False], dtype=object),
        pl.Series([True, None, False]),
        np.array([True, None, False], dtype=object),
    ],
    ids=["pandas", "objects", "polars", "array"],
)
def test_booleans_are_levels_with_missing_values(column):
    found = Table.of({"a": column})["a"]
    assert (found.kind.value, found.levels, found.values.tolist()) == ("binary", (False, True), [1, -1, 0])
    assert Table.of({"a": [None, None]})["a"].kind.value == "numeric"  # all missing: nothing says that they are Boolean


def test_identifiers_of_64_bits_are_labels_not_rounded_numbers():
    ids = [1_800_000_000_000_000_000 + i % 5 for i in range(20)]
    gaps = pd.Series([None, *ids[1:]], dtype="Int64")
    for cells in (ids, np.array(ids), pd.Series(ids), pl.Series(ids), gaps):
        column = Table.of({"user": cells, "x": range(20)})["user"]
        assert column.kind is Kind.NOMINAL
        assert len(column.levels) == 5
        assert column.why.startswith("more digits than float64 can represent: treated as labels")
        assert column.decoded()[1] == "1800000000000000001"


def test_rows_of_one_identifier_of_64_bits_are_one_group():
    ids = [1_800_000_000_000_000_000 + i % 5 for i in range(20)]
    task = Task(pd.DataFrame({"user": ids, "x": range(20), "y": ["a", "b"] * 10}), target="y", group="user")
    assert len(set(task.groups)) == 5


def test_masked_values_are_missing():
    rows = np.ma.masked_values([[1.0, -9999.0], [2.0, 3.0]], -9999.0)
    assert np.isnan(Table.of(rows)["x1"].values[0])
    labels = np.ma.array(["a", "b", "c"], mask=[False, True, False])
    assert Table.of({"g": labels})["g"].missing.tolist() == [False, True, False]
    assert Table.of({"n": np.ma.array([1, 2, 3], mask=[0, 0, 1])})["n"].missing.tolist() == [False, False, True]

"""Categories in parquet and Arrow files: their order comes back, and so do missing ones."""

import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import probus
from probus import Kind
from probus.linear_model import LogisticRegression, Ridge
from probus.tree import DecisionTreeClassifier

LEVELS = ["never", "rarely", "unused", "always"]


def write(frame, path):
    if path.suffix == ".parquet":
        frame.to_parquet(path, row_group_size=7)
    elif path.suffix == ".feather":
        frame.to_feather(path)
    else:
        table = pa.Table.from_pandas(frame)
        with pa.ipc.new_stream(str(path), table.schema) as sink:
            sink.write_table(table, max_chunksize=7)
    return path


def answers(cells, *, ordered=True):
    return pd.DataFrame({"n": np.arange(len(cells)), "often": pd.Categorical(cells, LEVELS, ordered=ordered)})


@pytest.mark.parametrize("ending", [".parquet", ".feather", ".arrow"])
@pytest.mark.parametrize("cells", [["always", "never", "rarely"] * 5, ["always", "never", None, "rarely"] * 5])
def test_ordered_categories_come_back_ordinal_in_their_order(tmp_path, ending, cells):
    path = write(answers(cells), tmp_path / f"answers{ending}")
    column = probus.read(path)["often"]
    assert (column.kind, column.levels) == (Kind.ORDINAL, tuple(LEVELS))
    assert [None if cell is None else str(cell) for cell in column.decoded()] == cells
    assert column.why == "a categorical column with its levels in order"


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
def test_unordered_categories_stay_nominal(tmp_path, ending):
    table = probus.read(write(answers(["always", "never", "rarely"] * 5, ordered=False), tmp_path / f"a{ending}"))
    assert (table["often"].kind, table["often"].levels) == (Kind.NOMINAL, ("always", "never", "rarely"))


def test_two_ordered_categories_are_binary_in_their_order(tmp_path):
    frame = pd.DataFrame({"pass": pd.Categorical(["yes", "no"] * 5, ["yes", "no"], ordered=True)})
    column = probus.read(write(frame, tmp_path / "a.parquet"))["pass"]
    assert (column.kind, column.levels) == (Kind.BINARY, ("yes", "no"))


def test_declared_missing_values_are_missing_among_ordered_categories(tmp_path):
    path = write(answers(["always", "never", "rarely"] * 5), tmp_path / "a.parquet")
    assert probus.read(path, missing="never")["often"].missing.sum() == 5


def test_without_pyarrow_the_lost_order_is_said(tmp_path, monkeypatch):
    path = write(answers(["always", "never", "rarely"] * 5), tmp_path / "a.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert probus.read(path).notes == (
        "column 'often' has ordered levels in the file, but their order is read with pyarrow, which is not installed; "
        "install it, or pass kinds={'often': [levels in order]}",
    )


# -- in frames of pandas -------------------------------------------------------------------------------

CELLS = ["b", "a", None, "c", "a", "b"]
BYTES = pa.int8()


def arrow_series(values, index=BYTES, *, ordered=False):
    """A dictionary column in pandas, its values in that order."""
    places = [None if cell is None else values.index(cell) for cell in CELLS]
    dictionary = pa.DictionaryArray.from_arrays(pa.array(places, index), pa.array(values), ordered=ordered)
    return pd.Series(pd.arrays.ArrowExtensionArray(pa.chunked_array([dictionary])), name="often")


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("index", [pa.int8(), pa.int32(), pa.uint16()])
@pytest.mark.parametrize("infer", [False, True])
def test_a_dictionary_column_in_pandas_is_a_categorical_column(ordered, index, infer):
    values = ["c", "a", "unused", "b"]
    series = arrow_series(values, index, ordered=ordered)
    expected = pd.DataFrame({"often": pd.Categorical(CELLS, values, ordered=ordered)})
    for frame in (series.to_frame(), pd.concat([series[:2], series[2:]], ignore_index=True).to_frame()):
        found, wanted = (probus.Table.of(each, infer=infer)["often"] for each in (frame, expected))
        assert (found.kind, found.levels, found.why) == (wanted.kind, wanted.levels, wanted.why)
        assert found.values.tolist() == wanted.values.tolist()


def test_a_dictionary_column_without_rows_has_its_levels():
    assert probus.Table.of(arrow_series(["c", "a", "b"]).to_frame()[:0], infer=False)["often"].levels == ("a", "b", "c")


def test_models_take_dictionary_columns_as_features_and_target():
    y = arrow_series(["c", "a", "b"]).fillna("a")
    frame = pd.DataFrame({"often": arrow_series(["c", "a", "b"]), "n": range(6)})
    plain = frame.assign(often=pd.Series(CELLS, dtype="category"))
    for model in (DecisionTreeClassifier(random_state=0), probus.tabular(LogisticRegression())):
        expected = model.fit(plain, y.astype(str)).predict(plain)
        np.testing.assert_array_equal(model.predict(frame), expected)
        np.testing.assert_array_equal(model.fit(frame, y).predict(frame), expected)
        assert probus.Task.of(frame[["n"]], y).y.tolist() == y.astype(str).tolist()


def test_dictionaries_of_numbers_keep_their_missing_values():
    """NumPy reads the last value of the dictionary where a row of an Arrow table has none."""
    cells = pa.DictionaryArray.from_arrays(pa.array([0, 1, None, 0], pa.int8()), pa.array([10, 20]))
    for frame in (
        pa.table({"x": cells}),
        pd.DataFrame({"x": pd.arrays.ArrowExtensionArray(pa.chunked_array([cells]))}),
    ):
        assert probus.Table.of(frame)["x"].missing.tolist() == [False, False, True, False]
        with pytest.raises(probus.DataError, match="Ridge does not accept missing values"):
            Ridge().fit(frame, [1.0, 2.0, 3.0, 4.0])


@pytest.mark.parametrize("type_", [pa.string_view(), pa.large_string()], ids=str)
def test_models_of_numbers_refuse_strings_of_any_arrow_type_by_name(type_):
    frame = pd.DataFrame({"x": pd.Series(CELLS, dtype=pd.ArrowDtype(type_))})
    assert probus.Table.of(frame)["x"].levels == ("a", "b", "c")
    with pytest.raises(probus.DataError, match="Ridge does not accept columns that are not numeric: 'x'"):
        Ridge().fit(frame, range(6))

"""Categories in parquet and Arrow files: their order comes back, and so do missing ones."""

import sys

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import probus
from probus import Kind

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

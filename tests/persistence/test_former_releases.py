"""Files of former releases are read, and their models predict what they predicted."""

import json
from pathlib import Path

import numpy as np
import pytest

import probus
from probus.data import Column, Kind, Table
from probus.testing._outputs import outputs

SAVED = Path(__file__).parent / "saved"
FILES = sorted(SAVED.glob("*/*.probus"))
EXPECTED = {folder.name: json.loads((folder / "expected.json").read_text()) for folder in SAVED.iterdir()}


def _table(rows):
    """The rows, as they were when the file was written."""
    columns = []
    for row in rows:
        kind = Kind.of(row["kind"])
        dtype = object if kind is Kind.TEXT else np.int32 if kind.has_levels else np.float64
        columns.append(Column(row["name"], kind, np.array(row["values"], dtype=dtype), tuple(row["levels"])))
    return Table(columns)


@pytest.mark.parametrize("path", FILES, ids=[f"{path.parent.name}/{path.stem}" for path in FILES])
def test_a_file_of_a_former_release_predicts_as_it_did(path):
    written = EXPECTED[path.parent.name][path.stem]
    found = outputs(probus.load(path), _table(written["rows"]))
    assert found.keys() == written["outputs"].keys()
    for method, columns in written["outputs"].items():
        for one, other in zip(found[method], columns, strict=True):
            if one.dtype.kind == "f":  # BLAS of another processor rounds otherwise
                rtol = written.get("rtol", 1e-7)  # networks compute with single precision
                np.testing.assert_allclose(one, np.array(other, dtype=float), rtol, rtol / 100, err_msg=method)
            else:
                assert one.tolist() == other


def test_every_file_is_there():
    assert {path.stem for path in FILES if path.parent.name == "0.1"} == EXPECTED["0.1"].keys()
    assert len(FILES) > 200

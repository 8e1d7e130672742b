"""Archives of studies that are damaged, or made by somebody else: an error, and nothing is lost."""

import io
import json
import os
import shutil
import sqlite3
import zipfile

import numpy as np
import pytest

import probus
from probus.errors import DataError
from probus.lifecycle import _conclusion as conclusion
from probus.lifecycle import stored_options
from probus.lifecycle._study_archive import StudyArchive, packed, stored_repeats, unpacked
from probus.metrics import Outcome
from probus.naive_bayes import GaussianNB
from probus.tuning import Archive, Random, Real, Space, tune


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """The archive of a small study, what the study fits, and the jobs that are stored."""
    where, kept = tmp_path_factory.mktemp("archive") / "study.db", {}

    class Watched(StudyArchive):
        def __init__(self, where, fits, options=None):
            super().__init__(where, fits, options)
            kept["fits"] = fits

        def put(self, job, fit):
            super().put(job, fit)
            kept.setdefault("jobs", []).append(job)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(conclusion, "StudyArchive", Watched)
        how = {"models": ["bayes"], "evaluations": 0, "cv": 2, "progress": None}
        probus.study("iris", target="species", archive=where, **how)
    with sqlite3.connect(where) as database:  # one file, without the log of what was written last
        database.execute("PRAGMA journal_mode = DELETE")
    return where, kept["fits"], kept["jobs"]


@pytest.fixture
def copy(finished, tmp_path):
    """The path of a copy, and a function that changes it by a statement."""
    where = tmp_path / "study.db"
    shutil.copy(finished[0], where)

    def change(statement, *values):
        with sqlite3.connect(where) as database:
            database.execute(statement, values)

    return where, change


def read_all(where, finished):
    """What ``probus resume`` reads of an archive."""
    _, fits, jobs = finished
    stored_options(where)
    stored_repeats(where)
    archive = StudyArchive(where, fits)
    try:
        return [archive.get(job) for job in jobs]
    finally:
        archive.close()


def test_a_whole_archive_is_read(finished, copy):
    assert all(fit.error is None for fit in read_all(copy[0], finished))


JSON = [
    "", "{", "[]", "3", '"text"', "{}", '{"X": 3}', '{"X": null}', '{"X": "iris", "no_option": 1}', "[" * 100_000,
    '{"X": "iris", "cv": "five"}', '{"X": "iris", "models": {"a": 1}}', '{"X": "iris", "time": [1]}',
    '{"X": "iris", "random_state": 1e400}', '{"X": "iris", "out": 7}', '{"X": "iris", "read": [1]}',
]  # fmt: skip


@pytest.mark.parametrize("text", JSON, ids=range(len(JSON)))
def test_options_that_are_not_those_of_a_study_are_refused(copy, text):
    where, change = copy
    change("UPDATE probus_studies SET options = ?", text)
    with pytest.raises(DataError):
        stored_options(where)


@pytest.mark.parametrize("repeats", [10**9, 0, -1, "many", 1.5, b"\xff"])
def test_repeats_without_measure_are_refused(copy, repeats):
    where, change = copy
    change("UPDATE probus_studies SET repeats = ?", repeats)
    with pytest.raises(DataError, match=r"study.db is damaged: its folds are repeated .* times"):
        stored_repeats(where)


@pytest.mark.parametrize("column", ["options", "study"])
def test_what_is_missing_is_an_error(finished, copy, column):
    where, change = copy
    change(f"ALTER TABLE probus_studies RENAME COLUMN {column} TO other")
    with pytest.raises(DataError):
        read_all(where, finished)


def huge(shape, descr="'<f8'"):
    """A file of arrays whose header declares more than there is."""
    header = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as members:
        members.writestr("predicted.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode())
    return file.getvalue()


def compressed():
    file = io.BytesIO()
    np.savez_compressed(file, predicted=np.zeros(100_000))
    return file.getvalue()


PREDICTIONS = {
    "32 GB": huge("(4000000000,)"), "overflow": huge("(75, 9223372036854775807)"), "objects": huge("(75,)", "'|O'"),
    "negative": huge("(-75,)"), "code": huge("__import__('os')"), "compressed": compressed(), "nothing": b"",
    "text": "text", "null": None, "number": 5, "no zip": b"PK\x03\x04" * 9,
    "other rows": packed({"predicted": np.zeros(3)}), "another name": packed({"actual": np.zeros(75)}),
    "strings": packed({"predicted": np.full(75, "a")}), "no such class": packed({"predicted": np.full(75, 3)}),
    "no class": packed({"predicted": np.full(75, -1)}), "fractions": packed({"predicted": np.full(75, 0.5)}),
    "columns of classes": packed({"predicted": np.zeros((75, 3), int)}),
    "NaN": packed({"probabilities": np.full((75, 3), np.nan)}),
    "infinite scores": packed({"scores": np.full(75, np.inf)}),
    "one probability": packed({"probabilities": np.full(75, 0.5)}),
    "two of three": packed({"probabilities": np.full((75, 2), 0.5)}),
    "beyond one": packed({"probabilities": np.tile([2.0, -1.0, 0.0], (75, 1))}),
    "no sum": packed({"probabilities": np.full((75, 3), 0.5)}),
    "columns of scores": packed({"scores": np.zeros((75, 2))}),
}  # fmt: skip


@pytest.mark.parametrize("name", PREDICTIONS)
def test_predictions_that_are_not_those_of_the_rows_are_refused(finished, copy, name):
    where, change = copy
    change("UPDATE probus_fits SET predictions = ?", PREDICTIONS[name])
    with pytest.raises(DataError, match=r"study.db' is damaged: (?s:.)*Restore it from a copy"):
        read_all(where, finished)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("seconds", "long"),
        ("score", b"\x00"),
        ("error", b"\xff"),
        ("seconds", None),
        ("seconds", -1.0),
        ("seconds", float("inf")),
    ],
)
def test_facts_of_another_type_are_refused(finished, copy, column, value):
    where, change = copy
    change(f"UPDATE probus_fits SET {column} = ?", value)
    with pytest.raises(DataError, match="is damaged"):
        read_all(where, finished)


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW probus_studies AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
        "SELECT i AS study, i AS started, i AS options, i AS repeats FROM n",
        "CREATE TRIGGER t AFTER INSERT ON probus_runs BEGIN DELETE FROM probus_runs; END",
    ],
)
def test_an_archive_that_computes_is_refused(copy, statement):
    where, change = copy
    if "VIEW" in statement:
        change("DROP TABLE probus_studies")
    change(statement)
    with pytest.raises(DataError, match=r"which is no plain table\.\n(?s:.)*not made by Probus"):
        stored_options(where)


def test_what_is_no_file_is_neither_an_archive_nor_data(copy, tmp_path):
    where, change = copy
    os.mkfifo(tmp_path / "pipe")
    for data in (tmp_path / "pipe", "/dev/zero", tmp_path):
        change("UPDATE probus_studies SET options = ?", json.dumps({"X": str(data), "target": "y"}))
        with pytest.raises(DataError, match=r"the data of .*study.db is .*, which is no file"):
            stored_options(where)
    with pytest.raises(DataError, match="no file"):
        stored_options(tmp_path / "pipe")
    with pytest.raises(DataError, match=r"pipe' is no file\."):
        Archive.read(tmp_path / "pipe")


def test_predictions_of_numbers_must_be_finite():
    truth = Outcome(np.zeros(3))
    assert unpacked(packed({"predicted": np.arange(3, dtype=">f8")}), truth)["predicted"].dtype.isnative
    for values in ([0.0, np.nan, 1.0], [[0.0], [1.0], [2.0]]):
        with pytest.raises(DataError, match="predictions of a fit are damaged: predicted"):
            unpacked(packed({"predicted": np.array(values)}), truth)


@pytest.mark.parametrize(
    "address", ["http://127.0.0.1:9/rows.csv", "S3://bucket/rows.csv", "file:///etc/passwd", r"\\host\rows.csv"]
)
def test_an_archive_opens_no_address_unless_the_caller_names_it(copy, address):
    where, change = copy
    change("UPDATE probus_studies SET options = ?", json.dumps({"X": address, "target": "species"}))
    with pytest.raises(DataError, match=r"(?s)names data at an address.*If the archive is yours, pass --data"):
        stored_options(where)
    assert stored_options(where, address) == {"X": address, "target": "species"}
    assert stored_options(where, "iris")["X"] == "iris"


def test_bytes_that_are_lost_or_changed_are_an_error_or_harmless(finished, tmp_path):
    where, whole = tmp_path / "study.db", finished[0].read_bytes()
    random = np.random.default_rng(0)
    refused = 0
    for trial in range(120):
        damaged = bytearray(whole)
        if trial % 4 == 0:
            del damaged[int(random.integers(len(whole))) :]
        else:
            for place in random.integers(0, len(whole) if trial % 2 else 4096, size=8):
                damaged[place] = random.integers(256)
        where.write_bytes(damaged)
        try:
            read_all(where, finished)
        except DataError:
            refused += 1
    assert refused > 30


# -- of tunings ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tuning(tmp_path_factory):
    where = tmp_path_factory.mktemp("archive") / "tuning.db"
    space = Space({"var_smoothing": Real(1e-9, 1.0, log=True)})
    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    tune(GaussianNB(), X, y, space=space, evaluations=3, tuner=Random(), archive=where, progress=None)
    with sqlite3.connect(where) as database:
        database.execute("PRAGMA journal_mode = DELETE")
    return where


DAMAGED = ["", "{", "[]", "text", "null", "{}", "[" * 100_000, b"\xff\xfe", '{"scores": 3}']


@pytest.mark.parametrize("value", DAMAGED, ids=range(len(DAMAGED)))
@pytest.mark.parametrize("column", ["header", "config", "result", "fidelity", "error"])
def test_a_tuning_whose_records_are_damaged_is_an_error(tuning, tmp_path, column, value):
    where = tmp_path / "tuning.db"
    shutil.copy(tuning, where)
    with sqlite3.connect(where) as database:
        table = "probus_runs" if column == "header" else "probus_evaluations"
        database.execute(f"UPDATE {table} SET {column} = ?", (value,))
    if (column == "config" and value in ("{}", '{"scores": 3}')) or (column == "error" and isinstance(value, str)):
        return  # as good as any
    with pytest.raises(DataError, match="is damaged"):
        Archive.read(where)

"""The archive of a study: every finished fit in one SQLite file, so that a study can go on after it was stopped."""

from __future__ import annotations

import hashlib
import io
import json
import os
import sqlite3
from dataclasses import replace
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.lifecycle.family_fits import FamilyFits, Fitted, Job

__all__ = ["StudyArchive", "stored_options"]

_TABLES = (
    "CREATE TABLE IF NOT EXISTS study (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS fits (job TEXT PRIMARY KEY, seconds REAL, score REAL, error TEXT, predictions BLOB)",
)


class StudyArchive:
    """Stores fits as they finish and returns those that a stopped study has finished.

    Parameters
    ----------
    path : the file; created if it does not exist.
    fits : what the study fits; an archive of other rows, splits or models is an error.
    options : what is needed to repeat the study, plain data; ``stored_options`` reads it.
    """

    def __init__(self, path: str | os.PathLike[str], fits: FamilyFits, options: dict[str, Any] | None = None):
        self._fits = fits
        self._connection = _connected(path)
        for statement in _TABLES:
            self._connection.execute(statement)
        mark = _fingerprint(fits)
        found = self._connection.execute("SELECT value FROM study WHERE name = 'fingerprint'").fetchone()
        if found and found[0] != mark:
            raise DataError(
                f"{os.fspath(path)} is the archive of another study.",
                "the archive of the same rows, splits, models, measure and seed",
                "Choose another file for the archive, or delete this one.",
            )
        for name, value in (("fingerprint", mark), ("options", json.dumps(options))):
            self._connection.execute("INSERT OR IGNORE INTO study VALUES (?, ?)", (name, value))
        self._connection.commit()

    def get(self, job: Job) -> Fitted | None:
        """The stored result of a fit."""
        query = "SELECT seconds, score, error, predictions FROM fits WHERE job = ?"
        row = self._connection.execute(query, (_text(job),)).fetchone()
        if row is None:
            return None
        seconds, score, error, predictions = row
        with np.load(io.BytesIO(predictions), allow_pickle=False) as parts:
            outcome = replace(self._fits.truth(*job[2:]), **{name: parts[name] for name in parts.files})
        return Fitted(outcome, np.nan if score is None else score, seconds, error)

    def put(self, job: Job, fit: Fitted) -> None:
        """Store the result of a fit."""
        parts = {name: getattr(fit.outcome, name) for name in ("predicted", "probabilities", "scores")}
        file = io.BytesIO()
        np.savez(file, **{name: part for name, part in parts.items() if part is not None})
        score = None if np.isnan(fit.score) else fit.score
        row = (_text(job), fit.seconds, score, fit.error, file.getvalue())
        self._connection.execute("INSERT OR REPLACE INTO fits VALUES (?, ?, ?, ?, ?)", row)
        self._connection.commit()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def stored_options(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The options of the study whose archive this is."""
    if not os.path.isfile(path):
        raise DataError(f"no file {os.fspath(path)!r}.", "the archive of a study")
    connection = _connected(path)
    try:
        found = connection.execute("SELECT value FROM study WHERE name = 'options'").fetchone()
    except sqlite3.DatabaseError:
        found = None
    finally:
        connection.close()
    options = json.loads(found[0]) if found else None
    if options is None:
        raise DataError(
            f"{os.fspath(path)} does not hold the options of a study.", "an archive made by probus study --archive"
        )
    return options


def _connected(path: str | os.PathLike[str]) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(path, timeout=30)
        connection.execute("PRAGMA journal_mode = WAL")
    except sqlite3.Error as error:
        raise DataError(
            f"the archive {os.fspath(path)} cannot be used: {error}.", "an SQLite file, or a new one"
        ) from error
    return connection


def _fingerprint(fits: FamilyFits) -> str:
    """What must be the same for stored fits to be valid: rows, splits, models, measure and seed."""
    mark = hashlib.sha256()
    for column in fits.task.table:
        mark.update(f"{column.name} {column.kind} {column.levels}".encode())
        values = column.values
        mark.update(
            repr(values.tolist()).encode() if values.dtype == object else np.ascontiguousarray(values).tobytes()
        )
    for train, test in fits.outer.pairs:
        mark.update(train.tobytes() + test.tobytes())
    mark.update(repr((sorted(fits.models), fits.measure.name, fits.random_state, fits.task.pos_label)).encode())
    return mark.hexdigest()


def _text(job: Job) -> str:
    return json.dumps(job, sort_keys=True, default=str)

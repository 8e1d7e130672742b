"""The archive of a study: every finished fit, in a file or a database, so that a stopped study can go on."""

from __future__ import annotations

import io
import json
import os
import time
import zipfile
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.lifecycle._family_fits import FamilyFits, Fitted, Job
from probus.lifecycle._study_options import checked_options, checked_repeats
from probus.metrics import Outcome
from probus.tuning import column_hashes, describe_part, first_difference, header_of_study, open_database, short_hash

_TABLES = (
    "CREATE TABLE IF NOT EXISTS probus_studies (study TEXT PRIMARY KEY, started DOUBLE PRECISION NOT NULL, "
    "options TEXT NOT NULL, repeats BIGINT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS probus_fits (study TEXT NOT NULL, job TEXT NOT NULL, seconds DOUBLE PRECISION, "
    "score DOUBLE PRECISION, error TEXT, predictions BYTEA, PRIMARY KEY (study, job))",
    "CREATE TABLE IF NOT EXISTS probus_study_headers (study TEXT PRIMARY KEY, header TEXT NOT NULL)",
)
_OTHERS = (
    "SELECT header FROM probus_studies LEFT JOIN probus_study_headers USING (study) WHERE probus_studies.study <> ?"
)


class StudyArchive:
    """Stores fits as they finish and returns those that a stopped study has finished.

    Parameters
    ----------
    where : a file, created if it does not exist, or the URL of a PostgreSQL database, which may hold several studies.
    fits : what the study fits; a file of other rows, splits or models is an error.
    options : what is needed to repeat the study, plain data; ``stored_options`` reads it.
    """

    def __init__(self, where: str | os.PathLike[str], fits: FamilyFits, options: dict[str, Any] | None = None):
        self._fits, self._study = fits, _fingerprint(fits)
        self._database = open_database(where)
        for statement in _TABLES:
            self._database.execute(statement)
        header = {**_header(fits), "columns": column_hashes(fits.task)}
        others = self._database.query(_OTHERS, (self._study,))
        if others and not _is_url(where):
            self.close()
            raise DataError(
                f"{os.fspath(where)} is the archive of another study.",
                f"the archive of the same rows, splits, models, measure and seed{_differing(header, others[0][0])}",
                "Choose another file for the archive, or delete this one.",
            )
        statement = (
            "INSERT INTO probus_studies VALUES (?, ?, ?, ?) ON CONFLICT (study) DO UPDATE "
            "SET started = excluded.started, options = excluded.options"
        )
        self._database.execute(statement, (self._study, time.time(), json.dumps(options), fits.outer.repeats))
        statement = "INSERT INTO probus_study_headers VALUES (?, ?) ON CONFLICT DO NOTHING"
        self._database.execute(statement, (self._study, json.dumps(header)))

    def get(self, job: Job) -> Fitted | None:
        """The stored result of a fit."""
        query = "SELECT seconds, score, error, predictions FROM probus_fits WHERE study = ? AND job = ?"
        rows = self._database.query(query, (self._study, _text(job)))
        if not rows:
            return None
        seconds, score, error, predictions = rows[0]
        truth = self._fits.truth(*job[2:])
        try:
            parts: dict[str, Any] = {**unpacked(predictions, truth)}
            if not 0 <= float(seconds) < np.inf:
                raise ValueError(f"a fit of {seconds} seconds")
            outcome = replace(truth, **parts)
            return Fitted(outcome, np.nan if score is None else float(score), float(seconds), _text_or_none(error))
        except (ValueError, TypeError) as reason:
            raise DataError(
                f"archive {self._database.where!r} is damaged: {str(reason).partition(chr(10))[0]}",
                "the fits that a study stored",
                "Restore it from a copy, or begin the study anew with another archive.",
            ) from None

    def put(self, job: Job, fit: Fitted) -> None:
        """Store the result of a fit."""
        parts = {name: getattr(fit.outcome, name) for name in ("predicted", "probabilities", "scores")}
        file = packed({name: part for name, part in parts.items() if part is not None})
        score = None if np.isnan(fit.score) else float(fit.score)
        row = (self._study, _text(job), float(fit.seconds), score, fit.error, file)
        self._database.execute("INSERT INTO probus_fits VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", row)

    def close(self) -> None:
        """Close the connection."""
        self._database.close()


def stored_options(where: str | os.PathLike[str], data: str | None = None) -> dict[str, Any]:
    """The options of the study whose archive this is; of several in a database, of the one that was started last.

    ``data`` is where the data is, in place of what the archive says.

    Parameters
    ----------
    where : the archive: a file or the URL of a database.
    data : where the data is, in place of what the archive says.

    Returns
    -------
    The options by name, as ``study`` takes them.
    """
    if not _is_url(where) and not os.path.isfile(where):
        raise DataError(f"no file {os.fspath(where)!r}.", "the archive of a study")
    return checked_options(_last(where, "options") or "null", os.fspath(where), data)


def stored_repeats(where: str | os.PathLike[str] | None) -> int | None:
    """How often the folds of the archive's study are repeated, so that it goes on with the same ones; None if new."""
    if where is None or not (_is_url(where) or os.path.isfile(where)):
        return None
    found = _last(where, "repeats")
    return None if found is None else checked_repeats(found, os.fspath(where))


def _last(where: str | os.PathLike[str], column: str) -> Any:
    """That column of the study that was started last; None where there is none."""
    database = open_database(where, create=False)
    try:
        found = database.query(f"SELECT {column} FROM probus_studies ORDER BY started DESC")
    except DataError:  # there is no such table
        found = []
    finally:
        database.close()
    return found[0][0] if found else None


def _text_or_none(value: Any) -> str | None:
    if not (value is None or isinstance(value, str)):
        raise TypeError(f"an error that is {type(value).__name__}")
    return value


def _is_url(where: str | os.PathLike[str]) -> bool:
    return "://" in os.fspath(where)


def _header(fits: FamilyFits) -> dict[str, Any]:
    """What must be the same for stored fits to be valid."""
    cost = fits.cost if fits.by_cost else None
    return header_of_study(fits.task, fits.models, fits.outer, fits.measure, fits.random_state, cost)


def _fingerprint(fits: FamilyFits) -> str:
    return short_hash(json.dumps(_header(fits), sort_keys=True))


def _differing(ours: dict[str, Any], text: Any) -> str:
    """What differs from the study in an archive that has this header, as a clause."""
    try:
        theirs = json.loads(text)
        theirs.setdefault("columns", ours["columns"])  # a former version has none
        key = first_difference(ours, theirs) or ""
        stored, new = theirs.get(key), ours.get(key)
        return f": it has {describe_part(key, stored, new)}, and this study {describe_part(key, new, stored)}"
    except (ValueError, TypeError, AttributeError, RecursionError):  # damaged, or of a former version, without a header
        return ", written by this version"


def _text(job: Job) -> str:
    return json.dumps(job, sort_keys=True, default=str)


# -- the arrays of a fit as bytes, and back: what an archive holds is checked before memory is reserved for it


_NAMES = ("predicted", "probabilities", "scores")
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def packed(arrays: Mapping[str, np.ndarray]) -> bytes:
    """The arrays as an uncompressed ``.npz`` file."""
    file = io.BytesIO()
    np.savez(file, **arrays)  # type: ignore[arg-type]
    return file.getvalue()


def unpacked(file: Any, truth: Outcome) -> dict[str, np.ndarray]:
    """The arrays of such a file, each of the form that predictions of those rows have.

    >>> unpacked(packed({"predicted": np.array([0, 1, 1])}), Outcome(np.zeros(3, np.int64), classes=("no", "yes")))
    {'predicted': array([0, 1, 1])}
    """
    try:
        with zipfile.ZipFile(io.BytesIO(file)) as members:
            found = {_name(each): _array(members.read(each), len(truth)) for each in _stored(members, len(file))}
        for name, array in found.items():
            _check(name, array, truth)
        return found
    except (zipfile.BadZipFile, ValueError, TypeError, KeyError, OSError, EOFError, RuntimeError, SyntaxError) as error:
        raise DataError(f"the predictions of a fit are damaged: {error}") from None


def _check(name: str, array: np.ndarray, truth: Outcome) -> None:
    """Raise where an array of numbers is none of predicted classes or values, probabilities or scores."""
    n_classes = len(truth.classes)
    if array.ndim != 1 + (name == "probabilities"):
        raise ValueError(f"{name} of shape {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{name} that are not finite")
    if name == "probabilities":
        truth.with_probabilities(array)
    elif (
        name == "predicted" and n_classes and (array.dtype.kind == "f" or not 0 <= min(array) <= max(array) < n_classes)
    ):
        raise ValueError(f"classes from {min(array)} to {max(array)} of {n_classes}")


def _stored(members: zipfile.ZipFile, size: int) -> list[zipfile.ZipInfo]:
    """The members, which are as large as they are stored."""
    found = members.infolist()
    if any(each.compress_type != zipfile.ZIP_STORED or each.file_size > size for each in found):
        raise ValueError("a part declares more bytes than there are")
    return found


def _name(member: zipfile.ZipInfo) -> str:
    name = member.filename.removesuffix(".npy")
    if name not in _NAMES:
        raise ValueError(f"an array {name[:40]!r}")
    return name


def _array(content: bytes, n_rows: int) -> np.ndarray:
    """An array of numbers whose header agrees with the number of rows and of bytes."""
    stream = io.BytesIO(content)
    version = np.lib.format.read_magic(stream)
    if version not in _HEADERS:
        raise ValueError(f"an array of version {version}")
    shape, fortran, dtype = _HEADERS[version](stream)
    left = len(content) - stream.tell()
    size = int(np.prod([int(each) for each in shape], dtype=object)) * dtype.itemsize
    if dtype.kind not in "iuf" or dtype.itemsize > 8 or not 1 <= len(shape) <= 2 or shape[0] != n_rows or size != left:
        raise ValueError(f"an array of {dtype} with shape {shape} in {left} bytes, for {n_rows} rows")
    native = dtype.newbyteorder("=")
    return (
        np.frombuffer(content, dtype, offset=stream.tell()).reshape(shape, order="F" if fortran else "C").astype(native)
    )

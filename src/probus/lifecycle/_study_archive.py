"""The archive of a study: every finished fit, in a file or a database, so that a stopped study can go on."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.lifecycle._family_fits import FamilyFits, Fitted, Job
from probus.lifecycle._stored_fit import packed, unpacked
from probus.lifecycle._study_options import checked_options, checked_repeats
from probus.tuning import describe_part, first_difference, header_of_study, open_database, short_hash

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
        header = _header(fits)
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
        key = first_difference(ours, theirs) or ""
        return f": it has {describe_part(key, theirs.get(key))}, and this study {describe_part(key, ours.get(key))}"
    except (ValueError, TypeError, AttributeError, RecursionError):  # damaged, or of a former version, without a header
        return ", written by this version"


def _text(job: Job) -> str:
    return json.dumps(job, sort_keys=True, default=str)

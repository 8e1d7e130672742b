"""The database of an archive: SQLite in a file or in memory, or PostgreSQL by its URL, behind the same few calls."""

from __future__ import annotations

import os
import sqlite3
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from probus.errors import DataError

Row = tuple[Any, ...]

_TABLES = (
    "CREATE TABLE IF NOT EXISTS probus_runs (name TEXT PRIMARY KEY, header TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS probus_evaluations (run TEXT NOT NULL, number BIGINT NOT NULL, config TEXT NOT NULL, "
    "fidelity DOUBLE PRECISION NOT NULL, seed BIGINT, worker TEXT NOT NULL, started DOUBLE PRECISION NOT NULL, "
    "finished DOUBLE PRECISION, result TEXT, error TEXT, PRIMARY KEY (run, number))",
    "CREATE TABLE IF NOT EXISTS probus_workers (worker TEXT PRIMARY KEY, host TEXT NOT NULL, pid BIGINT NOT NULL, "
    "born TEXT NOT NULL, beats BIGINT NOT NULL)",
)
_PATIENCE = 30.0  # seconds to wait for another process that is writing


class Database(ABC):
    """A connection that several threads share; every statement is a transaction of its own."""

    def __init__(self, where: str):
        self.where = where
        self._lock = threading.RLock()

    def execute(self, statement: str, values: Sequence[Any] = ()) -> int:
        """Run a statement and return the number of rows that it changed."""
        with self._lock:
            try:
                return self._run(statement, values).rowcount
            except (self._errors(), UnicodeError, OverflowError) as error:
                raise self._explain(error) from error

    def query(self, statement: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows that a query finds."""
        with self._lock:
            try:
                return self._run(statement, values).fetchall()
            except (self._errors(), UnicodeError, OverflowError) as error:
                raise self._explain(error) from error

    @abstractmethod
    def close(self) -> None:
        """Close the connection."""

    @abstractmethod
    def _run(self, statement: str, values: Sequence[Any]) -> Any:
        """A cursor on which the statement was run; ``?`` marks the values."""

    @abstractmethod
    def _errors(self) -> type[Exception]:
        """The base class of what the driver raises."""

    @abstractmethod
    def _explain(self, error: Exception) -> DataError:
        """The error of the driver in words that say what to do."""


def open_database(where: str | os.PathLike[str] | None, *, create: bool = True) -> Database:
    """The database at a path or URL, with the tables of an archive; None is one in memory.

    >>> database = open_database(None)
    >>> database.query("SELECT count(*) FROM probus_evaluations")
    [(0,)]
    """
    if not (where is None or isinstance(where, (str, os.PathLike))):
        raise DataError(f"archive={where!r}.", "the path of a file, or a URL that begins with postgresql://")
    text = ":memory:" if where is None else os.fspath(where)
    if text.startswith(("postgresql://", "postgres://")):
        database: Database = _Postgres(text)
    elif "://" in text:
        raise DataError(f"archive={text!r}.", "a path of a file, or a URL that begins with postgresql://")
    else:
        database = _Sqlite(text, create)
    try:
        if create:
            _create_tables(database)
    except DataError:
        database.close()
        raise
    return database


def _create_tables(database: Database) -> None:
    for table in _TABLES:
        try:
            database.execute(table)
        except DataError:  # of two processes that create it at the same time, PostgreSQL lets one fail
            database.execute(table)


# -- SQLite --------------------------------------------------------------------------------------------

_REASONS = {
    "full": ("the disk is full", "Free some space and run it again: what is finished is kept."),
    "disk i/o error": ("it cannot be written", "Check disk and quota, then run it again: what is finished is kept."),
    "readonly": ("it is read-only", "Choose a folder that can be written, or change its permissions."),
    "unable to open": ("it cannot be opened", "Choose a folder that exists and can be written."),
    "not a database": ("it is not an SQLite file", "Choose another name for the archive."),
    "codec": ("it is damaged", "Restore it from a copy, or choose another name for the archive."),
    "malformed": ("it is damaged", "Restore it from a copy, or choose another name for the archive."),
    "locked": ("another program keeps it locked", "Close the program that uses it, then run it again."),
}  # fmt: skip


class _Sqlite(Database):
    def __init__(self, path: str, create: bool):
        super().__init__(path)
        if path != ":memory:":
            _check_file(Path(path), create)
        try:
            self._connection = sqlite3.connect(
                path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False, cached_statements=32
            )
        except sqlite3.Error as error:
            raise self._explain(error) from error
        try:
            self._prepare()
        except DataError:
            self.close()
            raise

    def _prepare(self) -> None:
        found = self.query("SELECT name, type, sql FROM sqlite_master WHERE type <> 'index'")
        tables = {str(name) for name, _, _ in found}
        if tables and "probus_runs" not in tables:
            shown = ", ".join(sorted(tables)[:3])
            raise DataError(
                f"archive {self.where!r} is a database of something else, with the table {shown}.",
                "an archive of a tuning, or a new file",
                "Choose another name for the archive.",
            )
        for name, type_, sql in found:  # a view, a trigger or a table made of code may compute without end
            if type_ != "table" or not str(sql).upper().startswith(("CREATE TABLE", "NONE")):
                raise DataError(
                    f"archive {self.where!r} holds {name!r}, which is no plain table.",
                    "the tables of a tuning or of a study",
                    "It was not made by Probus: choose another file for the archive.",
                )
        self.query("PRAGMA journal_mode = WAL")  # readers do not wait, and a killed process leaves a whole file
        self.query("PRAGMA synchronous = NORMAL")

    def close(self) -> None:
        """Close the connection; the last one to do so removes the files beside the archive."""
        with self._lock, suppress(sqlite3.Error):
            self._connection.close()

    def _run(self, statement: str, values: Sequence[Any]) -> Any:
        return self._connection.execute(statement, values)

    def _errors(self) -> type[Exception]:
        return sqlite3.Error

    def _explain(self, error: Exception) -> DataError:
        text = str(error)
        for sign, (what, hint) in _REASONS.items():
            if sign in text.lower():
                return DataError(
                    f"archive {self.where!r}: {what} ({text}).", "a file that can be read and written", hint
                )
        return DataError(f"archive {self.where!r}: {text}.", "an SQLite file that can be read and written")


def _check_file(path: Path, create: bool) -> None:
    if path.is_dir():
        raise DataError(
            f"archive {str(path)!r} is a folder.", "a file", f"Pass for example {str(path / 'tuning.db')!r}."
        )
    if path.exists() and not path.is_file():
        raise DataError(f"archive {str(path)!r} is no file.", "a file that a tuning wrote")
    if not path.exists() and not create:
        raise DataError(f"there is no archive {str(path)!r}.", "a file that a tuning wrote")
    if not path.parent.is_dir():
        raise DataError(f"there is no folder {str(path.parent)!r} for the archive.", "a folder that exists")


# -- PostgreSQL ----------------------------------------------------------------------------------------


class _Postgres(Database):
    def __init__(self, url: str):
        super().__init__(_without_password(url))
        try:
            import psycopg
        except ImportError:
            raise DataError(
                f"archive {self.where!r} needs psycopg.", "it to be installed", "Run pip install 'probus[postgres]'."
            ) from None
        self._psycopg = psycopg
        try:
            self._connection = psycopg.connect(url, autocommit=True)
        except psycopg.Error as error:
            raise self._explain(error) from error

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            self._connection.close()

    def _run(self, statement: str, values: Sequence[Any]) -> Any:
        return self._connection.execute(statement.replace("?", "%s"), values)

    def _errors(self) -> type[Exception]:
        return self._psycopg.Error

    def _explain(self, error: Exception) -> DataError:
        text = str(error).strip().partition("\n")[0]
        hint = "Check that the server runs, and the name, user and password of the database."
        return DataError(f"archive {self.where!r}: {text}.", "a PostgreSQL database that can be written", hint)


def _without_password(url: str) -> str:
    from urllib.parse import urlsplit, urlunsplit

    parts = urlsplit(url)
    if parts.password is None:
        return url
    return urlunsplit(parts._replace(netloc=parts.netloc.replace(f":{parts.password}@", ":…@", 1)))

"""Every answer in a database: what is told is on disk before the next row is asked for."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Level, Table, content_of
from probus.display import counted
from probus.errors import DataError
from probus.tuning import open_database

LABEL, SKIP, UNDO = "label", "skip", "undo"
_NAME = "labels"
_TABLE = (
    "CREATE TABLE IF NOT EXISTS probus_labels (number BIGINT PRIMARY KEY, kind TEXT NOT NULL, "
    "pool_row BIGINT NOT NULL, label TEXT, asked TEXT NOT NULL, at DOUBLE PRECISION NOT NULL)"
)


@dataclass(frozen=True)
class Answer:
    """An answer: a label for a row, or that it is skipped. ``asked`` is why it was asked for."""

    kind: str
    row: int
    label: Level | None
    asked: str


class LabelArchive:
    """The answers of one pool, in order; an answer that was taken back stays in the file, with a note that it was.

    Parameters
    ----------
    where : the path of a file, a URL of PostgreSQL, or None for memory.
    pool : the rows.
    settings : what has to stay the same while labels are collected; those of an archive that exists are kept.
    """

    def __init__(self, where: Any, pool: Table, settings: Mapping[str, Any]):
        self._database = open_database(where)
        try:
            self._begin(pool, settings)
        except BaseException:
            self._database.close()
            raise

    def _begin(self, pool: Table, settings: Mapping[str, Any]) -> None:
        if not self._database.where.startswith(("postgresql://", "postgres://")):
            self._database.query("PRAGMA synchronous = FULL")  # an answer survives a power cut too
        self._database.execute(_TABLE)
        own = {"rows": len(pool), "columns": list(pool.names), "content": _sketch(pool)}
        found = self._database.query("SELECT header FROM probus_runs WHERE name = ?", [_NAME])
        if not found:
            header = json.dumps({**own, "settings": dict(settings)})
            self._database.execute("INSERT INTO probus_runs (name, header) VALUES (?, ?)", [_NAME, header])
            self.settings = dict(settings)
            return
        header = json.loads(found[0][0])
        self._must_be_of(header, own)
        self.settings = header["settings"]

    def _must_be_of(self, header: Mapping[str, Any], own: Mapping[str, Any]) -> None:
        """Raise where the archive belongs to another pool."""
        hint = "Choose another name for the archive, or label the pool that it was made for."
        where = self._database.where
        if header["columns"] != own["columns"]:
            other = [name for name in header["columns"] if name not in own["columns"]]
            more = [name for name in own["columns"] if name not in header["columns"]]
            what = (
                f"has no column {other[0]!r}"
                if other
                else f"has a further column {more[0]!r}"
                if more
                else "has them in another order"
            )
            raise DataError(
                f"archive {where!r} is of a pool with other columns: this one {what}.", "the same pool", hint
            )
        if (header["rows"], header["content"]) != (own["rows"], own["content"]):
            rows = f"{counted(header['rows'], 'row')}, this one has {own['rows']:,}"
            same = "with other values" if header["rows"] == own["rows"] else f"of {rows}"
            raise DataError(f"archive {where!r} is of another pool {same}.", "the same rows", hint)

    def append(self, answer: Answer) -> None:
        """Write an answer; it is on disk when this returns."""
        number = self._database.query("SELECT count(*) FROM probus_labels")[0][0]
        label = None if answer.label is None else json.dumps(answer.label)
        values = [number, answer.kind, answer.row, label, answer.asked, time.time()]
        self._database.execute(
            "INSERT INTO probus_labels (number, kind, pool_row, label, asked, at) VALUES (?, ?, ?, ?, ?, ?)", values
        )

    def answers(self) -> tuple[list[Answer], int]:
        """The answers that were not taken back, and the number of all entries."""
        rows = self._database.query("SELECT kind, pool_row, label, asked FROM probus_labels ORDER BY number")
        standing: list[Answer] = []
        for kind, row, label, asked in rows:
            if kind == UNDO:
                standing = [answer for answer in standing if answer.row != row]
            else:
                standing.append(Answer(kind, row, None if label is None else json.loads(label), asked))
        return standing, len(rows)

    def close(self) -> None:
        """Close the file."""
        self._database.close()


def _sketch(pool: Table) -> str:
    """A number for the content of all rows, in order."""
    hashes = content_of(pool).astype(np.float64)
    return format(float((hashes * np.arange(1, len(hashes) + 1)[:, None]).sum()), ".17g")

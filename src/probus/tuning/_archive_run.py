"""A run in an archive: who evaluates what, and what was found. Several processes may work on one run."""

from __future__ import annotations

import json
import os
import platform
import threading
import time
import uuid
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from probus.display import plain
from probus.errors import DataError
from probus.tuning._archive_database import Database, open_database
from probus.tuning._archive_header import describe_part, first_difference
from probus.tuning._evaluation import Evaluation

_COLUMNS = "number, config, result, fidelity, error, seed, worker, started, finished"
_UNREADABLE = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
_AT_ONCE = 500  # numbers in one query


class Run:
    """The evaluations of one tuning in an archive.

    An evaluation is claimed, then finished; both are single statements, so that a process may be killed at any point. A
    claim of a process that died is taken over.

    Parameters
    ----------
    header : what the evaluations depend on: data, model, space, tuner, splits, measures, seed, version. A run of the
        same name with another header is an error.
    """

    def __init__(self, database: Database, name: str, header: Mapping[str, Any]):
        self.database, self.name = database, name
        self.header = _enter(database, name, header)
        self._presence = Presence(database)
        self.worker = self._presence.name

    # -- what is there ---------------------------------------------------------------------------------

    def finished(self) -> dict[int, Evaluation]:
        """Every finished evaluation by its number."""
        return stored_evaluations(self.database, self.name)

    def look(self, numbers: Sequence[int]) -> tuple[dict[int, Evaluation], dict[int, str]]:
        """Of these numbers, the finished evaluations, and the process that works on each claimed one."""
        found: dict[int, Evaluation] = {}
        claimed: dict[int, str] = {}
        for start in range(0, len(numbers), _AT_ONCE):
            some = tuple(numbers[start : start + _AT_ONCE])
            marks = ", ".join("?" * len(some))
            statement = f"SELECT {_COLUMNS} FROM probus_evaluations WHERE run = ? AND number IN ({marks})"
            for row in self.database.query(statement, (self.name, *some)):
                if row[2] is None:
                    claimed[row[0]] = row[6]
                else:
                    found[row[0]] = _evaluation(self.database, row)
        return found, claimed

    # -- claiming and finishing ------------------------------------------------------------------------

    def claim(self, number: int, config: Mapping[str, Any], fidelity: float = 1.0, seed: int | None = None) -> bool:
        """Reserve an evaluation for this process; False where another has it."""
        statement = (
            "INSERT INTO probus_evaluations (run, number, config, fidelity, seed, worker, started) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING"
        )
        values = (self.name, number, written(config), fidelity, seed, self.worker, time.time())
        return self.database.execute(statement, values) == 1

    def take_over(self, number: int, worker: str) -> bool:
        """Reserve an evaluation that a dead process had claimed; False where it is alive, or another was faster."""
        if worker != self.worker and not self._presence.is_dead(worker):
            return False
        statement = (
            "UPDATE probus_evaluations SET worker = ?, started = ? "
            "WHERE run = ? AND number = ? AND worker = ? AND result IS NULL"
        )
        return self.database.execute(statement, (self.worker, time.time(), self.name, number, worker)) == 1

    def finish(self, evaluation: Evaluation) -> None:
        """Store what was found; nothing where another process has taken over meanwhile."""
        statement = (
            "UPDATE probus_evaluations SET result = ?, error = ?, finished = ? "
            "WHERE run = ? AND number = ? AND worker = ? AND result IS NULL"
        )
        values = (evaluation.result(), evaluation.error, time.time(), self.name, evaluation.number, self.worker)
        self.database.execute(statement, values)

    def release(self) -> None:
        """Give back what this process claimed and did not finish."""
        self.database.execute(
            "DELETE FROM probus_evaluations WHERE run = ? AND worker = ? AND result IS NULL", (self.name, self.worker)
        )

    def close(self) -> None:
        """Leave the run and close the archive."""
        self._presence.leave()
        self.database.close()


def opened_run(where: str | os.PathLike[str] | None, name: str, header: Mapping[str, Any]) -> Run:
    """The run of that name in the archive at a path or URL, new or there already."""
    database = open_database(where)
    try:
        return Run(database, name, header)
    except DataError:
        database.close()
        raise


def written(config: Mapping[str, Any]) -> str:
    """A configuration as JSON, in which numbers are exact."""
    try:
        return json.dumps(dict(config), sort_keys=True)
    except TypeError:
        raise DataError(
            f"a configuration with values that are not plain: {dict(config)}.",
            "numbers, strings, booleans, None, or lists of them",
        ) from None


def stored_runs(database: Database) -> dict[str, dict[str, Any]]:
    """The headers of the runs in an archive, by name."""
    rows = database.query("SELECT name, header FROM probus_runs")
    return {name: _header(database, header) for name, header in rows}


def stored_evaluations(database: Database, run: str) -> dict[int, Evaluation]:
    """The finished evaluations of a run, by number, in order."""
    statement = f"SELECT {_COLUMNS} FROM probus_evaluations WHERE run = ? AND result IS NOT NULL ORDER BY number"
    return {row[0]: _evaluation(database, row) for row in database.query(statement, (run,))}


def _evaluation(database: Database, row: Sequence[Any]) -> Evaluation:
    number, config, result, fidelity, error, seed, worker, started, finished = row
    others = {"fidelity": fidelity, "error": error, "seed": seed, "worker": worker}
    try:
        if not isinstance(number, int) or not isinstance(fidelity, float) or not isinstance(error, str | None):
            raise TypeError("a number, a fidelity or an error of another type")
        return Evaluation.stored(number, config, result, started=started, finished=finished, **others)
    except _UNREADABLE as reason:
        raise _damage_error(database, f"evaluation {number!r:.20} cannot be read ({reason})") from None


# -- headers -------------------------------------------------------------------------------------------


def _enter(database: Database, name: str, header: Mapping[str, Any]) -> dict[str, Any]:
    """The header of the run, new or there already; an error that names what differs."""
    ours = json.loads(json.dumps(plain(dict(header))))
    statement = "INSERT INTO probus_runs (name, header) VALUES (?, ?) ON CONFLICT DO NOTHING"
    database.execute(statement, (name, json.dumps(ours)))
    ((text,),) = database.query("SELECT header FROM probus_runs WHERE name = ?", (name,))
    theirs = _header(database, text)
    theirs.setdefault("sketch", ours.get("sketch"))  # a former version has none
    key = first_difference(ours, theirs)
    if key is not None:
        their_part, our_part = theirs.get(key), ours.get(key)
        raise DataError(
            f"archive {database.where!r} holds the run {name!r} of {describe_part(key, their_part, our_part)}; "
            f"this is {describe_part(key, our_part, their_part)}.",
            f"the same {key}, so that its evaluations can be used",
            "Choose another file for the archive.",
        )
    return theirs


def _header(database: Database, text: Any) -> dict[str, Any]:
    """The header that the text of an archive holds."""
    try:
        header = json.loads(text)
    except _UNREADABLE as reason:
        raise _damage_error(database, f"a header cannot be read ({reason})") from None
    if not isinstance(header, dict):
        raise _damage_error(database, "a header is no object")
    return header


def _damage_error(database: Database, what: str) -> DataError:
    return DataError(
        f"archive {database.where!r} is damaged: {what}.",
        "what a tuning stored",
        "Restore it from a copy, or choose another file for the archive.",
    )


# -- which process works on an archive, and whether one that claimed an evaluation is still alive ------


_BEAT, _LEASE = 5.0, 30.0  # seconds between signs of life, and without one until a process of another host is dead


class Presence:
    """This process in the table of workers, and its knowledge of the others.

    On the same host, a process is dead when its number is not in use, or is in use by a process that started at another
    time. Of another host, it is dead when it has given no sign of life for half a minute; clocks are not compared.
    """

    def __init__(self, database: Database):
        self.name = f"{platform.node()}-{os.getpid()}-{uuid.uuid4().hex[:8]}"
        self._database = database
        self._seen: dict[str, tuple[int, float]] = {}
        self._left = threading.Event()
        born = _born(os.getpid()) or ""
        values = (self.name, _host(), os.getpid(), born, 0)
        database.execute("INSERT INTO probus_workers VALUES (?, ?, ?, ?, ?)", values)
        threading.Thread(target=self._beat, name="probus archive", daemon=True).start()

    def leave(self) -> None:
        """Stop giving signs of life, and remove this process from the table."""
        self._left.set()
        with suppress(DataError):
            self._database.execute("DELETE FROM probus_workers WHERE worker = ?", (self.name,))

    def is_dead(self, worker: str) -> bool:
        """Whether the process of that name no longer works."""
        rows = self._database.query("SELECT host, pid, born, beats FROM probus_workers WHERE worker = ?", (worker,))
        if not rows:
            return True
        host, pid, born, beats = rows[0]
        if host == _host() and born:
            return _born(pid) != born
        now = time.monotonic()
        before, since = self._seen.get(worker, (None, now))
        self._seen[worker] = (beats, since if before == beats else now)
        return before == beats and now - since > _LEASE

    def _beat(self) -> None:
        while not self._left.wait(_BEAT):
            with suppress(DataError):  # the next statement of the search reports what is wrong
                self._database.execute("UPDATE probus_workers SET beats = beats + 1 WHERE worker = ?", (self.name,))


def _born(pid: int) -> str | None:
    """When a process of this host started, in units of its own; None where it does not exist or is not known."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] == "Z" else fields[19]  # a zombie is dead


@cache
def _host() -> str:
    """The name of this host, its start and its name space of processes: numbers of processes mean the same in it."""
    parts = [platform.node()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text().strip())
    with suppress(OSError):
        parts.append(os.readlink("/proc/self/ns/pid"))
    return " ".join(parts)

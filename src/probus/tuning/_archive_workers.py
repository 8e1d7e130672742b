"""Which process works on an archive, and whether one that claimed an evaluation is still alive."""

from __future__ import annotations

import os
import platform
import threading
import time
import uuid
from contextlib import suppress
from functools import cache
from pathlib import Path

from probus.errors import DataError
from probus.tuning._archive_database import Database

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

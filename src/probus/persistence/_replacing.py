"""Replacing a file: completely or not at all, where a link points, with the permissions of the file that was there."""

from __future__ import annotations

import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import IO

_ABANDONED = 3600.0  # seconds without a write, after which an unfinished file belongs to a process that was killed


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """A file to write, which takes the place of the one at the path when the block ends without an exception.

    A symbolic link stays, and the file it points to is replaced. The file keeps the permissions of the one it replaces;
    a new file gets those that the umask leaves. Something that is not a file raises a ``FileExistsError``.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "numbers")
    >>> with replacing(path) as file:
    ...     file.write(b"1 2 3")
    5
    >>> path.read_bytes()
    b'1 2 3'
    """
    target = Path(os.path.realpath(path))
    mode = _mode_of(target)
    if not target.parent.is_dir():
        raise FileNotFoundError(f"no folder {str(target.parent)!r} to save the model in")
    _remove_abandoned(target)
    # renaming within a folder is atomic: a reader gets the old file or the new one, never a part
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    private = 0o666 if mode is None else 0o600  # until it gets the permissions of the file that it replaces
    try:
        with open(unfinished, "xb", opener=lambda name, flags: os.open(name, flags, private)) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(unfinished, mode)
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def _mode_of(target: Path) -> int | None:
    """The permissions of the file that is there; None where there is none."""
    try:
        found = os.lstat(target).st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(found):
        kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFLNK: "a link"}
        what = kinds.get(stat.S_IFMT(found), "a device")
        raise FileExistsError(f"{str(target)!r} is {what}, not a file that a model could replace")
    return stat.S_IMODE(found)


def _remove_abandoned(target: Path) -> None:
    """Remove what killed processes have left of this file; one that is being written now is recent."""
    for unfinished in target.parent.glob(f".{escape(target.name)}.????????.tmp"):
        with suppress(OSError):
            if time.time() - unfinished.stat().st_mtime > _ABANDONED:
                unfinished.unlink()

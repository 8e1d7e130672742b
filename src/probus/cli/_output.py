"""Where commands write: files, which are checked before the work, and a standard output that may close early."""

from __future__ import annotations

import errno
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from probus.errors import DataError

if TYPE_CHECKING:
    from rich.console import Console


_FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT, errno.EIO)


def writable(path: Path, option: str) -> Path:
    """The path of a file to write later, its folder made; an error now, before any work, where it cannot be written."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.exists():
            path.open("ab").close()
        if path.is_file() or not path.exists():  # a new file is renamed to it
            tempfile.TemporaryFile(dir=path.resolve().parent).close()
    except OSError as error:
        raise DataError(
            f"{option}: {path} cannot be written: {error.strerror}.", "a file in a folder that can be written"
        ) from error
    return path


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name the path in an error of the system, which has none where a disk is full."""
    try:
        yield
    except OSError as error:
        if error.filename is None and error.errno is not None:
            raise OSError(error.errno, error.strerror, str(path)) from error
        raise


@contextmanager
def noting_warnings() -> Iterator[None]:
    """Print each warning once, as a note on standard error."""
    import typer

    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        yield
    for message in dict.fromkeys(str(warning.message) for warning in raised):
        typer.echo(f"note: {message}", err=True)


def write_text(text: str, out: Path | None) -> None:
    """Write to a file, wholly or not at all, or to standard output; in UTF-8, for any encoding of the terminal."""
    from probus.persistence.whole_file import write_whole

    if out is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))
    else:
        with naming(out):
            write_whole(out, text.encode("utf-8", "replace"))


def place_of(error: OSError) -> str:
    """The file that could not be written or read: without a name, and on a full disk, it is standard output."""
    if error.filename is None and error.errno in _FULL:
        _drop_output()
        return "standard output"
    return str(error.filename or "")


def _drop_output() -> None:
    # what is still buffered would raise again when Python exits
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def until_the_reader_stops(command: Callable[..., None]) -> Callable[..., None]:
    """The command, which ends quietly where the reader of its output stops early, as ``head`` does."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        try:
            command(*arguments, **options)
            sys.stdout.flush()
        except BrokenPipeError:
            _drop_output()

    return run


def replace_unknown_letters() -> None:
    """Print a question mark for letters that the terminal's encoding lacks, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def console() -> Console:
    """A console on standard output that leaves it to the caller what a closed pipe means."""
    from rich.console import Console

    class Piped(Console):
        def on_broken_pipe(self) -> None:
            raise BrokenPipeError

    return Piped()

"""The bytes of a file and their format."""

from __future__ import annotations

import difflib
import gzip
import io
import mmap
import os
import zlib
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO

from probus.data._column import quote_some
from probus.data.reading._addresses import address_of, ending_of, fetch
from probus.errors import DataError

_FORMATS = {
    ".csv": "delimited text",
    ".tsv": "delimited text",
    ".txt": "delimited text",
    ".dat": "delimited text",
    ".parquet": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".jsonl": "json lines",
    ".ndjson": "json lines",
    ".json": "json",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
    ".db": "sqlite",
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xlsb": "excel",
    ".xls": "excel",
    ".ods": "excel",
}
# Each signature ends in a byte that is not text: a csv file may begin with "PAR1,PAR2".
_MAGIC = {b"PAR1\x15": "parquet", b"ARROW1\0\0": "arrow", b"SQLite format 3\0": "sqlite"}
_GZIP = b"\x1f\x8b"
_WORTH_MAPPING = 1 << 18  # bytes


class MappedFile(mmap.mmap):
    """The bytes of a file on disk, which are not copied; ``file`` is the same file, open for parsers that read it."""

    file: BinaryIO

    @classmethod
    def of(cls, file: BinaryIO) -> MappedFile:
        """Map an open file, which stays open; it is closed if it cannot be mapped."""
        try:
            mapped = cls(file.fileno(), 0, access=mmap.ACCESS_READ)
        except BaseException:
            file.close()
            raise
        mapped.file = file
        return mapped


Text = bytes | MappedFile  # slices of both are bytes


@dataclass(frozen=True)
class Source:
    """Bytes with their format, and a name for messages.

    ``decoded`` marks text that was given as ``str`` and is therefore UTF-8. A SQLite file stays on disk: it has
    a ``path`` and no ``data``. Large delimited text is ``mapped`` instead.
    """

    name: str
    ending: str
    format: str
    data: bytes = b""
    path: Path | None = None
    decoded: bool = False
    mapped: MappedFile | None = None

    @property
    def text(self) -> Text:
        """The bytes, mapped or not."""
        return self.data if self.mapped is None else self.mapped

    def close(self) -> None:
        """Close the file of mapped text."""
        if self.mapped is not None:
            self.mapped.file.close()


def is_file_like(source: Any) -> bool:
    """Whether data is a path, an open file or bytes."""
    if isinstance(source, (str, os.PathLike, bytes, bytearray, memoryview)):
        return True
    return callable(getattr(source, "read", None)) and not hasattr(source, "columns")


def open_source(source: Any) -> Source:
    """The bytes of a path, an address, an open file or bytes, decompressed, with their format."""
    address = address_of(source)
    if address is not None:
        data, ending = fetch(address), ending_of(address)
        if _format_of(data, Path("x" + ending.removesuffix(".gz")).suffix) == "":
            ending = ".csv"  # an address may end in anything
        return _recognise(data, repr(address), ending)
    if isinstance(source, (str, os.PathLike)):
        return _from_path(Path(source).expanduser())
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _from_stream(io.BytesIO(source))
    return _from_stream(source)


def _from_path(path: Path) -> Source:
    name = repr(str(path))
    try:
        if path.is_dir():
            raise _is_folder(path)
        with path.open("rb") as file:
            form = _format_of(file.peek(16), path.suffix)
            if form == "sqlite" and file.peek(1):
                return Source(name, path.suffix, "sqlite", path=path)
            if form == "delimited text" and (mapped := _map(path, file.peek(2))):
                return Source(name, path.suffix.lower(), form, mapped=mapped)
            data = file.read()
    except FileNotFoundError:
        raise _not_there(path) from None
    except PermissionError:
        raise DataError(
            f"no permission to read {name}.", "a file this user may read", f"Try: chmod u+r {path.name}"
        ) from None
    except OSError as error:
        raise DataError(f"cannot read {name}: {error.strerror or error}.", "a readable file") from error
    if path.suffix.lower() == ".gz" and data and not data.startswith(_GZIP):
        raise DataError(f"{name} has the extension .gz but is not gzip.", "a gzip file", "Rename it.")
    return _recognise(data, name, "".join(path.suffixes[-2:]))


def _map(path: Path, beginning: bytes) -> MappedFile | None:
    """The file as a mapping, if it is large, uncompressed and not a pipe or a device."""
    if beginning.startswith(_GZIP) or not path.is_file() or path.stat().st_size < _WORTH_MAPPING:
        return None
    try:
        return MappedFile.of(path.open("rb"))
    except (OSError, ValueError):  # some file systems do not map files
        return None


def _is_folder(path: Path) -> DataError:
    inside = [name for name in _list_names(path) if Path(name).suffix.lower() in _FORMATS]
    hint = f"It contains {quote_some(inside)}." if inside else "It contains no readable file."
    return DataError(f"{str(path)!r} is a folder.", "a file", hint)


def _not_there(path: Path) -> DataError:
    if not path.parent.is_dir():
        return DataError(f"no folder {str(path.parent)!r}.", "a path to a file")
    if not path.suffix and path.name in import_module("probus.datasets").names():  # a higher layer
        hint = f"For the bundled data set use probus.datasets.load({path.name!r})."
        return DataError(f"no file {str(path)!r}.", "a path to a file", hint)
    close = difflib.get_close_matches(path.name, _list_names(path.parent), n=3)
    hint = f"Did you mean {' or '.join(map(repr, close))}?" if close else f"Looked in {str(path.parent.resolve())!r}."
    return DataError(f"no file {str(path)!r}.", "a path to a file", hint)


def _list_names(folder: Path) -> list[str]:
    try:
        return sorted(child.name for child in folder.iterdir())
    except OSError:
        return []


def _from_stream(stream: Any) -> Source:
    """An open file: the format follows from its name, else from its first bytes, else it is delimited text."""
    title = getattr(stream, "name", None)
    title = title if isinstance(title, str) else ""
    try:
        content = stream.read()
    except (OSError, ValueError) as error:
        raise DataError(f"cannot read the open file {title!r}: {error}.", "a file open for reading") from error
    decoded = isinstance(content, str)
    data = content.encode("utf-8", "replace") if decoded else bytes(content)
    ending = Path(title.lower().removesuffix(".gz")).suffix
    if ending not in _FORMATS:
        ending = "" if _format_of(data, "") else ".csv"
    return _recognise(data, repr(title) if title else "the open file", ending, decoded=decoded)


def _recognise(data: bytes, name: str, endings: str, *, decoded: bool = False) -> Source:
    """The source of these bytes: decompressed if they are gzip; the format follows from the ending or first bytes."""
    if not data:
        raise DataError(f"{name} is empty.", "a table with a header and rows")
    if data.startswith(_GZIP):
        data, endings = _unzip(data, name), endings.lower().removesuffix(".gz")
    ending = Path("x" + endings).suffix.lower()
    form = _format_of(data, ending)
    if not form:
        raise DataError(
            f"{name} has an unknown extension: {ending!r}.",
            "one of " + ", ".join(_FORMATS) + ", each also with .gz",
            "Rename it to match its format.",
        )
    if form == "sqlite":
        raise DataError(f"{name} is a SQLite database that is compressed or not on disk.", "an uncompressed file")
    return Source(name, ending, form, data, decoded=decoded)


def _format_of(data: bytes, ending: str) -> str:
    """The format from the extension, else from the first bytes; empty if unknown."""
    by_bytes = (form for magic, form in _MAGIC.items() if data.startswith(magic))
    return _FORMATS.get(ending.lower(), "") or next(by_bytes, "")


def _unzip(data: bytes, name: str) -> bytes:
    try:
        return gzip.decompress(data)
    except (EOFError, OSError, zlib.error) as error:
        raise DataError(f"{name} is a damaged gzip file: {error}.", "a complete file", "Download it again.") from error

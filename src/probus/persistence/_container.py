"""The zip file of a model: equal models give equal bytes, and every entry is checked on reading."""

from __future__ import annotations

import os
import struct
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO

import numpy as np

from probus.errors import ModelFileError
from probus.persistence._file_format import DOCUMENT, MOST_DIRECTORY_BYTES, MOST_DOCUMENT_BYTES, array_name

_CHUNK = 1 << 20
# The exceptions of zipfile for data that is not a zip file.
_ZIP_ERRORS = (
    zipfile.BadZipFile,
    EOFError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
    struct.error,
)


def write_container(file: IO[bytes], document: bytes, arrays: Sequence[np.ndarray]) -> None:
    """Write the document and the arrays, which must be contiguous; the bytes do not depend on time or platform."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(_entry(DOCUMENT), document)
        for index, array in enumerate(arrays):
            archive.writestr(_entry(array_name(index)), array.ravel(order="K").view(np.uint8))  # type: ignore[arg-type]


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
    entry.create_system = 3
    entry.external_attr = 0o644 << 16
    return entry


class Container:
    """A model file opened for reading: its document, and arrays that can each be read once."""

    def __init__(self, archive: zipfile.ZipFile, file_size: int):
        self._archive = archive
        self.file_size = file_size
        self._unread = {entry.filename: entry for entry in archive.infolist()}

    @property
    def n_arrays(self) -> int:
        """The number of arrays in the file."""
        return len(self._archive.infolist()) - 1

    @property
    def array_bytes(self) -> int:
        """The total size of the arrays in bytes."""
        return sum(entry.file_size for entry in self._archive.infolist() if entry.filename != DOCUMENT)

    def document(self) -> bytearray:
        """The bytes of ``model.json``."""
        entry = self._unread.pop(DOCUMENT, None)
        if entry is None:
            raise ModelFileError(f"a zip without {DOCUMENT}.", "a file written by probus.save")
        _check_uncompressed(entry)
        if entry.file_size > min(MOST_DOCUMENT_BYTES, self.file_size):
            raise ModelFileError(f"{DOCUMENT} of {entry.file_size:,} bytes.", f"at most {MOST_DOCUMENT_BYTES:,}")
        document = bytearray(entry.file_size)
        self._read_into(entry, memoryview(document))
        return document

    def check_entries(self) -> None:
        """Raise unless the entries are unique arrays whose total size does not exceed the file's."""
        entries = self._archive.infolist()
        expected = {DOCUMENT, *(array_name(index) for index in range(self.n_arrays))}
        strange = [entry.filename for entry in entries if entry.filename not in expected]
        if strange:
            raise ModelFileError(f"an entry called {strange[0][:60]!r}.", "model.json, arrays/0, arrays/1, …")
        if len({entry.filename for entry in entries}) != len(entries):
            raise ModelFileError("two entries with the same name.", "unique names")
        for entry in entries:
            _check_uncompressed(entry)
        total = sum(entry.file_size for entry in entries)
        if total > self.file_size:
            raise ModelFileError(
                f"entries of {total:,} bytes in a file of {self.file_size:,}.", "at most the size of the file"
            )

    def array(self, index: int, dtype: np.dtype, size: int) -> np.ndarray:
        """The array of that index, flat; its size is checked before memory is allocated."""
        entry = self._unread.pop(array_name(index), None)
        if entry is None:
            raise ModelFileError(f"{array_name(index)} is missing or used twice.", "each array exactly once")
        if entry.file_size != size * dtype.itemsize:
            raise ModelFileError(
                f"{entry.filename} has {entry.file_size:,} bytes.", f"{size:,} values of {dtype.itemsize} bytes"
            )
        array = np.empty(size, dtype)
        self._read_into(entry, memoryview(array.view(np.uint8)))  # type: ignore[arg-type]
        return array

    def check_all_read(self) -> None:
        """Raise if some arrays are not used."""
        if self._unread:
            raise ModelFileError(f"{len(self._unread)} arrays that the model does not use.", "each array exactly once")

    def _read_into(self, entry: zipfile.ZipInfo, buffer: memoryview) -> None:
        try:
            with self._archive.open(entry) as stream:
                for start in range(0, len(buffer), _CHUNK):
                    wanted = len(buffer[start : start + _CHUNK])
                    chunk = stream.read(wanted)
                    if len(chunk) < wanted:
                        raise EOFError("unexpected end")
                    buffer[start : start + wanted] = chunk
                stream.read(1)  # zipfile checks the checksum at the end of the entry
        except _ZIP_ERRORS as error:
            raise ModelFileError(f"{entry.filename} is damaged ({error}).", "the bytes as saved") from error


@contextmanager
def open_container(path: str | os.PathLike[str]) -> Iterator[Container]:
    """An open model file; only the zip format and the size of its directory are checked."""
    with open(path, "rb") as file:
        file_size = file.seek(0, os.SEEK_END)
        _check_directory(file, file_size)
        try:
            archive = zipfile.ZipFile(file)
        except _ZIP_ERRORS as error:
            raise _not_a_model_file(str(error)) from error
        with archive:
            yield Container(archive, file_size)


_END, _LOCATOR, _END64 = 22, 20, 56  # bytes of the three records that close a zip (APPNOTE 6.3.10, 4.3.14 to 4.3.16)


def _check_directory(file: IO[bytes], file_size: int) -> None:
    """Raise if the directory is too long: zipfile creates an object for every entry on opening."""
    file.seek(max(0, file_size - _END - _LOCATOR - _END64))
    tail = file.read()
    end = tail[-_END:]
    if len(end) < _END or end[:4] != b"PK\5\6" or end[-2:] != b"\0\0":
        raise _not_a_model_file("no end record")
    directory_bytes = int.from_bytes(end[12:16], "little")
    if tail[-_END - _LOCATOR :][:4] == b"PK\6\7" and tail[:4] == b"PK\6\6":
        directory_bytes = int.from_bytes(tail[40:48], "little")
    if directory_bytes > min(file_size, MOST_DIRECTORY_BYTES):
        raise ModelFileError(f"a directory of {directory_bytes:,} bytes.", f"at most {MOST_DIRECTORY_BYTES:,}")


def _check_uncompressed(entry: zipfile.ZipInfo) -> None:
    if entry.compress_type != zipfile.ZIP_STORED or entry.compress_size != entry.file_size or entry.flag_bits:
        raise ModelFileError(f"{entry.filename} is compressed or encrypted.", "uncompressed entries")


def _not_a_model_file(why: str) -> ModelFileError:
    return ModelFileError(f"not a zip file, or truncated ({why}).", "a file written by probus.save", "Copy it again.")

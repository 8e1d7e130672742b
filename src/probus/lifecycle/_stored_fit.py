"""The arrays of a fit as bytes, and back: what an archive holds is checked before memory is reserved for it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np

from probus.errors import DataError
from probus.metrics import Outcome

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

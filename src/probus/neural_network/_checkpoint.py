"""Files from which training goes on: arrays and JSON, so that reading one runs no code."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from probus.errors import DataError


def fingerprint(*arrays: Any) -> str:
    """A hash of arrays, by which a checkpoint recognises its data.

    >>> fingerprint(np.arange(3)) == fingerprint(np.arange(3)), fingerprint(np.arange(3)) == fingerprint(np.arange(4))
    (True, False)
    """
    digest = hashlib.sha256()
    for array in arrays:
        values = np.ascontiguousarray(array)
        digest.update(f"{values.dtype} {values.shape}".encode())
        digest.update(values.tobytes() if values.dtype.kind != "O" else repr(values.tolist()).encode())
    return digest.hexdigest()[:32]


def write_checkpoint(path: Any, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> None:
    """Replace the file at once: a process that is killed leaves the former one."""
    target = Path(path)
    if not target.parent.is_dir():
        raise DataError(f"there is no folder {str(target.parent)!r} for the checkpoint.", "a folder that exists")
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(unfinished, "wb") as file:
            np.savez(file, header=np.array(json.dumps(header)), **arrays)  # type: ignore[arg-type]
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, target)
    finally:
        unfinished.unlink(missing_ok=True)


def read_checkpoint(path: Any, expected: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, np.ndarray]] | None:
    """The header and the arrays of a checkpoint, or None where there is no file yet.

    ``expected`` is what the headers must agree in: the network, the data, the settings.
    """
    target = Path(path)
    if not target.exists():
        return None
    try:
        with open(target, "rb") as file, np.load(file, allow_pickle=False) as found:
            arrays = {name: found[name] for name in found.files}
        header = json.loads(str(arrays.pop("header")))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        raise DataError(
            f"checkpoint {str(path)!r} is not a checkpoint, or is damaged.", "one that probus wrote", _OTHER
        ) from None
    for what, mine in expected.items():
        theirs = header.get(what)
        if theirs != json.loads(json.dumps(mine)):
            raise DataError(
                f"checkpoint {str(path)!r} is of {_NAMES[what]}{_difference(theirs, mine)}.",
                "one of the same network, data and settings",
                _OTHER,
            )
    return header, arrays


_OTHER = "Pass another path, or delete the file to begin again."
_NAMES = {"network": "another network", "data": "other data", "settings": "other settings"}


def _difference(theirs: Any, mine: Any) -> str:
    """What differs, for settings and layers, which have names."""
    if not isinstance(theirs, dict) or not isinstance(mine, dict):
        return ""
    differing = [name for name in {**theirs, **mine} if theirs.get(name) != json.loads(json.dumps(mine.get(name)))]
    shown = [f"{name} was {theirs.get(name)!r} and is {mine.get(name)!r}" for name in differing[:2]]
    return f": {'; '.join(shown)}" + ("; …" if len(differing) > 2 else "")

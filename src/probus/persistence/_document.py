"""Writing and reading ``model.json``, the JSON document of a model file."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import probus
from probus.errors import ModelFileError
from probus.persistence._file_format import (
    FORMAT,
    FORMAT_VERSION,
    MOST_DOCUMENT_BYTES,
    MOST_INTEGER,
    MOST_OBJECTS,
    MOST_VALUES,
)
from probus.persistence._node_checks import Node, describe, keys_of


def document_bytes(model: Node, metadata: Mapping[str, Any]) -> bytes:
    """The document of a model's node as bytes; equal models give equal bytes."""
    import numpy
    import sklearn

    libraries = {"probus": probus.__version__, "numpy": numpy.__version__, "scikit-learn": sklearn.__version__}
    document = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "written_by": libraries,
        "metadata": _plain_metadata(metadata),
        "model": model,
    }
    try:
        written = _dump(document).encode()
    except UnicodeEncodeError as error:
        raise ModelFileError(f"text that is not Unicode ({error.object[error.start]!r}).", "Unicode text") from error
    if len(written) > MOST_DOCUMENT_BYTES:
        raise ModelFileError(f"{len(written):,} bytes of parameters and labels.", f"at most {MOST_DOCUMENT_BYTES:,}")
    _check_count(written)
    return written


def _plain_metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    try:
        copy = json.loads(_dump(dict(metadata)))
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"metadata that JSON cannot represent ({error}).", "JSON values") from error
    if copy != metadata:
        raise ModelFileError("metadata that JSON would change.", "strings as keys, lists as sequences")
    return copy


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def parse(document: bytes | bytearray) -> dict[str, Any]:
    """The parsed document, after checking its format and version."""
    _check_count(document)
    try:
        head = json.loads(
            document.decode(),
            parse_constant=_no_constant,
            parse_int=_small_integer,
            parse_float=_finite_float,
            object_pairs_hook=_each_key_once,
        )
    except RecursionError as error:
        raise ModelFileError("a document that is nested too deeply.", "fewer levels") from error
    except (UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ModelFileError(f"a document that is not JSON ({error}).", "JSON in UTF-8") from error
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise ModelFileError("a document of another format.", f'"format": "{FORMAT}"', "Use a file of probus.save.")
    _check_version(head.get("version"), head.get("written_by"))
    return keys_of(head, "the document", "format version written_by metadata model")


def _check_count(document: bytes | bytearray) -> None:
    """Raise if there are too many values or models; they are counted by characters, without parsing."""
    values = sum(map(document.count, (b",", b"[", b"{")))
    if values > MOST_VALUES:
        raise ModelFileError(f"a document of about {values:,} values.", f"at most {MOST_VALUES:,}")
    objects = sum(1 for _ in re.finditer(rb'"class"\s*:', document))
    if objects > MOST_OBJECTS:
        raise ModelFileError(f"a document of about {objects:,} models.", f"at most {MOST_OBJECTS:,}")


def _check_version(version: Node, written_by: Node) -> None:
    if type(version) is not int or version < 1:
        raise ModelFileError(f"format version {describe(version)}.", "an integer")
    if not isinstance(written_by, dict) or not all(isinstance(number, str) for number in written_by.values()):
        raise ModelFileError(f"written by {describe(written_by)}.", "versions of libraries")
    if version > FORMAT_VERSION:
        raise ModelFileError(
            f"a file of format version {version}, written by Probus {written_by.get('probus', '?')[:20]}.",
            f"at most version {FORMAT_VERSION}, which Probus {probus.__version__} reads",
            "Upgrade Probus.",
        )


def _no_constant(text: str) -> None:
    raise ModelFileError(f"a document with {text}.", "JSON, which has no such number")


def _small_integer(text: str) -> int:
    if len(text) > len(str(-MOST_INTEGER)) or abs(int(text)) >= MOST_INTEGER:
        raise ModelFileError(f"an integer of {len(text)} digits.", "at most 64 bits")
    return int(text)


def _finite_float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ModelFileError(f"the number {text[:40]}.", "a number in the range of float64")
    return value


def _each_key_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ModelFileError("an object with a duplicate key.", "unique keys")
    return values

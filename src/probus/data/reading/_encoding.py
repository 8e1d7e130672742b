"""Conversion of text in any encoding to UTF-8."""

from __future__ import annotations

import codecs

import numpy as np

from probus.data.reading._byte_source import MappedFile, Text
from probus.errors import Advice, DataError

# UTF-32 first: its little-endian mark begins with that of UTF-16.
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_NO_TABLES = {
    b"pk\x03\x04": ("a zip archive", "Extract it, or give a sheet of Excel the extension .xlsx."),
    b"%pdf-": ("a PDF document", "Export the table as csv."),
    b"<!doctype html": ("a web page", "Download the file itself."),
    b"<html": ("a web page", "Download the file itself."),
}
_NOT_CP1252 = (0x81, 0x8D, 0x8F, 0x90, 0x9D)  # bytes that are no character of it
_BLOCK = 1 << 20


def text_in_utf8(text: Text, encoding: str | None, name: str) -> tuple[Text, list[str]]:
    """As ``to_utf8``, but a mapped file that is UTF-8 already stays mapped."""
    if encoding is None and isinstance(text, MappedFile) and _is_unmarked_utf8(text):
        return text, []
    return to_utf8(text[:], encoding, name)


def to_utf8(data: bytes, encoding: str | None, name: str) -> tuple[bytes, list[str]]:
    """The text as UTF-8 without a byte-order mark, and notes on the detected encoding.

    >>> to_utf8("Zoë".encode("cp1252"), None, "'x.csv'")
    (b'Zo\\xc3\\xab', ['encoding cp1252 detected'])
    """
    if encoding is not None:
        return _decode(data, encoding, name).encode().removeprefix(codecs.BOM_UTF8), []
    found = _detect(data, name)
    if found == "utf-8":
        return data, []
    text = _decode(
        data, found, name, hint=f"Its beginning was taken for a mark of this encoding: pass {Advice('encoding')}."
    )
    return text.lstrip("\ufeff").encode(), [] if found == "utf-8-sig" else [f"encoding {found} detected"]


def _is_unmarked_utf8(data: MappedFile) -> bool:
    marked = any(data[:4].startswith(mark) for mark in _MARKS)
    return not marked and data.find(b"\0") < 0 and (np.frombuffer(data, np.uint8).max() < 128 or _is_utf8(data))


def _is_utf8(data: Text) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        for start in range(0, len(data), _BLOCK):
            decoder.decode(data[start : start + _BLOCK])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _detect(data: bytes, name: str) -> str:
    marked = next((encoding for mark, encoding in _MARKS.items() if data.startswith(mark)), None)
    if marked:
        return marked
    if b"\0" in data:
        return _wide(data, name)
    if data.isascii() or _is_utf8(data):
        return "utf-8"
    return "cp1252" if _is_cp1252(data) else "latin-1"


def _wide(data: bytes, name: str) -> str:
    """UTF-16 without a mark has zeros in every other byte; zeros elsewhere are not text."""
    sample = data[: 1 << 16]
    even, odd = (sample[side::2].count(0) / (len(sample) / 2) for side in (0, 1))
    if odd > 0.5 and even < 0.1:
        return "utf-16-le"
    if even > 0.5 and odd < 0.1:
        return "utf-16-be"
    raise DataError(
        f"{name} is not text: it holds NUL bytes.", "delimited text or JSON", "Check its format and extension."
    )


def check_beginning(text: Text, name: str) -> None:
    """Raise for files of other formats that programs save as tables by mistake."""
    beginning = text[:64].lstrip().lower()
    for signature, (what, hint) in _NO_TABLES.items():
        if beginning.startswith(signature):
            raise DataError(f"{name} is {what}.", "delimited text", hint)


def _is_cp1252(data: bytes) -> bool:
    return not any(code in data for code in _NOT_CP1252)


def _decode(data: bytes, encoding: str, name: str, hint: str = "") -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        found = f"{name} is not {encoding}: line {line} has the byte 0x{data[error.start]:02x}."
        hint = hint or f"Omit {Advice('encoding', '')} to detect it."
        raise DataError(found, "text in one encoding", hint) from None
    except (LookupError, TypeError):
        raise DataError(f"unknown encoding {encoding!r}.", "a name such as utf-8, cp1252 or utf-16") from None

"""Files at an address: http and https here, the stores of clouds by polars."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import unquote, urlsplit
from urllib.request import urlopen

from probus.errors import DataError

_WEB = ("http", "https")
IN_CLOUDS = ("s3", "s3a", "gs", "gcs", "az", "azure", "abfs", "abfss", "adl", "hf")
_SECONDS = 60  # without an answer


def address_of(source: Any) -> str | None:
    """The address where source is one, as "https://…" or "s3://…"; None for anything else."""
    if not isinstance(source, (str, os.PathLike)):
        return None
    text = str(source)
    return text if urlsplit(text).scheme.lower() in (*_WEB, *IN_CLOUDS) and "://" in text else None


def ending_of(address: str) -> str:
    """The ending of the file's name, with that of its compression."""
    return "".join(PurePosixPath(unquote(urlsplit(address).path)).suffixes[-2:])


def fetch(address: str) -> bytes:
    """The bytes of a file on the web."""
    try:
        with urlopen(address, timeout=_SECONDS) as answer:
            return answer.read()
    except HTTPError as error:
        found = f"{address!r} is answered with {error.code} {error.reason}."
        raise DataError(found, "the address of a file", "Open it in a browser to see what it is.") from None
    except (URLError, OSError) as error:
        reason = getattr(error, "reason", None) or error
        raise DataError(f"cannot reach {address!r}: {reason}.", "an address that this machine can reach") from None


def from_cloud(address: str, delimiter: str | None) -> Any:
    """A polars frame of a file in the store of a cloud; the cells of delimited text are strings."""
    import polars as pl

    readers: dict[str, Callable[[], Any]] = {
        ".parquet": lambda: pl.scan_parquet(address),
        ".arrow": lambda: pl.scan_ipc(address),
        ".feather": lambda: pl.scan_ipc(address),
        ".ipc": lambda: pl.scan_ipc(address),
        ".jsonl": lambda: pl.scan_ndjson(address),
        ".ndjson": lambda: pl.scan_ndjson(address),
    }
    text: dict[str, str] = {".csv": ",", ".txt": ",", ".dat": ",", ".tsv": "\t"}
    ending = PurePosixPath(ending_of(address).removesuffix(".gz")).name
    ending = "." + ending.rpartition(".")[2].lower()
    if ending in text:
        separator = delimiter or text[ending]
        readers[ending] = lambda: pl.scan_csv(address, separator=separator, infer_schema=False)
    if ending not in readers:
        raise DataError(f"{address!r} has the extension {ending!r}.", f"one of {', '.join([*text, *readers])}")
    try:
        return readers[ending]().collect()
    except Exception as error:
        reason = str(error).partition("\n")[0]
        raise DataError(
            f"cannot read {address!r}: {reason}.",
            "a file that this machine can reach",
            "Set the credentials of the store in the environment, as polars takes them (AWS_ACCESS_KEY_ID, AWS_REGION, "
            "…), or read it yourself: probus.read(polars.read_parquet(…)).",
        ) from error

"""Where the data comes from: a frame, a file, an address, or a bundled data set by its name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from probus.data import Table, Task, quote_some, read
from probus.data.reading import address_of
from probus.datasets._bundled import load, names
from probus.errors import DataError

__all__ = ["open_source", "required_column", "task_of"]


def open_source(source: Any, options: Mapping[str, Any] | None = None) -> tuple[Table, str]:
    """The table and what to call it; a file of that name comes before a bundled data set.

    ``options`` are those of ``probus.read``, for a file.

    Parameters
    ----------
    source : A table, a path, an address, or the name of a bundled data set.
    options : options of ``probus.read``, for a file.

    Returns
    -------
    The table and its name.

    >>> table, name = open_source("iris")
    >>> table.shape, name
    ((150, 5), 'iris')
    """
    if not isinstance(source, (str, os.PathLike)):
        _must_be_none(options, "data in memory")
        return Table.of(source), "table"
    if address := address_of(source):
        return read(address, **(options or {})), address.rpartition("/")[2].partition(".")[0] or address
    path, name = Path(source), _printable(str(source))
    if name in names() and not path.is_file():
        _must_be_none(options, f"the bundled data set {name!r}")
        return load(name), name
    if not path.exists() and not path.suffix:
        close = get_close_matches(name, names(), n=3)
        raise DataError(
            f"no file and no bundled data set {name!r}.",
            "a path, or one of " + ", ".join(names()),
            f"Did you mean {' or '.join(close)}?" if close else "",
        )
    return read(path, **(options or {})), _printable(path.name.partition(".")[0] or path.name)


def _printable(name: str) -> str:
    """The name of a file as text: bytes that are not UTF-8 are question marks."""
    return name.encode("utf-8", "replace").decode()


def _must_be_none(options: Mapping[str, Any] | None, what: str) -> None:
    if options:
        raise DataError(f"{what} with {quote_some(options)}.", "a file for the options of read")


def task_of(X: Any, y: Any = None, **roles: Any) -> Task:
    """``Task.of``, where X may also be a path, an address, or the name of a bundled data set.

    >>> task_of("iris", target="species").classes
    ('setosa', 'versicolor', 'virginica')
    """
    return Task.of(open_source(X)[0] if isinstance(X, (str, os.PathLike)) else X, y, **roles)


def required_column(table: Table, name: str) -> None:
    """Raise, with similar names, unless the table has that column.

    Parameters
    ----------
    table : the table.
    name : the name of the column.

    >>> required_column(Table.of({"Survived": [0.0, 1.0]}), "survivd")
    Traceback (most recent call last):
    probus.errors.DataError: no column 'survivd'.
      Expected one of 'Survived'. Did you mean 'Survived'?
    """
    if not isinstance(name, str):
        own = getattr(name, "name", None)
        hint = f"Use its name, {own!r}, and a table that has it." if isinstance(own, str) else ""
        raise DataError(f"the column is of type {type(name).__name__}.", "the name of a column", hint)
    if name in table:
        return
    alike = {known.lower(): known for known in table.names}
    close = [alike[match] for match in get_close_matches(name.lower(), alike, n=3)]
    hint = f"Did you mean {' or '.join(map(repr, close))}?" if close else ""
    raise DataError(f"no column {name!r}.", f"one of {quote_some(table.names, 12)}", hint)

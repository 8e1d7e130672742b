"""What several commands take, and how the words of an option become values."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Annotated, Any

import typer

from probus.errors import DataError
from probus.spans import seconds_of

Data = Annotated[
    str, typer.Argument(metavar="DATA", help="A file, or the name of a bundled data set (see **probus datasets**).")
]
ModelFile = Annotated[Path, typer.Argument(metavar="MODEL", help="A model saved by **probus study** or probus.save.")]
NewRows = Annotated[
    str, typer.Argument(metavar="NEW", help="The rows to predict: a file, or the name of a bundled data set.")
]
OutOption = Annotated[Path | None, typer.Option(metavar="FILE", help="Write here instead of to standard output.")]
KindOption = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        metavar="COLUMN=KIND",
        help="Set a column's kind: numeric, binary, nominal, ordinal, text, or its levels in order (size=S<M<L). "
        "Repeat for more columns.",
    ),
]


def listed(words: list[str] | None) -> list[str]:
    """The names of an option that takes several, separated by commas, and may be repeated.

    >>> listed(["age,sex", '"a, b"']), listed(None)
    (['age', 'sex', 'a, b'], [])
    """
    return [name for row in csv.reader(words or [], skipinitialspace=True) for name in row]


def parse_kinds(words: list[str] | None) -> dict[str, Any]:
    """The kinds that ``--kind`` options name.

    >>> parse_kinds(["Pclass=ordinal", "size=S<M<L"])
    {'Pclass': 'ordinal', 'size': ['S', 'M', 'L']}
    """
    kinds: dict[str, Any] = {}
    for word in words or []:
        column, equals, kind = word.rpartition("=")
        if not (column and equals and kind):
            raise DataError(f"--kind {word}.", "COLUMN=KIND", "For example --kind Pclass=ordinal.")
        kinds[column] = kind.split("<") if "<" in kind else kind
    return kinds


def parse_time(word: str | None) -> float | None:
    """Seconds from a span such as 90, 90s, 5m or 1.5h.

    >>> parse_time("5m"), parse_time("90"), parse_time(None)
    (300.0, 90.0, None)
    """
    try:
        return seconds_of(word)
    except DataError:
        raise DataError(f"--time {word}.", "a span of time such as 90s, 5m or 1h") from None

"""How commands read a table: the options of ``probus.read`` that all of them take."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, get_type_hints

import typer

from probus.cli._options import listed

_PANEL = "Reading the file"


def _option(metavar: str, help: str, *names: str, **rules: Any) -> Any:
    return typer.Option(*names, metavar=metavar, help=help, rich_help_panel=_PANEL, **rules)


def read_options(
    skip: Annotated[int | None, _option("N", "The number of lines (of a sheet, rows) above the header.", min=0)] = None,
    columns: Annotated[
        list[str] | None,
        _option("NAMES", "Read only these columns: age,sex; quote a name that has a comma. May be repeated."),
    ] = None,
    missing: Annotated[
        list[str] | None,
        _option("VALUES", "Values that mean missing, besides empty cells, NA, N/A, NaN and null: -9,unknown."),
    ] = None,
    header: Annotated[
        bool | None,
        typer.Option("--header/--no-header", help="Whether the first row names the columns.", rich_help_panel=_PANEL),
    ] = None,
    delimiter: Annotated[str | None, _option("SIGN", "What separates the cells of a line; \\t for a tab.")] = None,
    decimal: Annotated[str | None, _option("SIGN", "The decimal sign: . or ,")] = None,
    encoding: Annotated[str | None, _option("CODEC", "The encoding of the text, such as latin-1.")] = None,
    comment: Annotated[str | None, _option("SIGN", "The beginning of comment lines.")] = None,
    sheet: Annotated[str | None, _option("NAME", "The sheet of an Excel file: its name or number.")] = None,
    table: Annotated[str | None, _option("NAME", "The table of a SQLite file.")] = None,
) -> dict[str, Any]:
    """The options of ``probus.read`` that were given; what is not given is detected.

    >>> read_options(skip=2, columns=["age,sex", '"a, b"'])
    {'skip': 2, 'columns': ['age', 'sex', 'a, b']}
    """
    given = {
        "skip": skip, "columns": listed(columns) or None, "missing": listed(missing) or None, "header": header,
        "delimiter": "\t" if delimiter == r"\t" else delimiter, "decimal": decimal, "encoding": encoding,
        "comment": comment, "sheet": sheet, "table": table,
    }  # fmt: skip
    return {option: value for option, value in given.items() if value is not None}


def reads(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options of reading, which it gets together as ``read``."""
    own, added = inspect.signature(command), inspect.signature(read_options)
    hints = get_type_hints(command, include_extras=True) | get_type_hints(read_options, include_extras=True)
    hints["return"] = None
    names = [name for name in (*own.parameters, *added.parameters) if name != "read"]

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        read = read_options(**{name: options.pop(name, None) for name in added.parameters})
        command(*arguments, read=read, **options)

    parameters = {**own.parameters, **added.parameters}
    run.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [parameters[name].replace(annotation=hints[name]) for name in names]
    )
    run.__annotations__ = {name: hints[name] for name in names}
    return run

"""``probus recommend``: what users would like, from a file of ratings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from probus.cli._file_options import reads
from probus.cli._options import OutOption, listed
from probus.cli._output import noting_warnings, writable, write_text
from probus.errors import DataError

_COLUMN = "The column of {}; by default found by its name."


@reads
def recommend(
    ratings: Annotated[
        str,
        typer.Argument(
            metavar="RATINGS", help="A file with a column of users, one of items and, perhaps, one of ratings."
        ),
    ],
    users: Annotated[
        list[str] | None,
        typer.Option("--user", metavar="IDS", help="The users: 42,43. May be repeated; without it all users."),
    ] = None,
    n: Annotated[int, typer.Option("--number", "-n", min=1, metavar="N", help="The number of items for each.")] = 10,
    model: Annotated[
        str, typer.Option(metavar="MODEL", help="factors, items, users, biases or popularity; or a saved model.")
    ] = "factors",
    implicit: Annotated[
        bool, typer.Option(help="Whether the file has what users bought or visited, and not how they liked it.")
    ] = False,
    user_table: Annotated[
        str | None, typer.Option(metavar="FILE", help="A table that describes users: the factors use it.")
    ] = None,
    item_table: Annotated[
        str | None, typer.Option(metavar="FILE", help="A table that describes items: the factors use it.")
    ] = None,
    user_column: Annotated[str | None, typer.Option(metavar="COLUMN", help=_COLUMN.format("users"))] = None,
    item_column: Annotated[str | None, typer.Option(metavar="COLUMN", help=_COLUMN.format("items"))] = None,
    rating_column: Annotated[str | None, typer.Option(metavar="COLUMN", help=_COLUMN.format("ratings"))] = None,
    time_column: Annotated[str | None, typer.Option(metavar="COLUMN", help=_COLUMN.format("times"))] = None,
    score: Annotated[bool, typer.Option(help="Also score the model on 5 random folds, with intervals.")] = False,
    save: Annotated[Path | None, typer.Option(metavar="FILE", help="Save the fitted model: model.probus.")] = None,
    out: OutOption = None,
    *,
    read: dict[str, Any],
) -> None:
    """Recommend items to users, as CSV: user, rank, item and predicted rating.

    Items that a user has rated are left out. A user without ratings gets what others like, or, with **--user-table**,
    what users of the same kind like.
    """
    import probus
    from probus.datasets.source import open_source
    from probus.recommend import find_columns

    for path, option in ((out, "--out"), (save, "--save")):
        if path is not None:
            writable(path, option)
    columns = {"user": user_column, "item": item_column, "rating": rating_column, "time": time_column}
    tables = {"users": user_table, "items": item_table}
    sides: dict[str, Any] = {what: open_source(path)[0] for what, path in tables.items() if path is not None}
    with noting_warnings():
        table = open_source(ratings, read)[0]
        if Path(model).suffix:
            _refuse_settings(implicit, columns, tables if not score else {})
            fitted = probus.load(model)
            if not hasattr(fitted, "recommend"):
                raise DataError(f"{model} holds a {type(fitted).__name__}.", "a recommender")
        else:
            known = {role: name for role, name in columns.items() if name is not None}
            if find_columns(table, *columns.values()).rating is None and not implicit:
                typer.echo("note: no column of ratings: what users have is taken as implicit feedback", err=True)
                implicit = True
            chosen = _model(model, implicit, bool(sides), known)
            fitted = chosen.fit(table, **sides)
        typer.echo(f"note: columns: {_said(fitted.columns_)}", err=True)
        if score:
            typer.echo(repr(probus.resample(fitted, table, **sides, progress="auto")), err=True)
        found = fitted.recommend(listed(users) or None, n)
    if save is not None:
        fitted.save(save)
    write_text(found.to_frame().write_csv(), out)
    for remark in found.remarks():
        typer.echo(f"note: {remark}", err=True)


def _refuse_settings(implicit: bool, columns: dict[str, str | None], tables: dict[str, str | None]) -> None:
    """Raise for options that a saved model has already."""
    given = {
        "--implicit": implicit,
        **{f"--{role}-column": name for role, name in columns.items()},
        **{f"--{what[:-1]}-table": path for what, path in tables.items()},
    }
    option = next((option for option, value in given.items() if value), None)
    if option is not None:
        raise DataError(f"{option} with a saved model.", "a model to fit, or the saved one as it is")


def _model(name: str, implicit: bool, sided: bool, columns: dict[str, Any]) -> Any:
    from probus import recommend as models

    if sided and name != "factors":
        raise DataError(f"--model {name} with tables of users or items.", "--model factors, which uses them")
    how: dict[str, Any] = {"implicit": implicit, **columns}
    if name == "factors":
        return (models.Hybrid if sided else models.MatrixFactorization)(random_state=0, **how)
    if name == "items":
        return models.ItemNeighbors(**how)
    if name == "users":
        return models.UserNeighbors(**how)
    if name == "popularity":
        return models.Popularity(**columns)
    if name == "biases" and not implicit:
        return models.Biases(**columns)
    known = "factors, items, users, popularity" + (" or a saved model" if implicit else ", biases or a saved model")
    raise DataError(f"--model {name}.", f"one of {known}")


def _said(columns: dict[str, str]) -> str:
    return ", ".join(f"{role} is {name!r}" for role, name in columns.items())

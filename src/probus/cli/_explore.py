"""``probus explore``: groups, odd rows and rules of a table without a target."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from probus.cli._file_options import reads
from probus.cli._options import Data, KindOption, listed, parse_kinds
from probus.cli._output import console, naming, writable

if TYPE_CHECKING:
    from rich.console import Console

    from probus.exploration import Exploration


@reads
def explore(
    data: Data,
    drop: Annotated[
        list[str] | None, typer.Option(metavar="NAMES", help="Columns that are not used: age,sex. May be repeated.")
    ] = None,
    kind: KindOption = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write one self-contained page, with a map and the profile."),
    ] = None,
    max_rows: Annotated[
        int, typer.Option(min=20, metavar="N", help="The number of rows from which groups are found, at most.")
    ] = 2000,
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="The same seed gives the same result.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON instead.")] = False,
    *,
    read: dict[str, Any],
) -> None:
    """Find groups, odd rows and rules in a table, without a target.

    Columns of any kind with missing values are compared. Groups are reported only where the rows are more alike than in
    tables without groups, and each with its stability.
    """
    import probus

    if html is not None:
        writable(html, "--html")
    found = probus.explore(
        data, drop=listed(drop), kinds=parse_kinds(kind), max_rows=max_rows, random_state=seed,
        read=read,
    )  # fmt: skip
    if html is not None:
        with naming(html):
            found.report(html)
    if json:
        import json as json_module

        typer.echo(json_module.dumps(found.to_dict(), ensure_ascii=False, allow_nan=False))
        return
    _show(found, console())
    if html is not None:
        typer.echo(f"report  {html}")


def _show(found: Exploration, screen: Console) -> None:
    from rich.text import Text

    from probus.cli._tables import plain_table

    screen.print(Text(found.name, style="bold"))
    for sentence in found.sentences():
        screen.print(Text(f"– {sentence}"))
    if found.groups.groups:
        numbers = ("group", "rows", "stability")
        table = plain_table(*numbers, "", "what sets it apart", numbers=numbers)
        for line in found.groups.lines():
            table.add_row(*map(Text, line))
        screen.print()
        screen.print(table)
    if found.odd.named:
        table = plain_table("odd row", "distance", "because of", numbers=("odd row", "distance"))
        for odd in found.odd.lines()[:10]:
            table.add_row(*map(Text, odd))
        screen.print()
        screen.print(table)
    if found.rules.rules:
        table = plain_table("if", "then", "both", "confidence", "lift", numbers=("both", "lift"))
        for *sides, both, confidence, lift, _ in found.rules.lines():
            table.add_row(*map(Text, (*sides, both, confidence, lift.partition(" ")[0])))
        screen.print()
        screen.print(table)
    screen.print()
    for note in [*found.profile.notes, *found.caveats()]:
        screen.print(Text(note, style="dim"))

"""``probus datasets``: what comes with the package."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probus.cli._output import naming, writable
from probus.errors import DataError


def datasets(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Show this one.")] = None,
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the data set to this file.")] = None,
) -> None:
    """List the bundled data sets, show one, or export it as CSV."""
    if name is None:
        if csv is not None:
            hint = "For example: probus datasets iris --csv x"
            raise DataError("--csv without a name.", "the data set to export", hint)
        _list()
        return
    if csv is not None:
        _export(name, writable(csv, "--csv"))
    _show(name)
    if csv is not None:
        typer.echo(f"\nwritten to {csv}")


def _list() -> None:
    from probus import datasets

    rows = [("name", "rows", "columns", "task", "target")]
    cards = [datasets.info(name) for name in datasets.names()]
    rows += [(card.name, f"{card.rows:,}", str(card.columns), card.task, card.target) for card in cards]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.rjust(width) if place in (1, 2) else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    typer.echo(lines[0])
    for line, card in zip(lines[1:], cards, strict=True):
        typer.echo(typer.style(line, bold=True))
        typer.echo(typer.style(f"    {card.source}. Licence: {card.licence}.", dim=True))


def _show(name: str) -> None:
    from probus import datasets

    dataset, table = datasets.info(name), datasets.load(name)
    typer.echo(f"{name}: {dataset.description}")
    typer.echo(f"  task     {dataset.task}, target {dataset.target}")
    typer.echo(f"  source   {dataset.source}")
    typer.echo(f"  licence  {dataset.licence}\n")
    typer.echo(repr(table))


def _export(name: str, path: Path) -> None:
    from probus import datasets
    from probus.persistence.whole_file import write_whole

    with naming(path):
        write_whole(path, datasets.load(name).to_polars().write_csv().encode())

"""``probus profile``: a summary of a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from probus.cli._file_options import reads
from probus.cli._options import Data, KindOption, parse_kinds
from probus.cli._output import console, naming, writable

if TYPE_CHECKING:
    from rich.console import Console

    from probus.report import ColumnSummary, Profile


_BLOCKS = " ▁▂▃▄▅▆▇█"
_WIDTH = 14
_MOST_LINES = 100  # columns, and findings, that a terminal shows


@reads
def profile(
    data: Data,
    target: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="The column to be predicted: pictures by class, and a search for leaks."),
    ] = None,
    group: Annotated[
        str | None,
        typer.Option("--groups", "--group", metavar="COLUMN", help="Column of groups that folds will keep together."),
    ] = None,
    kind: KindOption = None,
    html: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write one self-contained page, with associations and missing map."),
    ] = None,
    *,
    read: dict[str, Any],
) -> None:
    """Summarise a table: its columns, missing values, and problems."""
    from probus.datasets.source import open_source, required_column
    from probus.report import Profile, write

    if html is not None:
        writable(html, "--html")
    table, name = open_source(data, read)
    table = table.with_kinds(**parse_kinds(kind))
    for column in (target, group):
        if column is not None:
            required_column(table, column)
    result = Profile.of(table, target, name=name, group=group)
    if html is not None:
        with naming(html):
            write(result, html)
    _show(result, console())
    if html is not None:
        typer.echo(f"report  {html}")


def _show(profile: Profile, console: Console) -> None:
    from rich.text import Text

    from probus.cli._tables import plain_table
    from probus.display import counted, percent

    size = f"{counted(profile.rows, 'row')} × {counted(len(profile.columns), 'column')}"
    console.print(Text.assemble((profile.name, "bold"), f"  {size}\n"))
    table = plain_table("column", "kind", "missing", "shape", "values", "why", numbers=("missing",))
    for column in profile.columns[:_MOST_LINES]:
        name = Text(column.name, style="bold cyan" if column.name == profile.target else "bold")
        missing = percent(column.missing_share) if column.missing else ""
        table.add_row(name, column.what, missing, shape(column), Text(values(column)), Text(column.why, style="dim"))
    console.print(table)
    _more(len(profile.columns) - _MOST_LINES, "columns: choose some by --columns, or see all by --html FILE", console)
    for note in profile.notes:
        console.print(f"\nnote: {note}", style="dim", markup=False, highlight=False)
    _show_findings(profile, console)


def _show_findings(profile: Profile, console: Console) -> None:
    from rich.padding import Padding
    from rich.text import Text

    colours = {"error": "red", "warning": "yellow", "note": "dim"}
    count = len(profile.findings)
    console.print(Text(f"\n{count} finding{'s' * (count != 1)}" if count else "\nNo problems found."))
    for finding in profile.findings[:_MOST_LINES]:
        console.print(
            Text.assemble(
                (finding.severity, colours[finding.severity]), f" {finding.code} {finding.title}  ",
                (finding.column or "", "bold"),
            )
        )  # fmt: skip
        console.print(Padding(Text(finding.evidence), (0, 0, 0, 2)))
        console.print(Padding(Text(f"→ {finding.suggestion}", style="dim"), (0, 0, 0, 2)))
    _more(count - _MOST_LINES, "findings, all of them in --html FILE", console)
    console.print()


def _more(count: int, of_what: str, console: Console) -> None:
    """Say how much is not printed."""
    if count > 0:
        console.print(f"… and {count:,} more {of_what}.", highlight=False)


def shape(column: ColumnSummary) -> str:
    """A picture of one line: the histogram of a number, the most frequent levels of a label."""
    return "" if column.shape is None else _sparkline(column.shape.counts.sum(axis=0))


def _sparkline(counts: Sequence[int]) -> str:
    """Counts as blocks, neighbouring bins averaged until they fit.

    >>> _sparkline([0, 1, 8])
    ' ▁█'
    """
    import numpy as np

    bins = np.array_split(np.asarray(counts), min(_WIDTH, len(counts)))
    heights = np.array([part.mean() for part in bins], dtype=float)
    steps = np.ceil(heights / max(heights.max(), 1) * (len(_BLOCKS) - 1)).astype(int)
    return "".join(_BLOCKS[step] for step in steps)


def values(column: ColumnSummary) -> str:
    """The range of a number, the most frequent level of a label, the length of a text."""
    from probus.display import counted

    figures = column.figures
    if "median" in figures:
        return f"{figures['range']}, median {figures['median']}"
    return f"{counted(column.distinct, 'level')}, most {figures['most frequent']}" if "most frequent" in figures else ""

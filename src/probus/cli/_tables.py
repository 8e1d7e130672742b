"""Tables for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from rich.console import Console

    from probus.lifecycle import GroupScores, Study


def plain_table(*names: str, numbers: Sequence[str] = ()) -> Table:
    """A table with a quiet head; columns of numbers are set right."""
    table = Table(box=SIMPLE_HEAD, header_style="dim", pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for name in names:
        table.add_column(name, justify="right" if name in numbers else "left")
    return table


def leaderboard_table(study: Study, screen: Console) -> Table:
    """A line per model: rank, name, scores, and the verdict against the best, as much of it as the terminal holds.

    The main score has its interval; the others have theirs where there is room, and are left out where there is none.
    """
    n = len(study.measures)
    tables = [_table(study, n, intervals=True), *(_table(study, kept, intervals=False) for kept in range(n, 0, -1))]
    fits = (table for table in tables if screen.measure(table).maximum < screen.width)
    return next(fits, tables[-1])


def group_table(groups: GroupScores, screen: Console) -> Table:
    """A line per group of a sensitive column: its rows and the scores, as many intervals as the terminal holds."""
    tables = [_group_table(groups, intervals) for intervals in (True, False)]
    return next((table for table in tables if screen.measure(table).maximum < screen.width), tables[-1])


def _group_table(groups: GroupScores, intervals: bool) -> Table:
    header, *lines = groups.lines()
    table = plain_table(*header, numbers=["rows"])
    for column in table.columns[1:]:
        column.no_wrap = True
    former = ""
    for score, (_, rows, main, *others) in zip(groups, lines, strict=True):
        if score.column != former:
            table.add_row(Text(score.column, style="dim"), *[""] * (len(header) - 1))
        former = score.column
        scores = others if intervals else [each.partition(" ")[0] for each in others]
        table.add_row(Text(f"  {score.group}"), rows, *map(Text, [main, *scores]))
    return table


def _table(study: Study, n_measures: int, *, intervals: bool) -> Table:
    board, measures = study.leaderboard, study.measures[:n_measures]
    table = plain_table("", "model", *(measure.label.replace(" ", "\n") for measure in measures), "")
    for column in table.columns:
        column.no_wrap = True
    for standing in board:
        if standing.rank is None:
            status = "failed" if standing.status.startswith("failed") else standing.status
            table.add_row("–", Text(standing.name), *["–"] * n_measures, Text(status), style="dim")
            continue
        scores = [board.printed(standing.name, measure.name) for measure in measures]
        if not intervals:
            scores[1:] = [score.partition(" ")[0] for score in scores[1:]]
        verdict = Text(standing.verdict, style="cyan" if standing.tied else "dim")
        style = "bold" if standing.rank == 1 else None
        table.add_row(str(standing.rank), Text(standing.name), *map(Text, scores), verdict, style=style)
    return table

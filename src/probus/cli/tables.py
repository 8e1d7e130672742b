"""Tables for the terminal."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from probus.lifecycle import Study

__all__ = ["leaderboard_table", "plain_table"]


def plain_table(*names: str, numbers: Sequence[str] = ()) -> Table:
    """A table with a quiet head; columns of numbers are set right."""
    table = Table(box=SIMPLE_HEAD, header_style="dim", pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for name in names:
        table.add_column(name, justify="right" if name in numbers else "left")
    return table


def leaderboard_table(study: Study, *, wide: bool) -> Table:
    """A line per model: rank, name, scores, and the verdict on those that may be as good as the best.

    The main score has its interval; the others have theirs where the terminal is ``wide``.
    """
    board = study.leaderboard
    labels = [measure.label for measure in study.measures]
    table = plain_table("", "model", *labels, "")
    table.columns[1].no_wrap = table.columns[2].no_wrap = True
    for standing in study.leaderboard:
        if standing.rank is None:
            table.add_row("–", Text(standing.name), *["–"] * len(labels), "", style="dim")
            continue
        scores = [board.printed(standing.name, measure.name) for measure in study.measures]
        if not wide:
            scores[1:] = [score.partition(" ")[0] for score in scores[1:]]
        style = "bold" if standing.rank == 1 else None
        mark = Text(standing.verdict, style="cyan") if standing.tied else ""
        table.add_row(str(standing.rank), Text(standing.name), *map(Text, scores), mark, style=style)
    return table

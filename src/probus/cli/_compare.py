"""``probus compare``: two saved models on the same rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from probus.cli._file_options import reads
from probus.cli._options import KindOption, parse_kinds
from probus.cli._output import console, noting_warnings, write_text
from probus.errors import DataError

if TYPE_CHECKING:
    from probus.comparison import Comparison
    from probus.data import Table, Task


@reads
def compare(
    first: Annotated[Path, typer.Argument(metavar="MODEL", help="A saved model.")],
    second: Annotated[Path, typer.Argument(metavar="MODEL", help="The model to compare it with.")],
    data: Annotated[
        str, typer.Argument(metavar="DATA", help="Rows with the target, on which neither model was fitted.")
    ],
    target: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="The column to predict; by default that of the models.")
    ] = None,
    scoring: Annotated[
        list[str] | None, typer.Option(metavar="MEASURE", help="The measure to compare by. Repeat to show more.")
    ] = None,
    positive: Annotated[
        str | None,
        typer.Option(metavar="CLASS", help="The positive class of two; by default that of the models, else the last."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead.")] = False,
    kind: KindOption = None,
    *,
    read: dict[str, Any],
) -> None:
    """Compare two saved models on rows that were held out.

    The models predict the same rows; the difference is tested row by row. A warning is printed if a model was fitted
    on some of the rows, or where that is not known.
    """
    import probus
    from probus.comparison import compare_fitted
    from probus.datasets.source import open_source

    models = dict(zip(_names(first, second), map(probus.load, (first, second)), strict=True))
    table, _ = open_source(data, read)
    table = table.with_kinds(**parse_kinds(kind))
    positive = positive_of(first, second) if positive is None else positive
    task = task_for(table, target or target_of(first, second), next(iter(models.values())), positive)
    with noting_warnings():
        found = compare_fitted(models, task, scoring=scoring or None)
    if as_json:
        write_text(json.dumps(found.to_dict(), indent=2, ensure_ascii=False) + "\n", None)
    else:
        _show(found)


def _names(first: Path, second: Path) -> list[str]:
    """The names of the files, with their folders where they are the same."""
    if first.name != second.name:
        return [first.name, second.name]
    if first == second:
        raise DataError(f"{first} twice.", "two model files")
    return [str(first), str(second)]


def _metadata(path: Path) -> dict[str, Any]:
    from probus.persistence import inspect

    return dict(inspect(path).metadata or {})


def target_of(*paths: Path) -> str:
    """The target that the files name."""
    known = {str(name) for path in paths if (name := _metadata(path).get("target"))}
    if len(known) == 1:
        return known.pop()
    if not known:
        raise DataError("the model files do not name their target.", "--target COLUMN")
    raise DataError(f"models of different targets: {', '.join(map(repr, sorted(known)))}.", "the same, or --target")


def positive_of(*paths: Path) -> Any:
    """The positive class that the files agree on; None where they do not, or name none."""
    named = [_metadata(path).get("pos_label") for path in paths]
    return named[0] if all(each == named[0] for each in named) else None


def task_for(table: Table, target: str, model: Any, positive: Any) -> Task:
    from sklearn.base import is_classifier

    from probus.data import Task
    from probus.datasets.source import required_column

    required_column(table, target)
    labelled = table.take(~table[target].missing)
    if not len(labelled):
        raise DataError(f"no row has a value of {target!r}.", "rows with the target")
    kind: Any = "classification" if is_classifier(model) else "regression"
    return Task(labelled, target, kind=kind, pos_label=positive)


def _show(found: Comparison) -> None:
    from rich.padding import Padding
    from rich.text import Text

    from probus.cli._tables import plain_table
    from probus.comparison import Leaderboard
    from probus.display import sentence

    screen, board = console(), found.leaderboard
    assert isinstance(board, Leaderboard)
    seen = [note for note in found.notes if "equal training rows" in note]
    screen.print()
    for note in seen:
        screen.print(f"! {sentence(note)}", style="yellow", highlight=False, markup=False)
    screen.print(Text(f"{found.sentence}\n", style="bold"))
    names = [each.name for each in board if each.rank]
    table = plain_table("", *names)
    for measure in board.measures:
        table.add_row(measure.label, *(Text(board.printed(name, measure.name)) for name in names))
    screen.print(Padding(table, (0, 0, 1, 0)))
    for note in (f"test: {found.why}", *(note for note in found.notes if note not in seen)):
        screen.print(note, style="dim", highlight=False, markup=False)

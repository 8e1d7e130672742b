"""Progress of long work."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Literal

Progress = Callable[[int, int, str], None]
ProgressOption = Progress | Literal["auto"] | bool | None


@contextmanager
def shown(progress: ProgressOption) -> Iterator[Progress]:
    """A function to call with (steps done, total steps, name of the step).

    ``"auto"`` is a bar on standard error in terminals and notebooks and nothing elsewhere; None is nothing; a
    function is called itself. True is "auto", and False None.

    >>> steps = []
    >>> with shown(lambda *step: steps.append(step)) as update:
    ...     update(0, 2, "One-R")
    >>> steps
    [(0, 2, 'One-R')]
    """
    if callable(progress):
        yield progress
    elif progress is None or progress is False:
        yield _silent
    else:
        yield from _bar()


def _silent(done: int, total: int, what: str) -> None:
    return


def _bar() -> Iterator[Progress]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    console = Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter):
        yield _silent
        return
    columns = (TextColumn("{task.description}", style="bold"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=console, transient=True) as bar:
        work = bar.add_task("", total=None)
        yield lambda done, total, what: bar.update(work, completed=done, total=total, description=what)

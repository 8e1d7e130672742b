"""What is displayed of a training: a bar in terminals and notebooks, lines elsewhere."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from probus.callbacks import Callback, Verbose

if TYPE_CHECKING:
    from probus.neural_network._epochs import Epochs


@contextmanager
def display(training: Epochs) -> Iterator[list[Callback]]:
    """The callbacks that display the epochs of a training that is verbose."""
    verbose, total = int(training.settings.verbose), training.settings.max_epochs
    if not verbose:
        yield []
        return
    from rich.console import Console

    console = Console(stderr=True)
    if verbose == 1 and (console.is_terminal or console.is_jupyter):
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True) as progress:
            yield [_Bar(progress, total)]
        return
    yield [Verbose(training.columns, total, training.n_epochs, all_rounds=verbose > 1, unit="Iteration")]


class _Bar:
    """A bar of epochs with the last loss and score."""

    def __init__(self, progress: Any, total: int):
        self._progress, self._task = progress, progress.add_task("loss …", total=total)

    def begin(self, rounds: Epochs) -> None:
        """Show the epochs of a checkpoint."""
        self._progress.update(self._task, completed=rounds.n_epochs)

    def after(self, finished: Epochs) -> bool:
        """Move on; never stops."""
        text = f"loss {finished.loss[-1]:.4g}"
        if finished.validation:
            text += f" · validation {finished.validation[-1]:.4g} (best {max(finished.validation):.4g})"
        self._progress.update(self._task, completed=finished.n_epochs, description=text)
        return False

"""Callbacks of every fit in rounds: they record, print the rounds, and stop early.

Boosting calls them after each round, networks after each epoch.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Protocol

__all__ = [
    "Callback", "EarlyStopping", "History", "Verbose", "interval", "no_better_score", "no_lower_loss", "no_new_best",
]  # fmt: skip


class Callback(Protocol):
    """What is called as rounds finish."""

    def begin(self, rounds: Any) -> None:
        """Called before the first round."""

    def after(self, finished: Any) -> bool:
        """Called after each round; whether to stop."""


class History:
    """Records the loss, and the score of held-out rows, of each epoch of a network.

    Attributes
    ----------
    loss, validation : what was recorded so far; a network has it as ``history_`` in the end.
    """

    def begin(self, rounds: Any) -> None:
        """Record the epochs of a checkpoint."""
        self.loss, self.validation = list(rounds.loss), list(rounds.validation)

    def after(self, finished: Any) -> bool:
        """Record the epoch; never stops."""
        self.begin(finished)
        return False


# -- stopping ------------------------------------------------------------------------------------------


def no_better_score(scores: list[float], patience: int, tolerance: float) -> bool:
    """Whether none of the last scores is better than the one before them.

    >>> no_better_score([0.5, 0.7, 0.6], 2, 0.0), no_better_score([0.5, 0.7, 0.6, 0.7], 2, 0.0)
    (False, True)
    """
    if len(scores) <= patience:
        return False
    before = scores[-patience - 1] + tolerance
    return not any(later > before for later in scores[-patience:])


def no_lower_loss(losses: list[float], patience: int, tolerance: float) -> bool:
    """Whether the last loss is no lower than the highest of those before it.

    >>> no_lower_loss([0.5, 0.3, 0.4], 2, 0.0), no_lower_loss([0.5, 0.3, 0.4, 0.4], 2, 0.0)
    (False, True)
    """
    before = losses[-patience - 1 : -1]
    return len(before) == patience and losses[-1] + tolerance >= max(before)


def no_new_best(scores: list[float], patience: int, tolerance: float) -> bool:
    """Whether more than ``patience`` scores in a row have not improved on the best before them.

    This is the rule of scikit-learn's networks.

    >>> no_new_best([0.5, 0.7, 0.6, 0.6], 2, 0.0), no_new_best([0.5, 0.7, 0.6, 0.6, 0.6], 2, 0.0)
    (False, True)
    """
    best, waited = float("-inf"), 0
    for score in scores:
        waited = waited + 1 if score < best + tolerance else 0
        best = max(best, score)
    return waited > patience


class EarlyStopping:
    """Stops when scores, or losses, have stopped improving.

    Parameters
    ----------
    recorded : what another callback records; None is the score of held-out rows of a network, or else minus its loss.
    stalled : the rule.
    patience : the rounds without improvement after which it stops.
    tolerance : the increase that counts as an improvement.
    """

    def __init__(
        self,
        recorded: list[float] | None = None,
        stalled: Callable[[list[float], int, float], bool] = no_new_best,
        patience: int = 10,
        tolerance: float = 0.0,
    ):
        self._recorded, self._stalled, self._patience, self._tolerance = recorded, stalled, patience, tolerance

    def begin(self, rounds: Any) -> None:
        """Nothing to prepare."""

    def after(self, finished: Any) -> bool:
        """Whether to stop."""
        recorded = finished.scores if self._recorded is None else self._recorded
        return self._stalled(recorded, self._patience, self._tolerance)


# -- printing ------------------------------------------------------------------------------------------


class Verbose:
    """Prints a line after a round, as scikit-learn does: its number, some columns, and the remaining time.

    columns : what to print of a round, by name; None is loss and score of a network
    total, done : the rounds there will be in the end, and were before; those of a network by default
    all_rounds : otherwise after the first ten rounds only each tenth is printed, after a hundred each hundredth
    unit : what a round is called
    """

    def __init__(
        self,
        columns: Mapping[str, Callable[[Any], float]] | None = None,
        total: int = 0,
        done: int = 0,
        *,
        all_rounds: bool = True,
        unit: str = "Iter",
    ):
        self._columns, self._total, self._done, self._all_rounds = columns, total, done, all_rounds
        self._n_rounds, self._unit = 0, unit

    def begin(self, rounds: Any) -> None:
        """Print the header."""
        if self._columns is None:
            self._columns, self._total, self._done = rounds.columns, rounds.settings.max_epochs, rounds.n_epochs
        self._began, self._n_rounds = time.perf_counter(), 0
        names = [*self._columns, "Remaining Time"]
        print(" ".join([f"{self._unit:>10}", *(f"{name:>16}" for name in names)]), flush=True)

    def after(self, finished: Any) -> bool:
        """Print the round, if it is its turn; never stops."""
        self._n_rounds += 1
        if self._all_rounds or self._n_rounds % interval(self._n_rounds) == 0:
            done = self._done + self._n_rounds
            seconds = (time.perf_counter() - self._began) / self._n_rounds * (self._total - done)
            left = f"{seconds / 60.0:.2f}m" if seconds > 60.0 else f"{seconds:.2f}s"
            values = [column(finished) for column in (self._columns or {}).values()]
            cells = [f"{value:>16d}" if isinstance(value, int) else f"{value:>16.4f}" for value in values]
            print(" ".join([f"{done:>10d}", *cells, f"{left:>16}"]), flush=True)
        return False


def interval(n_rounds: int) -> int:
    """The interval between printed rounds, that many rounds into a fit.

    >>> [interval(n_rounds) for n_rounds in (1, 10, 11, 100, 101)]
    [1, 1, 10, 10, 100]
    """
    return int(10 ** (len(str(n_rounds - 1)) - 1))

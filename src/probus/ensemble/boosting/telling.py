"""Lines on the screen while a fit goes on, as scikit-learn writes them."""

from __future__ import annotations

import time

__all__ = ["Teller"]


class Teller:
    """A line for a round: its number, its loss, what it gained out of bag, and how long those to come will take.

    total, done : the rounds there will be in the end, and were before
    all_rounds : otherwise after the first ten rounds only each tenth is told, after a hundred each hundredth

    >>> teller = Teller(1, 0, all_rounds=True, out_of_bag=True)
          Iter       Train Loss      OOB Improve   Remaining Time
    >>> teller.after([0.5], [0.25])
             1           0.5000           0.2500            0.00s
    """

    def __init__(self, total: int, done: int, *, all_rounds: bool, out_of_bag: bool):
        self._total, self._done, self._all_rounds, self._out_of_bag = total, done, all_rounds, out_of_bag
        self._began = time.perf_counter()
        names = ["Train Loss", *["OOB Improve"] * out_of_bag, "Remaining Time"]
        print(" ".join([f"{'Iter':>10}", *(f"{name:>16}" for name in names)]), flush=True)

    def after(self, losses: list[float], improvement: list[float]) -> None:
        """Tell the last round, if it is its turn."""
        latest = len(losses) - self._done
        if not self._all_rounds and latest % turn(latest):
            return
        told = [losses[-1], *improvement[-1:]] if self._out_of_bag else [losses[-1]]
        each = (time.perf_counter() - self._began) / latest
        seconds = each * (self._total - len(losses))
        left = f"{seconds / 60.0:.2f}m" if seconds > 60.0 else f"{seconds:.2f}s"
        print(" ".join([f"{len(losses):>10d}", *(f"{loss:>16.4f}" for loss in told), f"{left:>16}"]), flush=True)


def turn(latest: int) -> int:
    """Of how many rounds one is told, that many into a fit.

    >>> [turn(latest) for latest in (1, 10, 11, 100, 101)]
    [1, 1, 10, 10, 100]
    """
    return int(10 ** (len(str(latest - 1)) - 1))

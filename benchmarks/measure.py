"""Timing two contestants fairly, and telling the result."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

__all__ = ["Contest", "Row", "peak_memory"]


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    ours: float
    peer: str
    theirs: float
    goal: float
    quality: str

    @property
    def ratio(self) -> float:
        """How many times faster we are."""
        return self.theirs / self.ours


@dataclass(frozen=True)
class Contest:
    """Two functions that do the same work; ``quality`` looks at both results and says how they compare."""

    what: str
    ours: Callable[[], Any]
    peer: str
    theirs: Callable[[], Any]
    goal: float
    quality: Callable[[Any, Any], str]
    rounds: int = 5
    repeat: int = 1

    def run(self) -> Row:
        """Alternate, take the minimum of each; the first, untimed call of ours compiles."""
        self.ours()
        best, answers = [float("inf"), float("inf")], [None, None]
        for _ in range(self.rounds):
            for side, function in enumerate((self.ours, self.theirs)):
                start = time.perf_counter()
                for _ in range(self.repeat):
                    answers[side] = function()
                best[side] = min(best[side], (time.perf_counter() - start) / self.repeat)
        return Row(self.what, best[0], self.peer, best[1], self.goal, self.quality(*answers))


def peak_memory(code: str) -> float:
    """Megabytes that a fresh interpreter needs at most to run the code, its imports and its data included.

    The kernel's high-water mark of the process itself: getrusage would count the parent's before the fork.
    """
    script = code + "\nprint(open('/proc/self/status').read().partition('VmHWM:')[2].split()[0])\n"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return int(done.stdout.split()[-1]) / 1024

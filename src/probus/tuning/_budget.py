"""How long a search may go on."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np

from probus.display import counted
from probus.errors import DataError
from probus.spans import seconds_of


@dataclass(frozen=True)
class Budget:
    """A deadline on the clock of ``time.perf_counter`` and a number of evaluations; None is without end."""

    seconds: float | None = None
    evaluations: int | None = None
    started: float = 0.0

    @classmethod
    def of(cls, time: Any, evaluations: Any) -> Budget:
        """From seconds or a span such as "90s", and a number of evaluations; the clock starts now."""
        whole = isinstance(evaluations, (int, np.integer)) and not isinstance(evaluations, bool)
        if evaluations is not None and not (whole and evaluations > 0):
            raise DataError(f"evaluations={evaluations!r}.", "a whole number above 0, or None")
        seconds = seconds_of(time, hint="Use evaluations=… for a number of evaluations.")
        return cls(seconds, None if evaluations is None else int(evaluations), perf_counter())

    @property
    def left(self) -> float | None:
        """The seconds that are left, at least 0."""
        return None if self.seconds is None else max(0.0, self.seconds - self.spent)

    @property
    def spent(self) -> float:
        """The seconds since the start."""
        return perf_counter() - self.started

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self.left == 0.0

    def __str__(self) -> str:
        parts = [f"{self.seconds:g} s"] * (self.seconds is not None)
        return " and ".join(parts + ([] if self.evaluations is None else [counted(self.evaluations, "evaluation")]))

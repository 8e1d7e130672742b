"""How long a search may go on."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display import counted
from probus.errors import DataError

__all__ = ["Budget", "seconds_of"]

_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


@dataclass(frozen=True)
class Budget:
    """A deadline on the clock of ``time.perf_counter`` and a number of evaluations; None is without end."""

    seconds: float | None = None
    evaluations: int | None = None
    started: float = 0.0

    @classmethod
    def of(cls, budget: Any, evaluations: Any) -> Budget:
        """From seconds or a span such as "90s", and a number of evaluations; the clock starts now."""
        whole = isinstance(evaluations, (int, np.integer)) and not isinstance(evaluations, bool)
        if evaluations is not None and not (whole and evaluations > 0):
            raise DataError(f"evaluations={evaluations!r}.", "a whole number above 0, or None")
        return cls(seconds_of(budget), None if evaluations is None else int(evaluations), time.perf_counter())

    @property
    def left(self) -> float | None:
        """The seconds that are left, at least 0."""
        return None if self.seconds is None else max(0.0, self.seconds - self.spent)

    @property
    def spent(self) -> float:
        """The seconds since the start."""
        return time.perf_counter() - self.started

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self.left == 0.0

    def __str__(self) -> str:
        parts = [f"{self.seconds:g} s"] * (self.seconds is not None)
        return " and ".join(parts + ([] if self.evaluations is None else [counted(self.evaluations, "evaluation")]))


def seconds_of(budget: Any, name: str = "budget") -> float | None:
    """Seconds from a number or a span such as "90s", "5m" or "1.5h"; None stays None. ``name`` is for errors.

    >>> seconds_of(120), seconds_of("5m")
    (120.0, 300.0)
    """
    if budget is None:
        return None
    seconds = 0.0
    if isinstance(budget, str):
        found = re.fullmatch(r"\s*([0-9]+\.?[0-9]*)\s*([a-z]*)\s*", budget.lower())
        seconds = float(found[1]) * _UNITS.get(found[2], 0.0) if found else 0.0
    elif isinstance(budget, (int, float, np.number)) and not isinstance(budget, bool):
        seconds = float(budget)
    if not 0.0 < seconds < np.inf:
        raise DataError(
            f"{name}={budget!r}.",
            "seconds, or a span such as '90s', '5m' or '1h'",
            "Use evaluations=… for a number of evaluations." if name == "budget" else "",
        )
    return seconds

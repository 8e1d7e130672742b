"""What each stage of a cascade is made of, and what it lets through."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display import Cells, Notes, Result, percent


@dataclass(frozen=True, eq=False, repr=False)
class Stages(Result):
    """The stages of a cascade, with cumulative rates on the rows that were held out of the boosting.

    Attributes
    ----------
    stumps : the stumps of each stage.
    detected : the share of positive rows that pass the stage and all before it.
    passing : the share of negative rows that do.
    targets : the share of negative rows that was to pass at most.
    """

    stumps: np.ndarray
    detected: np.ndarray
    passing: np.ndarray
    targets: np.ndarray

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each stage."""
        columns = zip(
            *(each.tolist() for each in (self.stumps, self.detected, self.passing, self.targets)), strict=True
        )
        return [
            {"stage": at + 1, "stumps": stumps, "detected": detected, "passing": passing, "target": target}
            for at, (stumps, detected, passing, target) in enumerate(columns)
        ]

    def _parts(self) -> list[Any]:
        rows = [
            [str(row["stage"]), str(row["stumps"]), *(percent(row[name]) for name in ("detected", "passing", "target"))]
            for row in self._rows()
        ]
        head = "Stages of a cascade, with shares of all rows that were held out"
        missed = [row["stage"] for row in self._rows() if row["passing"] > row["target"]]
        notes = [f"Stage {', '.join(map(str, missed))}: the target was not reached."] if missed else []
        cells = Cells([["stage", "stumps", "positives pass", "negatives pass", "target"], *rows], right=[0, 1, 2, 3, 4])
        return [head, cells, Notes(notes)]

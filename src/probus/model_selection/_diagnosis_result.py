"""The result of a diagnosis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from probus.display import Cells, Notes, Result
from probus.metrics import Estimate


@dataclass(frozen=True, eq=False, repr=False)
class Diagnosis(Result):
    """What is wrong with a model, why that is thought, and what to do.

    Attributes
    ----------
    kind : "high bias", "high variance", "high bias and high variance" or "fine".
    doubts : which of the numbers that decided have an interval that reaches across the line; sure : whether none has.
    evidence : the numbers it rests on.
    remedies : what to try, the most promising first.
    sentence : all in words.
    """

    kind: str
    doubts: tuple[str, ...]
    evidence: Mapping[str, Estimate]
    remedies: tuple[str, ...]
    sentence: str

    @property
    def sure(self) -> bool:
        """Whether no interval reaches across the line that decided."""
        return not self.doubts

    def _parts(self) -> list[Any]:
        evidence = Cells(list(self.evidence.items()), margin=2, header=False)
        return [self.sentence, evidence, Notes(self.remedies, mark="→ ")]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each number of the evidence."""
        return [{"what": n, "value": e.value, "low": e.low, "high": e.high} for n, e in self.evidence.items()]

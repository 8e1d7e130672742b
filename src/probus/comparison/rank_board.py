"""Models in order of their average rank over data sets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from probus.comparison.cells import as_html, as_text
from probus.comparison.pairs import Pairs
from probus.metrics import Estimate, Measure

__all__ = ["RankBoard", "RankStanding"]

_DATA_SETS_SHOWN = 5


@dataclass(frozen=True)
class RankStanding:
    """One model's line: its average rank, 1 the best, and its score on each data set.

    ``rank`` is its place, None where it cannot be ranked; ``tied``, ``evidence`` and ``status`` as in ``Standing``.
    """

    rank: int | None
    name: str
    average_rank: float | None
    scores: dict[str, Estimate]
    tied: bool = False
    evidence: str = ""
    status: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {**vars(self), "scores": {name: score.to_dict() for name, score in self.scores.items()}}


class RankBoard(Sequence[RankStanding]):
    """The standings over data sets, best first; ``critical_difference`` is None but for Nemenyi's test."""

    def __init__(
        self,
        standings: Sequence[RankStanding],
        measure: Measure,
        pairs: Pairs,
        *,
        alpha: float,
        critical_difference: float | None = None,
    ):
        self.standings, self.measure, self.pairs = tuple(standings), measure, pairs
        self.alpha, self.critical_difference = alpha, critical_difference

    @property
    def best(self) -> RankStanding:
        """The model in front."""
        return self.standings[0]

    @property
    def tied(self) -> tuple[RankStanding, ...]:
        """The models that cannot be told from the best."""
        return tuple(standing for standing in self.standings if standing.tied)

    @property
    def average_ranks(self) -> Mapping[str, float]:
        """The average rank of every model that has one."""
        return {s.name: s.average_rank for s in self.standings if s.average_rank is not None}

    def __len__(self) -> int:
        return len(self.standings)

    def __iter__(self) -> Iterator[RankStanding]:
        return iter(self.standings)

    def __getitem__(self, key: Any) -> Any:
        """A line by its place, or by the name of the model."""
        if isinstance(key, str):
            return {standing.name: standing for standing in self.standings}[key]
        return self.standings[key]

    # -- looks -----------------------------------------------------------------------------------------

    @property
    def note(self) -> str:
        """What the columns hold, and how the last one was found."""
        more = len(self.best.scores) - _DATA_SETS_SHOWN
        tied = f"≈ best: not told from the best at {self.alpha:g}" if self.tied else ""
        hidden = f"{more} more data sets: to_frame()" if more > 0 else ""
        return "; ".join(filter(None, [f"scores: {self.measure.label}", hidden, tied, self.pairs.correction]))

    def _cells(self) -> list[list[str]]:
        shown = list(self.best.scores)[:_DATA_SETS_SHOWN]
        rows = [["", "model", "average rank", *shown, "against the best"]]
        for s in self.standings:
            rank = "–" if s.average_rank is None else f"{s.average_rank:.2f}"
            scores = [f"{s.scores[name]:.{self.best.scores[name].decimals}f}" for name in shown]
            scores = ["–" if s.average_rank is None else score for score in scores]
            mark = ", ".join(filter(None, ["≈ best" * s.tied, s.evidence, s.status]))
            rows.append([str(s.rank or "–"), s.name, rank, *scores, mark])
        return rows

    def __repr__(self) -> str:
        return f"{as_text(self._cells(), right=[0])}\n{self.note}"

    def _repr_html_(self) -> str:
        return as_html(self._cells(), self.note)

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain data, for JSON."""
        return [standing.to_dict() for standing in self.standings]

    def to_frame(self) -> Any:
        """A polars frame: a row per model, its average rank and its score on each data set."""
        import polars as pl

        rows = []
        for s in self.standings:
            scores = {name: score.value for name, score in s.scores.items()}
            row = {"rank": s.rank, "model": s.name, "average_rank": s.average_rank, **scores}
            rows.append({**row, "tied": s.tied, "status": s.status})
        return pl.DataFrame(rows, infer_schema_length=None)

"""Models in order of their average rank over data sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from probus.comparison._pairs import Pairs
from probus.display import Cells, Results
from probus.metrics import Estimate, Measure

_DATA_SETS_SHOWN = 5


@dataclass(frozen=True)
class RankStanding:
    """One model's line.

    Attributes
    ----------
    rank : the place; None where it cannot be ranked.
    name : the name of the model.
    average_rank : its average rank, 1 the best.
    scores : its score on each data set.
    tied, evidence, status : whether it is as good as the best, the p-value, and why it has no rank.
    """

    rank: int | None
    name: str
    average_rank: float | None
    scores: dict[str, Estimate]
    tied: bool = False
    evidence: str = ""
    status: str = ""


class RankBoard(Results[RankStanding]):
    """The standings over data sets, best first.

    Attributes
    ----------
    standings : the models, best first.
    measure : what they were compared by.
    pairs : the verdict on every pair.
    alpha : the significance level.
    critical_difference : of Nemenyi's test; None otherwise.
    """

    def __init__(
        self,
        standings: Sequence[RankStanding],
        measure: Measure,
        pairs: Pairs,
        *,
        alpha: float,
        critical_difference: float | None = None,
    ):
        super().__init__(standings)
        self.measure, self.pairs = measure, pairs
        self.alpha, self.critical_difference = alpha, critical_difference

    @property
    def best(self) -> RankStanding:
        """The best model."""
        return self.items[0]

    @property
    def tied(self) -> tuple[RankStanding, ...]:
        """The models for which the test against the best is undecided."""
        return tuple(standing for standing in self if standing.tied)

    @property
    def average_ranks(self) -> Mapping[str, float]:
        """The average rank of every model that has one."""
        return {s.name: s.average_rank for s in self if s.average_rank is not None}

    @property
    def note(self) -> str:
        """What the columns hold, and how the last one was found."""
        more = len(self.best.scores) - _DATA_SETS_SHOWN
        tied = f"≈ best: undecided against the best at {self.alpha:g}" if self.tied else ""
        hidden = f"{more} more data sets: to_frame()" if more > 0 else ""
        return "; ".join(filter(None, [f"scores: {self.measure.label}", hidden, tied, self.pairs.correction]))

    def _parts(self) -> list[Cells | str]:
        shown = list(self.best.scores)[:_DATA_SETS_SHOWN]
        rows = [["", "model", "average rank", *shown, "against the best"]]
        for s in self:
            rank = "–" if s.average_rank is None else f"{s.average_rank:.2f}"
            scores = [_score_text(s.scores[name], self.best.scores[name]) for name in shown]
            scores = ["–" if s.average_rank is None else score for score in scores]
            mark = ", ".join(filter(None, ["≈ best" * s.tied, s.evidence, s.status]))
            rows.append([str(s.rank or "–"), s.name, rank, *scores, mark])
        return [Cells(rows, right=[0]), self.note]

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each model: its average rank and its score on each data set."""
        rows = []
        for s in self:
            scores = {name: score.value for name, score in s.scores.items()}
            row = {"rank": s.rank, "model": s.name, "average_rank": s.average_rank, **scores}
            rows.append({**row, "tied": s.tied, "status": s.status})
        return rows


def _score_text(score: Estimate, best: Estimate) -> str:
    """A score with its interval, to the decimals of the best model or its own."""
    value, low, high = score.texts(best.decimals)
    return f"{value} [{low}, {high}]"

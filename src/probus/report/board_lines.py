"""The lines of the leaderboard, with their place on a common axis."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from probus.comparison import Standing
from probus.lifecycle import Study
from probus.metrics import Estimate

__all__ = ["Axis", "board_line", "drawn_score", "printed"]


class Axis:
    """Where numbers lie between the ends of the forest plot, in percent."""

    def __init__(self, low: float, high: float):
        self.low, self.high = low, high

    @classmethod
    def over(cls, scores: list[Estimate]) -> Axis:
        """An axis on which all these intervals lie."""
        ends = [e for s in scores for e in (s.low, s.high, s.value) if math.isfinite(e)]
        low, high = min(ends), max(ends)
        pad = 0.06 * (high - low) or max(abs(high) * 0.05, 1e-6)
        return cls(low - pad, high + pad)

    def percent(self, value: float) -> float:
        """Where a number lies, from 0 to 100."""
        return round(100 * min(max((value - self.low) / (self.high - self.low), 0.0), 1.0), 2)

    def ticks(self) -> list[dict[str, Any]]:
        """Round numbers on the axis, and where they lie."""
        from matplotlib.ticker import MaxNLocator

        inside = [t for t in MaxNLocator(nbins=4).tick_values(self.low, self.high) if self.low <= t <= self.high]
        return [{"at": self.percent(t), "label": f"{t:,.10g}"} for t in inside]


def board_line(study: Study, standing: Standing, axis: Axis) -> dict[str, Any]:
    """A model as a line of the leaderboard: rank, verdict, scores, and the place of its interval on the axis."""
    score, board = standing.scores[study.main.name], study.leaderboard
    drawn = drawn_score(study, standing)
    left, right = axis.percent(drawn.low), axis.percent(drawn.high)
    return {
        "rank": standing.rank,
        "name": standing.name,
        "tied": standing.tied,
        "verdict": standing.verdict,
        "remark": board.remark(standing),
        "behind": standing.behind,
        "status": standing.status,
        "missing": standing.name not in study.results,
        "interval": board.printed(standing.name, study.main.name),
        "left": left,
        "width": round(right - left, 2),
        "at": axis.percent(score.value),
        "scores": [printed(study, standing.name, m.name) for m in study.measures],
        "time": "–" if not standing.seconds else f"{standing.seconds:.1f} s" if standing.seconds >= 0.05 else "< 0.1 s",
    }


def drawn_score(study: Study, standing: Standing) -> Estimate:
    """The main score, without an interval where that says nothing."""
    score = standing.scores[study.main.name]
    lacking = study.leaderboard.without_interval(standing.name, study.main.name)
    return replace(score, low=score.value, high=score.value) if lacking else score


def printed(study: Study, name: str, measure: str) -> dict[str, str]:
    """A score and its interval as text, or why that says nothing."""
    value, low, high = (text.replace("nan", "–") for text in study.leaderboard.texts(name, measure))
    if value == "–":
        return {"value": value, "interval": ""}
    why = study.leaderboard.without_interval(name, measure)
    return {"value": value, "interval": f"no interval: {why}" if why else f"[{low}, {high}]"}

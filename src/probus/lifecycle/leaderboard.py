"""Models in order of their main score, with what can and cannot be told apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from probus.lifecycle.intervals import corrected_interval
from probus.lifecycle.measures import Measure
from probus.lifecycle.trial import Trial
from probus.metrics import Estimate

__all__ = ["Leaderboard", "Standing"]


@dataclass(frozen=True)
class Standing:
    """One model's line: its scores, and its paired difference to the best on the main score.

    ``rank`` is None where the model failed or did not finish, and ``status`` then says why; ``tied`` is True where
    the interval of the difference holds zero, so that the splits cannot tell the model from the best.
    """

    rank: int | None
    name: str
    scores: dict[str, Estimate]
    behind: Estimate | None
    tied: bool
    seconds: float
    status: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            **vars(self),
            "scores": {name: score.to_dict() for name, score in self.scores.items()},
            "behind": self.behind.to_dict() if self.behind else None,
        }


class Leaderboard(Sequence[Standing]):
    """The standings, best first; those that cannot be ranked come last."""

    def __init__(self, standings: Sequence[Standing], measures: Sequence[Measure]):
        self.standings = tuple(standings)
        self.measures = tuple(measures)

    @classmethod
    def of(cls, trials: Sequence[Trial], measures: Sequence[Measure], test_to_train: float) -> Leaderboard:
        """Rank complete trials by the first measure; equal scores keep the order of the trials, simplest first."""
        main = measures[0]
        scores = {
            trial.name: {
                m.name: corrected_interval(trial.scores[m.name], test_to_train, low=m.low, high=m.high)
                for m in measures
            }
            for trial in trials
        }
        ranked = sorted(
            (trial for trial in trials if trial.complete),
            key=lambda trial: -main.better(scores[trial.name][main.name].value),
        )
        standings = []
        for rank, trial in enumerate(ranked, start=1):
            gap = main.better(1) * (ranked[0].scores[main.name] - trial.scores[main.name])
            behind = corrected_interval(gap, test_to_train)
            tied = rank > 1 and 0 in behind
            standings.append(Standing(rank, trial.name, scores[trial.name], behind, tied, trial.seconds))
        standings += [
            Standing(None, trial.name, scores[trial.name], None, False, trial.seconds, trial.status)
            for trial in trials
            if not trial.complete
        ]
        return cls(standings, measures)

    @property
    def best(self) -> Standing:
        """The model in front."""
        return self.standings[0]

    @property
    def tied(self) -> tuple[Standing, ...]:
        """The models that the splits cannot tell from the best."""
        return tuple(standing for standing in self.standings if standing.tied)

    def __len__(self) -> int:
        return len(self.standings)

    def __iter__(self) -> Iterator[Standing]:
        return iter(self.standings)

    def __getitem__(self, key: Any) -> Any:
        """A line by its place, or by the name of the model."""
        if isinstance(key, str):
            return next(standing for standing in self.standings if standing.name == key)
        return self.standings[key]

    # -- looks -----------------------------------------------------------------------------------------

    def decimals(self, measure: str) -> int:
        """How many decimals a column of scores is printed with: those that the best model's uncertainty asks for."""
        return self.best.scores[measure].decimals

    def printed(self, name: str, measure: str) -> str:
        """A model's score with its interval, to the decimals of its column."""
        return f"{self[name].scores[measure]:.{self.decimals(measure)}f}"

    def _cells(self) -> list[list[str]]:
        header = ["", "", *(measure.label for measure in self.measures), ""]
        return [header, *(self._line(standing) for standing in self.standings)]

    def _line(self, standing: Standing) -> list[str]:
        mark = standing.status or ("≈ best" if standing.tied else "")
        scores = [self.printed(standing.name, measure.name) for measure in self.measures]
        if standing.rank is None:
            scores = ["–"] * len(scores)
        return [str(standing.rank or "–"), standing.name, *scores, mark]

    def __repr__(self) -> str:
        rows = self._cells()
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)]
        lines = []
        for row in rows:
            aligned = [row[0].rjust(widths[0]), *(c.ljust(w) for c, w in zip(row[1:-1], widths[1:], strict=True))]
            lines.append("  ".join([*aligned, row[-1]]).rstrip())
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        header, *rows = self._cells()
        head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def to_dict(self) -> list[dict[str, Any]]:
        """Plain data, for JSON."""
        return [standing.to_dict() for standing in self.standings]

    def to_frame(self) -> Any:
        """A polars frame: a row per model, three columns per measure."""
        import polars as pl

        rows = []
        for standing in self.standings:
            row: dict[str, Any] = {"rank": standing.rank, "model": standing.name}
            for name, score in standing.scores.items():
                row |= {name: score.value, f"{name}_low": score.low, f"{name}_high": score.high}
            rows.append({**row, "tied": standing.tied, "seconds": standing.seconds, "status": standing.status})
        return pl.DataFrame(rows, infer_schema_length=None)

    def plot(self, axes: Any = None) -> Any:
        """The main score of each ranked model with its interval, on matplotlib axes, which are returned."""
        if axes is None:
            from matplotlib import pyplot

            _, axes = pyplot.subplots(figsize=(7, 0.4 * len(self) + 1))
        main, ranked = self.measures[0], [standing for standing in self.standings if standing.rank]
        for place, standing in enumerate(reversed(ranked)):
            score = standing.scores[main.name]
            colour = "C0" if standing.tied or standing.rank == 1 else "0.6"
            axes.plot([score.low, score.high], [place, place], color=colour)
            axes.plot(score.value, place, "o", color=colour)
        axes.set_yticks(range(len(ranked)), [standing.name for standing in reversed(ranked)])
        axes.set_xlabel(f"{main.label}, 95 % interval")
        return axes

"""What a study found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.comparison import Comparison, Leaderboard
from probus.data import Task
from probus.data.findings import Findings
from probus.display import Notes, Result, counted
from probus.metrics import Measure
from probus.model_selection import Resampled, Splits

__all__ = ["Study"]


@dataclass(frozen=True, eq=False, repr=False)
class Study(Result):
    """The result of a study: every model's scores, what was left out and why, and the best model fitted on all rows.

    ``source`` is the path or name of the data, None for data in memory. ``model`` takes a table with the columns
    of ``features``; ``comparison`` holds leaderboard, tests and results; ``settings`` are the arguments that repeat the
    study; ``stopped`` describes why it ended early, and is empty where it did not.
    """

    name: str
    source: str | None
    task: Task
    features: tuple[str, ...]
    left_out: dict[str, str]
    findings: Findings
    comparison: Comparison
    model: Any
    settings: dict[str, Any]
    seconds: float
    notes: tuple[str, ...] = ()
    stopped: str = ""

    @property
    def leaderboard(self) -> Leaderboard:
        """The models in order of the main measure."""
        assert isinstance(self.comparison.leaderboard, Leaderboard)
        return self.comparison.leaderboard

    @property
    def results(self) -> dict[str, Resampled]:
        """The predictions of every finished model on test rows, the simplest model first."""
        return self.leaderboard.results

    @property
    def splits(self) -> Splits:
        """The splits on which every model was evaluated."""
        return next(iter(self.results.values())).splits

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What the models are scored by, the main measure first."""
        return self.leaderboard.measures

    @property
    def main(self) -> Measure:
        """The measure that orders the leaderboard."""
        return self.measures[0]

    @property
    def best(self) -> str:
        """The name of the best model."""
        return self.leaderboard.best.name

    @property
    def baseline(self) -> str:
        """The name of the model that uses no feature."""
        return next(iter(self.results))

    def confusion(self) -> np.ndarray:
        """Actual × predicted counts of the best model: each row predicted once, by a model not trained on it."""
        k, pooled = len(self.task.classes), self.results[self.best].pooled()
        return np.bincount(pooled.actual * k + pooled.need("predicted"), minlength=k * k).reshape(k, k)

    def headline(self) -> str:
        """The best model with its score, the models that are undecided against it, and the baseline."""
        return self.comparison.headline(self.baseline)

    def _parts(self) -> list[Any]:
        verb = "classify" if self.task.classes else "predict"
        rows, features = counted(len(self.task), "row"), counted(len(self.features), "feature")
        head = f"Study: {verb} {self.task.target} of {self.name}, {rows}, {features}"
        notes = [
            f"{self.splits.how}; 95 % intervals: {self.leaderboard.best.scores[self.main.name].method}",
            *(f"left out {name}: {reason}" for name, reason in self.left_out.items()),
            *(f"note: {note}" for note in self.all_notes),
            *(f"{self.best}: {note}" for note in self.preparation),
        ]
        return [head, Notes([self.headline()]), "", self.leaderboard, "", Notes(notes)]

    @property
    def preparation(self) -> tuple[str, ...]:
        """What the final model's pipeline made of the columns: features of dates and text, levels grouped."""
        return getattr(self.model, "notes_", ())

    @property
    def all_notes(self) -> tuple[str, ...]:
        """What a reader must know to read the numbers right."""
        return (*([self.stopped] if self.stopped else []), *self.notes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON: everything but the table and the model."""
        return {
            "name": self.name,
            "target": self.task.target,
            "kind": self.task.kind,
            "classes": list(self.task.classes),
            "pos_label": self.task.pos_label,
            "rows": len(self.task),
            "features": list(self.features),
            "left_out": dict(self.left_out),
            "findings": self.findings.to_dict()["findings"],
            "splits": self.splits.how,
            "leaderboard": self.leaderboard.to_dict(),
            "settings": dict(self.settings),
            "notes": list(self.all_notes),
            "preparation": list(self.preparation),
            "seconds": self.seconds,
        }

    def _rows(self) -> list[dict[str, Any]]:
        """Those of the leaderboard."""
        return self.leaderboard._rows()

    def plot(self, axes: Any = None) -> Any:
        """The leaderboard as a picture."""
        return self.leaderboard.plot(axes)

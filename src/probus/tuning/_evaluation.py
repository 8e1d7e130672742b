"""One evaluation of a configuration: its scores on every split, its cost, and its error if it failed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from probus.display import plain


@dataclass(frozen=True)
class Evaluation:
    """A configuration that was evaluated.

    Attributes
    ----------
    number : its place in the order of proposals, from 0, which is the model's own configuration.
    config : the parameters that differ from those of the model; empty for the model's own.
    fidelity : the share of the full effort (rows, trees or epochs), 1 for a full evaluation.
    scores : the scores of each split by measure, the main measure first, in its own units; empty where it failed.
    fit_seconds, score_seconds : the times of each split.
    error : the first error, in a line.
    seed : of the evaluation.
    worker : the process that evaluated it.
    started, finished : seconds since 1970.
    """

    number: int
    config: Mapping[str, Any]
    fidelity: float = 1.0
    scores: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    fit_seconds: tuple[float, ...] = ()
    score_seconds: tuple[float, ...] = ()
    error: str | None = None
    seed: int | None = None
    worker: str = ""
    started: float = 0.0
    finished: float = 0.0

    @property
    def seconds(self) -> float:
        """The time of all splits together."""
        return float(sum(self.fit_seconds) + sum(self.score_seconds))

    def mean(self, measure: str) -> float:
        """The mean of a measure over the splits where it is defined; NaN where the evaluation failed."""
        known = [score for score in self.scores.get(measure, ()) if score == score]
        return float(np.mean(known)) if known and self.error is None else np.nan

    def result(self) -> str:
        """What was found, as JSON with exact numbers."""
        found = {"scores": self.scores, "fit": self.fit_seconds, "score": self.score_seconds}
        return json.dumps({name: _lists(value) for name, value in found.items()})

    @classmethod
    def stored(cls, number: int, config: str, result: str, **others: Any) -> Evaluation:
        """The evaluation of a row of an archive."""
        found, values = json.loads(result), json.loads(config)
        if not isinstance(values, dict):
            raise TypeError("a configuration that is no object")
        return cls(
            number,
            values,
            scores={name: tuple(map(float, each)) for name, each in found["scores"].items()},
            fit_seconds=tuple(map(float, found["fit"])),
            score_seconds=tuple(map(float, found["score"])),
            **others,
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        names = ("number", "fidelity", "error", "seed", "worker", "started", "finished", "seconds")
        return {
            "config": plain(self.config),
            "scores": plain(self.scores),
            **{name: plain(getattr(self, name)) for name in names},
        }


def _lists(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _lists(each) for name, each in value.items()}
    return [float(each) for each in value]

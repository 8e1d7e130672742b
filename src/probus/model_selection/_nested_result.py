"""What nested resampling came to: the score while choosing and the score afterwards, side by side."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from probus.display import Cells, Notes, Result, counted, drawing
from probus.errors import DataError
from probus.metrics import Estimate, Measure, Scoring
from probus.model_selection._resample_result import Resampled
from probus.model_selection._split_intervals import corrected_interval
from probus.model_selection._split_scores import SplitScores, combined


@dataclass(frozen=True)
class Choice:
    """What a tuner chose within an outer split.

    Attributes
    ----------
    what : what was chosen, as text.
    score : its score on the inner splits.
    """

    what: str
    score: float


@dataclass(frozen=True, eq=False, repr=False)
class Nested(Result):
    """The outer resampling of a tuner, and what it chose in each outer split.

    Attributes
    ----------
    outer : the honest result; every measure and curve of it is on rows that had no part in choosing.
    choices : one per outer split; None where the tuner failed.
    tuned_by : the measure that chose; None where it is not known by name.
    """

    outer: Resampled
    choices: tuple[Choice | None, ...]
    tuned_by: Measure | None

    @property
    def name(self) -> str:
        """The name of the tuner."""
        return self.outer.name

    @property
    def inner_scores(self) -> np.ndarray:
        """The score of what was chosen, on the inner splits that chose it, for each outer split."""
        return np.array([np.nan if choice is None else choice.score for choice in self.choices])

    def estimate(self, scoring: Scoring | None = None, level: float = 0.95) -> Estimate:
        """The honest estimate, on the outer test rows."""
        return self.outer.estimate(scoring, level)

    def inner_estimate(self, level: float = 0.95) -> Estimate:
        """The mean score of what was chosen, on the splits that chose it: too good to be true.

        A tuner reports one score for each outer split and no predictions, so the interval is that of the corrected
        resampled t-test, which is too short with imbalanced classes.
        """
        ratio, chosen = self.outer.splits.test_to_train, self._known()
        found = corrected_interval(self.inner_scores, ratio, level=level, low=chosen.low, high=chosen.high)
        return replace(found, method=f"{found.method}; on the splits that chose, so optimistic")

    def optimism(self, level: float = 0.95) -> Estimate:
        """By how much the score while choosing is better than the honest one; its interval is as that of the former."""
        chosen = self._known()
        sign, inner = chosen.better(1), SplitScores.without_rows(self.inner_scores)
        terms = [(sign, inner), (-sign, SplitScores.of_test_rows(self.outer, chosen))]
        return combined(terms, self.outer.splits.test_to_train, level=level)

    def _known(self) -> Measure:
        if self.tuned_by is None:
            raise DataError(
                f"{self.name} chooses by a score of its own.",
                "scoring=None or the name of a measure of Probus",
                "The honest estimate is .estimate(scoring).",
            )
        return self.tuned_by

    def _parts(self) -> list[Any]:
        main = self.tuned_by or self.outer.measures[0]
        rows = [["outer", f"{main.name} {self.estimate(main)}", "on rows that had no part in choosing"]]
        if self.tuned_by is not None:
            rows.insert(0, ["inner", f"{main.name} {self.inner_estimate()}", "on the splits that chose: optimistic"])
            rows.append(["optimism", f"{self.optimism()}", "by how much inner is better than outer"])
        head = f"nested {self.name}: {self.outer.splits.how}, {counted(len(self.outer.task), 'row')}"
        return [head, Cells(rows, margin=2, header=False), Notes([f"chosen: {self._chosen()}", *self.outer.remarks()])]

    def _chosen(self) -> str:
        counts = Counter("failed" if choice is None else choice.what or "–" for choice in self.choices)
        counted = [f"{what} ({count})" for what, count in counts.most_common(5)]
        return ", ".join(counted) + (f", … ({len(counts)} in all)" if len(counts) > 5 else "")

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "outer": self.outer.to_dict(),
            "tuned_by": self.tuned_by.name if self.tuned_by else None,
            "inner": self.inner_estimate().to_dict() if self.tuned_by else None,
            "optimism": self.optimism().to_dict() if self.tuned_by else None,
            "choices": [None if choice is None else dict(vars(choice)) for choice in self.choices],
        }

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each outer split, with what was chosen and both scores."""
        scores = zip(self.inner_scores.tolist(), self.outer.scores(self.tuned_by).tolist(), strict=True)
        return [
            {"split": split, "chosen": choice.what if choice else None, "inner": inner, "outer": outer}
            for split, (choice, (inner, outer)) in enumerate(zip(self.choices, scores, strict=True))
        ]

    def plot(self, axes: Any = None) -> Any:
        """The inner and the outer score of each outer split, joined, on matplotlib axes, which are returned."""
        axes = drawing.new_axes(axes, 4, 4)
        outer = self.outer.scores(self.tuned_by)
        each = np.vstack([self.inner_scores, outer])
        axes.plot([0, 1], each, color=drawing.MUTED, alpha=0.5, marker="o", markersize=3)
        axes.plot([0, 1], np.nanmean(each, axis=1), color=drawing.BLUE, marker="o", linewidth=2)
        drawing.tidy(axes, self.name, "", (self.tuned_by or self.outer.measures[0]).label)
        axes.set_xticks([0, 1], ["inner: while choosing", "outer: afterwards"])
        axes.set_xlim(-0.3, 1.3)
        return axes

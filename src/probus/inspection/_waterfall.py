"""One prediction, step by step from the base."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display import Cells, Result, counted, decimals_for, drawing, rounded, shortened

_STEPS = 8
_LONGEST_LABEL = 18


@dataclass(frozen=True, eq=False, repr=False)
class Waterfall(Result):
    """How the columns of one row lead from the base to its prediction, the largest steps first.

    Attributes
    ----------
    row : its number in the table.
    names : the columns with their values, as text.
    steps : what each adds.
    base, prediction : where it begins and ends.
    actual : the true target, as text, if it is known.
    quantity : what is predicted.
    """

    row: int
    names: tuple[str, ...]
    steps: np.ndarray
    base: float
    prediction: float
    actual: str | None
    quantity: str

    @classmethod
    def of(
        cls, row: int, names: list[str], values: np.ndarray, base: float, actual: str | None, quantity: str
    ) -> Waterfall:
        """The largest steps of a row's Shapley values; the others are one step together."""
        order = np.argsort(-np.abs(values), kind="stable")
        shown, rest = order[:_STEPS], order[_STEPS:]
        labels, steps = [names[j] for j in shown], values[shown]
        if len(rest):
            labels.append(counted(len(rest), "other column"))
            steps = np.append(steps, values[rest].sum())
        return cls(row, tuple(labels), steps, base, float(base + values.sum()), actual, quantity)

    @property
    def _reached(self) -> np.ndarray:
        """All ends of steps."""
        return np.append(self.base, self.base + np.cumsum(self.steps))

    def _text(self, step: float) -> str:
        """A step with the decimals that all have: two significant digits of what they span."""
        decimals = decimals_for(float(np.ptp(self._reached)))
        return f"{step:+.{decimals}f}".replace("-", "−") if round(step, decimals) else "0"

    def _rows(self) -> dict[str, Any]:
        """A row for each step."""
        return {"column": list(self.names), "adds": self.steps}

    def _parts(self) -> list[Any]:
        ends = f"{rounded(self.prediction, 3)}, from {rounded(self.base, 3)}"
        head = f"Row {self.row}: {self.quantity} {ends}" + ("" if self.actual is None else f"; actual {self.actual}")
        rows = [[name, self._text(step)] for name, step in zip(self.names, self.steps, strict=True)]
        return [head, Cells(rows, margin=2, header=False)]

    def plot(self, ax: Any = None) -> Any:
        """A bar for each step; blue raises the prediction, orange lowers it."""
        ax = drawing.new_axes(ax, 5.2, 1.4 + 0.3 * len(self.names))
        start = self.base + np.cumsum(self.steps) - self.steps
        places = np.arange(len(self.names))
        colours = np.where(self.steps >= 0, drawing.BLUE, drawing.ORANGE)
        ax.barh(places, self.steps, left=start, height=0.62, color=colours, zorder=3)
        texts = [self._text(step) for step in self.steps]
        for place, step, text in zip(places, self.steps, texts, strict=True):
            end = start[place] + step
            offset, side = (4, "left") if step >= 0 else (-4, "right")
            ax.annotate(text, (end, place), (offset, 0), textcoords="offset points", ha=side, va="center", fontsize=8,
                        color=drawing.MUTED, bbox=drawing.behind_text(ax), zorder=4)  # fmt: skip
        for edge, where in ((self.base, "base"), (self.prediction, "prediction")):
            ax.axvline(edge, color=drawing.MUTED, linewidth=0.9, linestyle=(0, (3, 3)) if where == "base" else "-")
        actual = "" if self.actual is None else f", actual {shortened(self.actual, _LONGEST_LABEL)}"
        title = f"Row {self.row:,}: {rounded(self.prediction, 3)}{actual}"
        drawing.tidy(ax, title, shortened(self.quantity, 2 * _LONGEST_LABEL), "")
        ax.set_yticks(places, [shortened(name, 28) for name in self.names], parse_math=False)
        ax.set_ylim(len(places) - 0.5, -0.5)
        reached = self._reached
        span = float(np.ptp(reached)) or abs(self.base) or 1.0  # of a prediction that no column changes
        room = (0.06 + 0.035 * max(map(len, texts))) * span
        ax.set_xlim(reached.min() - room, reached.max() + room)
        ax.locator_params(axis="x", nbins=4)
        return ax

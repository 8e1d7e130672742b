"""Errors and weights of the rounds of AdaBoost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display import Cells, Part, Result, drawing, plain

_ROWS_SHOWN = 10


@dataclass(frozen=True, eq=False, repr=False)
class History(Result):
    """The weighted error of each weak model, with the weights of its round, and its weight in the vote.

    Attributes
    ----------
    errors : the weighted error of each model.
    weights : the weight of each in the vote.
    chance : the error of guessing.

    >>> History(np.array([0.2, 0.4]), np.array([1.386, 0.405]), 0.5)
     round     error    weight
         1    0.2000    1.3860
         2    0.4000    0.4050
    """

    errors: np.ndarray
    weights: np.ndarray
    chance: float

    def __len__(self) -> int:
        return len(self.errors)

    def _parts(self) -> list[Part]:
        head = ("round", "error", "weight")
        rows = [(t, f"{e:.4f}", f"{w:.4f}") for t, (e, w) in enumerate(zip(self.errors, self.weights, strict=True), 1)]
        return [Cells([head, *rows], right=range(3), most=_ROWS_SHOWN)]

    def to_dict(self) -> dict[str, list[float]]:
        """The columns as lists."""
        return plain(self._rows())

    def _rows(self) -> dict[str, np.ndarray]:
        """A row for each round."""
        return {"round": np.arange(1, len(self) + 1), "error": self.errors, "weight": self.weights}

    def plot(self, ax: Any = None) -> Any:
        """Errors and weights by round on matplotlib axes, with the error of guessing."""
        ax = drawing.new_axes(ax, 6.0, 4.0)
        rounds, mark = np.arange(1, len(self) + 1), "o" if len(self) == 1 else ""
        ax.plot(rounds, self.weights, color=drawing.ORANGE, linewidth=1.2, marker=mark, label="weight in the vote")
        ax.plot(rounds, self.errors, color=drawing.BLUE, linewidth=1.8, marker=mark, label="weighted error")
        guess = {"color": drawing.MUTED, "linestyle": "--", "linewidth": 1, "label": f"guessing: {self.chance:.3g}"}
        ax.axhline(self.chance, **guess)
        drawing.tidy(ax, "Weak models by round", "round", "error, weight")
        ax.set_ylim(bottom=0.0)
        ax.legend(frameon=False, fontsize=9, labelcolor=drawing.INK)
        return ax

"""Attention of a transformer as a result: which step takes how much from which."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display import Picture, Result, counted
from probus.display.drawing import new_axes, tidy


@dataclass(frozen=True, repr=False)
class Attention(Result):
    """How much each step of a row takes from each other.

    Attributes
    ----------
    steps : tuple of str, the word pieces, or the numbers of the steps
    weights : array, layers × heads × steps × steps; those of a step, along the last axis, add up to 1
    """

    steps: tuple[str, ...]
    weights: np.ndarray

    @property
    def mean(self) -> np.ndarray:
        """The mean over layers and heads, steps × steps."""
        return self.weights.mean(axis=(0, 1))

    def plot(self, ax: Any = None) -> Any:
        """The mean over layers and heads: rows take from columns."""
        n = len(self.steps)
        ax = new_axes(ax, min(2.4 + 0.28 * n, 9.0), min(2.0 + 0.28 * n, 8.6))
        ax.imshow(self.mean, cmap="Blues", vmin=0.0, aspect="auto")
        ax.set_xticks(range(n), self.steps, rotation=90, fontsize=8)
        ax.set_yticks(range(n), self.steps, fontsize=8)
        tidy(ax, "Attention, mean of layers and heads", "is taken from", "step")
        ax.grid(False)
        return ax

    def _parts(self) -> Iterable[Any]:
        layers, heads = self.weights.shape[:2]
        yield f"Attention of {counted(len(self.steps), 'step')}: {counted(layers, 'layer')}, {counted(heads, 'head')}"
        for step, row in list(zip(self.steps, self.mean, strict=True))[:12]:
            most = np.argsort(-row, kind="stable")[:3]
            yield f"  {step} takes from " + ", ".join(f"{self.steps[each]} {row[each]:.2f}" for each in most)
        if len(self.steps) > 12:
            yield "  …"
        yield Picture(lambda ax: self.plot(ax=ax))

    def _rows(self) -> Any:
        layer, head, to, source = (axis.ravel() for axis in np.indices(self.weights.shape))
        names = np.array(self.steps, dtype=object)
        return {
            "layer": layer + 1, "head": head + 1, "place": to, "step": names[to], "from_place": source,
            "from": names[source], "weight": self.weights.ravel(),
        }  # fmt: skip

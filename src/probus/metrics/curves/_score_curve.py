"""The parent of the curves that a falling threshold draws."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from probus.data import Level
from probus.display import Picture, Result, counted, drawing
from probus.metrics._estimates import Estimate
from probus.metrics._outcome import Outcome
from probus.metrics.curves._band import Band


@dataclass(frozen=True, eq=False, repr=False)
class ScoreCurve(Result):
    """Two rates at every threshold, the area under them, and a band.

    Attributes
    ----------
    thresholds : the distinct scores, falling; a row is called positive at or above one, and rows of equal score enter
        together.
    area : the area with its interval.
    band : the interval of the vertical rate at values of the horizontal one; None if not requested.
    label : the positive class.
    n_positive, n_negative : the rows behind the curve.
    """

    title: ClassVar[str]
    quantity: ClassVar[str]
    rates: ClassVar[tuple[str, str]]
    corner: ClassVar[str]

    thresholds: np.ndarray
    area: Estimate
    band: Band | None
    label: Level
    n_positive: int
    n_negative: int

    @property
    @abstractmethod
    def vertical(self) -> str:
        """What the vertical axis shows; curves that share axes must agree on it."""

    @abstractmethod
    def draw(self, ax: Any, colour: str) -> None:
        """Draw the curve and its band only, so that several curves can share the axes."""

    @abstractmethod
    def frame(self, ax: Any, title: str) -> None:
        """The axes and the line of chance that curves of this kind share."""

    def _parts(self) -> list[Picture | str]:
        rows = f"{counted(self.n_positive, 'row')} of it, {counted(self.n_negative, 'other')}"
        band = f"{100 * self.band.level:g} % band, {self.band.method}" if self.band else "no band"
        area = f"{self.title} for {self.label!r}: {self.quantity} {self.area}"
        return [Picture(self.plot), f"{area}\n{rows}; {band}"]

    def _rows(self) -> dict[str, np.ndarray]:
        """The threshold and the two rates of every point."""
        return {"threshold": self.thresholds, **{name: getattr(self, name) for name in self.rates}}

    def plot(self, ax: Any = None) -> Any:
        """Draw the curve, its band and the line of chance on matplotlib axes, new ones by default, and return them."""
        ax = drawing.new_axes(ax)
        self.draw(ax, drawing.BLUE)
        self.frame(ax, f"{self.title} for {self.label}")
        drawing.caption(ax, [(f"{self.quantity} {self.area}", drawing.BLUE)], self.corner)
        return ax


def check_scores(y_true: Any, scores: Any, pos_label: Level | None, sample_weight: Any) -> Outcome:
    """What the user passed to draw a curve of scores, checked; errors name it as it was passed."""
    return Outcome.of(
        y_true,
        scores,
        needs="scores",
        pos_label=pos_label,
        sample_weight=sample_weight,
        called=("y_true", "scores"),
    )

"""The effect of one column or two on predictions: a curve, or a surface, with its band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display import Cells, Notes, Picture, Result, drawing, rounded, shortened
from probus.errors import DataError

OF_ROWS = "over samples of rows, for this model"
OF_TRAINING = "over samples of training rows, by a jackknife of the splits"
_SHOWN = 12
_CURVES = 60  # of rows that are drawn


@dataclass(frozen=True, eq=False, repr=False)
class Effect(Result):
    """How predictions change with one column, or with two.

    Attributes
    ----------
    columns : the names of the columns.
    grid : for each its values, numbers or levels.
    values : float64[G] or [G, H], the effect at each point.
    low, high : the band at each point, of the same shape.
    level : the confidence level of the band, at each point for itself.
    kind : "partial dependence" or "accumulated local effects".
    unit : what the effect is added to, or what it is, in words.
    covers : what the band is for, in words.
    rows : the number of rows.
    individual : float64[n, G], the curve of each row (ICE), where it was computed; else None.
    nominal : for each column whether its values have no order.
    counts : the rows near each point, or in each cell.
    """

    columns: tuple[str, ...]
    grid: tuple[tuple[Any, ...], ...]
    values: np.ndarray
    low: np.ndarray
    high: np.ndarray
    level: float
    kind: str
    unit: str
    covers: str
    rows: int
    individual: np.ndarray | None = None
    nominal: tuple[bool, ...] = (False,)
    counts: np.ndarray | None = None

    def _rows(self) -> list[dict[str, Any]]:
        """A row for each point."""
        return [
            {
                **{name: self.grid[k][at] for k, (name, at) in enumerate(zip(self.columns, where, strict=True))},
                "effect": float(self.values[where]),
                "low": float(self.low[where]),
                "high": float(self.high[where]),
            }
            for where in np.ndindex(*self.values.shape)
        ]

    def _parts(self) -> list[Any]:
        head = f"{self.kind[:1].upper()}{self.kind[1:]} of {' and '.join(self.columns)} on the {self.unit}"
        every = self._rows()
        step = max(-(-len(every) // _SHOWN), 1)
        lines = [
            [*(_text(row[name]) for name in self.columns), _interval(row["effect"], row["low"], row["high"])]
            for row in every[::step]
        ]
        notes = Notes([f"bands of {100 * self.level:g} % at each point: {self.covers}; {self.rows:,} rows"])
        return [head, Picture(self.plot), Cells([[*self.columns, "effect"], *lines], margin=2), notes]

    def plot(self, ax: Any = None, *, individual: bool | None = None) -> Any:
        """The curve with its band, or the surface, on matplotlib axes, which are returned.

        Parameters
        ----------
        ax : matplotlib axes, by default new ones.
        individual : whether the curves of rows are drawn; by default where they were computed.
        """
        if len(self.columns) == 2:
            return self._draw_surface(ax)
        ax = drawing.new_axes(ax, 5.4, 3.8)
        drawn = self.individual is not None if individual is None else individual
        if drawn and self.individual is None:
            raise DataError("curves of rows that were not computed.", "individual=True in the call")
        levels = self.nominal[0] or not all(isinstance(each, int | float) for each in self.grid[0])
        x = np.arange(len(self.grid[0])) if levels else np.array(self.grid[0], np.float64)
        if drawn and self.individual is not None:
            for curve in self.individual[:: max(len(self.individual) // _CURVES, 1)]:
                ax.plot(x, curve, color=drawing.MUTED, linewidth=0.5, alpha=0.5)
        if levels:
            spans = np.abs(np.stack([self.low, self.high]) - self.values)
            ax.errorbar(x, self.values, yerr=spans, fmt="o", color=drawing.BLUE, markersize=5)
            ax.set_xticks(x, [shortened(str(each), 14) for each in self.grid[0]], parse_math=False)
            ax.set_xlim(-0.5, len(x) - 0.5)
        else:
            ax.fill_between(x, self.low, self.high, color=drawing.BLUE, alpha=0.16, linewidth=0)
            ax.plot(x, self.values, color=drawing.BLUE)
        drawing.tidy(ax, f"{self.kind[:1].upper()}{self.kind[1:]}", self.columns[0], self.unit)
        return ax

    def _draw_surface(self, ax: Any) -> Any:
        ax = drawing.new_axes(ax, 5.6, 4.4)
        largest = np.nanmax(np.abs(self.values)) or 1.0
        of_sign = self.kind.startswith("acc")
        shown = ax.imshow(
            self.values.T, origin="lower", aspect="auto", cmap="RdBu_r" if of_sign else "Blues",
            vmin=-largest if of_sign else None, vmax=largest if of_sign else None,
        )  # fmt: skip
        ax.figure.colorbar(shown, ax=ax, label=self.unit)
        drawing.tidy(ax, f"{self.kind[:1].upper()}{self.kind[1:]}", *self.columns)
        for axis, grid in ((ax.xaxis, self.grid[0]), (ax.yaxis, self.grid[1])):
            places = np.unique(np.linspace(0, len(grid) - 1, 6).astype(int))
            axis.set_ticks(places, [shortened(_text(grid[place]), 10) for place in places], parse_math=False)
        ax.grid(False)
        return ax


def _text(value: Any) -> str:
    return rounded(value, 4) if isinstance(value, float) else str(value)


def _interval(value: float, low: float, high: float) -> str:
    from probus.metrics import Estimate

    return str(Estimate(value, min(low, value), max(high, value)))

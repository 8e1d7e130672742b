"""How predicted numbers differ from the actual ones, in three pictures with bands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.display import Cells, Result, counted, drawing

_BINS = 10
_LEAST_IN_BIN = 8
_POINTS = 2_000  # drawn; more would only be darker
_LEVEL = 0.95


@dataclass(frozen=True, eq=False, repr=False)
class Residuals(Result):
    """Actual minus predicted numbers, each row predicted by a model that was not trained on it.

    actual, predicted : float64[n]. centre : the mean prediction of each tenth of the rows, in order of the prediction.
    bias : the mean residual there, with the ends of its 95 % interval, ``low`` and ``high``. spread : the residuals
    that 10 % and 90 % of these rows stay below, float64[tenths, 2].
    """

    actual: np.ndarray
    predicted: np.ndarray
    centre: np.ndarray
    bias: np.ndarray
    low: np.ndarray
    high: np.ndarray
    spread: np.ndarray

    @classmethod
    def of(cls, actual: np.ndarray, predicted: np.ndarray) -> Residuals:
        """The residuals of out-of-fold predictions.

        >>> found = Residuals.of(np.arange(40.0), np.arange(40.0) - 1)
        >>> found.bias
        array([1., 1., 1., 1., 1.])
        """
        from scipy.stats import t

        order = np.argsort(predicted, kind="stable")
        groups = np.array_split(order, max(min(_BINS, len(order) // _LEAST_IN_BIN), 1))
        residual = actual - predicted
        parts = [residual[rows] for rows in groups]
        bias = np.array([part.mean() for part in parts])
        half = np.array(
            [
                t.ppf((1 + _LEVEL) / 2, len(part) - 1) * part.std(ddof=1) / np.sqrt(len(part))
                if len(part) > 1
                else np.inf
                for part in parts
            ]
        )
        return cls(
            actual=actual,
            predicted=predicted,
            centre=np.array([predicted[rows].mean() for rows in groups]),
            bias=bias,
            low=bias - half,
            high=bias + half,
            spread=np.array([np.quantile(part, [0.1, 0.9]) for part in parts]),
        )

    @property
    def residual(self) -> np.ndarray:
        """Actual minus predicted."""
        return self.actual - self.predicted

    def to_dict(self) -> dict[str, Any]:
        """The tenths, for JSON: the rows themselves are in the study's results."""
        return {name: column.tolist() for name, column in self._rows().items()}

    def _rows(self) -> dict[str, np.ndarray]:
        """A row for each tenth of the predictions."""
        columns = {"predicted": self.centre, "bias": self.bias, "bias_low": self.low, "bias_high": self.high}
        return {**columns, "residual_10": self.spread[:, 0], "residual_90": self.spread[:, 1]}

    def _parts(self) -> list[Any]:
        rows = [[f"{c:.4g}", f"{b:.3g}"] for c, b in zip(self.centre, self.bias, strict=True)]
        return [
            f"Residuals of {counted(len(self.actual), 'row')}",
            Cells([["predicted", "mean residual"], *rows], margin=2),
        ]

    # -- pictures --------------------------------------------------------------------------------------

    def plot_observed(self, ax: Any = None) -> Any:
        """Observed against predicted values, the line on which they agree, and the mean of each tenth."""
        ax = drawing.new_axes(ax)
        rows = self._drawn()
        both = np.concatenate([self.actual, self.predicted])
        ends = [float(both.min()), float(both.max())]
        _cloud(ax, self.predicted[rows], self.actual[rows])
        drawing.chance(ax, ends, ends)
        spans = np.abs(np.stack([self.low, self.high]) - self.bias)
        _means(ax, self.centre, self.centre + self.bias, spans)
        drawing.tidy(ax, "Observed against predicted", "predicted", "observed")
        return ax

    def plot(self, ax: Any = None) -> Any:
        """Residuals against predictions, the mean of each tenth and the band that holds 80 % of its rows."""
        ax = drawing.new_axes(ax)
        rows = self._drawn()
        ax.fill_between(self.centre, *self.spread.T, color=drawing.BLUE, alpha=0.14, linewidth=0, zorder=1)
        _cloud(ax, self.predicted[rows], self.residual[rows])
        drawing.chance(ax, [self.predicted.min(), self.predicted.max()], [0, 0])
        _means(ax, self.centre, self.bias, np.abs(np.stack([self.low, self.high]) - self.bias))
        drawing.tidy(ax, "Residual against predicted", "predicted", "observed − predicted")
        return ax

    def plot_quantiles(self, ax: Any = None) -> Any:
        """Quantiles of the residuals against those of a normal distribution, with a pointwise 95 % band."""
        from scipy.stats import beta, norm

        ax = drawing.new_axes(ax)
        n, ordered = len(self.residual), np.sort(self.residual)
        rank = np.unique(np.linspace(1, n, min(n, 201)).round())  # of order statistics, which are beta distributed
        scale = self.residual.std(ddof=1) if n > 1 else 1.0
        low, middle, high = (
            norm.ppf(q) * scale + self.residual.mean()
            for q in (
                beta.ppf((1 - _LEVEL) / 2, rank, n - rank + 1),
                (rank - 0.375) / (n + 0.25),
                beta.ppf((1 + _LEVEL) / 2, rank, n - rank + 1),
            )
        )
        ax.fill_between(middle, low, high, color=drawing.MUTED, alpha=0.16, linewidth=0, zorder=1)
        drawing.chance(ax, [middle[0], middle[-1]], [middle[0], middle[-1]])
        ax.plot(middle, ordered[rank.astype(np.intp) - 1], color=drawing.BLUE, linewidth=1.8, zorder=3)
        drawing.tidy(ax, "Quantiles of the residuals", "quantiles of a normal distribution", "observed − predicted")
        return ax

    def _drawn(self) -> np.ndarray:
        n = len(self.actual)
        return np.arange(n) if n <= _POINTS else np.random.default_rng(0).choice(n, _POINTS, replace=False)


def _cloud(ax: Any, x: np.ndarray, y: np.ndarray) -> None:
    faint = float(np.clip(60 / np.sqrt(len(x)) / 10, 0.12, 0.7))
    ax.scatter(x, y, s=9, color=drawing.BLUE, alpha=faint, linewidths=0, zorder=2, rasterized=True)


def _means(ax: Any, x: np.ndarray, y: np.ndarray, spans: np.ndarray) -> None:
    spans = np.where(np.isfinite(spans), spans, 0.0)
    ax.errorbar(x, y, spans, fmt="o", color=drawing.ORANGE, markersize=4, elinewidth=1.3, capsize=0, zorder=4)

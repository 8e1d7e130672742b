"""Calibration curves: observed frequencies against predicted probabilities."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from probus.data import Level
from probus.display import Picture, Result, counted, drawing
from probus.errors import DataError
from probus.metrics._estimates import Estimate
from probus.metrics._outcome import Outcome
from probus.metrics.curves._positive_class import OneVsRest
from probus.metrics.curves._resampled_intervals import generator
from probus.metrics.curves._shares import effective_size, wilson

_BARS = 20
_TOLERANCE = 1e-6  # as much do single-precision probabilities miss 0 and 1


@dataclass(frozen=True, eq=False, repr=False)
class CalibrationCurve(Result):
    """The observed share of a class where it was predicted with about the same probability, bin by bin.

    Attributes
    ----------
    lower, upper : the edges of the bins that hold rows; a bin includes its upper edge, the first its lower one too.
    predicted : the mean probability in each bin.
    observed : the share of rows of the class.
    low, high : wilson's interval of it.
    rows : how many.
    weight : the share of all rows, weighted.
    histogram : the weighted share of predictions in 20 bars of equal width from 0 to 1.
    expected_error : the mean difference of observed and predicted over rows.
    maximum_error : that of the worst bin.
    label : the class.
    level : of the intervals.
    strategy : "quantile" or "uniform".
    """

    lower: np.ndarray
    upper: np.ndarray
    predicted: np.ndarray
    observed: np.ndarray
    low: np.ndarray
    high: np.ndarray
    rows: np.ndarray
    weight: np.ndarray
    histogram: np.ndarray
    expected_error: Estimate
    maximum_error: Estimate
    label: Level
    level: float
    strategy: str

    @classmethod
    def of(
        cls,
        outcome: Outcome,
        *,
        pos_label: Level | None = None,
        n_bins: int = 10,
        strategy: str = "uniform",
        level: float = 0.95,
        n_resamples: int = 500,
        random_state: Any = None,
    ) -> CalibrationCurve:
        """The curve of an outcome that has probabilities; parameters as in ``calibration``."""
        side = OneVsRest.of(outcome, pos_label)
        side = replace(side, scores=_probabilities(side.scores))
        edges = _edges(side.scores, side.weights, n_bins, strategy)
        filled, bins = np.unique(np.searchsorted(edges[1:-1], side.scores), return_inverse=True)
        w = side.weights
        weight, squares, predicted, positive = (
            np.bincount(bins, part) for part in (w, w**2, w * side.scores, w * side.positive)
        )
        observed = positive / weight
        low, high = wilson(observed, effective_size(weight, squares), level)
        expected, maximum = calibration_errors(side, bins, level, n_resamples, random_state)
        histogram, _ = np.histogram(side.scores, _BARS, (0.0, 1.0), weights=w / w.sum())
        return cls(
            lower=edges[filled],
            upper=edges[filled + 1],
            predicted=predicted / weight,
            observed=observed,
            low=low,
            high=high,
            rows=np.bincount(bins),
            weight=weight / weight.sum(),
            histogram=histogram,
            expected_error=expected,
            maximum_error=maximum,
            label=side.label,
            level=level,
            strategy=strategy,
        )

    def _parts(self) -> list[Picture | str]:
        errors = f"expected error {self.expected_error}, maximum {self.maximum_error}"
        rows = f"{counted(self.rows.sum(), 'row')} in {counted(len(self.rows), f'{self.strategy} bin')}"
        return [
            Picture(self.plot),
            f"Calibration for {self.label!r}: {errors}\n{rows}, {100 * self.level:g} % intervals",
        ]

    def _rows(self) -> dict[str, np.ndarray]:
        """A row for each bin."""
        names = ("lower", "upper", "predicted", "observed", "low", "high", "rows", "weight")
        return {name: getattr(self, name) for name in names}

    def plot(self, ax: Any = None) -> Any:
        """Observed shares with their intervals against predictions, the diagonal, and where the predictions lie."""
        ax = drawing.new_axes(ax, height=5.7)
        drawing.chance(ax, [0, 1], [0, 1])
        spans = np.abs(np.stack([self.low, self.high]) - self.observed)
        bars: Any = {"ecolor": drawing.BLUE, "elinewidth": 1.1, "capsize": 0, "fmt": "none", "zorder": 2.5}
        ax.errorbar(self.predicted, self.observed, spans, alpha=0.55, **bars)
        ax.plot(self.predicted, self.observed, "o-", color=drawing.BLUE, linewidth=1.5, markersize=4.5, zorder=3)
        drawing.tidy(
            ax, f"Calibration for {self.label}", "predicted probability", f"observed share of {self.label}", square=True
        )
        drawing.caption(ax, [(f"expected calibration error {self.expected_error}", drawing.BLUE)], "upper left")
        self._draw_histogram(drawing.strip_above(ax))
        return ax

    def _draw_histogram(self, strip: Any) -> None:
        strip.stairs(self.histogram, np.linspace(0, 1, _BARS + 1), fill=True, color=drawing.BLUE, alpha=0.3)
        strip.set_ylim(0, None)


def calibration(
    y_true: Any,
    probabilities: Any,
    *,
    pos_label: Level | None = None,
    sample_weight: Any = None,
    n_bins: int = 10,
    strategy: str = "uniform",
    level: float = 0.95,
    n_resamples: int = 500,
    random_state: Any = None,
) -> CalibrationCurve:
    """How often a class occurs where it is predicted with a given probability.

    Parameters
    ----------
    y_true : the true labels.
    probabilities : of the class, one per row; or a matrix with a column per class, in sorted order.
    pos_label : the class to look at, by default the second of two.
    sample_weight : the weight of each row; None is 1.
    n_bins : how many; bins without rows are left out.
    strategy : "uniform" for bins of equal width, by which the curve's expected error is the measure "ece"; "quantile"
        for bins of equally many rows, which show more where predictions crowd.
    level : the confidence level of intervals.
    n_resamples : the number of resamples.
    random_state : the seed of what is drawn at random.

    Returns
    -------
    The curve with its intervals, which plots itself.

    >>> calibration([0, 1, 0, 1, 1, 1], [0.2, 0.2, 0.3, 0.7, 0.8, 0.9], n_bins=2, random_state=0)
    Calibration for 1: expected error 0.15 [0.00, 0.48], maximum 0.20 [0.00, 0.80]
    6 rows in 2 uniform bins, 95 % intervals
    """
    outcome = Outcome.of(
        y_true,
        probabilities,
        needs="scores",
        pos_label=pos_label,
        sample_weight=sample_weight,
        called=("y_true", "probabilities"),
    )
    return CalibrationCurve.of(
        outcome, n_bins=n_bins, strategy=strategy, level=level, n_resamples=n_resamples, random_state=random_state
    )


def _probabilities(scores: np.ndarray) -> np.ndarray:
    """The scores without what rounding put outside 0 and 1."""
    low, high = scores.min(), scores.max()
    if low < -_TOLERANCE or high > 1 + _TOLERANCE:
        raise DataError(
            f"probabilities from {low:g} to {high:g}.",
            "between 0 and 1",
            "Scores of a decision function have a ROC curve, but no calibration.",
        )
    return np.clip(scores, 0.0, 1.0)


def _edges(p: np.ndarray, weights: np.ndarray, n_bins: int, strategy: str) -> np.ndarray:
    if n_bins < 1:
        raise DataError(f"n_bins={n_bins}.", "1 or more")
    if strategy == "uniform":
        return np.linspace(0.0, 1.0, n_bins + 1)
    if strategy != "quantile":
        raise DataError(f"strategy={strategy!r}.", "'quantile' or 'uniform'")
    order = np.argsort(p)
    cumulated = np.cumsum(weights[order])
    wanted = np.arange(1, n_bins) / n_bins * cumulated[-1]
    # the smallest prediction with at least that share of the rows at or below it, but for rounding
    inner = p[order][np.searchsorted(cumulated, wanted * (1 - 1e-12))]
    return np.concatenate([[p.min()], inner, [p.max()]])


# -- how far probabilities are from what is observed, with intervals that do not blame a calibrated model


def calibration_errors(
    side: OneVsRest, bins: np.ndarray, level: float, n_resamples: int, random_state: Any
) -> tuple[Estimate, Estimate]:
    """The expected and the maximum calibration error, Σ (W_b/W) g_b and max g_b, g_b = |mean of w(y − p) in bin b|.

    Both are biased upwards: random differences count as errors, and resamples add more. So the interval runs from the
    resamples mirrored at the value to the percentile of the resamples. It begins at 0 if a calibrated model with these
    predictions would have as large an error (consistency resampling, Bröcker and Smith 2007).
    """
    rng, n = generator(random_state, n_resamples), len(bins)
    excess = side.weights * (side.positive - side.scores)

    def redrawn() -> np.ndarray:
        rows = rng.integers(0, n, n)
        return _errors(bins[rows], side.weights[rows], excess[rows])

    def calibrated() -> np.ndarray:
        return _errors(bins, side.weights, side.weights * ((rng.random(n) < side.scores) - side.scores))

    resamples = np.array([redrawn() for _ in range(n_resamples)])
    by_chance = np.array([calibrated() for _ in range(n_resamples)])
    value = _errors(bins, side.weights, excess)
    tail = (1 - level) / 2
    most = np.quantile(resamples, 1 - tail, axis=0)
    low = np.where(value <= np.quantile(by_chance, 1 - tail, axis=0), 0.0, np.clip(2 * value - most, 0.0, value))
    high = np.maximum(most, value)
    method = f"consistency and bootstrap, {n_resamples} resamples each"
    expected, maximum = (Estimate(float(value[i]), float(low[i]), float(high[i]), level, method, n) for i in range(2))
    return expected, maximum


def _errors(bins: np.ndarray, weights: np.ndarray, excess: np.ndarray) -> np.ndarray:
    weight, gap = np.bincount(bins, weights), np.abs(np.bincount(bins, excess))
    return np.array([gap.sum() / weight.sum(), (gap / np.where(weight > 0, weight, 1.0)).max()])

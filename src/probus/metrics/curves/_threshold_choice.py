"""The threshold at which scores should become decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Level, quote_some
from probus.display import Picture, Result, drawing
from probus.errors import DataError
from probus.metrics._estimates import Estimate
from probus.metrics._outcome import Outcome
from probus.metrics.curves._band import Band
from probus.metrics.curves._positive_class import OneVsRest
from probus.metrics.curves._resampled_intervals import percentile
from probus.metrics.curves._score_curve import check_scores
from probus.metrics.curves._score_ranking import ScoreRanking

_BAND_POINTS = 201


@dataclass(frozen=True, eq=False, repr=False)
class ThresholdChoice(Result):
    """The best threshold, how sure that is, and what every other one would give.

    Attributes
    ----------
    threshold : rows at or above it are to be called positive; infinite where none should be. Its interval holds the
        best thresholds of resamples.
    value : the criterion at that threshold, per row where it is a cost.
    optimism : how much the value is overestimated because the threshold was chosen on the same rows, by the bootstrap.
    thresholds, values : the criterion at infinity and at every distinct score, falling.
    band : pointwise intervals of the criterion over the threshold.
    criterion : what was optimised.
    label : the positive class.
    """

    threshold: Estimate
    value: Estimate
    optimism: float
    thresholds: np.ndarray
    values: np.ndarray
    band: Band
    criterion: str
    label: Level

    @classmethod
    def of(
        cls,
        outcome: Outcome,
        *,
        cost_false_positive: float = 1,
        cost_false_negative: float = 1,
        scoring: str | Counts | None = None,
        pos_label: Level | None = None,
        level: float = 0.95,
        n_resamples: int = 500,
        random_state: Any = None,
    ) -> ThresholdChoice:
        """The choice for an outcome that has scores or probabilities; parameters as in ``choose_threshold``."""
        criterion = criterion_for(scoring, cost_false_positive, cost_false_negative)
        ranking = ScoreRanking.of(OneVsRest.of(outcome, pos_label))
        thresholds = np.concatenate([[np.inf], ranking.thresholds])
        values = criterion(ranking.true_positives, ranking.false_positives)
        chosen = criterion.best(values)
        shown = np.unique(np.linspace(1, len(values) - 1, _BAND_POINTS).astype(np.intp))[::-1]

        def restudy(tp: np.ndarray, fp: np.ndarray) -> np.ndarray:
            again = criterion(tp, fp)
            best = criterion.best(again)
            return np.concatenate([[best, again[best], again[chosen]], again[shown]])

        resamples = ranking.resampled(restudy, n_resamples, random_state, stratified=False)
        best = resamples[:, 0].astype(np.intp)
        hoped = float(np.mean(resamples[:, 1] - values[best]))
        n = len(ranking)
        return cls(
            threshold=percentile(float(thresholds[chosen]), thresholds[best], level, n),
            value=percentile(float(values[chosen]), resamples[:, 2], level, n),
            optimism=hoped if criterion.greater_is_better else -hoped,
            thresholds=thresholds,
            values=values,
            band=_band(thresholds[shown], values[shown], resamples[:, 3:], level),
            criterion=criterion.name,
            label=ranking.label,
        )

    def _parts(self) -> list[Picture | str]:
        reached = f"{self.criterion} {self.value}, optimistic by about {max(self.optimism, 0.0):.2g}"
        rows = f"{self.value.n:,} rows, {self.value.method}"
        return [Picture(self.plot), f"Threshold for {self.label!r}: {self.threshold}\n{reached}; {rows}"]

    def _rows(self) -> dict[str, np.ndarray]:
        """Threshold and value, from the highest threshold down."""
        return {"threshold": self.thresholds, "value": self.values}

    def plot(self, ax: Any = None) -> Any:
        """Draw the criterion over the threshold with its band, and the chosen threshold with its interval."""
        ax = drawing.new_axes(ax, width=6.0, height=4.2)
        scores = self.thresholds[1:]
        at, low, high = np.clip([self.threshold.value, self.threshold.low, self.threshold.high], scores[-1], scores[0])
        ax.axvspan(low, high, color=drawing.ORANGE, alpha=0.10, linewidth=0, zorder=1)
        ax.axvline(at, color=drawing.ORANGE, linewidth=1.1, zorder=2.5)
        drawing.shade(ax, self.band, drawing.BLUE, step="pre")
        ax.plot(scores, self.values[1:], color=drawing.BLUE, linewidth=1.8, drawstyle="steps-post", zorder=3)
        ax.plot(at, self.value.value, "o", color=drawing.ORANGE, markersize=6, zorder=4)
        per_row = " per row" if self.criterion == "expected cost" else ""
        drawing.tidy(ax, f"Threshold for {self.label}: {self.threshold}", "threshold", self.criterion + per_row)
        ax.margins(x=0.01)
        bottom, top = ax.get_ylim()
        ax.set_yticks([tick for tick in ax.get_yticks() if bottom <= tick <= top])
        ax.set_ylim(bottom - 0.12 * (top - bottom), top)  # space for the caption under the curve
        drawing.caption(ax, [(f"{self.criterion} {self.value}", drawing.BLUE)], "lower left")
        return ax


def choose_threshold(
    y_true: Any,
    scores: Any,
    *,
    cost_false_positive: float = 1,
    cost_false_negative: float = 1,
    scoring: str | Counts | None = None,
    pos_label: Level | None = None,
    sample_weight: Any = None,
    level: float = 0.95,
    n_resamples: int = 500,
    random_state: Any = None,
) -> ThresholdChoice:
    """The threshold whose mistakes cost least, or that maximises a measure.

    Every distinct score is tried, and calling nothing positive; of equally good ones the highest is taken. Where
    probabilities are calibrated the best is cost_false_positive / (cost_false_positive + cost_false_negative).

    Parameters
    ----------
    y_true : the true labels.
    scores : the scores of the rows, larger for the positive class, or probabilities with a column per class.
    cost_false_positive, cost_false_negative : what a mistake of each kind costs.
    scoring : instead of costs "f1", "youden", "accuracy", "balanced_accuracy", "matthews_corrcoef", or a function of
        the arrays (true positives, false positives, false negatives, true negatives), larger being better.
    pos_label : the positive class; None is the last of two.
    sample_weight : weights of the rows; weigh a class by how common it is where the threshold will be used.
    level : the confidence level of intervals.
    n_resamples : the number of resamples.
    random_state : the seed of what is drawn at random.

    Returns
    -------
    The threshold, its value, and how optimistic that is.

    >>> choose_threshold([0, 0, 0, 1, 1, 1], [1, 2, 4, 3, 5, 6], cost_false_negative=5, random_state=0)
    Threshold for 1: 3.0 [3.0, 6.0]
    expected cost 0.17 [0.00, 0.50], optimistic by about 0.34; 6 rows, percentile of 500 resamples
    """
    outcome = check_scores(y_true, scores, pos_label, sample_weight)
    return ThresholdChoice.of(
        outcome,
        cost_false_positive=cost_false_positive,
        cost_false_negative=cost_false_negative,
        scoring=scoring,
        level=level,
        n_resamples=n_resamples,
        random_state=random_state,
    )


def _band(x: np.ndarray, value: np.ndarray, resamples: np.ndarray, level: float) -> Band:
    tail = (1 - level) / 2
    low, high = np.quantile(resamples, [tail, 1 - tail], axis=0)
    method = f"pointwise, {len(resamples)} resamples"
    return Band(x, value, np.minimum(low, value), np.maximum(high, value), level, method)


# -- what a threshold can be chosen for: the cost of its mistakes, or a measure of its decisions -------


Counts = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class ThresholdCriterion:
    """A function of the weights of true positives, false positives, false negatives and true negatives."""

    name: str
    function: Counts
    greater_is_better: bool = True

    def __call__(self, tp: np.ndarray, fp: np.ndarray) -> np.ndarray:
        """Its value where nothing is called positive, and then at every threshold, from cumulated counts."""
        tp, fp = np.concatenate([[0.0], tp]), np.concatenate([[0.0], fp])
        values = np.asarray(self.function(tp, fp, tp[-1] - tp, fp[-1] - fp), dtype=np.float64)
        if values.shape != tp.shape or not np.isfinite(values).all():
            raise DataError(f"{self.name} of {len(tp)} thresholds is {values}.", "a finite number for each")
        return values

    def best(self, values: np.ndarray) -> int:
        """The place of the best value; of those that differ by rounding alone the highest threshold's."""
        gains = values if self.greater_is_better else -values
        top = gains.max()
        return int(np.argmax(gains >= top - 1e-12 * max(abs(top), 1.0)))


def criterion_for(
    scoring: str | Counts | None, cost_false_positive: float, cost_false_negative: float
) -> ThresholdCriterion:
    """The expected cost, or the measure where one is named."""
    costs = (cost_false_positive, cost_false_negative)
    if scoring is None:
        return _cost(*costs)
    if costs != (1, 1):
        raise DataError(f"scoring={scoring!r} and costs too.", "one of them", "A measure does not depend on costs.")
    if callable(scoring):
        return ThresholdCriterion(getattr(scoring, "__name__", "metric").replace("_", " "), scoring)
    if scoring not in _METRICS:
        expected = f"one of {quote_some(_METRICS, 9)}, or a function of (tp, fp, fn, tn)"
        raise DataError(f"scoring={scoring!r}.", expected)
    return ThresholdCriterion(scoring.replace("_", " "), _METRICS[scoring])


def _cost(false_positive: float, false_negative: float) -> ThresholdCriterion:
    costs = np.array([false_positive, false_negative], dtype=np.float64)
    if not np.isfinite(costs).all() or (costs < 0).any() or not costs.any():
        raise DataError(f"costs of {false_positive} and {false_negative}.", "two numbers, none negative, not both zero")

    def per_row(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
        return (costs[0] * fp + costs[1] * fn) / (tp + fp + fn + tn)

    return ThresholdCriterion("expected cost", per_row, greater_is_better=False)


def _accuracy(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
    return (tp + tn) / (tp + fp + fn + tn)


def _youden(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
    return tp / (tp + fn) - fp / (fp + tn)


def _balanced_accuracy(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
    return (1 + _youden(tp, fp, fn, tn)) / 2


def _f1(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
    return 2 * tp / (2 * tp + fp + fn)


def _matthews(tp: np.ndarray, fp: np.ndarray, fn: np.ndarray, tn: np.ndarray) -> np.ndarray:
    product = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return np.where(product > 0, (tp * tn - fp * fn) / np.sqrt(np.where(product > 0, product, 1.0)), 0.0)


_METRICS: dict[str, Counts] = {
    "f1": _f1,
    "youden": _youden,
    "accuracy": _accuracy,
    "balanced_accuracy": _balanced_accuracy,
    "matthews_corrcoef": _matthews,
}

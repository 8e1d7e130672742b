"""Precision against recall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Level
from probus.display import drawing
from probus.metrics._estimates import Estimate
from probus.metrics._outcome import Outcome
from probus.metrics.curves._areas import average_precision
from probus.metrics.curves._band import Band, percentile_band
from probus.metrics.curves._positive_class import OneVsRest
from probus.metrics.curves._score_curve import ScoreCurve, check_scores
from probus.metrics.curves._score_ranking import ScoreRanking
from probus.metrics.curves._shares import effective_size

_GRID = np.linspace(0.0, 1.0, 201)[1:]  # with nothing recalled there is no precision


@dataclass(frozen=True, eq=False, repr=False)
class PrecisionRecallCurve(ScoreCurve):
    """Precision and recall at every threshold.

    Between points the curve is a step, never a slope: the precision at a recall is that of the highest threshold that
    reaches it. A straight line between two points would promise what no threshold gives (Davis and Goadrich 2006). No
    point is made up for a threshold above every score, where nothing is called positive. The area is the average
    precision, Σ (Rₖ − Rₖ₋₁) Pₖ.

    Attributes
    ----------
    recall, precision : at each threshold.
    prevalence : the weighted share of positives, which is the precision of a random model.
    """

    title = "Precision–recall curve"
    quantity = "average precision"
    rates = ("recall", "precision")
    recall: np.ndarray
    precision: np.ndarray
    prevalence: float

    @classmethod
    def of(
        cls,
        outcome: Outcome,
        *,
        pos_label: Level | None = None,
        level: float = 0.95,
        band: bool = True,
        n_resamples: int = 500,
        random_state: Any = None,
    ) -> PrecisionRecallCurve:
        """The curve of an outcome that has scores or probabilities; parameters as in ``precision_recall``."""
        ranking = ScoreRanking.of(OneVsRest.of(outcome, pos_label))
        tp, fp = ranking.true_positives, ranking.false_positives
        precision = tp / (tp + fp)
        return cls(
            thresholds=ranking.thresholds,
            area=average_precision(ranking, level),
            band=_band(ranking, level, n_resamples, random_state) if band else None,
            label=ranking.label,
            n_positive=len(ranking.positives),
            n_negative=len(ranking.negatives),
            recall=tp / tp[-1],
            precision=precision,
            prevalence=float(precision[-1]),
        )

    @property
    def corner(self) -> str:  # type: ignore[override]
        """Where the curve is not."""
        return "lower left" if self.area.value >= 0.5 else "upper right"

    @property
    def average_precision(self) -> Estimate:
        """The area by its own name."""
        return self.area

    @property
    def vertical(self) -> str:
        """What the vertical axis shows."""
        return "precision"

    def draw(self, ax: Any, colour: str) -> None:
        """Draw the curve and its band only, so that several curves can share the axes."""
        drawing.shade(ax, self.band, colour, step="pre")
        drawing.steps(ax, self.recall, self.precision, colour)

    def frame(self, ax: Any, title: str) -> None:
        """Two rates of equal scale and the precision of chance."""
        drawing.chance(ax, [0, 1], [self.prevalence, self.prevalence])
        drawing.tidy(ax, title, "recall", self.vertical, square=True)


def precision_recall(
    y_true: Any,
    scores: Any,
    *,
    pos_label: Level | None = None,
    sample_weight: Any = None,
    level: float = 0.95,
    band: bool = True,
    n_resamples: int = 500,
    random_state: Any = None,
) -> PrecisionRecallCurve:
    """The precision–recall curve of scores, larger for the positive class, or of a matrix of probabilities.

    The band holds pointwise intervals of the precision at 200 recalls; rows are drawn
    from all, because precision depends on how common the class is.

    Parameters
    ----------
    y_true, scores, pos_label, sample_weight, level, band, n_resamples, random_state : as in ``roc``.

    Returns
    -------
    The curve, which plots itself.

    >>> precision_recall(["no", "no", "yes", "yes"], [0.1, 0.4, 0.35, 0.8], band=False)
    Precision–recall curve for 'yes': average precision 0.83 [0.01, 1.00]
    2 rows of it, 2 others; no band
    """
    outcome = check_scores(y_true, scores, pos_label, sample_weight)
    return PrecisionRecallCurve.of(outcome, level=level, band=band, n_resamples=n_resamples, random_state=random_state)


def _band(ranking: ScoreRanking, level: float, n_resamples: int, random_state: Any) -> Band:
    def heights(tp: np.ndarray, fp: np.ndarray) -> np.ndarray:
        place = _first_to_reach(tp)
        return tp[place] / (tp[place] + fp[place])

    resamples = ranking.resampled(heights, n_resamples, random_state, stratified=False)
    tp, fp = ranking.true_positives, ranking.false_positives
    squares = ranking.positives.at_or_above(power=2) + ranking.negatives.at_or_above(power=2)
    size = effective_size(tp + fp, squares)[_first_to_reach(tp)]
    return percentile_band(_GRID, heights(tp, fp), size, resamples, level)


def _first_to_reach(tp: np.ndarray) -> np.ndarray:
    """The place of the highest threshold that reaches each recall of the grid."""
    return np.searchsorted(tp, tp[-1] * (_GRID - 1e-12))

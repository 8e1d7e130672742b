"""The receiver operating characteristic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Level
from probus.display import drawing
from probus.metrics._outcome import Outcome
from probus.metrics.curves._areas import roc_area
from probus.metrics.curves._band import Band, percentile_band
from probus.metrics.curves._positive_class import OneVsRest
from probus.metrics.curves._score_curve import ScoreCurve, check_scores
from probus.metrics.curves._score_ranking import ScoreRanking

_GRID = np.linspace(0.0, 1.0, 201)


@dataclass(frozen=True, eq=False, repr=False)
class RocCurve(ScoreCurve):
    """True-positive against false-positive rate as the threshold falls, from (0, 0) to (1, 1).

    The first threshold is infinity, at which nothing is called positive; a tie between the classes is a slanted
    segment. The area is the probability that a positive scores above a negative.

    Attributes
    ----------
    false_positive_rate, true_positive_rate : at each threshold.
    """

    title = "ROC curve"
    quantity = "area"
    rates = ("false_positive_rate", "true_positive_rate")
    corner = "lower right"

    false_positive_rate: np.ndarray
    true_positive_rate: np.ndarray

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
    ) -> RocCurve:
        """The curve of an outcome that has scores or probabilities; parameters as in ``roc``."""
        ranking = ScoreRanking.of(OneVsRest.of(outcome, pos_label))
        return cls(
            thresholds=np.concatenate([[np.inf], ranking.thresholds]),
            area=roc_area(ranking, level),
            band=_band(ranking, level, n_resamples, random_state) if band else None,
            label=ranking.label,
            n_positive=len(ranking.positives),
            n_negative=len(ranking.negatives),
            false_positive_rate=_from_zero(ranking.false_positives),
            true_positive_rate=_from_zero(ranking.true_positives),
        )

    @property
    def vertical(self) -> str:
        """What the vertical axis shows."""
        return "true-positive rate"

    def draw(self, ax: Any, colour: str) -> None:
        """Draw the curve and its band only, so that several curves can share the axes."""
        drawing.shade(ax, self.band, colour)
        ax.plot(self.false_positive_rate, self.true_positive_rate, color=colour, linewidth=1.8, zorder=3)

    def frame(self, ax: Any, title: str) -> None:
        """Two rates of equal scale and the diagonal of chance."""
        drawing.chance(ax, [0, 1], [0, 1])
        drawing.tidy(ax, title, "false-positive rate", self.vertical, square=True)


def roc(
    y_true: Any,
    scores: Any,
    *,
    pos_label: Level | None = None,
    sample_weight: Any = None,
    level: float = 0.95,
    band: bool = True,
    n_resamples: int = 500,
    random_state: Any = None,
) -> RocCurve:
    """The ROC curve of scores, larger for the positive class, or of a matrix of probabilities.

    Parameters
    ----------
    y_true : the true labels.
    scores : the scores of the rows, larger for the positive class, or probabilities with a column per class.
    pos_label : the positive class, by default the second of two; compared with the rest if there are more.
    sample_weight : one weight per row. A row of weight k adds to the curve as k rows do; intervals count it as one.
    level : the confidence level of the area and of the band.
    band : whether to resample for a band: pointwise intervals of the true-positive rate at 201 false-positive rates,
        rows drawn within each class.
    n_resamples : 500 of 10,000 rows take about 0.2 s, of 100,000 about 2 s; no rows are left out, however many.
    random_state : the seed of what is drawn at random.

    Returns
    -------
    The curve with its area, which plots itself.

    >>> roc(["no", "no", "yes", "yes"], [0.1, 0.4, 0.35, 0.8], band=False)
    ROC curve for 'yes': area 0.75 [0.01, 1.00]
    2 rows of it, 2 others; no band
    """
    outcome = check_scores(y_true, scores, pos_label, sample_weight)
    return RocCurve.of(outcome, level=level, band=band, n_resamples=n_resamples, random_state=random_state)


def _band(ranking: ScoreRanking, level: float, n_resamples: int, random_state: Any) -> Band:
    def heights(tp: np.ndarray, fp: np.ndarray) -> np.ndarray:
        # of several points above one false-positive rate, interp takes the last and so the highest
        return np.interp(_GRID, _from_zero(fp), _from_zero(tp))

    resamples = ranking.resampled(heights, n_resamples, random_state, stratified=True)
    value = heights(ranking.true_positives, ranking.false_positives)
    return percentile_band(_GRID, value, ranking.positives.effective_size, resamples, level)


def _from_zero(counts: np.ndarray) -> np.ndarray:
    return np.concatenate([[0.0], counts / counts[-1]])

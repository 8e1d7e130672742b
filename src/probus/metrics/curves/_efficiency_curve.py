"""Signal efficiency against background rejection, as physicists read a classifier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Level
from probus.display import drawing
from probus.errors import DataError
from probus.metrics._estimates import Estimate
from probus.metrics._outcome import Outcome
from probus.metrics.curves._areas import roc_area
from probus.metrics.curves._band import Band, percentile_band
from probus.metrics.curves._positive_class import OneVsRest
from probus.metrics.curves._rejection_interval import background_where_kept
from probus.metrics.curves._score_curve import ScoreCurve, check_scores
from probus.metrics.curves._score_ranking import ScoreRanking
from probus.metrics.curves._shares import share

_GRID = np.linspace(0.0, 1.0, 201)[1:]
_CLOSE = 1e-12  # a wanted rate is reached when rounding alone keeps it away


@dataclass(frozen=True)
class WorkingPoint:
    """A threshold with the efficiency and the rejection it gives, each with Wilson's interval at that threshold.

    The intervals describe this threshold on other rows. What the scores reject at an efficiency, whatever its threshold
    is, is less certain: ``EfficiencyCurve.rejection_at``.

    Attributes
    ----------
    threshold : the threshold.
    efficiency, rejection : what it gives.
    """

    threshold: float
    efficiency: Estimate
    rejection: Estimate

    def to_dict(self) -> dict[str, Any]:
        """Plain data, for JSON."""
        return {
            "threshold": self.threshold,
            "efficiency": self.efficiency.to_dict(),
            "rejection": self.rejection.to_dict(),
        }


@dataclass(frozen=True, eq=False, repr=False)
class EfficiencyCurve(ScoreCurve):
    """The share of signal kept against how much background is thrown away, at every threshold.

    Attributes
    ----------
    efficiency : the share of the signal at or above the threshold, the true-positive rate.
    background : the share of the background there, the false-positive rate.
    kind : "complement" for a rejection of 1 − background, "inverse" for 1/background, which is infinite where no
        background passes.
    signal_size, background_size : effective numbers of rows, for the intervals of working points.
    """

    title = "Signal efficiency"
    quantity = "area"
    rates = ("efficiency", "rejection")
    corner = "lower left"

    efficiency: np.ndarray
    background: np.ndarray
    kind: str
    signal_size: float
    background_size: float

    @classmethod
    def of(
        cls,
        outcome: Outcome,
        *,
        pos_label: Level | None = None,
        rejection: str = "complement",
        level: float = 0.95,
        band: bool = True,
        n_resamples: int = 500,
        random_state: Any = None,
    ) -> EfficiencyCurve:
        """The curve of an outcome that has scores or probabilities; parameters as in ``efficiency_rejection``."""
        if rejection not in ("complement", "inverse"):
            raise DataError(f"rejection={rejection!r}.", "'complement' for 1 − background, 'inverse' for 1/background")
        ranking = ScoreRanking.of(OneVsRest.of(outcome, pos_label))
        tp, fp = ranking.true_positives, ranking.false_positives
        return cls(
            thresholds=ranking.thresholds,
            area=roc_area(ranking, level),
            band=_band(ranking, rejection, level, n_resamples, random_state) if band else None,
            label=ranking.label,
            n_positive=len(ranking.positives),
            n_negative=len(ranking.negatives),
            efficiency=tp / tp[-1],
            background=fp / fp[-1],
            kind=rejection,
            signal_size=ranking.positives.effective_size,
            background_size=ranking.negatives.effective_size,
        )

    @property
    def rejection(self) -> np.ndarray:
        """1 − background or 1/background, by ``kind``."""
        return _rejection(self.background, self.kind)

    def working_point(self, *, efficiency: float | None = None, rejection: float | None = None) -> WorkingPoint:
        """The threshold that keeps at least that efficiency and rejects most, or rejects that much and keeps most.

        >>> curve = efficiency_rejection([0, 0, 0, 0, 1, 1, 1, 1], [1, 2, 3, 6, 4, 5, 7, 8], band=False)
        >>> curve.working_point(efficiency=0.75)
        WorkingPoint(threshold=5.0, efficiency=0.75 [0.30, 0.95], rejection=0.75 [0.30, 0.95])
        """
        if (efficiency is None) == (rejection is None):
            raise DataError("a working point for both or neither of two wishes.", "an efficiency or a rejection")
        if efficiency is not None:
            return self._point(self._first_to_keep(efficiency))
        reached = np.flatnonzero(self.rejection >= rejection - _CLOSE)  # type: ignore[operator]
        if len(reached) == 0:
            most = f"the most that any threshold rejects is {self.rejection[0]:.6g}"
            raise DataError(f"a required rejection of {rejection:g}, and {most}.", "a rejection that can be had")
        return self._point(reached[-1])

    def rejection_at(self, efficiency: float) -> Estimate:
        """The rejection where at least that share of the signal is kept; its interval includes the threshold's error.

        The threshold is known from the signal rows only, so it would be another one on other rows. The interval holds
        the rejection at the true one. Models and their training rows are not varied.

        Parameters
        ----------
        efficiency : the share of the signal that is kept, above 0, at most 1.

        Returns
        -------
        The rejection, in the unit of ``kind``.

        >>> y, scores = [0] * 6 + [1] * 6, [1, 2, 3, 4, 5, 9, 6, 7, 8, 10, 11, 12]
        >>> curve = efficiency_rejection(y, scores, band=False)
        >>> print(curve.rejection_at(0.5), curve.working_point(efficiency=0.5).rejection)
        1.00 [0.36, 1.00] 1.00 [0.61, 1.00]
        """
        passed = float(self.background[self._first_to_keep(efficiency)])
        sizes, level = (self.signal_size, self.background_size), self.area.level
        low, high = background_where_kept(self.efficiency, self.background, efficiency, sizes, level)
        ends = np.array([passed, max(high, passed), min(low, passed)])
        value, least, most = _rejection(ends, self.kind).tolist()
        method = "Clopper-Pearson at each threshold that is possible"
        return Estimate(value, least, most, level, method, self.n_positive + self.n_negative)

    @property
    def vertical(self) -> str:
        """What the vertical axis shows."""
        return "background rejection" + (", 1 / share passing" if self.kind == "inverse" else "")

    def draw(self, ax: Any, colour: str) -> None:
        """Draw the curve and its band only, so that several curves can share the axes."""
        drawing.shade(ax, self._drawable_band(), colour, step="pre")
        shown = np.isfinite(self.rejection)
        drawing.steps(ax, self.efficiency[shown], self.rejection[shown], colour)

    def frame(self, ax: Any, title: str) -> None:
        """Efficiency across, rejection up: on equal scales, or on a logarithmic one where it is 1/background."""
        if self.kind == "complement":
            drawing.chance(ax, [0, 1], [1, 0])
            drawing.tidy(ax, title, "signal efficiency", self.vertical, square=True)
            return
        x = np.linspace(0.01, 1, 200)
        drawing.chance(ax, x, 1 / x)
        drawing.tidy(ax, title, "signal efficiency", self.vertical)
        ax.set_yscale("log")
        ax.set_xlim(0, 1.01)
        ax.set_ylim(0.9, 2.0 * self.n_negative)

    def _first_to_keep(self, efficiency: float) -> int:
        if not 0 < efficiency <= 1:
            raise DataError(f"a required efficiency of {efficiency:g}.", "a share above 0, at most 1")
        return int(np.searchsorted(self.efficiency, efficiency - _CLOSE))

    def _point(self, place: int) -> WorkingPoint:
        kept = share(float(self.efficiency[place]), self.signal_size, self.area.level, rows=self.n_positive)
        passed = share(float(self.background[place]), self.background_size, self.area.level, rows=self.n_negative)
        value, low, high = _rejection(np.array([passed.value, passed.high, passed.low]), self.kind).tolist()
        rejection = Estimate(value, low, high, passed.level, passed.method, passed.n)
        return WorkingPoint(float(self.thresholds[place]), kept, rejection)

    def _drawable_band(self) -> Band | None:
        if self.band is None or self.kind == "complement":
            return self.band
        top = 1e3 * self.n_negative
        low, high = np.minimum(self.band.low, top), np.minimum(self.band.high, top)
        return Band(self.band.x, self.band.value, low, high, self.band.level, self.band.method)


def efficiency_rejection(
    y_true: Any,
    scores: Any,
    *,
    pos_label: Level | None = None,
    sample_weight: Any = None,
    rejection: str = "complement",
    level: float = 0.95,
    band: bool = True,
    n_resamples: int = 500,
    random_state: Any = None,
) -> EfficiencyCurve:
    """Signal efficiency against background rejection, of scores that are larger for the signal.

    Parameters
    ----------
    y_true : the true labels.
    scores : the scores of the rows, larger for the signal.
    pos_label : the signal; None is the second of two classes.
    sample_weight : the weight of each row; None is 1.
    rejection : "complement" for 1 − (share of background that passes), "inverse" for its reciprocal.
    level : the confidence level of intervals.
    band : whether to resample for a band.
    n_resamples : the number of resamples.
    random_state : the seed of what is drawn at random.

    Returns
    -------
    The curve, which plots itself.

    >>> efficiency_rejection([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8], band=False)
    Signal efficiency for 1: area 0.75 [0.01, 1.00]
    2 rows of it, 2 others; no band
    """
    outcome = check_scores(y_true, scores, pos_label, sample_weight)
    return EfficiencyCurve.of(
        outcome, rejection=rejection, level=level, band=band, n_resamples=n_resamples, random_state=random_state
    )


def _band(ranking: ScoreRanking, kind: str, level: float, n_resamples: int, random_state: Any) -> Band:
    def passing(tp: np.ndarray, fp: np.ndarray) -> np.ndarray:
        return fp[np.searchsorted(tp, tp[-1] * (_GRID - _CLOSE))] / fp[-1]

    resamples = ranking.resampled(passing, n_resamples, random_state, stratified=True)
    value = passing(ranking.true_positives, ranking.false_positives)
    band = percentile_band(_GRID, value, ranking.negatives.effective_size, resamples, level)
    value, low, high = (_rejection(share, kind) for share in (band.value, band.high, band.low))
    return Band(_GRID, value, low, high, level, band.method)


def _rejection(passing: np.ndarray, kind: str) -> np.ndarray:
    if kind == "complement":
        return 1.0 - passing
    return np.divide(1.0, passing, out=np.full(passing.shape, np.inf), where=passing > 0)

"""How long what follows the search of a study takes, for which its time is kept: comparison, final fit, intervals."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from probus.calibration import can_scale, enough_rows, seconds_of_spreads
from probus.comparison import comparison_of
from probus.errors import DataError
from probus.lifecycle._as_saved import as_saved, without_zeros
from probus.lifecycle._families import BASELINE
from probus.lifecycle._family_fits import FamilyFits
from probus.lifecycle._family_search import FamilySearch
from probus.metrics import Measure

_REPORT, _LEAST_REPORT, _MOST_REPORT = 0.15, 5.0, 75.0  # of the time, and seconds
_KEPT, _LEAST_KEPT = 0.05, 2.0  # the same, for what follows the search where nothing is known yet
_MOST_OF_TIME = 0.5  # no more is ever kept for it
_COMPARING = 0.2  # of the time, the most that is kept for comparisons
_SPREADS = 0.15  # the same, for intervals as wide as the residuals of similar rows
_MEASURABLE, _SLOWEST = 0.1, 5.0  # seconds of a processor that show its pace, and the slowest that is reckoned with
_REHEARSALS = 2  # of which the quicker counts: the first also loads what it needs
_ENSEMBLE = 2  # comparisons more: of the ensemble, and of the families with it


def report_seconds(seconds: float, pace: float = 1.0) -> float:
    """The part of a study's time that its report has; on a busy machine more of a short one.

    >>> [report_seconds(each) for each in (8, 40, 300, 3_600)], report_seconds(40, 2.0)
    ([2.0, 6.0, 45.0, 75.0], 10.0)
    """
    return min(max(_REPORT * seconds, min(_LEAST_REPORT * pace, seconds / 4)), _MOST_REPORT)


def pace(seconds: float, cpu: float) -> float:
    """How many times as long work takes as alone on the machine, by the time of some work and that of its processor.

    >>> pace(3.0, 1.0), pace(0.5, 1.0), pace(100.0, 1.0), pace(1.0, 0.01)
    (3.0, 1.0, 5.0, 1.0)
    """
    return min(max(seconds / cpu, 1.0), _SLOWEST) if cpu >= _MEASURABLE else 1.0


class WrapUp:
    """Estimates the seconds from the end of the search to the model, by what is known of the families so far.

    The comparison is made with the first families, and takes as long for each other. The final fit takes as long as
    the fits of the family that is the best so far, on more rows. Intervals of numbers need forests, of which one is
    timed.

    Parameters
    ----------
    fits, measures, cost : of the study. seconds : its time. now : the clock.
    beside : how many fits of the best family on other splits follow, one after the other.
    """

    def __init__(
        self,
        fits: FamilyFits,
        measures: tuple[Measure, ...],
        cost: Any,
        seconds: float,
        now: Callable[[], float] = time.perf_counter,
        beside: float = 0.0,
    ):
        self._beside = beside
        self._fits, self._measures, self._cost, self._seconds, self._now = fits, measures, cost, seconds, now
        self.comparing = self.spreads = 0.0  # seconds: of the comparison for each family, of the widths of intervals
        self._rehearsed: dict[str, tuple[float, float]] = {}

    def kept(self, searches: Mapping[str, FamilySearch]) -> float:
        """The seconds that are kept for what follows."""
        done = [each for name, each in searches.items() if each.outer and not each.failed and name != BASELINE]
        usual = max(_KEPT * self._seconds, min(_LEAST_KEPT, self._seconds / 4))
        if not done:
            return usual
        new = [each for each in done if each.name not in self._rehearsed]
        if new and len(self._rehearsed) < _REHEARSALS:
            self._rehearsed[new[0].name] = self._rehearse(new[0], searches)
        if len(self._rehearsed) == min(_REHEARSALS, len(self._fits.models) - 1):
            self.comparing, self.spreads = (min(each) for each in zip(*self._rehearsed.values(), strict=True))
        optional = _ENSEMBLE * self.comparing + min(self.spreads, _SPREADS * self._seconds)
        return min(max(self.needed(searches) + optional, usual), _MOST_OF_TIME * self._seconds)

    def needed(self, searches: Mapping[str, FamilySearch]) -> float:
        """The seconds that the comparison of the families and the final fit take, which no study is without."""
        done = [each for each in searches.values() if each.outer and not each.failed]
        best = max(done, key=lambda each: each.outer_score, default=None)
        comparison = min(len(searches) * self.comparing, _COMPARING * self._seconds)
        if best is None:
            return comparison
        return comparison + best.final_seconds + self._beside * best.seconds_on(best.rows)

    def _rehearse(self, search: FamilySearch, searches: Mapping[str, FamilySearch]) -> tuple[float, float]:
        """The seconds of comparing a family with the baseline, for each of the two, and of the widths of intervals."""
        with warnings.catch_warnings(), suppress(DataError):  # the end of the study reports what is not possible
            warnings.simplefilter("ignore")
            started = self._now()
            results = {search.name: as_saved(search.resampled(self._measures), self._cost)[0]}
            baseline = searches.get(BASELINE)
            if baseline is not None and baseline.outer:
                results = {BASELINE: without_zeros(baseline.resampled(self._measures)), **results}
            comparison_of(results, self._measures, baseline=BASELINE)
            comparing = (self._now() - started) / len(results)
            return comparing, self._seconds_of_spreads(search)
        return 0.0, 0.0

    def _seconds_of_spreads(self, search: FamilySearch) -> float:
        task, splits = self._fits.task, self._fits.outer
        if task.classes or not can_scale(task.X) or not enough_rows(len(task), task.groups):
            return 0.0
        rows = np.concatenate([test for _, test in splits.pairs[: splits.folds]])
        outcomes = [each.outcome for each in search.outer[: splits.folds]]
        residual = np.concatenate([each.actual - each.need("predicted") for each in outcomes])
        return seconds_of_spreads(task.X.take(rows), residual, self._now)

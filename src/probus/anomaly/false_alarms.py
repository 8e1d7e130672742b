"""A threshold with a stated rate of false alarms."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, OutlierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import _num_samples, check_is_fitted

from probus.data import Table
from probus.data.row_selection import take_rows
from probus.detection import Explanation
from probus.errors import DataError

__all__ = ["CalibratedDetector"]


class CalibratedDetector(OutlierMixin, BaseEstimator):
    """A detector whose false alarms are at most a stated share, whatever the distribution of usual rows is.

    The detector is fitted on a part of the training rows, which should be usual ones, and the threshold is set by the
    rest. The rank of a new row like them among these is uniform, so that its conformal p-value is at most α with
    probability at most α (Bates et al. 2023).

    Parameters
    ----------
    detector : any detector with ``score_samples``.
    false_alarm_rate : α, the share of usual rows that are called outliers.
    calibration : the share of training rows that set the threshold.
    random_state : of the split.

    Attributes
    ----------
    detector_ : the fitted detector. scores_ : of the rows that set the threshold, ascending.

    Examples
    --------
    >>> from probus.anomaly import KNearestDistance
    >>> rows = np.random.default_rng(0).normal(size=(400, 2))
    >>> model = CalibratedDetector(KNearestDistance(), false_alarm_rate=0.05, random_state=0).fit(rows)
    >>> model.predict([[0.0, 0.0], [5.0, 5.0]])
    array([ 1, -1])
    """

    def __init__(
        self, detector: Any, *, false_alarm_rate: float = 0.05, calibration: float = 0.5, random_state: Any = None
    ):
        self.detector = detector
        self.false_alarm_rate = false_alarm_rate
        self.calibration = calibration
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> CalibratedDetector:
        """Fit the detector on a part of the rows and set the threshold by the rest; y is ignored."""
        for name in ("false_alarm_rate", "calibration"):
            if not 0 < getattr(self, name) < 1:
                raise DataError(f"{name}={getattr(self, name)}.", "a number between 0 and 1")
        X = Table.of(X, infer=False) if isinstance(X, dict) else X
        n = _num_samples(X)
        order = check_random_state(self.random_state).permutation(n)
        held = int(np.ceil(self.calibration * n))
        if held + 1 < 1 / self.false_alarm_rate or held >= n:
            needed = int(np.ceil(1 / self.false_alarm_rate)) - 1
            raise DataError(
                f"{min(held, n - 1)} of {n} rows set the threshold.",
                f"at least {needed} for a false-alarm rate of {self.false_alarm_rate:g}",
                "Use more rows or a larger rate.",
            )
        self.detector_ = clone(self.detector).fit(take_rows(X, order[held:]))
        self.scores_ = np.sort(self.detector_.score_samples(take_rows(X, order[:held])))
        return self

    def score_samples(self, X: Any) -> np.ndarray:
        """Those of the detector."""
        check_is_fitted(self)
        return self.detector_.score_samples(X)

    def explain(self, X: Any) -> Explanation:
        """Which columns make rows odd, by the detector."""
        check_is_fitted(self)
        return self.detector_.explain(X)

    def pvalues(self, X: Any) -> np.ndarray:
        """The conformal p-value of each row: the share of usual rows that are at least as odd, itself counted."""
        as_odd = np.searchsorted(self.scores_, self.score_samples(X), side="right")
        return (1 + as_odd) / (1 + len(self.scores_))

    def decision_function(self, X: Any) -> np.ndarray:
        """The p-value less the false-alarm rate: negative for outliers."""
        return self.pvalues(X) - np.nextafter(self.false_alarm_rate, 1)

    def predict(self, X: Any) -> np.ndarray:
        """1 for usual rows, −1 for outliers."""
        return np.where(self.pvalues(X) <= self.false_alarm_rate, -1, 1)

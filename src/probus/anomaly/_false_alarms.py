"""A threshold with a stated rate of false alarms."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from probus.anomaly._wrapped_detector import WrappedDetector
from probus.anomaly._z_score import ZScore
from probus.base import BaseEstimator, Model, clone
from probus.data.row_selection import take_rows
from probus.detection import Explanation
from probus.ensemble import validated
from probus.errors import DataError
from probus.parameters import RANDOM_STATE, parameter
from probus.sklearn_seam import num_samples
from probus.state import Array, Number, Object, Spec


class CalibratedDetector(WrappedDetector):
    """A detector whose false alarms are at most a stated share, for any distribution of usual rows.

    The detector is fitted on a part of the training rows, which should be usual ones, and the threshold is set by the
    rest. The rank of a new row like them among these is uniform, so that its conformal p-value is at most α with
    probability at most α (Bates et al. 2023).

    Attributes
    ----------
    detector_ : the fitted detector. scores_ : of the rows that set the threshold, ascending.
    offset_ : the threshold: less usual rows have a p-value of at most α.

    Examples
    --------
    >>> from probus.anomaly import KNearestDistance
    >>> rows = np.random.default_rng(0).normal(size=(400, 2))
    >>> model = CalibratedDetector(KNearestDistance(), false_alarm_rate=0.05, random_state=0).fit(rows)
    >>> model.predict([[0.0, 0.0], [5.0, 5.0]])
    array([ 1, -1])
    """

    false_alarm_rate: float = parameter(
        "α, the largest share of usual rows that are called outliers.", default=0.05, above=0, below=1
    )
    calibration: float = parameter("The share of training rows that set the threshold.", default=0.5, above=0, below=1)
    random_state: Any = RANDOM_STATE

    fitted: ClassVar[dict[str, Spec]] = {
        "detector_": Object(BaseEstimator),
        "scores_": Array("f8", "*"),
        "offset_": Number(),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """With a rate that a few rows can set, of numbers."""
        return [cls(ZScore(), false_alarm_rate=0.4)]

    def fit(self, X: Any, y: Any = None) -> CalibratedDetector:
        """Fit the detector on a part of the rows and set the threshold by the rest; y is ignored."""
        X = validated(self, X, reset=True)
        n = num_samples(X)
        order = check_random_state(self.random_state).permutation(n)
        held = int(np.ceil(self.calibration * n))
        if held + 1 < 1 / self.false_alarm_rate or held >= n:
            needed = int(np.ceil(1 / self.false_alarm_rate)) - 1
            raise DataError(
                f"{min(held, n - 1)} of n_samples={n} rows set the threshold.",
                f"at least {needed} for a false-alarm rate of {self.false_alarm_rate:g}",
                "Use more rows or a larger rate.",
            )
        self.detector_ = clone(self.detector).fit(take_rows(X, order[held:]))
        self.scores_ = np.sort(self.detector_.score_samples(take_rows(X, order[:held])))
        pvalues = np.arange(1, held + 1) / (held + 1)  # of rows that are less usual than the first, the second, …
        self.offset_ = float(self.scores_[np.searchsorted(pvalues, self.false_alarm_rate, side="right") - 1])
        return self

    def score_samples(self, X: Any) -> np.ndarray:
        """Those of the detector."""
        check_is_fitted(self)
        return self.detector_.score_samples(validated(self, X, reset=False))

    def explain(self, X: Any) -> Explanation:
        """Which columns make rows odd, by the detector."""
        check_is_fitted(self)
        return self.detector_.explain(validated(self, X, reset=False))

    def pvalues(self, X: Any) -> np.ndarray:
        """The conformal p-value of each row: the share of usual rows that are at least as odd, itself counted."""
        scores = self.score_samples(X)
        as_odd = np.searchsorted(self.scores_, scores, side="right")
        return (1 + as_odd) / (1 + len(self.scores_))

"""What detectors that wrap another detector have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from probus.base import Accepts, MetaEstimatorMixin, Model, OutlierMixin
from probus.errors import DataError
from probus.wrapping import accepted_by_all

__all__ = ["WrappedDetector", "check_contamination"]


class WrappedDetector(OutlierMixin, MetaEstimatorMixin, Model):
    """Parent of detectors that wrap a ``detector``; a subclass has ``score_samples`` and sets ``offset_``."""

    detector: Any
    offset_: float

    @property
    def accepts(self) -> Accepts:
        """What the detector accepts, but for sparse matrices and weights."""
        return replace(accepted_by_all([self.detector]), sparse=False, weights=False)

    def score_samples(self, X: Any) -> np.ndarray:
        """How usual each row is."""
        raise NotImplementedError

    def decision_function(self, X: Any) -> np.ndarray:
        """``score_samples`` less the threshold: negative for outliers."""
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """1 for usual rows, −1 for outliers."""
        return np.where(self.decision_function(X) < 0, -1, 1)


def check_contamination(share: float) -> None:
    """Raise a DataError unless it is a share of outliers."""
    if not 0 < share <= 0.5:
        raise DataError(f"contamination={share}.", "a share above 0 and at most 0.5")

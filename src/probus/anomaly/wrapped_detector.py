"""What detectors that wrap another detector have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from probus.base import Accepts, MetaEstimatorMixin
from probus.detection import Thresholded
from probus.errors import DataError
from probus.wrapping import accepted_by_all

__all__ = ["WrappedDetector", "check_contamination"]


class WrappedDetector(MetaEstimatorMixin, Thresholded):
    """Parent of detectors that wrap a ``detector``; a subclass has ``score_samples`` and sets ``offset_``."""

    detector: Any

    @property
    def accepts(self) -> Accepts:
        """What the detector accepts, but for sparse matrices and weights."""
        return replace(accepted_by_all([self.detector]), sparse=False, weights=False)


def check_contamination(share: float) -> None:
    """Raise a DataError unless it is a share of outliers."""
    if not 0 < share <= 0.5:
        raise DataError(f"contamination={share}.", "a share above 0 and at most 0.5")

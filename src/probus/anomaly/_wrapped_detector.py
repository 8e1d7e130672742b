"""What detectors that wrap another detector have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from probus.allowed_values import HasMethod
from probus.base import Accepts, MetaEstimatorMixin
from probus.detection import Thresholded
from probus.parameters import parameter
from probus.wrapping import accepted_by_all


class WrappedDetector(MetaEstimatorMixin, Thresholded):
    """Parent of detectors that wrap a ``detector``; a subclass has ``score_samples`` and sets ``offset_``."""

    detector: Any = parameter(
        "The detector that is wrapped; any with ``score_samples``.",
        of=[HasMethod("fit", "score_samples")],
        kw_only=False,
    )

    @property
    def accepts(self) -> Accepts:
        """What the detector accepts, but for sparse matrices and weights."""
        return replace(accepted_by_all([self.detector]), sparse=False, weights=False)

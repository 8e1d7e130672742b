"""A cascade of boosted stumps, of which most rows need the first only, and detection with it in large images."""

from probus.ensemble.cascade._cascade import CascadeClassifier
from probus.ensemble.cascade._detections import Detections
from probus.ensemble.cascade._stages import Stages

__all__ = ["CascadeClassifier", "Detections", "Stages"]

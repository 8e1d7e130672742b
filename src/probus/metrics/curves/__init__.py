"""Curves and tables of a classifier's decisions, as results one can print, plot and save.

Each is made of an ``Outcome`` (``RocCurve.of``) or of arrays (``roc``). The score curves read a ``Ranking``, the rows
in order of falling score; areas come with intervals, curves with pointwise bands.
"""

from probus.metrics.curves._band import Band
from probus.metrics.curves._calibration_curve import CalibrationCurve, calibration
from probus.metrics.curves._confusion_matrix import ConfusionMatrix, confusion_table
from probus.metrics.curves._efficiency_curve import EfficiencyCurve, WorkingPoint, efficiency_rejection
from probus.metrics.curves._overlay import MOST_BANDS, plot_curves
from probus.metrics.curves._precision_recall_curve import PrecisionRecallCurve, precision_recall
from probus.metrics.curves._roc_curve import RocCurve, roc
from probus.metrics.curves._shares import effective_size, quantile, wilson
from probus.metrics.curves._threshold_choice import ThresholdChoice, choose_threshold

__all__ = [
    "Band",
    "CalibrationCurve",
    "ConfusionMatrix",
    "EfficiencyCurve",
    "PrecisionRecallCurve",
    "RocCurve",
    "ThresholdChoice",
    "WorkingPoint",
    "calibration",
    "choose_threshold",
    "confusion_table",
    "efficiency_rejection",
    "plot_curves",
    "precision_recall",
    "roc",
]

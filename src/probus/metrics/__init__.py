"""Measures of how good a prediction is, and the numbers they give, each with its uncertainty.

An ``Outcome`` is what was true and what a model said; a ``Measure`` turns it into a number; an ``Estimate`` is that
number with its interval and how the interval was found. Measures are known by name (``measures()`` lists them with
range, orientation and needs) and as functions: ours for what scikit-learn does not have, and scikit-learn's, gathered
here under their own names and imported when first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from probus.metrics import registry as _registry  # noqa: F401  fills the table of measures
from probus.metrics.bootstrap import SampleSize, estimate, test_size_for
from probus.metrics.confusion import error_rate, specificity_score
from probus.metrics.curves import (
    CalibrationCurve,
    ConfusionMatrix,
    EfficiencyCurve,
    PrecisionRecallCurve,
    RocCurve,
    ThresholdChoice,
    calibration,
    choose_threshold,
    confusion_table,
    efficiency_rejection,
    plot_curves,
    precision_recall,
    roc,
)
from probus.metrics.estimates import Estimate
from probus.metrics.measure import MEASURES, Measure, Scoring, measure, measures, measures_for
from probus.metrics.outcome import Outcome
from probus.metrics.probabilities import expected_calibration_error
from probus.metrics.ranking import background_rejection, signal_efficiency, signal_efficiency_at_rejection
from probus.metrics.regression import relative_absolute_error, relative_squared_error, sum_squared_error

_BORROWED = (
    "accuracy_score", "average_precision_score", "balanced_accuracy_score", "brier_score_loss", "cohen_kappa_score",
    "confusion_matrix", "f1_score", "log_loss", "matthews_corrcoef", "mean_absolute_error",
    "mean_absolute_percentage_error", "mean_squared_error", "mean_squared_log_error", "precision_score", "r2_score",
    "recall_score", "roc_auc_score", "root_mean_squared_error", "root_mean_squared_log_error",
)  # fmt: skip
_LATER = dict.fromkeys(_BORROWED, "sklearn.metrics")  # importing these costs a second

__all__ = [
    "MEASURES",
    "CalibrationCurve",
    "ConfusionMatrix",
    "EfficiencyCurve",
    "Estimate",
    "Measure",
    "Outcome",
    "PrecisionRecallCurve",
    "RocCurve",
    "SampleSize",
    "Scoring",
    "ThresholdChoice",
    "background_rejection",
    "calibration",
    "choose_threshold",
    "confusion_table",
    "efficiency_rejection",
    "error_rate",
    "estimate",
    "expected_calibration_error",
    "measure",
    "measures",
    "measures_for",
    "plot_curves",
    "precision_recall",
    "relative_absolute_error",
    "relative_squared_error",
    "roc",
    "signal_efficiency",
    "signal_efficiency_at_rejection",
    "specificity_score",
    "sum_squared_error",
    "test_size_for",
]
__all__ += _LATER


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module 'probus.metrics' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

"""Predictions with their uncertainty: intervals, sets of classes, calibrated probabilities and decisions by cost.

``out_of_fold`` predicts every row by a model that was not fitted on it; all else is learnt from these predictions.
``conformity`` ranks new predictions among them, ``row_sketch`` recognises training rows. ``residual_scale`` and
``conformal_regressor`` make intervals of numbers, ``probability_maps``, ``decision_cost``, ``class_scores`` and
``conformal_classifier`` probabilities, decisions and sets of classes.
"""

from probus.borrowing import borrow
from probus.calibration.conformal_classifier import ConformalClassifier
from probus.calibration.conformal_regressor import ConformalRegressor
from probus.calibration.conformity import Conformity
from probus.calibration.prediction_sets import PredictionSets
from probus.calibration.probability_maps import ProbabilityMap

__all__ = ["ConformalClassifier", "ConformalRegressor", "Conformity", "PredictionSets", "ProbabilityMap"]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.calibration": ("calibration_curve", "CalibratedClassifierCV", "CalibrationDisplay"),
})  # fmt: skip

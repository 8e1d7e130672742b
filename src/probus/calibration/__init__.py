"""Predictions with their uncertainty: intervals, sets of classes, calibrated probabilities and decisions by cost.

``out_of_fold`` predicts every row by a model that was not fitted on it; all else is learnt from these predictions.
``conformity`` ranks new predictions among them, ``row_sketch`` recognises training rows. ``residual_scale`` and
``conformal_regressor`` make intervals of numbers, ``probability_maps``, ``decision_cost``, ``class_scores`` and
``conformal_classifier`` probabilities, decisions and sets of classes.
"""

from probus.borrowing import borrow
from probus.calibration._conformal_classifier import ConformalClassifier
from probus.calibration._conformal_regressor import ConformalRegressor
from probus.calibration._conformity import Conformity
from probus.calibration._decision_cost import FEW_ROWS, cheapest, cost_matrix
from probus.calibration._out_of_fold import FitRows, folds_of, out_of_fold
from probus.calibration._prediction_sets import PredictionSets
from probus.calibration._probability_maps import ProbabilityMap, chosen_map, fitted_map
from probus.calibration._residual_scale import can_scale, enough_rows, seconds_of_spreads

__all__ = ["ConformalClassifier", "ConformalRegressor", "Conformity", "PredictionSets", "ProbabilityMap"]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.calibration": ("calibration_curve", "CalibratedClassifierCV", "CalibrationDisplay"),
})  # fmt: skip

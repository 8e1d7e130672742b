"""Splitting rows, resampling models, choosing among them, and what that tells about new data.

A splitter says which rows train and which test; ``splits_of`` applies it to a task and its roles. ``resample`` fits a
model once per split and keeps every prediction: a ``Resampled`` gives any measure with its interval, without a refit.
``nested`` resamples a model that is itself tuned or chosen by resampling. ``learning_curve``, ``validation_curve`` and
``bias_variance`` show where a model loses, and ``diagnose`` puts it into words.
"""

from probus.model_selection.best_of import BestOfClassifier, BestOfRegressor
from probus.model_selection.decomposition import BiasVariance, bias_variance
from probus.model_selection.diagnosis import Diagnosis, diagnose
from probus.model_selection.intervals import corrected_interval
from probus.model_selection.learning import LearningCurve, learning_curve
from probus.model_selection.nested_result import Choice, Nested
from probus.model_selection.nesting import nested
from probus.model_selection.resampled import FailedSplitWarning, Failure, Resampled
from probus.model_selection.resampling import resample
from probus.model_selection.splits import Splits, repeated_folds, splits_of
from probus.model_selection.splitters import (
    Bootstrap,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePOut,
    OutOfBagBootstrap,
    Parts,
    PredefinedSplit,
    RepeatedGroupKFold,
    RepeatedKFold,
    RepeatedStratifiedGroupKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeOrderedSplit,
    TimeSeriesSplit,
    TrainValidationTest,
    train_test_split,
)
from probus.model_selection.validation import ValidationCurve, validation_curve

__all__ = [
    "BestOfClassifier",
    "BestOfRegressor",
    "BiasVariance",
    "Bootstrap",
    "Choice",
    "Diagnosis",
    "FailedSplitWarning",
    "Failure",
    "GroupKFold",
    "GroupShuffleSplit",
    "KFold",
    "LearningCurve",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "LeavePOut",
    "Nested",
    "OutOfBagBootstrap",
    "Parts",
    "PredefinedSplit",
    "RepeatedGroupKFold",
    "RepeatedKFold",
    "RepeatedStratifiedGroupKFold",
    "RepeatedStratifiedKFold",
    "Resampled",
    "ShuffleSplit",
    "Splits",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
    "TimeOrderedSplit",
    "TimeSeriesSplit",
    "TrainValidationTest",
    "ValidationCurve",
    "bias_variance",
    "corrected_interval",
    "diagnose",
    "learning_curve",
    "nested",
    "repeated_folds",
    "resample",
    "splits_of",
    "train_test_split",
    "validation_curve",
]

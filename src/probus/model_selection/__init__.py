"""Splitting rows, resampling models, and choosing among them.

A splitter defines the training and test rows; ``splits_of`` applies it to a task and its roles. ``resample`` fits a
model once per split and keeps every prediction: a ``Resampled`` gives any measure with its interval, without a refit.
``nested`` resamples a model that is itself tuned or chosen by resampling. ``learning_curve``, ``validation_curve`` and
``bias_variance`` show where a model loses, and ``diagnose`` puts it into words.
"""

from probus.borrowing import borrow
from probus.model_selection._best_of import BestOfClassifier, BestOfRegressor
from probus.model_selection._degrees_of_freedom import degrees_of_freedom
from probus.model_selection._diagnosis import diagnose
from probus.model_selection._diagnosis_result import Diagnosis
from probus.model_selection._empty_intervals import reason_of, says_nothing
from probus.model_selection._expected_loss import BiasVariance, bias_variance
from probus.model_selection._joined_outcomes import joined
from probus.model_selection._learning_curves import LearningCurve, learning_curve
from probus.model_selection._many_models import Entry, resample_many
from probus.model_selection._model_input import features_for, prepared, rows_for
from probus.model_selection._nested_resampling import nested
from probus.model_selection._nested_result import Choice, Nested
from probus.model_selection._progress import Progress, ProgressOption, shown
from probus.model_selection._remedies import BY_COMPARING, BY_TUNING, NO_SIGNAL
from probus.model_selection._resample_result import FailedSplitWarning, Failure, Resampled
from probus.model_selection._resampling import checked_measures, measurable, resample
from probus.model_selection._score_variance import score_variance
from probus.model_selection._split_intervals import corrected_interval, difference_interval, pooled_interval
from probus.model_selection._split_words import SplitWords, task_by_words, task_with
from probus.model_selection._splits import Splits, copies_in, folds_of, repeated_folds, seeds, splits_of
from probus.model_selection._tested_rows import TestedRows, grouped_rows, scored_rows, tested_rows
from probus.model_selection._validation_curves import ValidationCurve, validation_curve
from probus.model_selection.splitters import (
    Bootstrap,
    GroupTimeSplit,
    LeavePOut,
    OutOfBagBootstrap,
    Parts,
    RepeatedGroupKFold,
    RepeatedStratifiedGroupKFold,
    TimeOrderedSplit,
    TrainValidationTest,
)

__all__ = [
    "BestOfClassifier",
    "BestOfRegressor",
    "BiasVariance",
    "Bootstrap",
    "Choice",
    "Diagnosis",
    "FailedSplitWarning",
    "Failure",
    "GroupTimeSplit",
    "LearningCurve",
    "LeavePOut",
    "Nested",
    "OutOfBagBootstrap",
    "Parts",
    "RepeatedGroupKFold",
    "RepeatedStratifiedGroupKFold",
    "Resampled",
    "Splits",
    "TimeOrderedSplit",
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
    "validation_curve",
]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.model_selection": (
        "BaseCrossValidator", "BaseShuffleSplit", "check_cv", "cross_val_predict", "cross_val_score",
        "cross_validate", "FixedThresholdClassifier", "GridSearchCV", "GroupKFold", "GroupShuffleSplit",
        "KFold", "LearningCurveDisplay", "LeaveOneGroupOut", "LeaveOneOut", "LeavePGroupsOut", "ParameterGrid",
        "ParameterSampler", "permutation_test_score", "PredefinedSplit", "RandomizedSearchCV", "RepeatedKFold",
        "RepeatedStratifiedKFold", "ShuffleSplit", "StratifiedGroupKFold", "StratifiedKFold",
        "StratifiedShuffleSplit", "TimeSeriesSplit", "train_test_split", "TunedThresholdClassifierCV",
        "ValidationCurveDisplay",
    ),
    # experimental: scikit-learn's package offers them only after sklearn.experimental.enable_halving_search_cv
    "probus.sklearn_seam": ("HalvingGridSearchCV", "HalvingRandomSearchCV"),
})  # fmt: skip

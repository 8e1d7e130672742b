"""Ways to part rows into training and test: scikit-learn's, under their own names, and those it lacks.

Ours have scikit-learn's interface, ``split(X, y, groups)`` and ``get_n_splits``, and work in its tools too.
"""

from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
    train_test_split,
)

from probus.model_selection.splitters.bootstrap import Bootstrap, OutOfBagBootstrap
from probus.model_selection.splitters.leave_out import LeavePOut
from probus.model_selection.splitters.ordered import TimeOrderedSplit
from probus.model_selection.splitters.repeated import RepeatedGroupKFold, RepeatedStratifiedGroupKFold
from probus.model_selection.splitters.three_way import Parts, TrainValidationTest

__all__ = [
    "Bootstrap",
    "GroupKFold",
    "GroupShuffleSplit",
    "KFold",
    "LeaveOneGroupOut",
    "LeaveOneOut",
    "LeavePOut",
    "OutOfBagBootstrap",
    "Parts",
    "PredefinedSplit",
    "RepeatedGroupKFold",
    "RepeatedKFold",
    "RepeatedStratifiedGroupKFold",
    "RepeatedStratifiedKFold",
    "ShuffleSplit",
    "StratifiedGroupKFold",
    "StratifiedKFold",
    "StratifiedShuffleSplit",
    "TimeOrderedSplit",
    "TimeSeriesSplit",
    "TrainValidationTest",
    "train_test_split",
]

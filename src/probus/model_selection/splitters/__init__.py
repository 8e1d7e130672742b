"""Ways to split rows into training and test that scikit-learn lacks.

They have scikit-learn's interface, ``split(X, y, groups)`` and ``get_n_splits``, and work in its tools too.
"""

from probus.model_selection.splitters._bootstrap import Bootstrap, OutOfBagBootstrap
from probus.model_selection.splitters._leave_out import LeavePOut
from probus.model_selection.splitters._ordered import GroupTimeSplit, TimeOrderedSplit
from probus.model_selection.splitters._repeated import RepeatedGroupKFold, RepeatedStratifiedGroupKFold
from probus.model_selection.splitters._three_way import Parts, TrainValidationTest
from probus.model_selection.splitters._units import Pair

__all__ = [
    "Bootstrap",
    "GroupTimeSplit",
    "LeavePOut",
    "OutOfBagBootstrap",
    "Parts",
    "RepeatedGroupKFold",
    "RepeatedStratifiedGroupKFold",
    "TimeOrderedSplit",
    "TrainValidationTest",
]

"""Ways to split rows into training and test that scikit-learn lacks.

They have scikit-learn's interface, ``split(X, y, groups)`` and ``get_n_splits``, and work in its tools too.
"""

from probus.model_selection.splitters.bootstrap import Bootstrap, OutOfBagBootstrap
from probus.model_selection.splitters.leave_out import LeavePOut
from probus.model_selection.splitters.ordered import TimeOrderedSplit
from probus.model_selection.splitters.repeated import RepeatedGroupKFold, RepeatedStratifiedGroupKFold
from probus.model_selection.splitters.three_way import Parts, TrainValidationTest

__all__ = [
    "Bootstrap",
    "LeavePOut",
    "OutOfBagBootstrap",
    "Parts",
    "RepeatedGroupKFold",
    "RepeatedStratifiedGroupKFold",
    "TimeOrderedSplit",
    "TrainValidationTest",
]

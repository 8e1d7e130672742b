"""Classifiers that learn from rows without labels too, on any model and any columns.

A row without a label has the target −1, or a missing value. ``SelfTrainingClassifier`` labels rows that its model is
sure of, ``ClusterThenLabel`` the rows of a cluster, ``CoTrainingClassifier`` those that one of two views is sure of.
``unlabelled_gain`` tests on labelled rows whether that helps.
"""

from probus.borrowing import borrow
from probus.semi_supervised._cluster_then_label import ClusterThenLabel
from probus.semi_supervised._co_training import CoTrainingClassifier
from probus.semi_supervised._self_training import SelfTrainingClassifier
from probus.semi_supervised._unlabelled_gain import UnlabelledGain, UnlabelledRowsWarning, unlabelled_gain

__all__ = [
    "ClusterThenLabel",
    "CoTrainingClassifier",
    "SelfTrainingClassifier",
    "UnlabelledGain",
    "UnlabelledRowsWarning",
    "unlabelled_gain",
]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.semi_supervised": ("LabelPropagation", "LabelSpreading"),
})  # fmt: skip

"""Several classes by models of two: one against the rest, or each against each.

``binary_problems`` fits the members and reads their scores; ``one_vs_rest`` and ``one_vs_one`` combine them.
"""

from probus.borrowing import borrow
from probus.multiclass._one_vs_one import OneVsOneClassifier
from probus.multiclass._one_vs_rest import OneVsRestClassifier

__all__ = ["OneVsOneClassifier", "OneVsRestClassifier"]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.multiclass": ("OutputCodeClassifier",),
})  # fmt: skip

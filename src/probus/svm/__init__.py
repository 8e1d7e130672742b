"""Support vector machines: the margin between classes, and a tube around a curve, with or without kernels.

Each machine states a ``dual_problem``; ``decomposition`` solves it by ``smo`` on blocks whose ``kernel_rows`` are
computed by matrix products.
"""

from probus.borrowing import borrow
from probus.svm.svc import SVC

__all__ = ["SVC"]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.svm": ("LinearSVC", "LinearSVR", "NuSVC", "NuSVR", "OneClassSVM", "SVR", "l1_min_c"),
})  # fmt: skip

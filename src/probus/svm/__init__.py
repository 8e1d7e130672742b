"""Support vector machines: the margin between classes, and a tube around a curve, with or without kernels.

Each machine states a ``dual_problem``; ``decomposition`` solves it by ``smo`` on blocks whose ``kernel_rows`` are
computed by matrix products.
"""

from probus.borrowing import borrow
from probus.svm.one_class_svm import OneClassSVM
from probus.svm.svc import SVC, NuSVC
from probus.svm.svr import SVR, NuSVR

__all__ = ["SVC", "SVR", "NuSVC", "NuSVR", "OneClassSVM"]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.svm": ("LinearSVC", "LinearSVR", "l1_min_c"),
})  # fmt: skip

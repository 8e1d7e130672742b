"""Support vector machines: the margin between classes, and a tube around a curve, with or without kernels.

Each machine states a ``dual_problem``; ``decomposition`` solves it by ``smo`` on blocks whose ``kernel_rows`` are
computed by matrix products. Linear machines are solved by ``primal_newton`` for squared losses of few columns, else by
coordinate descent on the dual (``dual_descent``, ``multiclass_descent``) or, with absolute values, ``l1_descent``.
"""

from probus.borrowing import borrow
from probus.svm._kernel_functions import KernelColumns, KernelFunction
from probus.svm._linear_svc import LinearSVC
from probus.svm._linear_svr import LinearSVR
from probus.svm._margin_plot import plot_margin
from probus.svm._one_class_svm import OneClassSVM
from probus.svm._string_kernel import StringKernel
from probus.svm._svc import SVC, NuSVC
from probus.svm._svr import SVR, NuSVR

__all__ = [
    "SVC", "SVR", "LinearSVC", "LinearSVR", "NuSVC", "NuSVR", "OneClassSVM", "StringKernel", "plot_margin",
]  # fmt: skip

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.svm": ("l1_min_c",),
})  # fmt: skip

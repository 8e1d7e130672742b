"""Kernel ridge regression: least squares in the feature space of a kernel, exactly or from ``landmarks``."""

from probus.borrowing import listing
from probus.kernel_ridge._kernel_ridge_model import KernelRidge

__all__ = ["KernelRidge"]

__dir__ = listing(globals())

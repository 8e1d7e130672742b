"""Kernel ridge regression: least squares in the feature space of a kernel, exactly or from ``landmarks``."""

from probus.kernel_ridge.kernel_ridge_model import KernelRidge

__all__ = ["KernelRidge"]

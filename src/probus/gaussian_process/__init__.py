"""Gaussian processes: a distribution over functions, with predictions that know how uncertain they are.

The algebra and the ``kernels`` are scikit-learn's; here they take tables, give intervals (``process_regression``), and
can be saved, as ``kernel_text`` writes kernels as text.
"""

from probus.borrowing import listing
from probus.gaussian_process import kernels
from probus.gaussian_process._process_classification import GaussianProcessClassifier
from probus.gaussian_process._process_regression import GaussianProcessRegressor

__all__ = ["GaussianProcessClassifier", "GaussianProcessRegressor", "kernels"]

__dir__ = listing(globals())

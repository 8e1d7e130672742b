"""Densities as mixtures: groups whose rows have a probability.

``GaussianMixture`` is fitted by ``expectation``, which sums over blocks of rows what ``components`` need.
"""

from probus.borrowing import borrow
from probus.mixture._gaussian_mixture import GaussianMixture

__all__ = ["GaussianMixture"]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.mixture": ("BayesianGaussianMixture",),
})  # fmt: skip

"""Imputation of missing values: the imputers of ``probus.preprocessing``, and scikit-learn's.

``TypedImputer`` imputes each column by its kind, ``GowerImputer`` from the most similar rows, and ``ProximityImputer``
by the proximities of a forest. ``probus.tabular`` imputes what a model needs.
"""

from probus.borrowing import borrow
from probus.ensemble import ProximityImputer
from probus.preprocessing import GowerImputer, TypedImputer

__all__ = ["GowerImputer", "ProximityImputer", "TypedImputer"]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.impute": ("KNNImputer", "MissingIndicator", "SimpleImputer"),
    # experimental: scikit-learn's package offers it only after sklearn.experimental.enable_iterative_imputer
    "probus.sklearn_seam": ("IterativeImputer",),
})  # fmt: skip

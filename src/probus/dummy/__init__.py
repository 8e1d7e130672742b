"""Baselines: a constant prediction (Zero-R), and a rule on one column (One-R).

A model that is not better than Zero-R gains nothing from the features.
"""

from probus.borrowing import borrow
from probus.dummy._one_r import OneRClassifier
from probus.dummy._zero_r import ZeroRClassifier, ZeroRRegressor

__all__ = ["OneRClassifier", "ZeroRClassifier", "ZeroRRegressor"]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.dummy": ("DummyClassifier", "DummyRegressor"),
})  # fmt: skip

"""Baselines: what can be said without learning (Zero-R), and what one column alone can say (One-R).

A model that cannot beat Zero-R has learnt nothing; one that cannot beat One-R has learnt little.
"""

from probus.borrowing import borrow
from probus.dummy.one_r import OneRClassifier
from probus.dummy.zero_r import ZeroRClassifier, ZeroRRegressor

__all__ = ["OneRClassifier", "ZeroRClassifier", "ZeroRRegressor"]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.dummy": ("DummyClassifier", "DummyRegressor"),
})  # fmt: skip

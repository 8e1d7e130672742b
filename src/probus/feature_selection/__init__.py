"""Selection of columns: filters, wrappers and embedded methods, whole nominal columns at a time.

Filters score columns alone (``SelectKBest`` and others). All selectors are transformers of typed tables, for
``selector >> tabular(model)``.
"""

from probus.borrowing import borrow
from probus.feature_selection._column_scores import signal_to_noise
from probus.feature_selection._information import mutual_info_classif, mutual_info_regression
from probus.feature_selection._univariate import (
    GenericUnivariateSelect,
    SelectFdr,
    SelectFpr,
    SelectFwe,
    SelectKBest,
    SelectPercentile,
)

__all__ = [
    "GenericUnivariateSelect",
    "SelectFdr",
    "SelectFpr",
    "SelectFwe",
    "SelectKBest",
    "SelectPercentile",
    "mutual_info_classif",
    "mutual_info_regression",
    "signal_to_noise",
]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.feature_selection": (
        "chi2", "f_classif", "f_oneway", "f_regression", "r_regression", "RFE", "RFECV", "SelectFromModel",
        "SelectorMixin", "SequentialFeatureSelector", "VarianceThreshold",
    ),
})  # fmt: skip

"""Selection of columns: filters, wrappers and embedded methods, whole nominal columns at a time.

Filters score columns alone (``SelectKBest`` and others), or subsets (``CorrelationSubset``, ``MinimumRedundancy``).
Wrappers fit a model on subsets (``ForwardSelection``, …, ``RecursiveElimination``); ``nested_selection`` gives honest
scores. ``L1Selection`` and ``ImportanceSelection`` read a fitted model. ``StabilitySelection`` and ``Knockoffs`` bound
how many columns are kept wrongly. All are transformers of typed tables, for ``selector >> tabular(model)``.
"""

from probus.borrowing import borrow
from probus.feature_selection._column_scores import signal_to_noise
from probus.feature_selection._error_bounds import stability_bound
from probus.feature_selection._importance_selection import ImportanceSelection
from probus.feature_selection._information import mutual_info_classif, mutual_info_regression
from probus.feature_selection._knockoffs import Knockoffs
from probus.feature_selection._nested_selection import nested_selection
from probus.feature_selection._path_entry import L1Selection
from probus.feature_selection._recursive_elimination import RecursiveElimination
from probus.feature_selection._redundancy import CorrelationSubset, MinimumRedundancy
from probus.feature_selection._search_bound import subset_search_bound
from probus.feature_selection._selection_path import SelectionPath
from probus.feature_selection._stability_selection import StabilitySelection, StabilityTable
from probus.feature_selection._univariate import (
    GenericUnivariateSelect,
    SelectFdr,
    SelectFpr,
    SelectFwe,
    SelectKBest,
    SelectPercentile,
)
from probus.feature_selection._wrappers import (
    BackwardSelection,
    ExhaustiveSelection,
    FloatingSelection,
    ForwardSelection,
)

__all__ = [
    "BackwardSelection",
    "CorrelationSubset",
    "ExhaustiveSelection",
    "FloatingSelection",
    "ForwardSelection",
    "GenericUnivariateSelect",
    "ImportanceSelection",
    "Knockoffs",
    "L1Selection",
    "MinimumRedundancy",
    "RecursiveElimination",
    "SelectFdr",
    "SelectFpr",
    "SelectFwe",
    "SelectKBest",
    "SelectPercentile",
    "SelectionPath",
    "StabilitySelection",
    "StabilityTable",
    "mutual_info_classif",
    "mutual_info_regression",
    "nested_selection",
    "signal_to_noise",
    "stability_bound",
    "subset_search_bound",
]

__getattr__, __dir__ = borrow(globals(), {
    "sklearn.feature_selection": (
        "chi2", "f_classif", "f_oneway", "f_regression", "r_regression", "RFE", "RFECV", "SelectFromModel",
        "SelectorMixin", "SequentialFeatureSelector", "VarianceThreshold",
    ),
})  # fmt: skip

"""The parameters that all forests share."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from probus.tree.tree_settings import COMMON as OF_TREES

__all__ = ["COMMON", "OF_EACH_TREE"]

# what a forest hands to its trees as it is
OF_EACH_TREE = (
    "criterion", "max_depth", "min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "max_features",
    "max_leaf_nodes", "min_impurity_decrease", "ccp_alpha", "monotonic_cst", "max_bins", "missing",
)  # fmt: skip

COMMON: dict[str, list[Any]] = {
    **{name: allowed for name, allowed in OF_TREES.items() if name in (*OF_EACH_TREE, "random_state", "n_jobs")},
    "categorical_features": OF_TREES["categorical_features"],
    "missing": [StrOptions({"learn", "error"})],
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "bootstrap": ["boolean"],
    "oob_score": ["boolean", callable],
    "verbose": ["verbose"],
    "warm_start": ["boolean"],
    "max_samples": [
        None,
        Interval(RealNotInt, 0.0, None, closed="neither"),
        Interval(Integral, 1, None, closed="left"),
    ],
}

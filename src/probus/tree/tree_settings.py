"""The parameters of decision trees: what is allowed, and their values for given data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval, RealNotInt, StrOptions

from probus.errors import DataError
from probus.tree.criteria import CRITERIA
from probus.tree.row_target import Target

__all__ = ["COMMON", "TreeSettings", "must_be_constrainable", "n_features_to_try", "settings_of"]


@dataclass(frozen=True)
class TreeSettings:
    """How a tree is grown; every number is resolved: no fractions, no names, no None."""

    criterion: str
    splitter: str
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_weight_leaf: float
    min_impurity_decrease: float
    max_leaf_nodes: int | None
    max_features: int
    monotone: np.ndarray | None
    max_bins: int | None
    surrogates: int | None
    seed: int
    shuffled: bool = False  # whether chance decides between equally good features, and not their order


COMMON: dict[str, list[Any]] = {
    "splitter": [StrOptions({"best", "random"})],
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_split": [Interval(Integral, 2, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="right")],
    "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), Interval(RealNotInt, 0.0, 1.0, closed="neither")],
    "min_weight_fraction_leaf": [Interval(Real, 0.0, 0.5, closed="both")],
    "max_features": [
        Interval(Integral, 1, None, closed="left"),
        Interval(RealNotInt, 0.0, 1.0, closed="right"),
        StrOptions({"sqrt", "log2"}),
        None,
    ],
    "random_state": ["random_state"],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "min_impurity_decrease": [Interval(Real, 0.0, None, closed="left")],
    "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
    "monotonic_cst": ["array-like", None],
    "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
    "missing": [StrOptions({"learn", "surrogate", "error"})],
    "max_surrogates": [Interval(Integral, 0, None, closed="left")],
    "max_bins": [Interval(Integral, 2, 65_535, closed="both"), None],
    "prune": [StrOptions({"reduced_error", "pessimistic"}), None],
    "validation_fraction": [Interval(RealNotInt, 0.0, 1.0, closed="neither")],
    "confidence": [Interval(Real, 0.0, 0.5, closed="right")],
    "n_jobs": [Integral, None],
}


def settings_of(model: Any, n_rows: int, n_features: int, n_levels: np.ndarray, weight: np.ndarray) -> TreeSettings:
    """The parameters of a decision tree for so many rows and columns."""
    _must_go_together(model)
    leaf, split = model.min_samples_leaf, model.min_samples_split
    min_leaf = leaf if isinstance(leaf, Integral) else math.ceil(leaf * n_rows)
    min_split = split if isinstance(split, Integral) else max(2, math.ceil(split * n_rows))
    return TreeSettings(
        criterion=model.criterion,
        splitter=model.splitter,
        max_depth=2**31 if model.max_depth is None else int(model.max_depth),
        min_samples_split=max(int(min_split), 2 * int(min_leaf)),
        min_samples_leaf=int(min_leaf),
        min_weight_leaf=model.min_weight_fraction_leaf * float(weight.sum()),
        min_impurity_decrease=float(model.min_impurity_decrease),
        max_leaf_nodes=None if model.max_leaf_nodes is None else int(model.max_leaf_nodes),
        max_features=n_features_to_try(model.max_features, n_features),
        monotone=_monotone(model.monotonic_cst, n_features, n_levels),
        max_bins=model.max_bins,
        surrogates=int(model.max_surrogates) if model.missing == "surrogate" else None,
        seed=_seed(model.random_state),
    )


def _seed(random_state: Any) -> int:
    """The number itself, as forests pass it to their trees, or one that is drawn."""
    if isinstance(random_state, Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def _must_go_together(model: Any) -> None:
    random = model.splitter == "random"
    clashes = {
        f"criterion={model.criterion!r} with splitter='random'": random and CRITERIA[model.criterion].ratio,
        "missing='surrogate' with splitter='random'": random and model.missing == "surrogate",
    }
    for clash, there in clashes.items():
        if there:
            raise DataError(f"{clash}.", "one or the other")


def must_be_constrainable(monotonic_cst: Any, target: Target) -> None:
    """Raise where monotonic constraints are not defined."""
    constrained = monotonic_cst is not None and np.any(monotonic_cst)
    if constrained and target.n_outputs > 1:
        raise DataError(
            "Monotonicity constraints are not supported with multiple outputs.",
            "one output, or monotonic_cst=None",
            "Fit a model for each output.",
        )
    if constrained and target.n_classes > 2:
        raise DataError(
            "Monotonicity constraints are not supported with multiclass classification.",
            "two classes, or monotonic_cst=None",
        )


def n_features_to_try(max_features: Any, n_features: int) -> int:
    """The number of features that a node tries.

    >>> n_features_to_try("sqrt", 10), n_features_to_try(0.5, 10), n_features_to_try(None, 10)
    (3, 5, 10)
    """
    if max_features is None:
        return n_features
    if max_features == "sqrt":
        return max(1, int(math.sqrt(n_features)))
    if max_features == "log2":
        return max(1, int(math.log2(n_features)))
    if isinstance(max_features, Integral):
        return min(int(max_features), n_features)
    return max(1, int(max_features * n_features))


def _monotone(constraints: Any, n_features: int, n_levels: np.ndarray) -> np.ndarray | None:
    if constraints is None:
        return None
    signs = np.atleast_1d(constraints)
    if signs.shape != (n_features,):
        raise DataError(
            f"monotonic_cst has shape {len(signs)} but the input data X has {n_features} features.",
            "one of -1, 0, 1 for each column",
        )
    if not np.isin(signs, (-1, 0, 1)).all():
        raise DataError(f"monotonic_cst must be None or an array-like of -1, 0 or 1, but got {constraints}.")
    if (signs[n_levels > 0] != 0).any():
        raise DataError("monotonic_cst constrains a nominal column.", "0 for columns without an order")
    return signs.astype(np.int64) if signs.any() else None

"""The parameters of decision trees: what is allowed, and their values for given data."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from probus.allowed_values import ArrayValue, IntegerIn, NoneAllowed, OldNames, OneOf, RealIn
from probus.base import Model
from probus.errors import DataError
from probus.parameters import N_JOBS, RANDOM_STATE, parameter
from probus.tree._criteria import CRITERIA, current_name, names_of
from probus.tree.preparation._row_target import Target


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


THREADS = N_JOBS.but(
    doc="The number of threads. None is as many as the amount of work needs, and -1 one for each processor. The result "
    "does not depend on it."
)
CATEGORICAL_FEATURES = parameter(
    "The columns of an array that hold levels: indices, a mask or names; None if no column does. "
    'Tables and frames declare the kinds of their columns, which is what "from_dtype" uses.',
    default="from_dtype",
    of=[ArrayValue(), OneOf("from_dtype"), NoneAllowed()],
)
MISSING = parameter(
    'How missing values are handled. "learn": each split sends them to the side where they fit better. "surrogate": '
    "splits are found without them, and other features with similar splits send them (Breiman et al. 1984, section "
    '5.3). "error": they are an error.',
    default="learn",
    one_of=("learn", "surrogate", "error"),
)
IMPURITY = parameter(
    'The impurity that a split has to reduce most: "gini", which is also "brier"; "entropy", which is also "log_loss"; '
    '"misclassification"; or "dkm", 2 √(p (1 - p)) for two classes, which is less sensitive to rare classes '
    '(Dietterich, Kearns and Mansour 1996). "gain_ratio" is the largest ratio of gain and split information among '
    "the features of at least average gain. Of features with equal gain the first is used.",
    default="gini",
    one_of=names_of(classes=True),
)


MAX_FEATURES = parameter(
    "The number of features that a node tries, drawn at random. A float is a share of the features, and "
    '"sqrt", "log2" and "log2+1" (Breiman 2001) are functions of their number; None tries all.',
    default=None,
    of=[
        IntegerIn(at_least=1),
        RealIn(above=0, at_most=1, besides_int=True),
        OneOf("sqrt", "log2", "log2+1"),
        NoneAllowed(),
    ],
)
LOSS_OF_SPLITS = parameter(
    'The loss that a split has to reduce most. Leaves predict means with "squared_error" and "poisson", which is '
    'for counts and other numbers that are not negative, and medians with "absolute_error".',
    default="squared_error",
    of=[OneOf(*names_of(classes=False)), OldNames("friedman_mse")],
)


class GrowsTrees(Model):
    """Parent of models of trees: the parameters that limit how a tree grows."""

    criterion: str = LOSS_OF_SPLITS
    max_depth: int | None = parameter(
        "The maximum number of splits from the root to a leaf. None sets no limit; smaller trees overfit less.",
        default=None,
        at_least=1,
    )
    min_samples_split: float = parameter(
        "The minimum number of rows of a node that is split; a float is a share of the rows.",
        default=2,
        of=[IntegerIn(at_least=2), RealIn(above=0, at_most=1, besides_int=True)],
    )
    min_samples_leaf: float = parameter(
        "The minimum number of rows on each side of a split; a float is a share of the rows. Larger values give "
        "smoother predictions.",
        default=1,
        of=[IntegerIn(at_least=1), RealIn(above=0, below=1, besides_int=True)],
    )
    min_weight_fraction_leaf: float = parameter(
        "The minimum weight on each side of a split, as a share of the weight of all rows.",
        default=0.0,
        at_least=0,
        at_most=0.5,
    )
    max_features: Any = MAX_FEATURES
    random_state: Any = RANDOM_STATE
    max_leaf_nodes: int | None = parameter(
        "The maximum number of leaves. With a number, the node whose split gains most is split first; None sets no "
        "limit.",
        default=None,
        at_least=2,
    )
    min_impurity_decrease: float = parameter(
        "The minimum decrease of impurity by a split, weighted by the share of the rows that are in the node.",
        default=0.0,
        at_least=0,
    )
    ccp_alpha: float = parameter(
        "The cost of a leaf in cost-complexity pruning: splits that reduce the impurity by less are removed. 0 does "
        "not prune; ``cost_complexity_pruning_path`` of a tree shows which values matter.",
        default=0.0,
        at_least=0,
    )
    monotonic_cst: Any = parameter(
        "1, -1 or 0 for each column: the prediction only increases, or only decreases, with it, or is free. None "
        "leaves all columns free.",
        default=None,
        of=[ArrayValue(), NoneAllowed()],
    )
    categorical_features: Any = CATEGORICAL_FEATURES
    max_bins: int | None = parameter(
        "The maximum number of bins of a numeric column, of about equally many rows. None finds exact splits, which is "
        "slower for many rows.",
        default=None,
        at_least=2,
        at_most=65_535,
    )
    n_jobs: int | None = THREADS


def settings_of(model: Any, n_rows: int, n_features: int, n_levels: np.ndarray, weight: np.ndarray) -> TreeSettings:
    """The parameters of a decision tree for so many rows and columns."""
    criterion = "a function" if callable(model.criterion) else current_name(model.criterion)
    _must_go_together(model, criterion)
    leaf, split = model.min_samples_leaf, model.min_samples_split
    min_leaf = leaf if isinstance(leaf, Integral) else math.ceil(leaf * n_rows)
    min_split = split if isinstance(split, Integral) else max(2, math.ceil(split * n_rows))
    return TreeSettings(
        criterion=criterion,
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


def _must_go_together(model: Any, criterion: str) -> None:
    random = model.splitter == "random"
    clashes = {
        f"criterion={criterion!r} with splitter='random'": random
        and criterion in CRITERIA
        and CRITERIA[criterion].ratio,
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

    >>> [n_features_to_try(rule, 10) for rule in ("sqrt", "log2", "log2+1", 0.5, None)]
    [3, 3, 4, 5, 10]
    """
    if max_features is None:
        return n_features
    if max_features == "sqrt":
        return max(1, int(math.sqrt(n_features)))
    if max_features == "log2":
        return max(1, int(math.log2(n_features)))
    if max_features == "log2+1":
        return min(int(math.log2(n_features) + 1), n_features)
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

"""The settings of a fit: every parameter as a number for the given data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from probus.losses import Loss

DEEPEST = 512  # the maximum depth if nothing else limits it


class SplitSettings(NamedTuple):
    """The settings of splits, for kernels; ``careful`` is 1 where leaf values have bounds or an L1 penalty."""

    l2: float
    l1: float
    min_gain: float
    min_leaf: float
    min_hessian: float
    level_l2: float
    level_rows: float
    careful: float
    max_features: float
    max_depth: float
    min_split: float


@dataclass(frozen=True, eq=False)
class BoostingPlan:
    """How trees are grown and added.

    loss : the loss to minimise
    rate : the learning rate
    max_leaves : None grows depth first to ``max_depth``; a number grows best first
    l2, l1, min_gain : the penalties on leaf values squared, on their absolute values, and on the number of leaves (γ)
    subsample : the share of rows drawn for each tree
    columns_per_tree, columns_per_level, columns_per_node : the share of columns drawn for each
    ccp_alpha : the penalty per leaf and row of minimal cost-complexity pruning
    second_order : whether split gains use hessians; otherwise splits minimise the squared error of pseudo-residuals,
        and ``min_hessian`` is the minimum weight in a leaf
    leaf_factor : a factor of the Newton steps of leaves
    line_search : whether leaf values minimise the loss itself instead of its second-order approximation
    shared : whether the trees of a round have the same splits for all outputs of the loss
    symmetric : whether all nodes of a depth have the same split; they are ``max_depth`` deep, have no constraints, and
        ``min_hessian`` is for those without an L2 penalty
    score_noise : the noise in the scores of symmetric splits, see ``symmetric``
    monotone : 1, −1 or 0 for each column
    circles : uint8[c, d], sets of columns that may be on one path; None: all columns may
    """

    loss: Loss
    n_columns: int
    rate: float = 0.1
    max_leaves: int | None = 31
    max_depth: int | None = None
    min_samples_leaf: int = 20
    min_samples_split: int = 2
    min_hessian: float = 1e-3
    l2: float = 0.0
    l1: float = 0.0
    min_gain: float = 0.0
    ccp_alpha: float = 0.0
    level_l2: float = 10.0
    level_rows: float = 10.0
    subsample: float = 1.0
    columns_per_tree: float = 1.0
    columns_per_level: float = 1.0
    columns_per_node: float = 1.0
    second_order: bool = True
    leaf_factor: float = 1.0
    line_search: bool = False
    shared: bool = False
    symmetric: bool = False
    score_noise: float = 0.0
    monotone: np.ndarray | None = None
    interactions: np.ndarray | None = None
    seed: int = 0

    @property
    def step_factor(self) -> float:
        """The factor of the steps of leaves."""
        return self.rate * self.leaf_factor

    @property
    def rules(self) -> SplitSettings:
        """The settings of splits."""
        return SplitSettings(
            l2=float(self.l2),
            l1=float(self.l1),
            min_gain=float(self.min_gain),
            min_leaf=float(max(1, self.min_samples_leaf)),
            min_hessian=float(self.min_hessian),
            level_l2=float(self.level_l2),
            level_rows=float(self.level_rows),
            careful=float(self.l1 > 0.0 or self.monotone is not None),
            max_features=float(max(1, round(self.columns_per_node * self.n_columns))),
            max_depth=float(DEEPEST if self.max_depth is None else min(self.max_depth, DEEPEST)),
            min_split=float(max(self.min_samples_split, 2 * self.min_samples_leaf)),
        )

"""How a tree is grown: every number resolved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

__all__ = ["Growth"]


@dataclass(frozen=True)
class Growth:
    """How a tree is grown: numbers, not fractions or names; None where there is no limit or no such rule."""

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

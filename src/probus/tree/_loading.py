"""The one check of trees that come from a file; kernels do not check bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from probus.data import Schema
from probus.errors import ModelFileError
from probus.tree._surrogates import Surrogates

if TYPE_CHECKING:
    from probus.tree._trees import Trees


def check_trees(trees: Trees) -> None:
    """Raise a ModelFileError unless every path ends and every index is inside its array.

    The arrays already have their declared dtypes, shapes and ranges.
    """
    _check_nodes(trees)
    inner = np.flatnonzero(~trees.is_leaf)
    half = (trees.feature[inner] < 0).any() or (trees.feature[trees.is_leaf] >= 0).any()
    if half or (trees.children_right[trees.is_leaf] >= 0).any():
        raise ModelFileError("a tree with half a split.", "two children and a feature")
    if not trees.n_values or trees.n_classes.max() > trees.max_n_classes:
        raise ModelFileError(f"trees with values of shape {trees.value.shape}.", "a value for each class")
    _check_splits(trees, trees.feature[inner], trees.subset[inner])
    if trees.surrogates is not None:
        _check_surrogates(trees, trees.surrogates)


def check_columns(trees: Trees, n_features: int, schema: Schema | None) -> None:
    """Raise a ModelFileError unless trees have the columns of a model and at most their levels.

    Sets of levels are as long as the number of levels, of columns without splits too.
    """
    if trees.n_features != n_features or (schema is not None and len(schema) != n_features):
        raise ModelFileError(f"trees of {trees.n_features} features.", f"{n_features}")
    levels = np.zeros(n_features, np.int64) if schema is None else np.array([len(field.levels) for field in schema])
    beyond = np.flatnonzero(trees.n_levels > levels)
    if len(beyond):
        j = int(beyond[0])
        raise ModelFileError(f"trees with {trees.n_levels[j]} levels of feature {j}.", f"at most {levels[j]}")


def _check_nodes(trees: Trees) -> None:
    """Each node is in one tree, and is its root or has one parent, before it and in the same tree."""
    start, n_nodes = trees.start, len(trees.feature)
    if len(start) < 2 or start[0] != 0 or start[-1] != n_nodes or (np.diff(start) < 1).any():
        raise ModelFileError("trees that do not share out their nodes.", "each node in one tree")
    parents = np.tile(np.flatnonzero(~trees.is_leaf), 2)
    children = np.concatenate([side[~trees.is_leaf] for side in (trees.children_left, trees.children_right)])
    once = np.sort(np.concatenate([children, start[:-1]]))
    if (
        len(once) != n_nodes
        or (once != np.arange(n_nodes)).any()
        or (children <= parents).any()
        or (trees.tree_of[children] != trees.tree_of[parents]).any()
    ):
        raise ModelFileError("trees whose nodes are not connected.", "each node below one parent, after it")


def _check_splits(trees: Trees, feature: np.ndarray, subset: np.ndarray) -> None:
    n_levels = trees.n_levels[feature]
    nominal = n_levels > 0
    end = subset.astype(np.int64) + 2 * ((n_levels + 31) // 32)
    if (nominal != (subset >= 0)).any() or (end[nominal] > len(trees.subsets)).any():
        raise ModelFileError("trees whose nominal splits lack their levels.", "a set of levels for each")


def _check_surrogates(trees: Trees, surrogates: Surrogates) -> None:
    start, n = surrogates.start, len(surrogates.feature)
    if (
        len(start) != len(trees.feature) + 1
        or (start[0], start[-1]) != (0, n)
        or (np.diff(start) < 0).any()
        or surrogates.feature.max(initial=-1) >= trees.n_features
    ):
        raise ModelFileError("trees with surrogates that belong to no node.", "each at one node")
    _check_splits(trees, surrogates.feature, surrogates.subset)

"""A fitted multiway tree as flat arrays, for prediction, importances, text and files."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from scipy.special import xlogy

from probus.errors import ModelFileError
from probus.state import Array, Object, Part, Spec
from probus.tree.multiway._coding import ColumnCoding

LEAF = -1  # the first child of a leaf
NO_FEATURE = -2
NO_ROUTE = -1
STAYS = -1  # a level that does not occur in training at the node: the row ends there
SPREAD = -2  # a missing value: the row goes to all children, in proportion to their weights


@dataclass(frozen=True, eq=False)
class MultiwayTree(Part):
    """Nodes in flat arrays, by depth from the root, the children of a node consecutive.

    The children of node t are ``first_child[t]`` and the ``n_children[t] - 1`` after it. A number goes to the first
    child if it is at most ``threshold``, to the second otherwise. A code goes to the child given by ``routes``, from
    ``route[t]`` on: one entry for each code of the column and one for missing; STAYS and SPREAD are no single child.
    ``counts`` are weights of training rows by class, ``value`` the predicted probabilities, ``score`` the criterion of
    the split: a gain, a gain ratio or an adjusted p-value.

    Attributes
    ----------
    first_child, n_children : the number of the first child, and how many there are.
    feature, threshold : the column of the split, and the threshold of numbers.
    route, routes : where in ``routes`` the children of each code begin.
    score : the criterion of the split: a gain, a gain ratio or an adjusted p-value.
    counts, value : the weights of training rows by class, and the predicted probabilities.
    coding : how columns are coded.
    """

    first_child: np.ndarray
    n_children: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    route: np.ndarray
    routes: np.ndarray
    score: np.ndarray
    counts: np.ndarray
    value: np.ndarray
    coding: ColumnCoding

    declared: ClassVar[dict[str, Spec]] = {
        "first_child": Array("i8", "m", LEAF, "m"),
        "n_children": Array("i8", "m", 0, "m"),
        "feature": Array("i8", "m", NO_FEATURE),
        "threshold": Array("f8", "m"),
        "route": Array("i8", "m", NO_ROUTE),
        "routes": Array("i4", "*", SPREAD),
        "score": Array("f8", "m"),
        "counts": Array("f8", "m K"),
        "value": Array("f8", "m K"),
        "coding": Object(ColumnCoding),
    }

    # -- shape -----------------------------------------------------------------------------------------

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return len(self.feature)

    @property
    def n_features(self) -> int:
        """The number of columns."""
        return self.coding.n_features

    @property
    def is_leaf(self) -> np.ndarray:
        """For each node whether it is a leaf."""
        return self.first_child == LEAF

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return int(self.is_leaf.sum())

    @cached_property
    def weight(self) -> np.ndarray:
        """The weight of the training rows of each node."""
        return self.counts.sum(axis=1)

    @cached_property
    def parents(self) -> np.ndarray:
        """The parent of each node; -1 for the root."""
        return np.concatenate([[-1], np.repeat(np.arange(self.node_count), self.n_children)])

    @cached_property
    def depths(self) -> np.ndarray:
        """The depth of each node."""
        depths = np.zeros(self.node_count, np.int64)
        for node in range(1, self.node_count):  # parents come first
            depths[node] = depths[self.parents[node]] + 1
        return depths

    @property
    def max_depth(self) -> int:
        """The depth of the tree."""
        return int(self.depths.max())

    def children_of(self, node: int) -> range:
        """The children of a node."""
        first = int(self.first_child[node])
        return range(first, first + int(self.n_children[node]))

    def routes_of(self, node: int) -> np.ndarray:
        """The child of each code of the column at a node that splits on codes, missing last."""
        start = int(self.route[node])
        return self.routes[start : start + int(self.coding.n_codes[self.feature[node]]) + 1]

    @cached_property
    def share(self) -> np.ndarray:
        """The share of its parent's weight of each node; 1 for the root."""
        among = np.bincount(self.parents[1:], self.weight[1:], self.node_count)
        with np.errstate(all="ignore"):
            return np.concatenate([[1.0], self.weight[1:] / among[self.parents[1:]]])

    @cached_property
    def heaviest_child(self) -> np.ndarray:
        """The child with the largest weight, the first in case of ties; LEAF for leaves."""
        heaviest = np.full(self.node_count, LEAF, np.int64)
        for node in np.flatnonzero(~self.is_leaf):
            children = self.children_of(int(node))
            heaviest[node] = children.start + int(self.weight[children.start : children.stop].argmax())
        return heaviest

    def feature_importances(self) -> np.ndarray:
        """The information gain of the splits on each column, normalised to sum to 1."""
        bits = (xlogy(self.weight, self.weight) - xlogy(self.counts, self.counts).sum(axis=1)) / np.log(2)
        below = np.bincount(self.parents[1:], bits[1:], self.node_count)
        inner = np.flatnonzero(~self.is_leaf)
        importance = np.bincount(self.feature[inner], np.maximum(bits - below, 0.0)[inner], self.n_features)
        return importance / importance.sum() if importance.sum() > 0 else importance

    # -- loading ---------------------------------------------------------------------------------------

    def check(self) -> None:
        """Raise unless every path ends and every index lies inside its array."""
        inner = np.flatnonzero(self.n_children)
        first = 1 + np.cumsum(self.n_children) - self.n_children
        strayed = (self.first_child != np.where(self.n_children > 0, first, LEAF)).any()
        if strayed or self.n_children.sum() != self.node_count - 1 or (self.first_child[inner] <= inner).any():
            raise ModelFileError("a tree whose nodes are not connected.", "consecutive children of each node")
        feature = self.feature[inner]
        if (feature < 0).any() or (feature >= self.n_features).any():
            raise ModelFileError("a tree that splits on an unknown column.", f"0 to {self.n_features - 1}")
        self._check_splits(inner, self.coding.n_codes[feature])

    def _check_splits(self, inner: np.ndarray, n_codes: np.ndarray) -> None:
        by_code = n_codes > 0
        fits = np.where(
            by_code, self.route[inner] >= 0, (self.route[inner] == NO_ROUTE) & (self.n_children[inner] == 2)
        )
        # subtracted, not added: a sum of manipulated values could overflow
        if not fits.all() or (self.route[inner][by_code] > len(self.routes) - 1 - n_codes[by_code]).any():
            raise ModelFileError("a tree with missing routes.", "a child for each code of the column")
        if any((self.routes_of(int(node)) >= self.n_children[node]).any() for node in inner[by_code]):
            raise ModelFileError("a tree with routes to unknown children.", "a child of the node")

"""A grown tree as flat arrays: what prediction, pruning, importance, export and saving share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from probus.errors import ModelFileError
from probus.state import Array, Maybe, Object, Part, Spec

if TYPE_CHECKING:
    from probus.tree.predict import Trail

__all__ = ["LEAF", "NO_SUBSET", "Surrogates", "Tree", "subset_words"]

LEAF = -1  # what stands for the children of a leaf, as in scikit-learn; its feature and threshold are -2
NO_FEATURE = -2
NO_SUBSET = -1


def subset_words(n_levels: Any) -> Any:
    """How many 32-bit words hold one bit for each level of a column."""
    return (n_levels + 31) // 32


@dataclass(frozen=True, eq=False)
class Surrogates(Part):
    """The second-best questions of every node, for rows that lack the answer to the first.

    Those of node t are ``start[t]`` up to ``start[t + 1]``, best first. ``flipped`` sends rows at or below the
    threshold to the right. ``agreement`` is the share of rows sent as the primary split sends them, ``adjusted`` the
    share gained over sending all to the larger child.
    """

    start: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    flipped: np.ndarray
    subset: np.ndarray
    agreement: np.ndarray
    adjusted: np.ndarray

    declared: ClassVar[dict[str, Spec]] = {
        "start": Array("i8", "*", 0),
        "feature": Array("i8", "s", 0),
        "threshold": Array("f8", "s"),
        "flipped": Array("u1", "s", 0, 2),
        "subset": Array("i8", "s", NO_SUBSET),
        "agreement": Array("f8", "s"),
        "adjusted": Array("f8", "s"),
    }

    @classmethod
    def none(cls, n_nodes: int) -> Surrogates:
        """No surrogates at any node."""
        ints, floats = np.zeros(0, np.int64), np.zeros(0)
        return cls(np.zeros(n_nodes + 1, np.int64), ints, floats, np.zeros(0, np.uint8), ints, floats, floats)

    def of(self, node: int) -> range:
        """The positions of a node's surrogates."""
        return range(int(self.start[node]), int(self.start[node + 1]))


@dataclass(frozen=True, eq=False)
class Tree(Part):
    """Nodes in flat arrays, parents before children, the root first; the names are scikit-learn's.

    A row goes left if its value is at most ``threshold``. At a nominal split ``subset`` is where in ``subsets`` two
    runs of words begin, one bit for each level of the column: the levels that go left, then the levels this node
    knows. A missing value, or a level the node does not know, asks the surrogates in turn; where none can tell, the
    row goes as ``missing_go_to_left`` says. ``missing_seen`` tells whether such a row was there in training.
    ``value`` holds shares of classes, or the predicted number.
    """

    children_left: np.ndarray
    children_right: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    missing_go_to_left: np.ndarray
    subset: np.ndarray
    subsets: np.ndarray
    impurity: np.ndarray
    n_node_samples: np.ndarray
    weighted_n_node_samples: np.ndarray
    value: np.ndarray
    n_levels: np.ndarray
    surrogates: Surrogates | None = None
    missing_seen: np.ndarray | None = None

    declared: ClassVar[dict[str, Spec]] = {
        "children_left": Array("i8", "m", LEAF, "m"),
        "children_right": Array("i8", "m", LEAF, "m"),
        "feature": Array("i8", "m", NO_FEATURE, "d"),
        "threshold": Array("f8", "m"),
        "missing_go_to_left": Array("u1", "m", 0, 2),
        "subset": Array("i8", "m", NO_SUBSET),
        "subsets": Array("u4", "*"),
        "impurity": Array("f8", "m"),
        "n_node_samples": Array("i8", "m"),
        "weighted_n_node_samples": Array("f8", "m"),
        "value": Array("f8", "m q K"),
        "n_levels": Array("i8", "d", 0),
        "surrogates": Maybe(Object(Surrogates)),
        "missing_seen": Maybe(Array("u1", "m", 0, 2)),
    }

    # -- shape -----------------------------------------------------------------------------------------

    @property
    def node_count(self) -> int:
        """How many nodes there are."""
        return len(self.feature)

    @property
    def capacity(self) -> int:
        """As ``node_count``."""
        return self.node_count

    @property
    def is_leaf(self) -> np.ndarray:
        """For each node whether it is a leaf."""
        return self.children_left == LEAF

    @property
    def n_leaves(self) -> int:
        """How many leaves there are."""
        return int(self.is_leaf.sum())

    @property
    def n_features(self) -> int:
        """How many columns the tree was grown on."""
        return len(self.n_levels)

    @property
    def n_outputs(self) -> int:
        """How many outputs the tree predicts."""
        return self.value.shape[1]

    @property
    def n_classes(self) -> np.ndarray:
        """How many classes each output has, the most of any; 1 for numbers."""
        return np.full(self.n_outputs, self.value.shape[2])

    @property
    def max_n_classes(self) -> int:
        """The largest of ``n_classes``."""
        return self.value.shape[2]

    @property
    def max_depth(self) -> int:
        """How many questions the longest path asks."""
        return int(self.depths.max())

    @cached_property
    def depths(self) -> np.ndarray:
        """How many questions lie before each node."""
        depths, level = np.zeros(self.node_count, np.int64), np.zeros(1, np.int64)
        while len(level):
            inner = level[self.children_left[level] != LEAF]
            level = np.concatenate([self.children_left[inner], self.children_right[inner]])
            depths[level] = depths[inner[0]] + 1 if len(inner) else 0
        return depths

    @cached_property
    def parents(self) -> np.ndarray:
        """The parent of each node; -1 for the root."""
        parents = np.full(self.node_count, -1, np.int64)
        inner = np.flatnonzero(~self.is_leaf)
        parents[self.children_left[inner]] = inner
        parents[self.children_right[inner]] = inner
        return parents

    @cached_property
    def trail(self) -> Trail:
        """The questions as a walk reads them."""
        from probus.tree.predict import trail_of

        return trail_of(self)

    def __getstate__(self) -> dict[str, Any]:
        return self.parts()  # what is cached is left out

    def compute_node_depths(self) -> np.ndarray:
        """Depths counted from one, as scikit-learn's trees do."""
        return self.depths + 1

    def levels_of(self, node: int) -> tuple[np.ndarray, np.ndarray]:
        """At a nominal split the codes of the levels that go left, and of those that go right."""
        return self._levels(int(self.subset[node]), int(self.feature[node]))

    def surrogate_levels_of(self, surrogate: int) -> tuple[np.ndarray, np.ndarray]:
        """As ``levels_of``, for a surrogate by its position."""
        assert self.surrogates is not None
        return self._levels(int(self.surrogates.subset[surrogate]), int(self.surrogates.feature[surrogate]))

    def _levels(self, subset: int, feature: int) -> tuple[np.ndarray, np.ndarray]:
        words, n_levels = subset_words(int(self.n_levels[feature])), int(self.n_levels[feature])
        bits = [
            np.unpackbits(self.subsets[start : start + words].view(np.uint8), bitorder="little")[:n_levels].astype(bool)
            for start in (subset, subset + words)
        ]
        return np.flatnonzero(bits[0]), np.flatnonzero(bits[1] & ~bits[0])

    # -- use -------------------------------------------------------------------------------------------

    def apply(self, X: np.ndarray) -> np.ndarray:
        """The leaf each row of a matrix comes to; nominal columns hold the codes of their levels."""
        from probus.tree.predict import leaves_of

        return leaves_of(self, X)

    def predict(self, X: np.ndarray) -> np.ndarray:
        """The values of the leaves of the rows: [n, K], or [n, q, K] for several outputs."""
        value = self.value[self.apply(X)]
        return value[:, 0] if self.n_outputs == 1 else value

    def decision_path(self, X: np.ndarray) -> Any:
        """A sparse matrix of rows × nodes that marks the nodes each row passes."""
        from probus.tree.predict import paths_of

        return paths_of(self, X)

    def compute_feature_importances(self, normalize: bool = True) -> np.ndarray:
        """How much the splits on each column lower the impurity, as shares of the whole."""
        inner = np.flatnonzero(~self.is_leaf)
        risk = self.impurity * self.weighted_n_node_samples
        drop = risk[inner] - risk[self.children_left[inner]] - risk[self.children_right[inner]]
        importance = np.bincount(self.feature[inner], drop, self.n_features) / self.weighted_n_node_samples[0]
        total = importance.sum()
        return importance / total if normalize and total > 0 else importance

    # -- loading ---------------------------------------------------------------------------------------

    def check(self) -> None:
        """Raise unless every path ends: parents first, each node with one parent, every index inside its array."""
        inner = np.flatnonzero(~self.is_leaf)
        children = np.concatenate([self.children_left[inner], self.children_right[inner]])
        if (np.sort(children) != np.arange(1, self.node_count)).any() or (children <= np.tile(inner, 2)).any():
            raise ModelFileError("a tree whose nodes do not hang together.", "each node below one parent, after it")
        if (self.children_right[self.is_leaf] != LEAF).any() or (self.feature[inner] < 0).any():
            raise ModelFileError("a tree with half a split.", "two children and a feature")
        self._check_questions(self.feature[inner], self.subset[inner])
        if self.surrogates is not None:
            start = self.surrogates.start
            ends = len(start) == self.node_count + 1 and start[0] == 0 and start[-1] == len(self.surrogates.feature)
            if not ends or (np.diff(start) < 0).any() or (self.surrogates.feature >= self.n_features).any():
                raise ModelFileError("a tree with surrogates that belong to no node.", "each at one node")
            self._check_questions(self.surrogates.feature, self.surrogates.subset)

    def _check_questions(self, feature: np.ndarray, subset: np.ndarray) -> None:
        nominal = self.n_levels[feature] > 0
        end = subset + 2 * subset_words(self.n_levels[feature])
        if (nominal != (subset >= 0)).any() or (end[nominal] > len(self.subsets)).any():
            raise ModelFileError("a tree whose nominal splits lack their levels.", "a set of levels for each")

"""Trees in flat arrays: what prediction, pruning, importance, explanation, export and saving share.

``Trees`` holds the nodes of any number of trees; ``Tree`` is one of them, with the attributes of scikit-learn's trees.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.sparse import issparse

from probus.data import checked_sparse
from probus.errors import DataError, ModelFileError
from probus.state import Array, Maybe, Object, Part
from probus.tree._loading import check_trees
from probus.tree._partial_dependence import partial_dependence_of
from probus.tree._surrogates import Surrogates

if TYPE_CHECKING:
    from probus.tree.prediction._walk import Packed


LEAF = -1  # the children of a leaf, as in scikit-learn; its feature and threshold are -2
NO_FEATURE = -2
NO_SUBSET = -1

_INDICES = ("children_left", "children_right", "feature", "subset", "n_node_samples")
_NODES = (
    "feature", "threshold", "missing_go_to_left", "value", "n_node_samples", "weighted_n_node_samples", "impurity",
    "gain", "missing_seen",
)  # fmt: skip


def subset_words(n_levels: Any) -> Any:
    """The number of 32-bit words that hold one bit for each level of a column."""
    return (n_levels + 31) // 32


@dataclass(frozen=True, eq=False, kw_only=True)
class Trees(Part):
    """The nodes of all trees, tree after tree, parents before children; the names are scikit-learn's.

    Tree t has the nodes ``start[t]`` up to ``start[t + 1]``; children are numbered within these arrays. A row goes left
    if its value is at most ``threshold``. At a nominal split ``subset`` is where in ``subsets`` two runs of words
    begin, one bit for each level of the column: the levels that go left, then the levels the node knows. A missing
    value or a level the node does not know is sent by the first surrogate that can decide; without one the row goes as
    ``missing_go_to_left`` states.

    Attributes
    ----------
    children_left, children_right : the children of each node.
    feature, threshold : the column of each split, and its threshold.
    missing_go_to_left : where missing values go.
    subset, subsets : where in ``subsets`` the levels of a nominal split begin.
    value : float64[m, n_outputs, K], class probabilities, a number (K = 1), or a step of boosting.
    n_node_samples, weighted_n_node_samples : the training rows in each node, and their weight.
    n_levels : the number of levels of each column; 0 of numeric ones.
    impurity : of the training rows in the node; None for trees of boosting. Squared errors of targets beyond 1e105
        would overflow: they are in units of 2^680, those of targets below 1e-105 in units of 2^-680.
    gain : what each split gained, 0 in leaves; None where it is the decrease of the weighted impurity.
    missing_seen : whether a missing value or unknown level reached the node in training.
    surrogates : the surrogate splits.
    classes_per_output : int64[n_outputs], where several outputs may differ in their number of classes.
    start : where each tree begins, and the end of the last.
    """

    children_left: np.ndarray
    children_right: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    missing_go_to_left: np.ndarray
    subset: np.ndarray
    subsets: np.ndarray
    value: np.ndarray
    n_node_samples: np.ndarray
    weighted_n_node_samples: np.ndarray
    n_levels: np.ndarray
    impurity: np.ndarray | None = None
    gain: np.ndarray | None = None
    missing_seen: np.ndarray | None = None
    surrogates: Surrogates | None = None
    classes_per_output: np.ndarray | None = None
    start: np.ndarray = None  # type: ignore[assignment]  # by default all nodes are one tree

    declared: ClassVar[dict[str, Any]] = {
        "children_left": Array("i4", "m", LEAF, "m"),
        "children_right": Array("i4", "m", LEAF, "m"),
        "feature": Array("i4", "m", NO_FEATURE, "d"),
        "threshold": Array("f8", "m"),
        "missing_go_to_left": Array("u1", "m", 0, 2),
        "subset": Array("i4", "m", NO_SUBSET, 2**31),
        "subsets": Array("u4", "*"),
        "value": Array("f8", "m o K"),
        "n_node_samples": Array("i4", "m"),
        "weighted_n_node_samples": Array("f8", "m"),
        "n_levels": Array("i8", "d", 0, 2**31),
        "impurity": Maybe(Array("f8", "m")),
        "gain": Maybe(Array("f8", "m")),
        "missing_seen": Maybe(Array("u1", "m", 0, 2)),
        "surrogates": Maybe(Object(Surrogates)),
        "classes_per_output": Maybe(Array("i8", "o", 1)),
        "start": Array("i8", "*", 0),
    }

    def __post_init__(self) -> None:
        for name in _INDICES:
            object.__setattr__(self, name, np.asarray(getattr(self, name), self.declared[name].dtype))
        start = [0, len(self.feature)] if self.start is None else self.start
        object.__setattr__(self, "start", np.asarray(start, np.int64))

    # -- joining and taking ----------------------------------------------------------------------------

    @staticmethod
    def joined(groups: Iterable[Trees]) -> Trees:
        """The trees of all groups, one group after the other; all of the same columns and outputs."""
        parts = list(groups)
        nodes = np.cumsum([0, *(len(part.feature) for part in parts)])
        words = np.cumsum([0, *(len(part.subsets) for part in parts)])

        def shifted(name: str, by: np.ndarray) -> np.ndarray:
            found = (getattr(part, name) for part in parts)
            offsets = by.tolist()  # a NumPy integer would make the sums int64
            return np.concatenate([np.where(a >= 0, a + o, a) for a, o in zip(found, offsets, strict=False)])

        def all_of(name: str) -> np.ndarray | None:
            found = [getattr(part, name) for part in parts]
            return None if any(array is None for array in found) else np.concatenate(found)

        surrogates = None
        if any(part.surrogates is not None for part in parts):
            each = [part.surrogates or Surrogates.none(len(part.feature)) for part in parts]
            surrogates = Surrogates.joined(each, words)
        return Trees(
            start=np.concatenate([*(part.start[:-1] + at for part, at in zip(parts, nodes, strict=False)), nodes[-1:]]),
            children_left=shifted("children_left", nodes),
            children_right=shifted("children_right", nodes),
            subset=shifted("subset", words),
            n_levels=parts[0].n_levels,
            classes_per_output=parts[0].classes_per_output,
            surrogates=surrogates,
            **{name: all_of(name) for name in (*_NODES, "subsets")},  # type: ignore[arg-type]
        )

    def take(self, first: int, last: int) -> Trees:
        """The trees from first up to last."""
        return Trees(**self._fields_of(first, last))

    def __getitem__(self, t: int) -> Tree:
        """One of the trees; where nothing is known of the impurity it is 0."""
        found = self._fields_of(t, t + 1)
        if found["impurity"] is None:
            found["impurity"] = np.zeros(len(found["feature"]))
        return Tree(**found)

    def _fields_of(self, first: int, last: int) -> dict[str, Any]:
        """All fields of some of the trees; arrays are views but for the children, which are renumbered."""
        found, begin, nodes = self.parts(), self.start[first], slice(self.start[first], self.start[last])
        for name in (*_NODES, "subset"):
            found[name] = None if found[name] is None else found[name][nodes]
        for name in ("children_left", "children_right"):
            found[name] = np.where(found[name][nodes] >= 0, found[name][nodes] - begin, LEAF)
        if self.surrogates is not None:
            found["surrogates"] = self.surrogates.take(nodes.start, nodes.stop)
        return {**found, "start": self.start[first : last + 1] - begin}

    def __len__(self) -> int:
        return len(self.start) - 1

    def __iter__(self) -> Iterator[Tree]:
        return (self[t] for t in range(len(self)))

    def __getstate__(self) -> dict[str, Any]:
        return self.parts()  # without what is cached

    # -- shape -----------------------------------------------------------------------------------------

    @property
    def n_features(self) -> int:
        """The number of columns the trees were grown on."""
        return len(self.n_levels)

    @property
    def n_outputs(self) -> int:
        """The number of targets that a node predicts."""
        return self.value.shape[1]

    @property
    def n_classes(self) -> np.ndarray:
        """The number of classes of each output; 1 for numbers."""
        every = np.full(self.n_outputs, self.max_n_classes)
        return every if self.classes_per_output is None else self.classes_per_output

    @property
    def max_n_classes(self) -> int:
        """The largest number of classes of an output."""
        return self.value.shape[2]

    @property
    def n_values(self) -> int:
        """How many numbers a node holds: ``n_outputs · max_n_classes``."""
        return self.n_outputs * self.max_n_classes

    @property
    def is_leaf(self) -> np.ndarray:
        """For each node whether it is a leaf."""
        return self.children_left == LEAF

    @cached_property
    def tree_of(self) -> np.ndarray:
        """The tree of each node."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    @cached_property
    def levels(self) -> list[np.ndarray]:
        """The inner nodes of all trees, depth by depth."""
        levels = []
        nodes = self.start[:-1]
        while len(nodes := nodes[self.children_left[nodes] != LEAF]):
            levels.append(nodes)
            nodes = np.concatenate([self.children_left[nodes], self.children_right[nodes]])
        return levels

    @cached_property
    def packed(self) -> Packed:
        """The nodes as kernels read them, prepared once."""
        from probus.tree.prediction._walk import Packed

        return Packed(self)

    # -- importance ------------------------------------------------------------------------------------

    @property
    def improvement(self) -> np.ndarray:
        """What each split gained, by default the decrease of the weighted impurity; 0 in leaves."""
        if self.gain is not None or self.impurity is None:
            return np.zeros(len(self.feature)) if self.gain is None else self.gain
        inner, improvement = np.flatnonzero(~self.is_leaf), np.zeros(len(self.feature))
        risk = self.impurity * self.weighted_n_node_samples
        improvement[inner] = risk[inner] - risk[self.children_left[inner]] - risk[self.children_right[inner]]
        return improvement

    def importances(self, kind: str = "gain") -> np.ndarray:
        """Of each column over all trees: what its splits gained, the weight they split ("cover") or their number."""
        if kind == "gain":
            weight = self.improvement
        else:
            weight = self.weighted_n_node_samples if kind == "cover" else np.ones(len(self.feature))
        inner = ~self.is_leaf
        return np.bincount(self.feature[inner], weight[inner], self.n_features)

    def levels_of(self, node: int) -> tuple[np.ndarray, np.ndarray]:
        """At a nominal split the codes of the levels that go left, and of those that go right."""
        return self._levels(int(self.subset[node]), int(self.feature[node]))

    def _levels(self, subset: int, feature: int) -> tuple[np.ndarray, np.ndarray]:
        words, n_levels = subset_words(int(self.n_levels[feature])), int(self.n_levels[feature])
        bits = [
            np.unpackbits(self.subsets[start : start + words].view(np.uint8), bitorder="little")[:n_levels].astype(bool)
            for start in (subset, subset + words)
        ]
        return np.flatnonzero(bits[0]), np.flatnonzero(bits[1] & ~bits[0])

    def check(self) -> None:
        """Raise a ModelFileError unless every path ends and every index is inside its array."""
        check_trees(self)


@dataclass(frozen=True, eq=False, kw_only=True)
class Tree(Trees):
    """A single tree, with the attributes and methods of scikit-learn's ``tree_``, of its types."""

    impurity: np.ndarray

    declared: ClassVar[dict[str, Any]] = {
        **Trees.declared,
        **{name: replace(Trees.declared[name], dtype="i8") for name in _INDICES},
        "impurity": Array("f8", "m"),
    }

    def check(self) -> None:
        """As for trees; there must be one."""
        super().check()
        if len(self) != 1:
            raise ModelFileError(f"{len(self)} trees.", "a single one")

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return len(self.feature)

    @property
    def capacity(self) -> int:
        """As ``node_count``."""
        return self.node_count

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return int(self.is_leaf.sum())

    @property
    def max_depth(self) -> int:
        """The number of splits on the longest path."""
        return len(self.levels)

    @cached_property
    def depths(self) -> np.ndarray:
        """The number of splits before each node."""
        depths = np.zeros(self.node_count, np.int64)
        for depth, nodes in enumerate(self.levels, 1):
            depths[self.children_left[nodes]] = depths[self.children_right[nodes]] = depth
        return depths

    @cached_property
    def parents(self) -> np.ndarray:
        """The parent of each node; -1 for the root."""
        parents, inner = np.full(self.node_count, -1, np.int64), np.flatnonzero(~self.is_leaf)
        parents[self.children_left[inner]] = parents[self.children_right[inner]] = inner
        return parents

    def compute_node_depths(self) -> np.ndarray:
        """Depths counted from one, as scikit-learn's trees do."""
        return self.depths + 1

    def surrogate_levels_of(self, surrogate: int) -> tuple[np.ndarray, np.ndarray]:
        """As ``levels_of``, for a surrogate by its position."""
        assert self.surrogates is not None
        return self._levels(int(self.surrogates.subset[surrogate]), int(self.surrogates.feature[surrogate]))

    def apply(self, X: Any) -> np.ndarray:
        """The leaf that each row of a matrix reaches; nominal columns hold the codes of their levels."""
        from probus.tree.prediction._walk import leaves_of

        X = checked_sparse(X).toarray() if issparse(X) else np.asarray(X)
        if X.ndim != 2 or X.shape[1] != self.n_features:
            raise DataError(f"a matrix of shape {X.shape} for a tree.", f"{self.n_features} columns")
        return leaves_of(self, X)[:, 0].astype(np.int64)

    def predict(self, X: Any) -> np.ndarray:
        """The values of the leaves that the rows reach; of several outputs in three dimensions."""
        value = self.value[self.apply(X)]
        return value[:, 0] if self.n_outputs == 1 else value

    def decision_path(self, X: Any) -> Any:
        """A sparse matrix of rows × nodes that marks the nodes on the path of each row."""
        from probus.tree.prediction._walk import paths_of

        return paths_of(self, self.apply(X))

    def compute_partial_dependence(self, grid: Any, target_features: Any, out: np.ndarray) -> None:
        """Write the mean prediction for each row of a grid of values of some features to ``out``."""
        out[:] = partial_dependence_of(self, np.asarray(grid, np.float64), target_features)[0]

    def compute_feature_importances(self, normalize: bool = True) -> np.ndarray:
        """The decrease of impurity by the splits on each column, normalized to sum to 1."""
        importance = self.importances() / self.weighted_n_node_samples[0]
        total = importance.sum()
        return importance / total if normalize and total > 0 else importance

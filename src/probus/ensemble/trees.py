"""Many trees in one set of flat arrays: what every ensemble of trees predicts from, explains itself by and saves."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from probus.errors import ModelFileError
from probus.state import Array, Maybe, Part, Spec
from probus.tree.flat import LEAF, NO_FEATURE, NO_SUBSET, Tree, subset_words

if TYPE_CHECKING:
    from probus.ensemble.walk import Trail

__all__ = ["Trees"]


@dataclass(frozen=True, eq=False)
class Trees(Part):
    """The nodes of all trees, tree after tree, parents before children; tree t has ``start[t]`` to ``start[t + 1]``.

    Children are numbered within these arrays, not within their tree. Questions are those of ``probus.tree.flat.Tree``:
    a row goes left if its value is at most ``threshold``; at a nominal split ``subset`` is where in ``subsets`` the
    levels that go left begin, and behind them the levels that the node knows; what is missing or unknown goes as
    ``missing_left`` says.

    value : float64[m, K], what a node predicts: shares of classes, a number, or a step of boosting
    cover : the weight of the training rows that came to the node
    count : how many they were
    gain : what the split of the node gained; 0 in leaves
    impurity : of the rows in the node, where trees were grown to lower it (forests)
    """

    start: np.ndarray
    left: np.ndarray
    right: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    missing_left: np.ndarray
    subset: np.ndarray
    subsets: np.ndarray
    value: np.ndarray
    cover: np.ndarray
    count: np.ndarray
    gain: np.ndarray
    n_levels: np.ndarray
    impurity: np.ndarray | None = None

    declared: ClassVar[dict[str, Spec]] = {
        "start": Array("i8", "*", 0),
        "left": Array("i4", "m", LEAF, "m"),
        "right": Array("i4", "m", LEAF, "m"),
        "feature": Array("i4", "m", NO_FEATURE, "d"),
        "threshold": Array("f8", "m"),
        "missing_left": Array("u1", "m", 0, 2),
        "subset": Array("i4", "m", NO_SUBSET),
        "subsets": Array("u4", "*"),
        "value": Array("f8", "m K"),
        "cover": Array("f8", "m"),
        "count": Array("i4", "m"),
        "gain": Array("f8", "m"),
        "n_levels": Array("i8", "d", 0),
        "impurity": Maybe(Array("f8", "m")),
    }

    # -- making ----------------------------------------------------------------------------------------

    @classmethod
    def of(cls, trees: Iterable[Tree]) -> Trees:
        """Single trees, none with surrogates, as one."""
        return cls.joined(_of_one(tree) for tree in trees)

    @classmethod
    def joined(cls, groups: Iterable[Trees]) -> Trees:
        """Trees behind trees; all of the same columns and outputs."""
        parts = list(groups)
        nodes = np.cumsum([0, *(len(part.feature) for part in parts)])
        words = np.cumsum([0, *(len(part.subsets) for part in parts)])

        def shifted(name: str, by: np.ndarray) -> np.ndarray:
            found = (getattr(part, name) for part in parts)
            moved = [np.where(a >= 0, a + offset, a) for a, offset in zip(found, by, strict=False)]
            return np.concatenate(moved).astype(np.int32)

        def all_of(name: str) -> np.ndarray:
            return np.concatenate([getattr(part, name) for part in parts])

        start = [part.start[:-1] + offset for part, offset in zip(parts, nodes, strict=False)]
        return cls(
            start=np.concatenate([*start, nodes[-1:]]).astype(np.int64),
            left=shifted("left", nodes),
            right=shifted("right", nodes),
            subset=shifted("subset", words),
            n_levels=parts[0].n_levels,
            impurity=None if parts[0].impurity is None else all_of("impurity"),
            **{name: all_of(name) for name in _PLAIN},
        )

    def take(self, first: int, last: int) -> Trees:
        """The trees from first up to last."""
        nodes = slice(self.start[first], self.start[last])
        offset = np.int32(self.start[first])
        moved = {
            name: np.where(a >= 0, a - offset, a).astype(np.int32)
            for name, a in (("left", self.left[nodes]), ("right", self.right[nodes]))
        }
        plain = {name: getattr(self, name)[nodes] for name in _PLAIN if name != "subsets"}
        impurity = None if self.impurity is None else self.impurity[nodes]
        start = self.start[first : last + 1] - offset
        return replace(self, start=start, subset=self.subset[nodes], impurity=impurity, **moved, **plain)

    # -- shape -----------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.start) - 1

    @property
    def n_features(self) -> int:
        """How many columns the trees were grown on."""
        return len(self.n_levels)

    @property
    def n_outputs(self) -> int:
        """How many numbers a node holds."""
        return self.value.shape[1]

    @property
    def is_leaf(self) -> np.ndarray:
        """For each node whether it is a leaf."""
        return self.left == LEAF

    @cached_property
    def tree_of(self) -> np.ndarray:
        """The tree of each node."""
        return np.repeat(np.arange(len(self)), np.diff(self.start))

    @cached_property
    def trail(self) -> Trail:
        """The questions as a walk reads them, prepared once."""
        from probus.ensemble.walk import trail_of

        return trail_of(self)

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name not in ("trail", "tree_of")}

    def __iter__(self) -> Iterator[Tree]:
        return (self.tree(t) for t in range(len(self)))

    def tree(self, t: int) -> Tree:
        """One of the trees, on its own."""
        one = self.take(t, t + 1)
        impurity = np.zeros(len(one.feature)) if one.impurity is None else one.impurity
        return Tree(
            children_left=one.left.astype(np.int64),
            children_right=one.right.astype(np.int64),
            feature=one.feature.astype(np.int64),
            threshold=one.threshold,
            missing_go_to_left=one.missing_left,
            subset=one.subset.astype(np.int64),
            subsets=one.subsets,
            impurity=impurity,
            n_node_samples=one.count.astype(np.int64),
            weighted_n_node_samples=one.cover,
            value=one.value[:, None, :],
            n_levels=one.n_levels,
        )

    # -- importance ------------------------------------------------------------------------------------

    def importances(self, kind: str = "gain") -> np.ndarray:
        """Of each column over all trees: what its splits gained, the rows they parted ("cover") or their number."""
        inner = ~self.is_leaf
        weight = {"gain": self.gain, "cover": self.cover, "count": np.ones(len(self.feature))}[kind]
        return np.bincount(self.feature[inner], weight[inner], self.n_features)

    # -- loading ---------------------------------------------------------------------------------------

    def check(self) -> None:
        """Raise unless every path ends: parents first, each node with one parent in its tree, every index inside."""
        start = self.start
        if len(start) < 2 or start[0] != 0 or start[-1] != len(self.feature) or (np.diff(start) < 1).any():
            raise ModelFileError("trees that do not share out their nodes.", "each node in one tree")
        inner = np.flatnonzero(~self.is_leaf)
        children = np.concatenate([self.left[inner], self.right[inner]])
        roots = start[:-1]
        once = np.sort(np.concatenate([children, roots])) if len(children) else roots
        parents = np.tile(inner, 2)
        if (
            len(once) != len(self.feature)
            or (once != np.arange(len(once))).any()
            or (children <= parents).any()
            or (self.tree_of[children] != self.tree_of[parents]).any()
        ):
            raise ModelFileError("trees whose nodes do not hang together.", "each node below one parent, after it")
        if (self.right[self.is_leaf] != LEAF).any() or (self.feature[inner] < 0).any():
            raise ModelFileError("a tree with half a split.", "two children and a feature")
        nominal = self.n_levels[self.feature[inner]] > 0
        end = self.subset[inner].astype(np.int64) + 2 * subset_words(self.n_levels[self.feature[inner]])
        if (nominal != (self.subset[inner] >= 0)).any() or (end[nominal] > len(self.subsets)).any():
            raise ModelFileError("trees whose nominal splits lack their levels.", "a set of levels for each")


_PLAIN = ("feature", "threshold", "missing_left", "subsets", "value", "cover", "count", "gain")


def _of_one(tree: Tree) -> Trees:
    risk = tree.impurity * tree.weighted_n_node_samples
    inner = np.flatnonzero(~tree.is_leaf)
    gain = np.zeros(tree.node_count)
    gain[inner] = risk[inner] - risk[tree.children_left[inner]] - risk[tree.children_right[inner]]
    return Trees(
        start=np.array([0, tree.node_count]),
        left=tree.children_left.astype(np.int32),
        right=tree.children_right.astype(np.int32),
        feature=tree.feature.astype(np.int32),
        threshold=tree.threshold,
        missing_left=tree.missing_go_to_left,
        subset=tree.subset.astype(np.int32),
        subsets=tree.subsets,
        value=np.ascontiguousarray(tree.value[:, 0, :]),
        cover=tree.weighted_n_node_samples,
        count=tree.n_node_samples.astype(np.int32),
        gain=gain,
        n_levels=tree.n_levels,
        impurity=tree.impurity,
    )

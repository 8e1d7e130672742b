"""The trees of a forest, placed one after the other into its arrays as they are finished."""

from __future__ import annotations

from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from probus.tree._trees import Trees
from probus.tree.forest_engine import _grow_binned as grow_binned

# where the arrays of trees are among the links and facts of nodes
_LINKS: dict[str, tuple[int, Any]] = {
    "children_left": (grow_binned.CHILD, np.int32),
    "children_right": (grow_binned.CHILD + 1, np.int32),
    "feature": (grow_binned.FEATURE, np.int32),
    "missing_go_to_left": (grow_binned.MISSING_LEFT, np.uint8),
    "subset": (grow_binned.SUBSET, np.int32),
    "n_node_samples": (grow_binned.COUNT, np.int32),
}
_FACTS = {
    "threshold": grow_binned.THRESHOLD,
    "weighted_n_node_samples": grow_binned.COVER,
    "gain": grow_binned.GAIN,
    "impurity": grow_binned.IMPURITY,
}
_SPARE = 1.05  # trees are about as large as those before


class BinnedNodes(NamedTuple):
    """The nodes of one tree as they were grown; see ``grow_binned``."""

    links: np.ndarray
    facts: np.ndarray
    value: np.ndarray
    words: np.ndarray


class PlacedTrees:
    """Trees that come in any order, on several threads, in arrays that the first one suggests the size of.

    Most of the time goes into fresh memory: nodes are copied from where a tree was grown to where they stay, unless an
    earlier tree is not finished yet.
    """

    def __init__(self, n_trees: int):
        self._n_trees = n_trees
        self._start = [0]
        self._arrays: dict[str, Any] = {}
        self._words: list[np.ndarray] = []
        self._n_words = 0
        self._waiting: dict[int, BinnedNodes] = {}
        self._lock = Lock()

    def put(self, t: int, nodes: BinnedNodes) -> None:
        """Take over the nodes of a tree; its arrays may be used for the next."""
        with self._lock:
            if t == len(self._start) - 1:
                self._place(nodes)
                self._place_waiting()
                return
        links, facts, value, words = nodes
        copied = BinnedNodes(links.copy("F"), facts.copy("F"), value.copy(), words)
        with self._lock:
            self._waiting[t] = copied
            self._place_waiting()

    def _place_waiting(self) -> None:
        while (nodes := self._waiting.pop(len(self._start) - 1, None)) is not None:
            self._place(nodes)

    def trees(self, n_levels: np.ndarray) -> Trees:
        """All trees, when every one was put."""
        assert len(self._start) == self._n_trees + 1
        self._resize(self._start[-1])
        return Trees(
            **self._arrays,
            subsets=np.concatenate(self._words),
            n_levels=n_levels.astype(np.int64),
            start=np.array(self._start),
        )

    def _place(self, nodes: BinnedNodes) -> None:
        first, end = self._start[-1], self._start[-1] + len(nodes.links)
        if not self._arrays or end > len(self._arrays["value"]):
            self._resize(int(_SPARE * end / len(self._start) * self._n_trees) + 1, nodes.value.shape[1])
        arrays, mine = self._arrays, slice(first, end)
        for name, (column, _) in _LINKS.items():
            arrays[name][mine] = nodes.links[:, column]
        for name, by in (("children_left", first), ("children_right", first), ("subset", self._n_words)):
            own = arrays[name][mine]
            own += np.int32(by) * (own >= 0)  # −1 where there is none
        for name, column in _FACTS.items():
            arrays[name][mine] = nodes.facts[:, column]
        arrays["value"][mine, 0] = nodes.value
        self._start.append(end)
        self._words.append(nodes.words)
        self._n_words += len(nodes.words)

    def _resize(self, size: int, n_classes: int = 0) -> None:
        """Make room for so many nodes; memory that is not used yet costs nothing."""
        if not self._arrays:
            self._arrays = {name: np.empty(size, dtype) for name, (_, dtype) in _LINKS.items()}
            self._arrays |= {name: np.empty(size) for name in _FACTS}
            self._arrays["value"] = np.empty((size, 1, n_classes))
        for array in self._arrays.values():
            array.resize((size, *array.shape[1:]), refcheck=False)  # in place: pages are mapped anew, not copied

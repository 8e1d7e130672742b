"""Surrogate splits as trees store them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from probus.state import Array, Part, Spec


@dataclass(frozen=True, eq=False)
class Surrogates(Part):
    """The surrogate splits of every node, for rows whose value of the node's own feature is missing.

    Attributes
    ----------
    start : those of node t are ``start[t]`` up to ``start[t + 1]``, best first.
    feature, threshold, subset : the column of each, and its threshold or where its levels begin.
    flipped : whether rows at or below the threshold go to the right.
    agreement : the share of rows sent as the primary split sends them.
    adjusted : the share gained over sending all to the larger child.
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
        "subset": Array("i8", "s", -1, 2**31),
        "agreement": Array("f8", "s"),
        "adjusted": Array("f8", "s"),
    }

    @classmethod
    def none(cls, n_nodes: int) -> Surrogates:
        """No surrogates at any node."""
        ints, floats = np.zeros(0, np.int64), np.zeros(0)
        return cls(np.zeros(n_nodes + 1, np.int64), ints, floats, np.zeros(0, np.uint8), ints, floats, floats)

    @classmethod
    def joined(cls, parts: Sequence[Surrogates], words: np.ndarray) -> Surrogates:
        """Those of several groups of nodes; ``words`` is how far the sets of levels of each group are moved."""
        first = np.cumsum([0, *(len(part.feature) for part in parts)])
        start = [part.start[:-1] + at for part, at in zip(parts, first, strict=False)]
        subset = [np.where(part.subset >= 0, part.subset + at, -1) for part, at in zip(parts, words, strict=False)]
        plain = ("feature", "threshold", "flipped", "agreement", "adjusted")
        return cls(
            start=np.concatenate([*start, first[-1:]]),
            subset=np.concatenate(subset),
            **{name: np.concatenate([getattr(part, name) for part in parts]) for name in plain},
        )

    def take(self, first: int, last: int) -> Surrogates:
        """Those of the nodes from first up to last."""
        begin, end = self.start[first], self.start[last]
        mine = {name: array[begin:end] for name, array in self.parts().items() if name != "start"}
        return replace(self, start=self.start[first : last + 1] - begin, **mine)

    def of(self, node: int) -> range:
        """The positions of a node's surrogates."""
        return range(int(self.start[node]), int(self.start[node + 1]))

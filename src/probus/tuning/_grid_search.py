"""Grid search."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from probus.allowed_values import InstanceOf, IntegerIn
from probus.errors import DataError
from probus.parameters import parameter
from probus.tuning._tuner import Proposer

_MOST = 1_000_000


@dataclass(repr=False)
class Grid(Proposer):
    """Every combination of evenly spaced values; all values of choices.

    >>> from probus.spaces import Choice, Real, Space
    >>> tuner = Grid(resolution=2).start(Space({"x": Real(0, 1), "kind": Choice("a", "b")}))
    >>> [trial.config for trial in tuner.ask(3)]
    [{'x': 0.0, 'kind': 'a'}, {'x': 0.0, 'kind': 'b'}, {'x': 1.0, 'kind': 'a'}]
    >>> len(tuner.ask(3)), tuner.finished
    (1, True)
    """

    name = "grid"
    resolution: int | Mapping[str, int] = parameter(
        "The number of values of each number, or of each by its name, and 5 for the others.",
        default=5,
        of=[IntegerIn(at_least=1), InstanceOf(Mapping)],
    )
    shuffle: bool = parameter(
        "Whether the order is random, so that a search that stops early has tried different values of all.",
        default=False,
    )

    several_objectives = True
    batch = 64  # no proposal depends on a score
    default_first = False

    @property
    def ends(self) -> bool:
        """Whether the tuner ends by itself: with the grid."""
        return True

    def _begin(self) -> None:
        self._left: Iterator[dict[str, Any]] = self.space.grid(self.resolution)
        if self.shuffle:
            self._left = self._shuffle(self._left)
        self._following = next(self._left, None)

    def _shuffle(self, grid: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        listed = list(islice(grid, _MOST + 1))
        if len(listed) > _MOST:
            raise DataError(f"the grid has more than {_MOST:,} points.", "a smaller one to shuffle", "Use Random().")
        order = np.random.default_rng(self.seed).permutation(len(listed))
        return (listed[place] for place in order)

    def _propose(self, number: int, random: np.random.Generator) -> dict[str, Any] | None:
        while self._following is not None:
            config, self._following = self._following, next(self._left, None)
            if not self._was_proposed(config):
                self._exhausted = self._following is None
                return config
        self._exhausted = True
        return None

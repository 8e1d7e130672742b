"""Growing a tree: in one go where it is small, otherwise node by node on several threads.

Large nodes are parted and counted by all threads together; smaller ones are split several at a time, those that gain
most first. A node may so be split before its turn; whether it stays split is decided in the order of the gains, so
that the tree is the same for any number of threads.
"""

from __future__ import annotations

import heapq
import itertools
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit

from probus.ensemble.boosting.bins import Codes
from probus.ensemble.boosting.crew import Crew
from probus.ensemble.boosting.grow import divide, grow
from probus.ensemble.boosting.histogram import count_stretch
from probus.ensemble.boosting.nodes import (
    END,
    EVERY_CODE,
    FEATURE,
    GAIN,
    LEFT,
    LOWER,
    MAX_DEPTH,
    N_FACTS,
    N_LINKS,
    NO_SPLIT,
    SEED,
    SLOT,
    START,
    UPPER,
)  # fmt: skip
from probus.ensemble.boosting.packing import Scales

__all__ = ["Bed", "Grown", "grown_tree"]

_TOGETHER = 400_000  # codes from which on a tree is worth several threads
_LARGE = 1_200_000  # codes from which on a node is


class Grown(NamedTuple):
    """The nodes of a tree, level by level with siblings side by side, and its rows in the order of its leaves."""

    links: np.ndarray
    facts: np.ndarray
    sets: np.ndarray
    rows: np.ndarray


@dataclass(frozen=True, eq=False)
class Bed:
    """Where one tree after the other grows: the coded table, what splits keep to, and room to work."""

    codes: Codes
    about: np.ndarray
    rules: np.ndarray
    circles: np.ndarray
    max_leaves: int
    best_first: bool
    pay: np.ndarray
    spare: np.ndarray
    links: np.ndarray
    facts: np.ndarray
    sets: np.ndarray
    cells: np.ndarray
    alive: np.ndarray
    keys: np.ndarray
    heap: np.ndarray
    slots: np.ndarray

    @classmethod
    def of(
        cls, codes: Codes, about: np.ndarray, rules: np.ndarray, circles: np.ndarray, max_leaves: int | None,
        threads: int,
    ) -> Bed:  # fmt: skip
        """A bed for trees of at most so many leaves."""
        n, width = codes.by_row.shape
        most = min(2 ** min(int(rules[MAX_DEPTH]), 40), n)
        leaves = most if max_leaves is None else min(max_leaves, most)
        n_nodes = 2 * (leaves + 4 * threads) + 1
        # best first all leaves may be open, depth first one at each depth for each thread; the system gives memory
        # only to those that are used
        deepest = min(int(rules[MAX_DEPTH]), leaves)
        n_slots = (leaves if max_leaves is not None else min(leaves, deepest * threads)) + 8 * threads + 2
        return cls(
            codes, about, rules, circles, leaves, max_leaves is not None,
            pay=np.empty(n, np.int64),
            spare=np.empty(n, np.int32),
            links=np.empty((n_nodes, N_LINKS), np.int64),
            facts=np.empty((n_nodes, N_FACTS)),
            sets=np.empty((n_nodes, 8), np.uint64),
            cells=np.empty((n_slots, EVERY_CODE * width), np.int64),
            alive=np.empty((n_nodes, len(circles)), np.uint8),
            keys=np.empty(n_nodes),
            heap=np.empty(n_nodes, np.int64),
            slots=np.empty(n_slots, np.int64),
        )  # fmt: skip

    def split(
        self, rows: np.ndarray, scales: Scales, levels: np.ndarray, only: int, max_leaves: int, child: int = 0,
        slot: int = 0, middle: int = -1,
    ) -> int:  # fmt: skip
        """Call ``grow``."""
        return grow(
            *self.codes, rows, self.spare, self.pay, self.about, self.rules, *scales, self.links, self.facts, self.sets,
            self.cells, levels, self.circles, self.alive, self.keys, self.heap, self.slots, max_leaves, self.best_first,
            only, child, slot, middle,
        )  # fmt: skip


def grown_tree(bed: Bed, rows: np.ndarray, scales: Scales, levels: np.ndarray, seed: int, crew: Crew) -> Grown:
    """Grow a tree on these rows, whose packed gradients are in the bed; the rows are put in the order of its leaves."""
    bed.links[0], bed.facts[0] = 0, 0.0
    bed.links[0, [END, LEFT, SEED]] = len(rows), -1, seed
    bed.facts[0, [LOWER, UPPER]] = -np.inf, np.inf
    bed.alive[0] = 1
    if crew.threads == 1 or len(rows) * bed.codes.by_row.shape[1] < _TOGETHER:
        bed.split(rows, scales, levels, -1, bed.max_leaves)
    else:
        _on_threads(bed, rows, scales, levels, crew)
    order, place = np.empty(len(bed.links), np.int64), np.empty(len(bed.links), np.int64)
    n_nodes = level_order(bed.links, order, place)
    links = bed.links[order[:n_nodes]]
    inner = links[:, LEFT] >= 0
    links[inner, LEFT] = place[links[inner, LEFT]]
    return Grown(links, bed.facts[order[:n_nodes]], bed.sets[order[:n_nodes]], rows)


def _on_threads(bed: Bed, rows: np.ndarray, scales: Scales, levels: np.ndarray, crew: Crew) -> None:
    links, width = bed.links, bed.codes.by_row.shape[1]
    free = list(range(len(bed.cells) - 1, 0, -1))
    _count(bed, rows, [(0, len(rows))], 0, free, crew)
    bed.split(rows, scales, levels, -2, bed.max_leaves)
    waiting: list[tuple[float, int, int]] = []  # open nodes, the one that gains most (or was opened last) first
    opened, used, n_leaves = 0, 1, 1
    ready: set[int] = set()

    def open_nodes(nodes: list[int]) -> None:
        nonlocal opened
        for i in reversed(nodes):
            if links[i, FEATURE] != NO_SPLIT:
                opened += 1
                heapq.heappush(waiting, (-bed.facts[i, GAIN] if bed.best_first else 0.0, -opened, i))
            elif links[i, SLOT] >= 0:
                free.append(int(links[i, SLOT]))

    open_nodes([0])
    while waiting and n_leaves < bed.max_leaves:
        early = 1 + 2 * crew.threads - len(ready)  # how many more may be split before their turn
        room = max(1, min(crew.threads, bed.max_leaves - n_leaves, early))
        chosen = [i for _, _, i in heapq.nsmallest(2 * crew.threads, waiting) if i not in ready][:room]
        last = 2 if n_leaves + 1 == bed.max_leaves else bed.max_leaves + 2
        sizes = links[chosen, END] - links[chosen, START]
        if sizes[0] * width >= _LARGE:
            _split_large(bed, rows, scales, levels, chosen[0], used, last, free, crew)
            chosen = chosen[:1]
        else:
            own = [free.pop() for _ in chosen]
            tasks = [
                partial(bed.split, rows, scales, levels, i, last, used + 2 * q, slot)
                for q, (i, slot) in enumerate(zip(chosen, own, strict=True))
            ]
            crew.run(tasks)
            for i, slot in zip(chosen, own, strict=True):
                if links[i, LEFT] < 0 or last == 2:
                    free.append(slot)
        used += 2 * len(chosen)
        ready.update(chosen)
        while waiting and waiting[0][2] in ready and n_leaves < bed.max_leaves:
            i = heapq.heappop(waiting)[2]
            ready.remove(i)
            if links[i, LEFT] >= 0:
                n_leaves += 1
                if last != 2:
                    open_nodes([int(links[i, LEFT]), int(links[i, LEFT]) + 1])
    for _, _, i in waiting:  # what was split before its turn, and whose turn never came
        if links[i, LEFT] >= 0:
            rows[links[i, START] : links[i, END]].sort()  # as they were: sums depend on the order
        links[i, FEATURE], links[i, LEFT] = NO_SPLIT, -1


def _split_large(
    bed: Bed, rows: np.ndarray, scales: Scales, levels: np.ndarray, i: int, child: int, last: int, free: list[int],
    crew: Crew,
) -> None:  # fmt: skip
    """Split a node that is worth all threads: each parts its share of the rows, and counts its part of the smaller."""
    link = bed.links[i]
    start, end = int(link[START]), int(link[END])
    bounds = [start + (end - start) * p // crew.threads for p in range(crew.threads + 1)]
    stretches = list(itertools.pairwise(bounds))
    part = partial(divide, bed.codes.by_column, rows, bed.spare, link, bed.about, bed.sets[i])
    middles = crew.run([partial(part, *stretch) for stretch in stretches])
    n_left = sum(middle - first for middle, (first, _) in zip(middles, stretches, strict=True))
    left_is_smaller = 2 * n_left <= end - start
    pieces = [
        (first, middle) if left_is_smaller else (middle, stop)
        for middle, (first, stop) in zip(middles, stretches, strict=True)
    ]
    slot = free.pop()
    if last != 2:
        _count(bed, rows, pieces, slot, free, crew)
    bed.spare[start:end] = np.concatenate(
        [rows[first:middle] for middle, (first, _) in zip(middles, stretches, strict=True)]
        + [rows[middle:stop] for middle, (_, stop) in zip(middles, stretches, strict=True)]
    )
    rows[start:end] = bed.spare[start:end]
    bed.split(rows, scales, levels, i, last, child, slot, start + n_left)
    if bed.links[i, LEFT] < 0 or last == 2:
        free.append(slot)


def _count(
    bed: Bed, rows: np.ndarray, pieces: list[tuple[int, int]], slot: int, free: list[int], crew: Crew
) -> None:  # fmt: skip
    """The histogram of rows that lie in pieces, by all threads."""
    if len(pieces) == 1:
        first, last = pieces[0]
        bounds = [first + (last - first) * p // crew.threads for p in range(crew.threads + 1)]
        pieces = list(itertools.pairwise(bounds))
    own = [slot, *(free[-p] for p in range(1, len(pieces)))]
    crew.run(
        [
            partial(count_stretch, bed.codes.by_row, rows, *piece, bed.pay, bed.cells[s])
            for piece, s in zip(pieces, own, strict=True)
        ]
    )
    for other in own[1:]:
        bed.cells[slot] += bed.cells[other]


@njit(nogil=True, cache=True)
def level_order(links, order, place):
    """The nodes of a tree, level by level, siblings side by side; returns how many.

    order (OUT) int64[*] the nodes
    place (OUT) int64[*] where each of them is
    """
    order[0], n, i = 0, 1, 0
    while i < n:
        node = order[i]
        place[node] = i
        if links[node, LEFT] >= 0:
            order[n], order[n + 1] = links[node, LEFT], links[node, LEFT] + 1
            n += 2
        i += 1
    return n

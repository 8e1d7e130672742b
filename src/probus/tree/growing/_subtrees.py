"""A tree grown in pieces: the top first, then its subtrees on rows of their own, side by side.

The tree is the same as if it were grown at once, on any number of threads: a node has its rows in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from probus.compiling import njit
from probus.memory import return_columns
from probus.parallel import chunked
from probus.tree import _node_columns as nodes
from probus.tree._criteria import ABSOLUTE, CRITERIA
from probus.tree.growing._grow import Limits, Workspace, grow
from probus.tree.preparation._codes import CODE_SHIFT, N_CODES, PLACE, Columns, Values
from probus.tree.preparation._tree_settings import TreeSettings
from probus.tree.splitting._absolute_error import absolute_buffers
from probus.tree.splitting._feature_search import cell_buffers
from probus.tree.splitting._scan import SplitRules
from probus.tree.splitting._surrogate_search import surrogate_buffers

_SHARES = 8  # subtrees of less than an eighth of the rows are grown on their own
_NEAR = 8_192  # rows that are near enough in memory as they are


class Grown(NamedTuple):
    """Nodes as ``grow`` returns them."""

    links: np.ndarray
    facts: np.ndarray
    tallies: np.ndarray
    words: np.ndarray
    surrogate_links: np.ndarray
    surrogate_facts: np.ndarray


class Nodes(NamedTuple):
    """The nodes of a tree or of a part of it, in as little memory as they need: a large tree takes time to fetch."""

    left: np.ndarray
    right: np.ndarray
    feature: np.ndarray
    low: np.ndarray
    high: np.ndarray
    below: np.ndarray
    above: np.ndarray
    missing_left: np.ndarray
    missing_seen: np.ndarray
    impurity: np.ndarray
    others: np.ndarray  # the bounds and the threshold drawn, where there are any
    tallies: np.ndarray
    words: np.ndarray


# the whole numbers of a node that are kept of it, in the order of Nodes
_KEPT = (nodes.LEFT, nodes.RIGHT, nodes.FEATURE, nodes.LOW, nodes.HIGH, nodes.BELOW, nodes.ABOVE)
_FLAGS = (nodes.MISSING_LEFT, nodes.MISSING_SEEN)


class Rows(NamedTuple):
    """What ``grow`` needs to know of each row."""

    label: np.ndarray
    amount: np.ndarray
    weight: np.ndarray
    table: np.ndarray


@dataclass(frozen=True, eq=False)
class SubtreeJob:
    """A tree or subtree to grow: its rows, and how."""

    columns: Columns
    values: Values
    rows: Rows
    rules: SplitRules
    limits: Limits
    settings: TreeSettings
    n_sums: int

    @property
    def divisible(self) -> bool:
        """Whether subtrees may be grown apart: not if leaves compete, and not where all rows must be at hand."""
        one_piece = self.limits.best_first or self.settings.surrogates is not None or self.rules.criterion == ABSOLUTE
        return not one_piece

    @property
    def keeps_facts(self) -> bool:
        """Whether nodes have bounds or thresholds that the tree needs."""
        return self.rules.constrained or self.settings.splitter == "random"

    def of_rows(self, mine: np.ndarray, place: np.ndarray, start: int, end: int) -> SubtreeJob:
        """The job with only the rows ``mine``, whose new numbers are in ``place``, and that stretch of the lists."""
        columns, rows = self.columns, self.rows
        lists = stretch(columns.lists, start, end, place) if columns.lists.size else columns.lists
        codes = columns.codes[:, mine] if columns.codes.size else columns.codes
        return replace(
            self,
            columns=Columns(lists, codes, columns.about),
            rows=Rows(rows.label[mine], rows.amount[mine], rows.weight[mine], rows.table),
        )


class Piece(NamedTuple):
    """A subtree grown on its own: its nodes, and the node of another piece in whose place its root belongs."""

    nodes: Nodes
    parent: int
    node: int


def kept_of(grown: Grown, others: bool) -> Nodes:
    """What is kept of nodes that are grown; ``others`` where they have bounds or thresholds."""
    parts = [grown.links[:, column].astype(np.int32) for column in _KEPT]
    parts += [grown.links[:, column].astype(np.uint8) for column in _FLAGS]
    facts = grown.facts.copy() if others else np.empty((0, nodes.N_FACTS))
    # copies: the buffers are longer
    return Nodes._make([*parts, grown.facts[:, nodes.IMPURITY].copy(), facts, grown.tallies.copy(), grown.words.copy()])


def pieces_of(job: SubtreeJob, order: np.ndarray, link: np.ndarray, fact: np.ndarray, threads: int) -> list[Piece]:
    """Grow the top, then its subtrees on rows of their own, close together in memory and on several threads."""
    n = len(order)
    pending = 0 if n <= _NEAR or not job.divisible else max(_NEAR, n // _SHARES)
    top = grown_from(job, order, link, fact, pending)
    waiting = np.flatnonzero(top.links[:, nodes.LEFT] == nodes.PENDING)
    sizes = top.links[waiting, nodes.END] - top.links[waiting, nodes.START]
    waiting = waiting[np.argsort(-sizes, kind="stable")]  # the large first, so that no thread ends up alone with one
    place = np.empty(n if len(waiting) else 0, np.int64)
    below: list[list[Piece]] = [[]] * len(waiting)

    def part(first: int, last: int) -> None:
        for p in range(first, last):
            link = top.links[waiting[p]]
            mine = order[link[nodes.START] : link[nodes.END]]
            place[mine] = np.arange(len(mine))
            share = job.of_rows(mine, place, link[nodes.START], link[nodes.END])
            return_columns(job.columns.lists, link[nodes.START], link[nodes.END])  # the share has its own
            pieces = pieces_of(share, np.arange(len(mine)), link.copy(), top.facts[waiting[p]].copy(), 1)
            for own in (rows for piece in pieces for rows in (piece.nodes.below, piece.nodes.above)):
                own[:] = mine[own]  # of nodes without a cut too: nothing looks at them
            below[p] = pieces

    chunked(part, len(waiting), threads, chunk=1)
    pieces = [Piece(kept_of(top, job.keeps_facts), -1, 0)]
    for node, (root, *others) in zip(waiting.tolist(), below, strict=True):
        at = len(pieces)
        pieces.append(Piece(root.nodes, 0, node))
        pieces += [Piece(other.nodes, other.parent + at, other.node) for other in others]
    return pieces


def grown_from(job: SubtreeJob, order: np.ndarray, link: np.ndarray, fact: np.ndarray, pending: int = 0) -> Grown:
    """Run ``grow`` from this node on, leaving out what these columns and this settings have no need of."""
    columns, settings, n_sums = job.columns, job.settings, job.n_sums
    n, d = len(order), len(columns.about)
    counted = columns.about[:, PLACE] < 0
    most_codes = int(columns.about[counted, N_CODES].max(initial=0))
    work = Workspace.of(n, d, n_sums, job.limits.max_leaves, listed=columns.lists.size > 0)
    work.links[0], work.facts[0] = link, fact
    work.links[0, [nodes.START, nodes.END]] = 0, n
    random, ratio = settings.splitter == "random", CRITERIA[settings.criterion].ratio
    absolute = job.rules.criterion == ABSOLUTE
    # what is rare comes with histograms whether there are any or not: each combination is compiled on its own
    counts = bool(counted.any()) or random or ratio or absolute
    spare = None if settings.surrogates is None else surrogate_buffers(n, most_codes, settings.surrogates)
    used, n_surrogates, words = grow(
        columns.lists,
        columns.codes if counts else None,
        columns.about,
        *job.rows,
        order,
        job.rules,
        job.limits._replace(pending=pending),
        work,
        cell_buffers(most_codes, n_sums) if counts else None,
        np.empty((2, d)) if ratio else None,
        spare,
        (job.values.low, job.values.start) if random else None,
        absolute_buffers(n) if absolute and not random else None,
    )
    surrogates = (work.links[:0, :5], work.facts[:0, :2]) if spare is None else (spare[4], spare[5])
    found = (part[:n_surrogates].copy() for part in surrogates)
    return Grown(work.links[:used], work.facts[:used], work.tallies[:used], words, *found)


@njit(nogil=True, cache=True)
def stretch(lists, start, end, place):
    """The entries from start to end of every list, their rows renumbered.

    place (IN) int64[n] the new number of each row
    """
    out = np.empty((lists.shape[0], end - start), np.uint64)
    low, one = np.uint64(0xFFFFFFFF), np.uint64(1)
    for f in range(lists.shape[0]):
        for p in range(start, end):
            entry = lists[f, p]
            row = np.uint64(place[np.int64(entry & low) >> 1])
            out[f, p - start] = ((entry >> CODE_SHIFT) << CODE_SHIFT) | (row << one) | (entry & one)
    return out

"""Growing a tree: its workspace, and the threads that grow it together."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from probus.compiling import njit
from probus.ensemble.boosting._binning import Codes
from probus.ensemble.boosting._grow_kernel import grow
from probus.ensemble.boosting._node_arrays import (  # fmt: skip
    END,
    EVERY_CODE,
    LEFT,
    LOWER,
    N_FACTS,
    N_LINKS,
    SEED,
    UPPER,
)
from probus.ensemble.boosting._packed_gradients import Scales
from probus.ensemble.boosting._plan import SplitSettings
from probus.ensemble.boosting._symmetric import grow_symmetric
from probus.ensemble.boosting._threads import ThreadPool

_ROOT_LINK = np.zeros(N_LINKS, np.int64)
_ROOT_LINK[LEFT] = -1
_ROOT_FACT = np.zeros(N_FACTS)
_ROOT_FACT[[LOWER, UPPER]] = -np.inf, np.inf
_FEW_ROWS, _WIDE = 250, 4  # rows, and columns per row, of tables whose rows are scanned
_WORTH_A_THREAD = 100_000  # codes of rows and cells of histograms


class LevelNodes(NamedTuple):
    """The nodes of a tree, in level order with siblings next to each other.

    rows : int32[m], its rows in the order of its leaves; valid until the next tree of this workspace grows
    """

    links: np.ndarray
    facts: np.ndarray
    sets: np.ndarray
    rows: np.ndarray


class LevelWorkspace(NamedTuple):
    """What trees are grown in, one after the other: the coded table, the settings of splits, and arrays for nodes.

    about : int64[d, 7] the columns, see ``Bins``
    interactions : uint8[c, d] sets of columns that may be on one path; without sets all may
    by_code : uint16[G, n] the rows in order of each byte, for symmetric trees of few rows and many columns; else empty
    row_values : int64[n] the packed gradient, hessian and count of each row
    rows, spare : int32[n] the rows of the tree, reordered by leaves, and space to reorder them
    links, facts : for each thread the nodes, see ``node_arrays``; all threads have the same
    sets : uint64[threads, nodes, 8] for nominal splits the levels that go left, and those with rows
    cells : int64[slots, 256 G] the histograms of the open nodes; for symmetric trees int64[threads, 256 leaves]
    alive : uint8[threads, nodes, c] the interaction sets that contain all columns of the path
    keys, heap, slots : the open nodes, and the free histograms
    shares, middles, found : int64[threads, 256 G], int64[threads], float64[2, d, 3] for work on several threads
    order, place : int64[nodes] for the renumbering of nodes
    """

    codes: Codes
    about: np.ndarray
    rules: SplitSettings
    interactions: np.ndarray
    max_leaves: int
    best_first: bool
    symmetric: bool
    by_code: np.ndarray
    row_values: np.ndarray
    rows: np.ndarray
    spare: np.ndarray
    links: np.ndarray
    facts: np.ndarray
    sets: np.ndarray
    cells: np.ndarray
    alive: np.ndarray
    keys: np.ndarray
    heap: np.ndarray
    slots: np.ndarray
    shares: np.ndarray
    middles: np.ndarray
    found: np.ndarray
    order: np.ndarray
    place: np.ndarray

    @classmethod
    def of(
        cls, codes: Codes, about: np.ndarray, rules: SplitSettings, interactions: np.ndarray, max_leaves: int | None,
        threads: int, *, symmetric: bool = False,
    ) -> LevelWorkspace:  # fmt: skip
        """A bed for trees of at most so many leaves."""
        n, width = codes.by_row.shape
        most = min(2 ** min(int(rules.max_depth), 40), n)
        leaves = most if max_leaves is None else min(max_leaves, most)
        n_nodes = 2 * leaves + 1
        # best first all leaves may be open, depth first one per depth; memory is only used by those that are
        deepest = min(int(rules.max_depth), leaves)
        n_slots = (leaves if max_leaves is not None else deepest) + 3
        return cls(
            codes, about, rules, interactions, leaves, max_leaves is not None, symmetric,
            by_code=_row_order(codes, rules) if symmetric else np.empty((0, 0), np.uint16),
            row_values=np.empty(n, np.int64),
            rows=np.empty(n, np.int32),
            spare=np.empty(n, np.int32),
            links=np.empty((threads, n_nodes, N_LINKS), np.int64),
            facts=np.empty((threads, n_nodes, N_FACTS)),
            sets=np.empty((threads, n_nodes, 8), np.uint64),
            cells=np.empty((threads, EVERY_CODE * leaves) if symmetric else (n_slots, EVERY_CODE * width), np.int64),
            alive=np.empty((threads, n_nodes, len(interactions)), np.uint8),
            keys=np.empty((threads, n_nodes)),
            heap=np.empty((threads, n_nodes), np.int64),
            slots=np.empty((threads, n_slots), np.int64),
            shares=np.empty((threads, EVERY_CODE * width), np.int64),
            middles=np.empty(threads, np.int64),
            found=np.empty((2, len(about), 3)),
            order=np.empty(n_nodes, np.int64),
            place=np.empty(n_nodes, np.int64),
        )  # fmt: skip


def _row_order(codes: Codes, rules: SplitSettings) -> np.ndarray:
    """The rows in order of each byte, if trees are grown on so few that scanning them is faster than histograms."""
    n, width = codes.by_row.shape
    wide = n <= _FEW_ROWS and width >= _WIDE * n and rules.min_leaf <= 1.0 and rules.l2 > 0.0
    return np.argsort(codes.by_column[:, : n if wide else 0], axis=1, kind="stable").astype(np.uint16)


def grown_tree(
    workspace: LevelWorkspace, rows: np.ndarray, scales: Scales, levels: np.ndarray, seed: int, pool: ThreadPool,
    noise: float = 0.0,
) -> LevelNodes:  # fmt: skip
    """Grow a tree on these rows; their packed gradients are in the workspace. ``noise`` is for symmetric trees."""
    w, own = workspace, workspace.rows[: len(rows)]
    own[:] = rows
    w.links[:, 0], w.facts[:, 0], w.alive[:, 0] = _ROOT_LINK, _ROOT_FACT, 1
    w.links[:, 0, END], w.links[:, 0, SEED] = len(rows), seed
    n_codes = w.codes.by_row.shape[1] * (len(rows) + EVERY_CODE * w.max_leaves)
    team = max(1, min(pool.threads, n_codes // _WORTH_A_THREAD))
    counter = np.zeros(1, np.int64)
    if w.symmetric:
        by_code = w.by_code if w.by_code.size else None
        pool.run(
            [partial(grow_symmetric, w, own, scales, levels, noise, me, team, counter, by_code) for me in range(team)]
        )
    else:
        pool.run([partial(grow, w, own, scales, levels, me, team, counter) for me in range(team)])
    n_nodes = in_levels(w.links[0], w.order, w.place)
    nodes = w.order[:n_nodes]
    return LevelNodes(w.links[0][nodes], w.facts[0][nodes], w.sets[0][nodes], own)


@njit(nogil=True, cache=True)
def in_levels(links, order, place):
    """The nodes of a tree in level order, siblings next to each other; LEFT is renumbered. Returns their number.

    links (INOUT) the nodes
    order (OUT)   int64[*] the nodes in this order
    place (OUT)   int64[*] where each of them is
    """
    order[0], n, i = 0, 1, 0
    while i < n:
        node = order[i]
        place[node] = i
        if links[node, LEFT] >= 0:
            order[n], order[n + 1] = links[node, LEFT], links[node, LEFT] + 1
            n += 2
        i += 1
    for i in range(n):
        node = order[i]
        if links[node, LEFT] >= 0:
            links[node, LEFT] = place[links[node, LEFT]]
    return n

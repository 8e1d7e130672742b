"""The trees of a forest are fitted: a bag of rows for each, several on threads."""

from __future__ import annotations

from dataclasses import replace
from queue import SimpleQueue
from typing import Any

import numpy as np
from sklearn.utils import compute_sample_weight

from probus.ensemble.forest._bags import Bags, order_by_content
from probus.parallel import chunked, thread_count
from probus.tree import Tree, Trees
from probus.tree.forest_engine import (
    Buffers,
    PlacedTrees,
    binned,
    binned_nodes,
    bins_for,
    can_be_binned,
    node_buffers,
    reorder_rows,
)
from probus.tree.growing import build_tree, must_fit_into_memory
from probus.tree.preparation import Design, Target, TreeSettings, must_be_constrainable, settings_of
from probus.tree.prune import pruned


def grown(
    template: Any,
    design: Design,
    target: Target,
    bags: Bags,
    which: range,
    *,
    balance: bool,
    n_jobs: int | None,
    verbose: int,
) -> Trees:
    """The trees of a forest with these numbers.

    Parameters
    ----------
    template : a decision tree whose parameters are those of every tree.
    target : its weights count where no bags are drawn.
    balance : whether each tree balances the classes of its bag.
    """
    n, d = design.X.shape
    must_be_constrainable(template.monotonic_cst, target)
    must_fit_into_memory(target, template, len(which))
    settings = settings_of(template, n, d, design.n_levels, target.weight)
    pools: dict[int, np.ndarray] = {}
    if settings.splitter == "best":  # random subsets of levels do not overfit
        design, pools = pooled(design, target.weight)
    order = _order_of_sums(design, target, bags, balance)
    bins = None
    if can_be_binned(settings, design.n_levels, target.n_outputs):
        bins = binned(design, int(settings.max_bins or 0), n_jobs)
        if order is not None:
            reorder_rows(bins, order, n_jobs)
        bins = bins_for(settings, bins)
    in_order = target if bins is None or order is None else target.take(order)

    threads = thread_count(n_jobs, 60.0 * n * d * len(which))
    free: SimpleQueue[Buffers] = SimpleQueue()  # one for each thread: fresh memory for each tree would be long to clear
    for _ in range(threads if bins is not None else 0):
        free.put(node_buffers(n, target.n_classes, settings.max_leaf_nodes))

    placed = PlacedTrees(len(which))

    def part(first: int, last: int) -> Any:
        tree: Any = None
        t = which[first]
        weight = _weights(bags, t, target, balance)
        least = template.min_weight_fraction_leaf * float(weight.sum())
        own = replace(settings, seed=int(bags.seeds[t]), min_weight_leaf=least)
        if bins is not None:
            buffers = free.get()
            try:
                drawn = weight if order is None else weight[order]
                placed.put(first, binned_nodes(bins, design.n_levels, in_order, drawn, own, buffers))
            finally:  # whatever happens, no other thread waits for it in vain
                free.put(buffers)
        else:
            tree = general_tree(design, target, weight, own, order)
        _report(t, which, verbose)
        return tree

    parts = chunked(part, len(which), threads, chunk=1)
    while not free.empty():  # before more memory is needed
        free.get()
    trees = Trees.joined(parts) if bins is None else placed.trees(design.n_levels)
    if template.ccp_alpha > 0.0:
        trees = pruned_trees(trees, template.ccp_alpha)
    return known_alike(trees, pools)


def _order_of_sums(design: Design, target: Target, bags: Bags, balance: bool) -> np.ndarray | None:
    """The order in which rows are summed up, by their content; None where sums are of whole numbers.

    Sums of other numbers are rounded, so that their order could decide between cuts that are nearly as good.
    """
    drawn, weight = bags.size > 0, target.weight
    whole = drawn or (weight.sum() < 2.0**53 and bool((weight == np.floor(weight)).all()))
    if target.n_classes > 1 and whole and not balance:
        return None
    return bags.order if drawn else order_by_content(design.X, target.y, target.weight)


def _weights(bags: Bags, t: int, target: Target, balance: bool) -> np.ndarray:
    """The weight of each row in a tree: how often it was drawn, or its own weight without bootstrap."""
    if bags.size == 0:
        return target.weight
    counts = bags.counts(t)
    if not balance:
        return counts.astype(np.float64)
    return counts * compute_sample_weight("balanced", target.y, indices=np.repeat(np.arange(len(counts)), counts))


def _report(t: int, which: range, verbose: int) -> None:
    """Print the progress: after every tree, or after every tenth of them."""
    done = t - which.start + 1
    if verbose > 1 or (verbose == 1 and done % max(1, len(which) // 10) == 0):
        print(f"tree {t + 1} of {which.stop}")


# -- one tree of a forest as a single tree is fitted: exact, constrained, of several outputs, or by other criteria


def general_tree(
    design: Design, target: Target, weight: np.ndarray, settings: TreeSettings, order: np.ndarray | None
) -> Trees:
    """A tree on the rows of positive weight, in this order."""
    rows = np.flatnonzero(weight) if order is None else order[weight[order] > 0.0]
    mine, settings = Design(design.X[rows], design.n_levels), replace(settings, shuffled=True)
    return Trees.joined([build_tree(mine, target.take(rows, weight[rows]), settings, n_jobs=1)])


def pruned_trees(trees: Trees, alpha: float) -> Trees:
    """Each tree pruned with this ``ccp_alpha``."""

    def cut(tree: Tree) -> Tree:
        return pruned(tree, alpha)

    return Trees.joined(cut(tree) for tree in trees)


# -- levels too rare to learn from: where a column has very many, the best partition of them overfits --


_MANY_LEVELS = 32
_FEW_ROWS = 10  # as boosting has it in each node


def pooled(design: Design, weight: np.ndarray) -> tuple[Design, dict[int, np.ndarray]]:
    """The design, in which all levels of fewer than 10 rows are one, in columns of more than 32; and these levels.

    They all have the code of the first of them. Weights that are whole numbers count repetitions.
    """
    X, pools = design.X, {}
    repeated = weight if bool((weight == np.floor(weight)).all()) else (weight > 0).astype(np.float64)
    for j in np.flatnonzero(design.n_levels > _MANY_LEVELS):
        known = np.flatnonzero(~np.isnan(X[:, j]))
        level = X[known, j].astype(np.int64)
        rows = np.bincount(level, repeated[known], minlength=design.n_levels[j])
        rare = np.flatnonzero((rows > 0) & (rows < _FEW_ROWS))
        if (rows > 0).sum() > _MANY_LEVELS and len(rare) > 1:
            X = X.copy(order="A") if X is design.X else X
            X[known[rows[level] < _FEW_ROWS], j] = rare[0]
            pools[int(j)] = rare
    return Design(X, design.n_levels), pools


def known_alike(trees: Trees, pools: dict[int, np.ndarray]) -> Trees:
    """The trees, whose nodes send all levels of a pool where they send the first of them."""
    subsets = trees.subsets.copy()
    for j, rare in pools.items():
        size = (int(trees.n_levels[j]) + 31) // 32
        bits = np.zeros(size, np.uint32)
        np.bitwise_or.at(bits, rare >> 5, np.uint32(1) << (rare & 31).astype(np.uint32))
        begin = trees.subset[trees.feature == j]
        for words in (begin, begin + size):  # the levels that go left, and those that the node knows
            first = (subsets[words + (rare[0] >> 5)] >> np.uint32(rare[0] & 31)) & np.uint32(1)
            subsets[words[:, None] + np.arange(size)] |= first[:, None] * bits
    return replace(trees, subsets=subsets) if pools else trees

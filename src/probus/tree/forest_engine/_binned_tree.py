"""One tree of a forest on binned columns: the way in."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.numba_seam.code_lanes import BLOCK
from probus.tree._criteria import CRITERIA, ENTROPY, xlogx_table
from probus.tree._trees import Trees
from probus.tree.forest_engine._column_bins import N_CODES, NOMINAL, CodedColumns, by_row
from probus.tree.forest_engine._grow_binned import (
    COVER,
    GAIN,
    BinnedLimits,
    BinnedWorkspace,
    grow_best_first,
    grow_tree,
)
from probus.tree.forest_engine._many_classes import LANES
from probus.tree.forest_engine._payload import LARGEST_SUM, in_bytes, packed
from probus.tree.forest_engine._placed_trees import BinnedNodes, PlacedTrees
from probus.tree.forest_engine._random_cut import drawing_buffers
from probus.tree.growing._build import centre_of
from probus.tree.preparation._row_target import Target
from probus.tree.preparation._scale_units import units_of
from probus.tree.preparation._tree_settings import TreeSettings
from probus.tree.splitting._class_levels import group_buffers
from probus.tree.splitting._scan import SplitRules

Buffers = tuple[np.ndarray, np.ndarray, np.ndarray]

_GATHERED = 4096  # rows of a subtree whose codes are copied together before it is grown


def can_be_binned(settings: TreeSettings, n_levels: np.ndarray, n_outputs: int = 1) -> bool:
    """Whether this way of growing knows these parameters: any others are for the engine of single trees."""
    return (
        settings.max_bins is not None
        and n_outputs == 1
        and CRITERIA[settings.criterion].binned
        and settings.monotone is None
        and int(n_levels.max(initial=0)) < 2**16
    )


def is_of_forest(settings: TreeSettings, n_levels: np.ndarray, n_outputs: int) -> bool:
    """Whether a single tree is grown as those of a forest are, so that each of them can be fitted again alone."""
    random = settings.splitter == "random" or settings.max_features < len(n_levels)
    return random and settings.surrogates is None and can_be_binned(settings, n_levels, n_outputs)


def node_buffers(n_rows: int, n_classes: int, max_leaves: int | None) -> Buffers:
    """Buffers for the nodes of a tree of so many rows: links, facts and values; to be used again for the next.

    Links and facts lie column by column, as ``Trees`` keeps them: copying every sixth number would take twice as long.
    """
    most = 2 * (n_rows if max_leaves is None else min(n_rows, max_leaves))
    return np.empty((most, 6), np.int32, order="F"), np.empty((most, 4), order="F"), np.empty((most, n_classes))


def binned_tree(
    bins: CodedColumns, n_levels: np.ndarray, target: Target, weight: np.ndarray, settings: TreeSettings
) -> Trees:
    """A tree on the rows of positive weight."""
    placed = PlacedTrees(1)
    bins = bins_for(settings, bins)
    placed.put(0, binned_nodes(bins, n_levels, target, weight, settings))
    return placed.trees(n_levels)


def bins_for(settings: TreeSettings, bins: CodedColumns) -> CodedColumns:
    """The bins as ``binned_nodes`` reads them: random cuts are of many columns at once, and want them row by row."""
    return by_row(bins, BLOCK) if settings.splitter == "random" else bins


def binned_nodes(
    bins: CodedColumns,
    n_levels: np.ndarray,
    target: Target,
    weight: np.ndarray,
    settings: TreeSettings,
    nodes: Buffers | None = None,
) -> BinnedNodes:
    """The nodes of a tree on the rows of positive weight; ``nodes`` is memory that an earlier one may have left."""
    units = units_of(Target(target.y, weight, target.n_classes), settings.criterion)
    if not units.are_one:
        scaled = units.of_target(Target(target.y, weight, target.n_classes))
        grown = binned_nodes(bins, n_levels, scaled, scaled.weight, units.of_settings(settings), nodes)
        grown.value[:] *= units.target
        grown.facts[:, [COVER, GAIN]] *= units.weight
        return grown
    rows = np.flatnonzero(weight).astype(np.uint32)
    every, criterion = len(rows) == len(weight), CRITERIA[settings.criterion].code
    w, y = (weight, target.y) if every else (weight[rows], target.y[rows])
    total = float(w.sum())
    whole = total <= LARGEST_SUM and bool((w == np.floor(w)).all())
    numbers = target.n_classes == 1
    centre = float(centre_of(Target(y, w, 1))[0]) if numbers else 0.0
    random = settings.splitter == "random"
    load, at_once = _loads(y, w, target.n_classes, whole, random, centre)
    table = xlogx_table(int(total)) if criterion == ENTROPY and whole else np.empty(0)
    rules = SplitRules(
        criterion=criterion, numbers=numbers, n_outputs=1, unit=bool((w == 1.0).all()), learn=True,
        min_leaf=settings.min_samples_leaf, min_weight=settings.min_weight_leaf, plain=False, constrained=False,
    )  # fmt: skip
    m, k, d, best_first = len(rows), target.n_classes, len(bins.about), settings.max_leaf_nodes is not None
    # copying columns that are rarely tried is not worthwhile, and best first nodes do not come one below the other
    n_gathered = _GATHERED if d <= 8 * settings.max_features and not best_first else 0
    limits = BinnedLimits(
        settings.max_depth, settings.min_samples_split, settings.min_impurity_decrease, settings.max_features,
        total, centre, at_once, settings.max_leaf_nodes or len(rows), n_gathered,
    )  # fmt: skip
    nodes = nodes or node_buffers(m, k, settings.max_leaf_nodes)
    n_sums = k if numbers or (load.ndim == 1 and k == 2) else -(-k // LANES) * LANES
    work = BinnedWorkspace(
        stack=np.empty((len(nodes[0]) + 1 if best_first else m + 1, 5), np.int64), pool=np.arange(d),
        tally=np.empty(2 + n_sums), sides=np.empty((2, 2 + n_sums)),
        gathered=np.empty((n_gathered, bins.codes.shape[1]) if random else (d, n_gathered), bins.codes.dtype),
        spare_rows=np.empty_like(rows),
        spare_load=np.empty_like(load), table=table,
    )  # fmt: skip
    most = int(bins.about[:, N_CODES].max()) + 1
    side_of = np.zeros(most, np.uint8) if bins.about[:, NOMINAL].any() else None
    tried = None if random else _search_buffers(bins, load, m, n_sums)
    drawn = drawing_buffers(bins.codes.dtype, m, bins.codes.shape[1], most, n_sums) if random else None
    used, words = (grow_best_first if best_first else grow_tree)(
        bins, rows, load, rules, limits, settings.seed, nodes, work, side_of, tried, drawn
    )
    links, facts, value = nodes
    return BinnedNodes(links[:used], facts[:used], value[:used], words)


def _loads(
    y: np.ndarray, w: np.ndarray, n_classes: int, whole: bool, random: bool, centre: float
) -> tuple[np.ndarray, int]:
    """What each row adds to sums, and of how many rows a byte can hold the weight; 0 where it is of none."""
    if n_classes == 1:
        return np.column_stack([w, (y - centre) * w]), 0
    at_once = 255 // int(w.max()) if whole else 0
    if whole and n_classes == 2:
        return packed(y, w), at_once
    if at_once > 0 and random and n_classes <= 8:
        return in_bytes(y, w), at_once
    return np.column_stack([w, y]), at_once


def _search_buffers(bins: CodedColumns, load: np.ndarray, m: int, n_sums: int) -> tuple[Any, ...]:
    """Buffers for sums, counts and marks of codes, for many classes, and for levels."""
    about, most = bins.about, int(bins.about[:, N_CODES].max()) + 1
    many = n_sums > 2
    return (
        np.zeros(most, np.uint64) if load.ndim == 1 else np.zeros((most, max(2, n_sums))),
        np.zeros(most, np.int64),
        np.zeros((most + 63) // 64, np.uint64),
        (np.empty((2, most + 1), np.int64), np.empty(m, np.uint32), np.empty(m, bins.codes.dtype)) if many else None,
        _level_buffers(about, n_sums),
    )


def _level_buffers(about: np.ndarray, n_sums: int) -> tuple[Any, ...] | None:
    if not about[:, NOMINAL].any():
        return None
    most = int(about[about[:, NOMINAL] == 1, N_CODES].max()) + 1
    return (
        np.empty((most, 2 + n_sums)), np.empty(most, np.int64), np.empty((2, most), np.int64), np.empty(most, np.int64),
        np.empty(most), group_buffers(most, n_sums) if n_sums > 2 else None,
    )  # fmt: skip

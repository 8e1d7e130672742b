"""From a design and a target to a flat tree: code the columns, grow, and store the nodes in order."""

from __future__ import annotations

import numpy as np

from probus.memory import return_free_memory
from probus.parallel import thread_count
from probus.tree import _node_columns as nodes
from probus.tree._criteria import ABSOLUTE, CRITERIA, ENTROPY, SQUARES, xlogx_table
from probus.tree._trees import Tree
from probus.tree.growing._assembly import flat_tree
from probus.tree.growing._grow import Limits
from probus.tree.growing._subtrees import Grown, Piece, Rows, SubtreeJob, grown_from, kept_of, pieces_of
from probus.tree.preparation._codes import MONOTONE, Columns, Values, coded
from probus.tree.preparation._design import Design
from probus.tree.preparation._row_target import Target
from probus.tree.preparation._scale_units import units_of
from probus.tree.preparation._tree_settings import TreeSettings
from probus.tree.splitting._absolute_error import medians_of
from probus.tree.splitting._scan import SplitRules

_LARGE = 4_000_000  # numbers in a table from which freed memory is returned to the system
_DIGITS_LOST = 1e-6  # of a number by which another is subtracted from it, at most


def coding_of(
    design: Design, target: Target, settings: TreeSettings, n_jobs: int | None = None
) -> tuple[Columns, Values]:
    """The columns as coded for trees grown on these rows, for any weights."""
    two = (
        target.y.astype(np.int32) if target.n_sums == 2 and target.n_classes == 2 else np.zeros(design.n_rows, np.int32)
    )
    max_bins = None if settings.splitter == "random" else settings.max_bins  # a random threshold may lie within a bin
    listed, by_code = settings.surrogates is None, settings.splitter == "random"
    return coded(design, two, max_bins=max_bins, listed=listed, by_code=by_code, n_jobs=n_jobs)


def build_tree(
    design: Design,
    target: Target,
    settings: TreeSettings,
    n_jobs: int | None = None,
    coding: tuple[Columns, Values] | None = None,
) -> Tree:
    """Grow a tree; a coding of its columns that is there already is used up: growing reorders it."""
    units = units_of(target, settings.criterion)
    if not units.are_one:
        scaled = units.of_target(target), units.of_settings(settings)
        return units.restored(build_tree(design, *scaled, n_jobs, coding))
    criterion, numbers = CRITERIA[settings.criterion].code, target.n_classes == 1
    n, d = design.X.shape
    centre = centre_of(target) if numbers and criterion == SQUARES else np.zeros(1)
    rows = _rows(target, criterion, centre)
    columns, values = coding or coding_of(design, target, settings, n_jobs)
    if criterion == ABSOLUTE:
        columns = columns._replace(lists=_with_target(columns.lists, target.y))
    if settings.monotone is not None:
        columns.about[:, MONOTONE] = settings.monotone
    rules = SplitRules(
        criterion=criterion,
        numbers=numbers,
        n_outputs=target.n_outputs,
        unit=bool((target.weight == 1.0).all()),
        learn=settings.surrogates is None,
        min_leaf=settings.min_samples_leaf,
        min_weight=settings.min_weight_leaf,
        plain=criterion == SQUARES
        and target.n_outputs == 1
        and settings.monotone is None
        and settings.min_weight_leaf <= 0.0,
        constrained=settings.monotone is not None,
    )
    best_first = settings.max_leaf_nodes is not None
    limits = Limits(
        settings.max_depth, settings.min_samples_split, settings.min_impurity_decrease, settings.max_leaf_nodes or n,
        settings.max_features, settings.shuffled, best_first, float(target.weight.sum()), 0,
    )  # fmt: skip
    link, fact = np.zeros(nodes.N_LINKS, np.int64), np.zeros(nodes.N_FACTS)
    fact[[nodes.LOWER, nodes.UPPER]] = -np.inf, np.inf
    link[nodes.SEED] = settings.seed
    order = np.arange(n)
    job = SubtreeJob(columns, values, rows, rules, limits, settings, target.n_sums)
    whole = None if job.divisible else grown_from(job, order, link, fact)
    if whole is None:
        pieces = pieces_of(job, order, link, fact, thread_count(n_jobs, 60.0 * n * d))
    else:
        if criterion == ABSOLUTE:
            _use_medians(whole, order, target)
        pieces = [Piece(kept_of(whole, job.keeps_facts), -1, 0)]
    about = columns.about
    del job, columns, coding  # the lists take as much memory as the data
    if n * d >= _LARGE:
        return_free_memory()
    tree = flat_tree(pieces, about, None if rules.learn else whole, values, design, centre, rules, settings)
    if n * d >= _LARGE:
        return_free_memory()
    return tree


def _with_target(lists: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The lists, and behind them one for each output: the rows in order of it."""
    by_y = np.argsort(y.reshape(len(y), -1), axis=0, kind="stable").T.astype(np.uint64) << np.uint64(1)
    return np.vstack([lists, by_y]) if lists.size else by_y


def _use_medians(grown: Grown, order: np.ndarray, target: Target) -> None:
    """Let nodes predict medians, not means."""
    medians, impurity = np.empty(len(grown.links)), np.empty((target.n_outputs, len(grown.links)))
    for o, y in enumerate(np.ascontiguousarray(target.y.reshape(len(target.y), -1).T)):
        medians_of(grown.links, order, y, target.weight, medians, impurity[o])
        grown.tallies[:, 2 + o] = medians * grown.tallies[:, 1]
    grown.facts[:, nodes.IMPURITY] = impurity.mean(axis=0)


def centre_of(target: Target) -> np.ndarray:
    """About the mean of each output, within half a standard deviation: few bits, so that y less it is exact.

    It is 0 where digits of a number that is much smaller than others would be lost.
    """
    y = np.ascontiguousarray(target.y.reshape(len(target.y), -1).T)
    mean, spread = np.average(y, axis=1, weights=target.weight), y.std(axis=1)
    grid = 2.0 ** np.floor(np.log2(np.where(spread > 0.0, spread, 1.0)))
    centre = np.where(spread > 0.0, np.round(mean / grid) * grid, y[:, 0])
    lost = np.abs(((y - centre[:, None]) + centre[:, None]) - y) > _DIGITS_LOST * np.abs(y)
    return np.where(lost.any(axis=1), 0.0, centre)


def _rows(target: Target, criterion: int, centre: np.ndarray) -> Rows:
    weight = np.ascontiguousarray(target.weight, dtype=np.float64)
    by_output = weight if target.y.ndim == 1 else np.repeat(weight[:, None], target.n_outputs, axis=1)
    if target.n_classes == 1:
        label = np.zeros(target.y.shape, np.int32) + np.arange(target.n_outputs, dtype=np.int32)
        return Rows(label, (target.y - centre) * by_output, weight, np.empty(0))
    label = (target.y + target.n_classes * np.arange(target.n_outputs)).astype(np.int32)
    whole = criterion == ENTROPY and bool((weight == 1.0).all())
    return Rows(label, by_output, weight, xlogx_table(len(weight)) if whole else np.empty(0))

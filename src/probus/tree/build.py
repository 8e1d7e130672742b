"""From a design and a target to a flat tree: code the columns, grow, and lay the nodes out."""

from __future__ import annotations

import numpy as np

from probus.parallel import thread_count
from probus.tree import node_columns as nodes
from probus.tree.absolute import medians_of
from probus.tree.assembly import flat_tree, joined
from probus.tree.codes import MONOTONE, Columns, Values, coded
from probus.tree.design import Design
from probus.tree.grow import Limits
from probus.tree.growth import Growth, Target
from probus.tree.risk import ABSOLUTE, ENTROPY, RISKS, SQUARES, xlogx_table
from probus.tree.scan import Rules
from probus.tree.subtrees import Grown, Job, Rows, pieces_of
from probus.tree.trees import Tree

__all__ = ["build_tree", "coding_of"]


def coding_of(design: Design, target: Target, growth: Growth, n_jobs: int | None = None) -> tuple[Columns, Values]:
    """The columns as trees grown on these rows see them, whatever the rows weigh."""
    two = target.y.astype(np.int32) if target.n_classes == 2 else np.zeros(design.n_rows, np.int32)
    return coded(design, two, max_bins=growth.max_bins, listed=growth.surrogates is None, n_jobs=n_jobs)


def build_tree(
    design: Design,
    target: Target,
    growth: Growth,
    n_jobs: int | None = None,
    coding: tuple[Columns, Values] | None = None,
) -> Tree:
    """Grow a tree; a coding of its columns that is there already is used up: growing reorders it."""
    risk = RISKS[growth.criterion]
    n, d = design.X.shape
    centre = centre_of(target) if target.n_classes == 1 and risk == SQUARES else 0.0
    rows = _rows(target, risk, centre)
    columns, values = coding or coding_of(design, target, growth, n_jobs)
    if risk == ABSOLUTE:
        columns = columns._replace(lists=_with_target(columns.lists, target.y))
    if growth.monotone is not None:
        columns.about[:, MONOTONE] = growth.monotone
    rules = Rules(
        risk=risk,
        unit=bool((target.weight == 1.0).all()),
        learn=growth.surrogates is None,
        min_leaf=growth.min_samples_leaf,
        min_weight=growth.min_weight_leaf,
        plain=risk == SQUARES and growth.monotone is None and growth.min_weight_leaf <= 0.0,
        constrained=growth.monotone is not None,
    )
    best_first = growth.max_leaf_nodes is not None
    limits = Limits(
        growth.max_depth, growth.min_samples_split, growth.min_impurity_decrease, growth.max_leaf_nodes or n,
        growth.max_features, best_first, float(target.weight.sum()), 0,
    )  # fmt: skip
    link, fact = np.zeros(nodes.N_LINKS, np.int64), np.array([0.0, 0.0, -np.inf, np.inf, 0.0])
    link[nodes.SEED] = growth.seed
    order = np.arange(n)
    job = Job(columns, values, rows, rules, limits, growth, target.n_classes)
    pieces = pieces_of(job, order, link, fact, thread_count(n_jobs, 60.0 * n * d))
    top = pieces[0].grown
    if risk == ABSOLUTE:
        _use_medians(top, order, target)
    others = rules.constrained or growth.splitter == "random"
    return flat_tree(joined(pieces, columns.about, others), top, values, design.n_levels, centre, rules, growth)


def _with_target(lists: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The lists, and behind them one of the rows in order of the target."""
    by_y = np.argsort(y, kind="stable").astype(np.uint64) << np.uint64(1)
    return np.vstack([lists, by_y]) if lists.size else by_y[None, :]


def _use_medians(grown: Grown, order: np.ndarray, target: Target) -> None:
    """Let nodes predict medians, not means."""
    medians = np.empty(len(grown.links))
    medians_of(grown.links, order, target.y, target.weight, medians, grown.facts[:, nodes.IMPURITY])
    grown.tallies[:, 2] = medians * grown.tallies[:, 1]


def centre_of(target: Target) -> float:
    """About the mean, within half a standard deviation: a whole number of powers of two, so that y less it is exact."""
    mean, spread = float(np.average(target.y, weights=target.weight)), float(target.y.std())
    if spread == 0.0:
        return float(target.y[0])
    grid = 2.0 ** np.floor(np.log2(spread))
    return float(np.round(mean / grid) * grid)


def _rows(target: Target, risk: int, centre: float) -> Rows:
    weight = np.ascontiguousarray(target.weight, dtype=np.float64)
    if target.n_classes == 1:
        return Rows(np.zeros(len(weight), np.int32), (target.y - centre) * weight, weight, np.empty(0))
    whole = risk == ENTROPY and bool((weight == 1.0).all())
    return Rows(target.y.astype(np.int32), weight, weight, xlogx_table(len(weight)) if whole else np.empty(0))

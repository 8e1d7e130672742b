"""From a design and a target to a flat tree: code the columns, grow, and lay the nodes out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numba import njit

from probus.parallel import chunked, thread_count
from probus.tree import nodes
from probus.tree.absolute import absolute_room, medians_of
from probus.tree.codes import CODE_SHIFT, MONOTONE, N_CODES, NOMINAL, PLACE, Columns, Values, coded
from probus.tree.design import Design
from probus.tree.flat import NO_SUBSET, Surrogates, Tree, subset_words
from probus.tree.grow import Limits, Room, grow
from probus.tree.risk import ABSOLUTE, ENTROPY, RISKS, SQUARES, xlogx_table
from probus.tree.scan import Rules
from probus.tree.split import cell_room
from probus.tree.surrogate import surrogate_room

__all__ = ["Growth", "Target", "build_tree"]

# what a node knows only once it was searched
_DECIDED = [
    nodes.LEFT, nodes.RIGHT, nodes.FEATURE, nodes.LOW, nodes.HIGH, nodes.MISSING_LEFT, nodes.MISSING_SEEN,
]  # fmt: skip
_SHARES = 8  # subtrees of less than an eighth of the rows are grown on their own
_NEAR = 8_192  # rows that are near enough in memory as they are


@dataclass(frozen=True, eq=False)
class Target:
    """What a tree predicts: codes of classes, or numbers (``n_classes`` 1); every weight is above zero."""

    y: np.ndarray
    weight: np.ndarray
    n_classes: int


@dataclass(frozen=True)
class Growth:
    """How a tree is grown; every number is resolved: no fractions, no names, no None."""

    criterion: str
    splitter: str
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    min_weight_leaf: float
    min_impurity_decrease: float
    max_leaf_nodes: int | None
    max_features: int
    monotone: np.ndarray | None
    max_bins: int | None
    surrogates: int | None
    seed: int


class Grown(NamedTuple):
    """Nodes as ``grow`` returns them."""

    links: np.ndarray
    facts: np.ndarray
    tallies: np.ndarray
    words: np.ndarray
    surrogate_links: np.ndarray
    surrogate_facts: np.ndarray


class _Rows(NamedTuple):
    """What ``grow`` needs to know of each row."""

    label: np.ndarray
    amount: np.ndarray
    weight: np.ndarray
    table: np.ndarray


@dataclass(frozen=True, eq=False)
class _Job:
    """A tree or subtree to grow: its rows, and how."""

    columns: Columns
    values: Values
    rows: _Rows
    rules: Rules
    limits: Limits
    growth: Growth
    n_classes: int

    @property
    def divisible(self) -> bool:
        """Whether subtrees may be grown apart: not if leaves compete, and not where all rows must be at hand."""
        one_piece = self.limits.best_first or self.growth.surrogates is not None or self.rules.risk == ABSOLUTE
        return not one_piece

    def of_rows(self, mine: np.ndarray, place: np.ndarray, start: int, end: int) -> _Job:
        """The job with only the rows ``mine``, whose new numbers are in ``place``, and that stretch of the lists."""
        columns, rows = self.columns, self.rows
        lists = stretch(columns.lists, start, end, place) if columns.lists.size else columns.lists
        codes = columns.codes[:, mine] if columns.codes.size else columns.codes
        return replace(
            self,
            columns=Columns(lists, codes, columns.about),
            rows=_Rows(rows.label[mine], rows.amount[mine], rows.weight[mine], rows.table),
        )


def build_tree(design: Design, target: Target, growth: Growth, n_jobs: int | None = None) -> Tree:
    """Grow a tree."""
    risk = RISKS[growth.criterion]
    n, d = design.X.shape
    centre = _centre(target) if target.n_classes == 1 and risk == SQUARES else 0.0
    rows = _rows(target, risk, centre)
    two = rows.label if target.n_classes == 2 else np.zeros(n, np.int32)
    listed = growth.surrogates is None
    columns, values = coded(design, two, max_bins=growth.max_bins, listed=listed, n_jobs=n_jobs)
    if risk == ABSOLUTE:
        columns = columns._replace(lists=_with_target(columns.lists, target.y))
    if growth.monotone is not None:
        columns.about[:, MONOTONE] = growth.monotone
    rules = Rules(
        risk=risk,
        unit=bool((target.weight == 1.0).all()),
        learn=listed,
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
    job = _Job(columns, values, rows, rules, limits, growth, target.n_classes)
    grown = _grown(job, order, link, fact, thread_count(n_jobs, 60.0 * n * d))
    if risk == ABSOLUTE:
        _use_medians(grown, order, target)
    return _flat(grown, values, design.n_levels, centre, rules, growth)


def _with_target(lists: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The lists, and behind them one of the rows in order of the target."""
    by_y = np.argsort(y, kind="stable").astype(np.uint64) << np.uint64(1)
    return np.vstack([lists, by_y]) if lists.size else by_y[None, :]


def _use_medians(grown: Grown, order: np.ndarray, target: Target) -> None:
    """Let nodes predict medians, not means."""
    medians = np.empty(len(grown.links))
    medians_of(grown.links, order, target.y, target.weight, medians, grown.facts[:, nodes.IMPURITY])
    grown.tallies[:, 2] = medians * grown.tallies[:, 1]


def _centre(target: Target) -> float:
    """About the mean, within half a standard deviation: a whole number of powers of two, so that y less it is exact."""
    mean, spread = float(np.average(target.y, weights=target.weight)), float(target.y.std())
    if spread == 0.0:
        return float(target.y[0])
    grid = 2.0 ** np.floor(np.log2(spread))
    return float(np.round(mean / grid) * grid)


def _rows(target: Target, risk: int, centre: float) -> _Rows:
    weight = np.ascontiguousarray(target.weight, dtype=np.float64)
    if target.n_classes == 1:
        return _Rows(np.zeros(len(weight), np.int32), (target.y - centre) * weight, weight, np.empty(0))
    whole = risk == ENTROPY and bool((weight == 1.0).all())
    return _Rows(target.y.astype(np.int32), weight, weight, xlogx_table(len(weight)) if whole else np.empty(0))


# -- growing ---------------------------------------------------------------------------------------------


def _grown(job: _Job, order: np.ndarray, link: np.ndarray, fact: np.ndarray, threads: int) -> Grown:
    """Grow the top, then its subtrees on rows of their own, close together in memory and on several threads.

    The tree is the same as if it were grown in one go.
    """
    n = len(order)
    pending = 0 if n <= _NEAR or not job.divisible else max(_NEAR, n // _SHARES)
    top = _grow(job, order, link, fact, pending)
    waiting = np.flatnonzero(top.links[:, nodes.LEFT] == nodes.PENDING)
    if len(waiting) == 0:
        return top
    sizes = top.links[waiting, nodes.END] - top.links[waiting, nodes.START]
    waiting = waiting[
        np.argsort(-sizes, kind="stable")
    ]  # the large first, so that no thread is left with one at the end
    place = np.empty(n, np.int64)
    parts: list[Grown] = [top] * len(waiting)

    def part(first: int, last: int) -> None:
        for p in range(first, last):
            link = top.links[waiting[p]]
            mine = order[link[nodes.START] : link[nodes.END]]
            place[mine] = np.arange(len(mine))
            share = job.of_rows(mine, place, link[nodes.START], link[nodes.END])
            parts[p] = _grown(share, np.arange(len(mine)), link.copy(), top.facts[waiting[p]].copy(), 1)

    chunked(part, len(waiting), threads, chunk=1)
    return _joined(top, waiting, parts, job.columns.about)


def _grow(job: _Job, order: np.ndarray, link: np.ndarray, fact: np.ndarray, pending: int) -> Grown:
    """Run ``grow``, leaving out what these columns and this growth have no need of."""
    columns, growth, n_classes = job.columns, job.growth, job.n_classes
    n, d = len(order), len(columns.about)
    counted = columns.about[:, PLACE] < 0
    most_codes = int(columns.about[counted, N_CODES].max(initial=0))
    room = Room.of(n, d, n_classes, job.limits.max_leaves, listed=columns.lists.size > 0)
    room.links[0], room.facts[0] = link, fact
    room.links[0, [nodes.START, nodes.END]] = 0, n
    random, ratio, absolute = growth.splitter == "random", growth.criterion == "gain_ratio", job.rules.risk == ABSOLUTE
    # what is rare comes with histograms whether there are any or not: each combination is compiled on its own
    counts = bool(counted.any()) or random or ratio or absolute
    spare = None if growth.surrogates is None else surrogate_room(n, most_codes, growth.surrogates)
    used, n_surrogates, words = grow(
        columns.lists,
        columns.codes if counts else None,
        columns.about,
        *job.rows,
        order,
        job.rules,
        job.limits._replace(pending=pending),
        room,
        cell_room(most_codes, n_classes) if counts else None,
        np.empty((2, d)) if ratio else None,
        spare,
        (job.values.low, job.values.start) if random else None,
        absolute_room(n) if absolute else None,
    )
    surrogates = (room.links[:0, :5], room.facts[:0, :2]) if spare is None else (spare[4], spare[5])
    found = (part[:n_surrogates].copy() for part in surrogates)
    return Grown(room.links[:used].copy(), room.facts[:used].copy(), room.tallies[:used].copy(), words.copy(), *found)


def _joined(top: Grown, waiting: np.ndarray, parts: list[Grown], about: np.ndarray) -> Grown:
    """One set of nodes: each subtree behind the others, its root put in the place that waited for it."""
    links = [top.links]
    used, words = len(top.links), len(top.words)
    for node, part in zip(waiting, parts, strict=True):
        moved = part.links.copy()
        inner = moved[:, nodes.FEATURE] >= 0
        moved[inner, nodes.LEFT] += used
        moved[inner, nodes.RIGHT] += used
        nominal = inner & (about[np.maximum(moved[:, nodes.FEATURE], 0), NOMINAL] == 1)
        moved[nominal, nodes.LOW] += words
        top.links[node, _DECIDED] = moved[0, _DECIDED]
        links.append(moved)
        used += len(moved)
        words += len(part.words)
    facts, tallies, all_words = (
        np.concatenate([getattr(grown, name) for grown in (top, *parts)]) for name in ("facts", "tallies", "words")
    )
    return Grown(np.concatenate(links), facts, tallies, all_words, top.surrogate_links, top.surrogate_facts)


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


# -- laying out ------------------------------------------------------------------------------------------


def _flat(grown: Grown, values: Values, n_levels: np.ndarray, centre: float, rules: Rules, growth: Growth) -> Tree:
    """The nodes as a Tree: depth first each comes right before its left child, best first in order of their making."""
    order = np.arange(len(grown.links)) if growth.max_leaf_nodes else depth_first(grown.links)
    renumbered = np.empty(len(grown.links), np.int64)
    renumbered[order] = np.arange(len(order))
    links, facts, tallies = grown.links[order], grown.facts[order], grown.tallies[order]
    feature = links[:, nodes.FEATURE]
    inner = feature >= 0
    nominal = inner & (n_levels[np.maximum(feature, 0)] > 0)
    left, right = (np.where(inner, renumbered[links[:, side]], -1) for side in (nodes.LEFT, nodes.RIGHT))
    cut = inner & ~nominal
    threshold = np.where(nominal, np.nan, -2.0)
    if growth.splitter == "random":
        threshold[cut] = facts[cut, nodes.THRESHOLD]
    else:
        threshold[cut] = _thresholds(feature[cut], links[cut, nodes.LOW], links[cut, nodes.HIGH], values)
    value = tallies[:, 2:] / tallies[:, 1:2]
    if rules.constrained:
        value = _clipped(value, facts)
    value += centre
    start, words = links[:, nodes.LOW], grown.words
    if rules.learn:
        start, words = _in_order_of_nodes(start, nominal, n_levels[np.maximum(feature, 0)], words)
    return Tree(
        children_left=left,
        children_right=right,
        feature=feature,
        threshold=threshold,
        missing_go_to_left=np.where(inner, links[:, nodes.MISSING_LEFT], 0).astype(np.uint8),
        subset=np.where(nominal, start, NO_SUBSET),
        subsets=words,
        impurity=facts[:, nodes.IMPURITY].copy(),
        n_node_samples=tallies[:, 0].astype(np.int64),
        weighted_n_node_samples=tallies[:, 1].copy(),
        value=value[:, None, :],
        n_levels=n_levels.astype(np.int64),
        missing_seen=np.where(inner, links[:, nodes.MISSING_SEEN], 0).astype(np.uint8),
        surrogates=_surrogates(grown, renumbered, values, n_levels) if not rules.learn else None,
    )


def _in_order_of_nodes(
    start: np.ndarray, nominal: np.ndarray, n_levels: np.ndarray, words: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Where the words of each nominal split begin, and the words, however many threads wrote them."""
    size = np.where(nominal, 2 * subset_words(n_levels), 0)
    begin = np.cumsum(size) - size
    return begin, words[np.repeat(start - begin, size) + np.arange(size.sum())]


def _surrogates(grown: Grown, renumbered: np.ndarray, values: Values, n_levels: np.ndarray) -> Surrogates:
    """The surrogates in the order of the nodes they belong to, best first within each."""
    node = renumbered[grown.surrogate_links[:, nodes.S_NODE]]
    order = np.argsort(node, kind="stable")
    links, facts = grown.surrogate_links[order], grown.surrogate_facts[order]
    feature = links[:, nodes.S_FEATURE]
    nominal = n_levels[feature] > 0
    threshold = np.full(len(links), np.nan)
    cuts = links[~nominal]
    threshold[~nominal] = _thresholds(cuts[:, nodes.S_FEATURE], cuts[:, nodes.S_LOW], cuts[:, nodes.S_HIGH], values)
    return Surrogates(
        start=np.searchsorted(node[order], np.arange(len(grown.links) + 1)),
        feature=feature,
        threshold=threshold,
        flipped=links[:, nodes.S_FLIPPED].astype(np.uint8),
        subset=np.where(nominal, links[:, nodes.S_LOW], NO_SUBSET),
        agreement=facts[:, nodes.AGREEMENT].copy(),
        adjusted=facts[:, nodes.ADJUSTED].copy(),
    )


def _thresholds(feature: np.ndarray, low: np.ndarray, high: np.ndarray, values: Values) -> np.ndarray:
    """Midway between the values on either side of a cut; infinite where all that is known goes left."""
    start, whole = values.start[feature], high < 0
    below = values.high[start + low]
    above = np.where(whole, np.inf, values.low[start + np.where(whole, 0, high)])
    middle = below / 2.0 + above / 2.0
    # two neighbouring floats have no number between them
    return np.where((middle >= above) & ~whole, below, middle)


def _clipped(value: np.ndarray, facts: np.ndarray) -> np.ndarray:
    """Predictions within what monotone constraints further up allow."""
    last = np.clip(value[:, -1], facts[:, nodes.LOWER], facts[:, nodes.UPPER])
    return last[:, None] if value.shape[1] == 1 else np.column_stack([1.0 - last, last])


@njit(nogil=True, cache=True)
def depth_first(links):
    """The nodes that hang together with the first, each right before its left child."""
    order, waiting = np.empty(len(links), np.int64), np.empty(len(links), np.int64)
    waiting[0] = 0
    n_waiting, n = 1, 0
    while n_waiting > 0:
        n_waiting -= 1
        node = waiting[n_waiting]
        order[n] = node
        n += 1
        if links[node, nodes.FEATURE] >= 0:
            waiting[n_waiting] = links[node, nodes.RIGHT]
            waiting[n_waiting + 1] = links[node, nodes.LEFT]
            n_waiting += 2
    return order[:n].copy()

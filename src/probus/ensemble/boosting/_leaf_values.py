"""The values of leaves, and the update of raw predictions with them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from probus.compiling import njit
from probus.ensemble.boosting._binning import Bins
from probus.ensemble.boosting._grow_kernel import goes_left
from probus.ensemble.boosting._grower import LevelNodes
from probus.ensemble.boosting._node_arrays import END, EVERY_CODE, FEATURE, GROUP, LEFT, LOWER, START, UPPER
from probus.ensemble.boosting._packed_gradients import sum_of
from probus.ensemble.boosting._split_search import leaf_step
from probus.ensemble.boosting._threads import ThreadPool

if TYPE_CHECKING:
    from probus.ensemble.boosting._iterations import Rounds


_ENOUGH = 20_000  # rows that are worth a thread


class Leaves(NamedTuple):
    """For each node its value times the learning rate (for inner nodes the mean below), and the weight of its rows."""

    value: np.ndarray
    cover: np.ndarray


def refitted_leaves(
    rounds: Rounds, grown: LevelNodes, gradient: np.ndarray, hessian: np.ndarray | None, k: int, pool: ThreadPool
) -> Leaves:
    """Newton steps from the exact sums of gradients and hessians; the raw predictions are updated."""
    plan, leaves = rounds.plan, Leaves(np.zeros(len(grown.links)), np.zeros(len(grown.links)))
    steps = float(plan.l1), float(plan.l2), plan.step_factor
    set_values = partial(set_leaf_values, grown, gradient, hessian, rounds.weight, steps, rounds.raw, k, leaves)
    pool.over(set_values, len(grown.rows), _ENOUGH)
    set_inner_values(grown.links, leaves.value[:, None], leaves.cover)
    return leaves


def shared_leaves(rounds: Rounds, grown: LevelNodes, gradient: np.ndarray, hessian: np.ndarray) -> list[Leaves]:
    """Newton steps for each output of a loss, whose trees have the same leaves; the raw predictions are updated."""
    n_nodes, n_outputs = len(grown.links), gradient.shape[1]
    values, cover = np.zeros((n_nodes, n_outputs)), np.zeros(n_nodes)
    set_shared_values(
        grown.rows,
        grown.links,
        gradient,
        hessian,
        rounds.weight,
        float(rounds.plan.l2),
        rounds.plan.step_factor,
        values,
        cover,
    )
    rows = np.arange(len(rounds.y), dtype=np.int32)
    add_leaf_values(rounds.codes.by_row, rounds.bins, grown, values, rows, rounds.raw, 0, rounds.pool)
    set_inner_values(grown.links, values, cover)
    return [Leaves(value, cover) for value in values.T.copy()]


def searched_leaves(rounds: Rounds, grown: LevelNodes, k: int) -> Leaves:
    """The steps that minimise the loss itself; the raw predictions are updated."""
    plan, weight = rounds.plan, rounds.weight
    value, cover = np.zeros(len(grown.links)), np.zeros(len(grown.links))
    for leaf in np.flatnonzero(grown.links[:, LEFT] < 0):
        rows = grown.rows[grown.links[leaf, START] : grown.links[leaf, END]]
        step = rounds.searched_step(k, rows)
        step = min(max(step, grown.facts[leaf, LOWER]), grown.facts[leaf, UPPER])
        value[leaf] = plan.step_factor * step
        cover[leaf] = len(rows) if weight is None else weight[rows].sum()
        rounds.raw[rows, k] += value[leaf]
    set_inner_values(grown.links, value[:, None], cover)
    return Leaves(value, cover)


def with_leaf_bounds(grown: LevelNodes, monotone: np.ndarray, step_of: Callable[[np.ndarray], float]) -> LevelNodes:
    """The tree with bounds on its leaf values in units of their final steps, if splits were found with other steps.

    step_of : the unbounded common step of rows
    """
    links, facts = grown.links, grown.facts.copy()
    facts[:, LOWER], facts[:, UPPER] = -np.inf, np.inf
    for i in np.flatnonzero(links[:, LEFT] >= 0):
        left, sign = links[i, LEFT], monotone[links[i, FEATURE]]
        facts[left : left + 2, [LOWER, UPPER]] = facts[i, [LOWER, UPPER]]
        if sign != 0:
            steps = [step_of(grown.rows[links[c, START] : links[c, END]]) for c in (left, left + 1)]
            middle = np.clip(steps, facts[i, LOWER], facts[i, UPPER]).mean()
            low, high = (left, left + 1) if sign > 0 else (left + 1, left)
            facts[low, UPPER], facts[high, LOWER] = middle, middle
    return grown._replace(facts=facts)


def update_other_rows(
    rounds: Rounds, grown: LevelNodes, leaves: Leaves, rows: np.ndarray, k: int, pool: ThreadPool
) -> None:
    """Update the raw predictions of the rows that the tree was not grown on."""
    outside = np.ones(len(rounds.y), bool)
    outside[rows] = False
    others = np.flatnonzero(outside).astype(np.int32)
    add_leaf_values(rounds.codes.by_row, rounds.bins, grown, leaves.value[:, None], others, rounds.raw, k, pool)


def add_leaf_values(
    codes: np.ndarray, bins: Bins, grown: LevelNodes, values: np.ndarray, rows: np.ndarray, raw: np.ndarray, k: int,
    pool: ThreadPool,
) -> None:  # fmt: skip
    """Add the values of the leaves of rows, float64[nodes, m], to the columns of ``raw`` from k on."""
    sides = np.zeros((len(grown.links), EVERY_CODE), np.uint8)
    fill_sides(grown.links, bins.about, grown.sets, sides)

    def part(first: int, last: int) -> None:
        walk_codes(codes, rows[first:last], grown.links, bins.about, sides, values, raw, k)

    pool.over(part, len(rows), _ENOUGH)


@njit(nogil=True, cache=True)
def set_leaf_values(grown, gradient, hessian, weight, steps, raw, k, leaves, first, last):
    """Set the values of the leaves whose rows begin within a range, and update the raw predictions of their rows.

    grown (IN)                       the tree
    gradient, hessian, weight (IN)   float64[n], the last two or None
    steps (IN)                       the L1 and the L2 penalty, and the factor of steps
    raw (INOUT)                      float64[n, K], of which column k
    leaves (OUT)                     the values of leaves
    first, last (IN)                 the range
    """
    rows, links, facts, (l1, l2, rate) = grown.rows, grown.links, grown.facts, steps
    for leaf in range(len(links)):
        start, end = links[leaf, START], links[leaf, END]
        if links[leaf, LEFT] >= 0 or start < first or start >= last:
            continue
        g, h = sum_of(gradient, rows, start, end, False), sum_of(hessian, rows, start, end, False)
        step = rate * leaf_step(g, h, l1, l2, facts[leaf, LOWER], facts[leaf, UPPER])
        if h + l2 < 1e-150:  # the quotient would be noise
            step = 0.0
        leaves.value[leaf], leaves.cover[leaf] = step, sum_of(weight, rows, start, end, False)
        for p in range(start, end):
            raw[np.uint64(rows[p]), k] += step


@njit(nogil=True, cache=True)
def set_shared_values(rows, links, gradient, hessian, weight, l2, rate, values, cover):
    """Set the values of all leaves for all outputs.

    gradient, hessian (IN)  float64[n, K]
    values, cover (OUT)     float64[nodes, K], float64[nodes]
    """
    n_outputs = gradient.shape[1]
    g, h = np.empty(n_outputs), np.empty(n_outputs)
    for leaf in range(len(links)):
        start, end = links[leaf, START], links[leaf, END]
        if links[leaf, LEFT] >= 0:
            continue
        g[:], h[:] = 0.0, 0.0
        for p in range(start, end):
            r = rows[p]
            for k in range(n_outputs):
                g[k] += gradient[r, k]
                h[k] += hessian[r, k]
        cover[leaf] = sum_of(weight, rows, start, end, False)
        for k in range(n_outputs):
            if h[k] + l2 >= 1e-150:  # otherwise the quotient would be noise
                values[leaf, k] = -rate * g[k] / (h[k] + l2)


@njit(nogil=True, cache=True)
def set_inner_values(links, values, cover):
    """Set the cover of inner nodes to the sum, and their values to the means, of their leaves.

    values (INOUT) float64[nodes, K]
    cover (INOUT)  float64[nodes]
    """
    for back in range(len(links)):
        i = len(links) - 1 - back
        left = links[i, LEFT]
        if left >= 0:
            cover[i] = cover[left] + cover[left + 1]
            for k in range(values.shape[1]):
                both = cover[left] * values[left, k] + cover[left + 1] * values[left + 1, k]
                values[i, k] = both / cover[i] if cover[i] > 0.0 else 0.0


@njit(nogil=True, cache=True)
def fill_sides(links, about, sets, sides):
    """For each node and byte, whether rows go left."""
    for i in range(len(links)):
        if links[i, LEFT] >= 0:
            goes_left(links[i], about, sets[i], sides[i])


@njit(nogil=True, cache=True)
def walk_codes(by_row, rows, links, about, sides, values, raw, k):
    """Add the values of their leaf to the raw predictions of rows, by their codes.

    values (IN) float64[nodes, m]
    raw (INOUT) float64[n, K], of which the columns k to k + m
    """
    for r in rows:
        i = np.int64(0)
        while links[i, LEFT] >= 0:
            byte = by_row[r, about[links[i, FEATURE], GROUP]]
            i = links[i, LEFT] + 1 - sides[i, byte]
        for m in range(values.shape[1]):
            raw[r, k + m] += values[i, m]

"""Small trees predict many rows at once: they are folded up from the leaves, and no row walks.

Every split is evaluated for every row and selects the result of one of its two children; the result of the root is the
leaf. For a byte of code and a byte of leaf the processor does that for 32 rows at a time, so that all thirty
splits of a tree cost less than the six on a path, which must wait for each other. (QuickScorer, Lucchese et al. 2015,
also evaluates all splits, and crosses out leaves.)
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.compiling import njit
from probus.tree._trees import NO_SUBSET, Trees
from probus.tree.kernel_parts import inner
from probus.tree.prediction._codebook import Codebook, codebook_of, quantise, worth_coding

BLOCK = 4096  # rows at a time: enough that a step costs more than coming to it, few enough for the caches
_MOST_LEAVES = 256
MISSING_CODE = 255  # the code of missing values
AT_ONCE = 4  # trees whose values are added in one go
_TWO_LEAVES, _ONE_LEAF = 0, 1
_KIND, _RUN, _LOW, _LENGTH, _SET, _SLOT, _FIRST, _SECOND = range(8)  # the columns of a step


class Folding(NamedTuple):
    """Trees as a list of steps, children before parents, tree after tree.

    A step (kind, run, low, length, sets, slot, first, second) tests whether the code of a run lies in the circle of
    bytes from ``low`` on, ``length`` further at most. Nominal ones look their code up in ``sets`` instead. Where it
    does the first child's leaf goes into the slot, elsewhere the second's: leaves by number, others by their slots.
    """

    codebook: Codebook
    steps: np.ndarray
    sets: np.ndarray
    step_start: np.ndarray
    leaf_start: np.ndarray
    value: np.ndarray
    n_slots: int


def can_fold(trees: Trees) -> bool:
    """Whether leaves and levels are few enough for bytes, and trees many enough to make up for coding the columns."""
    n_leaves = np.bincount(trees.tree_of[trees.is_leaf], minlength=len(trees))
    few = n_leaves.max() <= _MOST_LEAVES and trees.n_levels.max(initial=0) <= MISSING_CODE
    return trees.surrogates is None and bool(few) and worth_coding(trees)


def folding_of(trees: Trees, sets: np.ndarray, set_of: np.ndarray) -> Folding:
    """The steps that fold trees of at most 256 leaves; sets are those of ``level_sets``."""
    is_leaf, tree = trees.is_leaf, trees.tree_of
    order = _order(trees)
    codebook, run, code = codebook_of(trees, MISSING_CODE)
    low, high = np.where(trees.missing_go_to_left == 1, MISSING_CODE, 0), code
    low[set_of >= 0] = high[set_of >= 0] = 1  # the answers of a set are 1 and 0
    low, high = np.where(order.swapped, high + 1, low), np.where(order.swapped, low - 1, high)

    leaf_start = np.concatenate([[0], np.cumsum(np.bincount(tree[is_leaf], minlength=len(trees)))])
    number = np.cumsum(is_leaf) - 1 - leaf_start[tree]
    found = np.where(is_leaf, number, order.slot)
    inner = np.flatnonzero(~is_leaf)
    first, second = order.first[inner], order.second[inner]
    steps = np.zeros((order.step_start[-1], 8), np.int32)
    steps[:, _RUN], steps[:, _SET] = len(codebook.column), NO_SUBSET  # a tree that is a leaf chooses between 0 and 0
    steps[order.step_start[:-1], _SLOT] = np.arange(len(trees)) % AT_ONCE
    steps[order.step[inner]] = np.column_stack([
        2 - is_leaf[first].astype(int) - is_leaf[second], run[inner], low[inner] & 255, (high - low)[inner] & 255,
        set_of[inner], order.slot[inner], found[first], found[second],
    ])  # fmt: skip
    return Folding(codebook, steps, sets, order.step_start, leaf_start, trees.value[is_leaf].ravel(), order.n_slots)


class _Order(NamedTuple):
    """For each node which child is folded first, the step of the node, and the slot that takes its result."""

    swapped: np.ndarray
    first: np.ndarray
    second: np.ndarray
    step: np.ndarray
    slot: np.ndarray
    step_start: np.ndarray
    n_slots: int


def _order(trees: Trees) -> _Order:
    """Children before parents; first the child that needs more slots, whose own its parent takes over.

    So few are in use at a time: no more than the logarithm of the leaves (Sethi and Ullman 1970).
    """
    levels, left, right, roots = trees.levels, trees.children_left, trees.children_right, trees.start[:-1]
    needs, inside = np.zeros((2, len(left)), np.int64)
    for nodes in reversed(levels):
        a, b = left[nodes], right[nodes]
        needs[nodes] = np.maximum(needs[a], needs[b]) + (needs[a] == needs[b])
        inside[nodes] = inside[a] + inside[b] + 1
    swapped = needs[right] > needs[left]
    first, second = np.where(swapped, right, left), np.where(swapped, left, right)

    slot, begin = np.zeros((2, len(left)), np.int64)
    step_start = np.concatenate([[0], np.cumsum(np.maximum(inside[roots], 1))])
    begin[roots] = step_start[:-1]
    for nodes in levels:
        a, b = first[nodes], second[nodes]
        slot[a], slot[b] = slot[nodes], slot[nodes] + 1
        begin[a], begin[b] = begin[nodes], begin[nodes] + inside[a]
    slot = np.where(slot == 0, trees.tree_of % AT_ONCE, slot + AT_ONCE - 1)
    return _Order(swapped, first, second, begin + inside - 1, slot, step_start, int(needs.max()) + AT_ONCE)


@njit(nogil=True, cache=True)
def fold_sums(
    X, row, column, n, run_column, n_levels, low, scale, cells, stride, thresholds,
    steps, sets, step_start, leaf_start, value, n_groups, codes, slots, out,
):  # fmt: skip
    """Add the values of the leaves that each row comes to in every tree.

    X (IN)               float64, flat; value j of row i is at i · row + j · column
    run_column to value (IN)  the parts of a ``Folding``
    codes, slots (OUT)   uint8[V + 1, b], uint8[n_slots, b], for b rows at a time, a multiple of 32
    out (IN, OUT)        float64, flat, [n, n_groups · V]
    """
    n_trees, b = len(step_start) - 1, codes.shape[1]
    n_values = len(out) // (n * n_groups)
    flat_codes, flat_slots = codes.reshape(-1), slots.reshape(-1)
    for start in range(0, n, b):
        m = min(b, n - start)
        quantise(X, row, column, start, m, run_column, n_levels, low, scale, cells, stride, thresholds, MISSING_CODE,
                 flat_codes, 1, b)  # fmt: skip
        for t in range(n_trees):
            fold_tree(steps, step_start[t], step_start[t + 1], sets, flat_codes, flat_slots, b, m)
            if n_groups * n_values == 1 and t % AT_ONCE == AT_ONCE - 1:
                _add_four(value, leaf_start, t, slots, start, m, out)
            elif n_groups * n_values > 1 or t >= n_trees - n_trees % AT_ONCE:
                _add_one(value, leaf_start[t], slots[t % AT_ONCE], start, m, n_groups, t % n_groups, n_values, out)


@inner
def fold_tree(steps, first, last, sets, codes, slots, b, m):
    """All steps of a tree for m of b rows: their leaves are in the slot of the tree, ``t % AT_ONCE``."""
    for i in range(first, last):
        _fold(steps, i, sets, codes, slots, b, (m + 31) & ~31)


@inner
def _fold(steps, i, sets, codes, slots, b, m):
    """One step for m rows, a multiple of 32; indices without a sign, which would be looked at in every round."""
    low, length = np.uint8(steps[i, _LOW]), np.uint8(steps[i, _LENGTH])
    code, found = np.uint64(steps[i, _RUN] * b), np.uint64(steps[i, _SLOT] * b)
    rows = np.uint64(m)
    if steps[i, _SET] >= 0:
        answer, at = np.uint64(len(codes) - b), steps[i, _SET]
        for r in range(rows):
            here = codes[code + r]
            codes[answer + r] = (sets[at + (here >> 5)] >> np.uint32(here & 31)) & 1
        code = answer
    first, second = np.uint8(steps[i, _FIRST]), np.uint8(steps[i, _SECOND])
    if steps[i, _KIND] == _TWO_LEAVES:
        for r in range(rows):
            slots[found + r] = first if np.uint8(codes[code + r] - low) <= length else second
    elif steps[i, _KIND] == _ONE_LEAF:
        for r in range(rows):
            mine = slots[found + r]
            slots[found + r] = mine if np.uint8(codes[code + r] - low) <= length else second
    else:
        other = np.uint64(steps[i, _SECOND] * b)
        for r in range(rows):
            mine, others = slots[found + r], slots[other + r]
            slots[found + r] = mine if np.uint8(codes[code + r] - low) <= length else others


@inner
def _add_one(value, leaf, found, start, m, n_groups, group, n_values, out):
    for r in range(m):
        here, place = (leaf + found[r]) * n_values, ((start + r) * n_groups + group) * n_values
        for k in range(n_values):
            out[place + k] += value[here + k]


@inner
def _add_four(value, leaf_start, t, slots, start, m, out):
    """As ``_add_one`` for the last four trees, of one output; in the same order, for the same rounding."""
    a, b, c, d = leaf_start[t - 3], leaf_start[t - 2], leaf_start[t - 1], leaf_start[t]
    va, vb, vc, vd = value[a:], value[b:], value[c:], value[d:]
    fa, fb, fc, fd = slots[0], slots[1], slots[2], slots[3]
    for r in range(m):
        out[start + r] = (((out[start + r] + va[fa[r]]) + vb[fb[r]]) + vc[fc[r]]) + vd[fd[r]]

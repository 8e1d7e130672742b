"""The walk of very many rows down large trees by two-byte codes: nodes take half of the cache, rows a quarter."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.compiling import njit
from probus.tree._trees import Trees
from probus.tree.kernel_parts import inner
from probus.tree.prediction._codebook import Codebook, codebook_of, quantise, worth_coding

_MISSING = 65535  # the code of missing values
_MOST_RUNS = 1 << 15
_ABREAST = 16  # rows that walk at once: while one waits for memory the others go on


class Coded(NamedTuple):
    """Nodes as ``side_by_side`` numbers them, each a word; and what they are in the trees.

    left child << 32 | run << 17 | s << 16 | code + s, where s is 1 if the missing go left. A row goes right if its
    code + s is larger; of two bytes, so that for the missing the sum is nothing. No code is larger than a leaf's.
    """

    codebook: Codebook
    start: np.ndarray
    words: np.ndarray
    node: np.ndarray


def can_code(trees: Trees) -> bool:
    """Whether all splits are numeric and fit into words, and there are enough trees to make up for coding."""
    most_runs = trees.n_features + len(trees.children_left) // (_MISSING - 1)
    return trees.surrogates is None and not trees.n_levels.any() and most_runs <= _MOST_RUNS and worth_coding(trees)


def coded_of(trees: Trees) -> Coded:
    """The nodes of trees with numeric splits only."""
    codebook, run, code = codebook_of(trees, _MISSING)
    splits, left, place = side_by_side(trees)
    missing_left = trees.missing_go_to_left[splits].astype(np.int64)
    words = np.arange(len(place)) << 32 | _MISSING
    words[place[splits]] = left << 32 | run[splits] << 17 | missing_left << 16 | code[splits] + missing_left
    node = np.empty(len(place), np.int32)
    node[place] = np.arange(len(place))
    return Coded(codebook, trees.start.copy(), words.astype(np.uint64), node)


def side_by_side(trees: Trees) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes renumbered so that siblings follow each other: the splits, their left children's places, all places."""
    splits, start = np.flatnonzero(~trees.is_leaf), trees.start
    tree = trees.tree_of[splits]
    left = start[tree] + 1 + 2 * (np.arange(len(splits)) - np.searchsorted(splits, start)[tree])
    place = np.empty(len(trees.children_left), np.int64)
    place[start[:-1]] = start[:-1]
    place[trees.children_left[splits]], place[trees.children_right[splits]] = left, left + 1
    return splits, left, place


@njit(nogil=True, cache=True)
def walk_coded(
    X, row, column, n, run_column, n_levels, low, scale, cells, stride, thresholds, start, words, node, value, n_groups,
    codes, out,
):  # fmt: skip
    """Add the values of the leaves that each row comes to in every tree.

    X (IN)              float64, flat; value j of row i is at i · row + j · column
    run_column to node (IN)  the parts of a ``Coded``
    value (IN)          float64, flat, [m, V]
    codes (OUT)         uint16[b, V], for b rows at a time; for use within
    out (IN, OUT)       float64, flat, [n, n_groups · V]
    """
    at, flat_codes = np.empty(_ABREAST, np.uint64), codes.reshape(-1)
    n_values, (b, width) = len(value) // len(node), codes.shape
    for block in range(0, n, b):
        rows = min(b, n - block)
        quantise(X, row, column, block, rows, run_column, n_levels, low, scale, cells, stride, thresholds, _MISSING,
                 flat_codes, width, 1)  # fmt: skip
        for t in range(len(start) - 1):
            for first in range(0, rows, _ABREAST):
                m = min(_ABREAST, rows - first)
                _walk(flat_codes, width, first, m, start[t], words, at)
                for q in range(m):
                    here, place = node[at[q]] * n_values, ((block + first + q) * n_groups + t % n_groups) * n_values
                    for k in range(n_values):
                        out[place + k] += value[here + k]


@inner
def _walk(codes, width, first, m, root, words, at):
    """Few rows walk abreast down one tree until none moves any more; without a branch to guess."""
    one, two_bytes, run_bits = np.uint64(1), np.uint64(0xFFFF), np.uint64(0x7FFF)
    for q in range(m):
        at[q] = root
    moved = one
    while moved != 0:
        moved = np.uint64(0)
        for q in range(m):
            here = at[q]
            word = words[here]
            code = np.uint64(codes[np.uint64((first + q) * width) + ((word >> np.uint64(17)) & run_bits)])
            shifted = (code + ((word >> np.uint64(16)) & one)) & two_bytes
            at[q] = (word >> np.uint64(32)) + np.uint64(shifted > (word & two_bytes))
            moved |= at[q] ^ here

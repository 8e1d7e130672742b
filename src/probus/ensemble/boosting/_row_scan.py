"""The scores of symmetric splits by scanning rows in order of their values, for tables of few rows and many columns.

Where a tree has fewer rows than the histograms of a column have cells, most cells are empty. The sum of the scores of
nodes changes only at the value of a row, by the score of its node.
"""

from __future__ import annotations

import numpy as np

from probus.ensemble.boosting._node_arrays import END, START, TOTAL
from probus.ensemble.boosting._packed_gradients import unpack
from probus.ensemble.boosting._split_search import SUMS
from probus.tree.kernel_parts import inlined, inner

_NODES, _CODES = 1, 2  # rows of ``ints``


@inner
def mark_nodes(links, opened, n_open, rows, scales, node_of, sums):
    """The node of each row, and the sums of each node.

    node_of (OUT) uint8[n] the place of its node among those open; rows that are not in the tree have the next one
    sums (OUT)    float64[2, *] gradient and hessian of each node
    """
    for r in range(len(node_of)):
        node_of[r] = n_open
    for p in range(n_open):
        i = opened[p]
        sums[0, p], sums[1, p], _ = unpack(links[i, TOTAL], scales)
        for q in range(links[i, START], links[i, END]):
            node_of[rows[q]] = p


@inlined
def score_rows(order, column, node_of, n_open, row_values, n_cuts, some_missing, scales, l2, left, sums, ints, scores):
    """The scores of all cuts of a column of numbers, with missing values on the right and on the left.

    order (IN)   uint16[n] all rows in order of their codes
    left (OUT)   int64[L + 1] workspace: the sum on the left of each node
    sums (IN)    float64[2, L] see ``mark_nodes``
    ints (OUT)   int64[7, L + n] workspace
    scores (OUT) float64[3, L + n] see ``try_for_all``
    """
    for side in range(2 if some_missing else 1):
        n = len(order)
        for p in range(n_open + 1):
            left[p] = 0
        while side == 1 and n > 0 and column[order[n - 1]] == n_cuts:
            n -= 1
            left[node_of[order[n]]] += row_values[order[n]]
        for p in range(n_open):  # before the first row
            ints[SUMS, p], ints[_NODES, p] = left[p], p
        n = scan(order, n, column, node_of, n_open, row_values, left, ints)
        score_nodes(ints, n, sums, scales, l2, scores[2])
        sum_scores(ints, n, n_open, n_cuts, scores[2], scores[side])


@inlined
def scan(order, n_rows, column, node_of, n_open, row_values, left, ints):
    """The rows of the tree in order: for each the sum on the left of a cut after it, its node and its code.

    Returns the end of those in ``ints``. Nothing branches on which rows they are: it would be guessed wrong every other
    time.
    """
    n = np.uint64(n_open)
    for i in range(n_rows):
        r = np.uint64(order[i])
        p = np.uint64(node_of[r])
        left[p] += row_values[r]
        ints[SUMS, n], ints[_NODES, n], ints[_CODES, n] = left[p], np.int64(p), np.int64(column[r])
        n += np.uint64(p < np.uint64(n_open))  # other rows are overwritten by the next
    return np.int64(n)


@inlined
def score_nodes(ints, n, sums, scales, l2, scores):
    """The scores of nodes, given what is left of a cut, as in ``cut_scores``."""
    shift, count_bits = scales.count_bits + scales.hessian_bits, scales.count_bits
    mask, unit_g, unit_h = (np.int64(1) << scales.hessian_bits) - 1, scales.gradient_unit, scales.hessian_unit
    l2 += 1e-300
    for i in range(n):
        v, p = ints[SUMS, i], np.uint64(ints[_NODES, i])
        g, h = np.float64(v >> shift) * unit_g, np.float64((v >> count_bits) & mask) * unit_h
        a, b, o = h + l2, (sums[1, p] - h) + l2, sums[0, p] - g
        scores[i] = (g * g * b + o * o * a) / (a * b)


@inlined
def sum_scores(ints, n, n_open, n_cuts, after, scores):
    """The sum over nodes of the scores of each cut: the differences at the codes of rows, added up.

    after (INOUT) float64[n] the scores of nodes before the first row, and that of the node of each row, cut after it
    scores (OUT)  float64[n_cuts + 1]
    """
    for q in range(n_cuts + 1):
        scores[q] = 0.0
    for node in range(n_open):
        scores[0] += after[node]
    for i in range(n_open, n):
        p, code = np.uint64(ints[_NODES, i]), np.uint64(ints[_CODES, i])
        scores[code] += after[i] - after[p]
        after[p] = after[i]
    for q in range(1, n_cuts):
        scores[q] += scores[q - 1]

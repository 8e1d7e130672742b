"""Symmetric trees: all nodes of a depth are split on the same column at the same value (oblivious trees, Kohavi 1994).

A split has to be good for all rows, not for those of one node, so that it follows noise less, and sums of such trees
are smoother. Its score is the sum of ``split_search`` over the nodes. A node in which it would leave a side with too
few rows is not split at this depth, but may be at the next. The levels of a nominal column have one order for all
nodes.

Random noise is added to the scores (as CatBoost's ``random_strength`` does): splits that are about equally good then
alternate from tree to tree. In units of √(Σg² / Σh), √score has a standard deviation of about 1 where the gradients
are pure noise, and so has what is added.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from probus.compiling import njit
from probus.ensemble.boosting._grow_kernel import goes_left, init_children, split_rows, total_from_rows
from probus.ensemble.boosting._node_arrays import (  # fmt: skip
    CUT,
    END,
    EVERY_CODE,
    FEATURE,
    GAIN,
    GROUP,
    MISSING_LEFT,
    N_CODES,
    NO_SPLIT,
    NOMINAL,
    SEED,
    SIZE,
    START,
    STRIDE,
    TOTAL,
    UNSEEN,
)
from probus.ensemble.boosting._packed_gradients import unpack
from probus.ensemble.boosting._row_scan import mark_nodes, score_rows
from probus.ensemble.boosting._split_search import SUMS, cut_scores, draw_columns, keep_levels, levels_in_order
from probus.ensemble.boosting._thread_barrier import wait_for_all
from probus.tree.kernel_parts import inlined, inner
from probus.tree.splitting import stir

if TYPE_CHECKING:
    from probus.ensemble.boosting._packed_gradients import Amounts


_TIE = 1e-7  # smaller relative differences may be rounding: the first column and the first cut win
_CODES, _OTHER, _POOL, _ORDER = 0, 1, 3, 6  # rows of ``ints``; ``cut_scores`` uses others
_FIELD = np.uint64(0xFFFF)


def noise_unit(amounts: Amounts, weight: np.ndarray | None, rows: np.ndarray) -> float:
    """√(Σg² / Σh) of rows, whose gradients and hessians are weighted."""
    squares = amounts.gradient[rows] ** 2
    if weight is not None:
        squares /= weight[rows]
    hessian = len(rows) if amounts.hessian is None else amounts.hessian[rows].sum()
    return float(np.sqrt(squares.sum() / max(hessian, 1e-300)))


@inner
def node_score(g, h, l2, rules):
    """The score of a node; zero where the quotient would be noise."""
    return g * g / (h + l2 + 1e-300) if l2 > 0.0 or h >= rules.min_hessian else 0.0


@inner
def large_enough(h, n, rules):
    """Whether a side has enough rows; without a penalty its hessian must be large enough, too."""
    return n >= rules.min_leaf and (rules.l2 > 0.0 or h >= rules.min_hessian)


@inner
def score_without_split(links, opened, n_open, rules, scales, l2):
    """The sum of the scores of nodes."""
    total = 0.0
    for p in range(n_open):
        g, h, _ = unpack(links[opened[p], TOTAL], scales)
        total += node_score(g, h, l2, rules)
    return total


@inner
def add_cut_scores(ints, n_cuts, total, rules, scales, l2, spare, scores):
    """Add the scores of the cuts of a node, in which it is not split if a side would have too few rows."""
    cut_scores(ints, spare, n_cuts, total, l2, scales)  # an empty side scores zero, the other like the node
    if rules.min_leaf > 1.0 or rules.l2 == 0.0:
        tg, th, tn = unpack(total, scales)
        for q in range(n_cuts):
            _, h, n = unpack(ints[SUMS, q], scales)
            if not (large_enough(h, n, rules) and large_enough(th - h, tn - n, rules)):
                spare[q] = node_score(tg, th, l2, rules)
    for q in range(n_cuts):
        scores[q] += spare[q]


@inner
def add_noise(scores, n, noise, state):
    """Add noise to the square roots of scores; the sum of four uniform numbers is nearly normal."""
    for q in range(n):
        state, bits = stir(state)
        fields = (bits & _FIELD) + ((bits >> np.uint64(16)) & _FIELD)
        fields += ((bits >> np.uint64(32)) & _FIELD) + (bits >> np.uint64(48))
        normal = (np.float64(np.int64(fields)) - 131070.0) * (np.sqrt(3.0) / 65536.0)
        root = max(np.sqrt(scores[q]) + noise * normal, 0.0)
        scores[q] = root * root


@inner
def count_column(f, links, opened, n_open, column, rows, row_values, about, codes, cells):
    """The histograms of a column for all open nodes.

    Only the columns that are tried are counted, each on its own: its cells then stay in the cache.

    column (IN) uint8[n] the bytes of the column
    codes (OUT) int64[256] the code of each byte
    cells (OUT) int64[256 L]
    """
    stride, size, byte = about[f, STRIDE], about[f, SIZE], 0
    while byte < EVERY_CODE:  # divisions would take longer than counting
        for code in range(size):
            last = min(byte + stride, EVERY_CODE)
            while byte < last:
                codes[byte] = code
                byte += 1
    for p in range(n_open):
        base, i = EVERY_CODE * p, opened[p]
        for c in range(base, base + size):
            cells[c] = 0
        for q in range(links[i, START], links[i, END]):
            r = np.uint64(rows[np.uint64(q)])
            cells[np.uint64(base + codes[np.uint64(column[r])])] += row_values[r]


@inner
def score_counted(f, links, opened, n_open, n_known, some_missing, cells, about, rules, scales, l2, ints, scores):
    """The scores of all cuts of a column, from its histograms."""
    for q in range(n_known):
        scores[0, q] = scores[1, q] = 0.0
    for p in range(n_open):
        i = opened[p]
        run, base = np.int64(0), EVERY_CODE * p
        for q in range(n_known):
            run += cells[np.uint64(base + (ints[_ORDER, q] if about[f, NOMINAL] == 1 else q))]
            ints[SUMS, q] = run
        add_cut_scores(ints, n_known, links[i, TOTAL], rules, scales, l2, scores[2], scores[0])
        if some_missing:
            for q in range(n_known):
                ints[SUMS, q] += links[i, TOTAL] - run
            add_cut_scores(ints, n_known, links[i, TOTAL], rules, scales, l2, scores[2], scores[1])


@inner
def order_levels(f, n_open, cells, about, rules, scales, ints, spare):
    """The levels with enough rows in order of their step; returns their number, and whether there are others."""
    n_codes, total = about[f, N_CODES], ints[SUMS]
    for c in range(n_codes):
        total[c] = 0
        for p in range(n_open):
            total[c] += cells[EVERY_CODE * p + c]
    n_known, rare = levels_in_order(total, np.int64(0), n_codes, rules, scales, ints[_ORDER], ints[_OTHER], spare)
    return n_known, rare != 0


@inlined
def try_for_all(
    f, links, opened, n_open, column, cells, about, rules, scales, noise, ints, scores, found, by_code, node_of, sums,
    row_values,
):  # fmt: skip
    """The best split of all nodes on a column: its score, the last code on the left, and where missing values go.

    cells (INOUT)          int64[256 L] the histogram of the column for each open node, unless its rows are scanned
    scores (OUT)           float64[3, 512] workspace: with missing values on the right, on the left, of one node
    found (OUT)            float64[d, 3], of which row f; minus infinity if there is none
    by_code (IN)           None, or the rows in order of each byte, see ``Workspace``
    node_of, sums (IN)     see ``mark_nodes``
    """
    n_known, nominal, some_missing = about[f, N_CODES], about[f, NOMINAL], about[f, SIZE] > about[f, N_CODES]
    if nominal == 1:
        n_known, rare = order_levels(f, n_open, cells, about, rules, scales, ints, scores[2])
        some_missing |= rare
    l2 = rules.l2 + nominal * rules.level_l2
    if by_code is None or nominal == 1:
        score_counted(f, links, opened, n_open, n_known, some_missing, cells, about, rules, scales, l2, ints, scores)
    if by_code is not None and nominal == 0:
        score_rows(
            by_code[about[f, GROUP]], column, node_of, n_open, row_values, n_known, some_missing, scales, l2, cells,
            sums, ints, scores,
        )  # fmt: skip
    n_sides = 2 if some_missing else 1
    best, least, at, side_of_missing = -np.inf, -np.inf, np.int64(-1), np.int64(0)
    for side in range(n_sides):
        # with missing values on the right, a cut after the last code separates them
        n_cuts = n_known if some_missing and side == 0 else n_known - 1
        if noise > 0.0:
            state = np.uint64(links[opened[0], SEED]) + np.uint64(2 * f + side) * np.uint64(0xD1B54A32D192ED03)
            add_noise(scores[side], n_cuts, noise, state)
        for q in range(n_cuts):
            if scores[side, q] > least:
                best, at, side_of_missing = scores[side, q], np.int64(q), np.int64(side)
                least = best + _TIE * abs(best)
    if nominal == 1:  # compared with the nodes under the same larger penalty
        best += score_without_split(links, opened, n_open, rules, scales, rules.l2)
        best -= score_without_split(links, opened, n_open, rules, scales, l2)
    found[f, 0], found[f, 1], found[f, 2] = best, at, (side_of_missing if some_missing else UNSEEN)


@inner
def choose_for_all(link, before, rules, n_drawn, pool, found):
    """Set the split of a node to the best of the columns; FEATURE is ``NO_SPLIT`` where none gains."""
    most = -np.inf
    for q in range(n_drawn):
        most = max(most, found[pool[q], 0])
    link[FEATURE] = NO_SPLIT
    if not most > before + _TIE * abs(before) + rules.min_gain:
        return
    q = 0
    while found[pool[q], 0] < most - _TIE * abs(most):
        q += 1
    f = pool[q]
    link[FEATURE], link[CUT], link[MISSING_LEFT] = f, np.int64(found[f, 1]), np.int64(found[f, 2])


@inner
def copy_split(links, sets, opened, n_open):
    """Give all open nodes the split of the first."""
    first = opened[0]
    for p in range(1, n_open):
        i = opened[p]
        links[i, FEATURE], links[i, CUT] = links[first, FEATURE], links[first, CUT]
        links[i, MISSING_LEFT] = links[first, MISSING_LEFT]
        for word in range(8):
            sets[i, word] = sets[first, word]


@inner
def try_children(i, child, middle, links, facts, rows, row_values, rules, scales):
    """Set the sums of the children and the gain of the split; returns whether both have enough rows."""
    start, end = links[i, START], links[i, END]
    if middle in (start, end):
        return False
    small = child if middle - start <= end - middle else child + 1
    links[small, START], links[small, END] = (start, middle) if small == child else (middle, end)
    links[small, TOTAL] = total_from_rows(links[small], rows, row_values)
    links[2 * child + 1 - small, TOTAL] = links[i, TOTAL] - links[small, TOTAL]
    gain = 0.0
    for c in range(child, child + 2):
        g, h, n = unpack(links[c, TOTAL], scales)
        if not large_enough(h, n, rules):
            return False
        gain += node_score(g, h, rules.l2, rules)
    g, h, _ = unpack(links[i, TOTAL], scales)
    facts[i, GAIN] = max(gain - node_score(g, h, rules.l2, rules), 0.0)  # noise may have chosen a split that loses
    return True


@njit(nogil=True, cache=True)
def grow_symmetric(workspace, rows, scales, levels, noise, me, team, counter, by_code):
    """Grow a symmetric tree and return the number of its nodes; all threads of a team make the same call, see ``grow``.

    noise (IN)   the standard deviation of what is added to the square roots of scores
    by_code (IN) that of the workspace if rows are scanned, else None: Numba then leaves out what scans them
    """
    w = workspace
    by_column, about, rules, row_values, found, middles = (
        w.codes.by_column, w.about, w.rules, w.row_values, w.found[0], w.place,
    )  # fmt: skip
    ints, scores = np.empty((7, max(2 * EVERY_CODE, len(about))), np.int64), np.empty((3, 2 * EVERY_CODE))
    links, facts, sets, cells, opened, later = (
        w.links[me],
        w.facts[me],
        w.sets[me],
        w.cells[me],
        w.heap[me],
        w.slots[me],
    )
    table, node_of = np.empty(EVERY_CODE, np.uint8), np.empty(len(w.row_values), np.uint8)
    sums = np.empty((2, EVERY_CODE))
    one, zero = np.int64(1), np.int64(0)
    used, n_open, turn, depth = one, one, zero, zero
    links[0, TOTAL], links[0, FEATURE], opened[0] = total_from_rows(links[0], rows, row_values), NO_SPLIT, 0
    while depth < rules.max_depth:
        first = links[opened[0]]
        n_drawn = draw_columns(first, about, rules, levels[min(depth, len(levels) - 1)], ints[_POOL])
        if by_code is not None:
            mark_nodes(links, opened, n_open, rows, scales, node_of, sums)
        for q in range(me, n_drawn, team):
            f = ints[_POOL, q]
            column = by_column[about[f, GROUP]]
            if by_code is None or about[f, NOMINAL] == 1:
                count_column(f, links, opened, n_open, column, rows, row_values, about, ints[_CODES], cells)
            try_for_all(
                f, links, opened, n_open, column, cells, about, rules, scales, noise, ints, scores, found, by_code,
                node_of, sums, row_values,
            )  # fmt: skip
        turn = wait_for_all(counter, team, turn)
        before = score_without_split(links, opened, n_open, rules, scales, rules.l2)
        choose_for_all(first, before, rules, n_drawn, ints[_POOL], found)
        f = first[FEATURE]
        if f == NO_SPLIT:
            break
        column = by_column[about[f, GROUP]]
        if about[f, NOMINAL] == 1:
            count_column(f, links, opened, n_open, column, rows, row_values, about, ints[_CODES], cells)
            n_known, _ = order_levels(f, n_open, cells, about, rules, scales, ints, scores[2])
            keep_levels(ints[_ORDER], n_known, first[CUT] + 1, sets[opened[0]])
        copy_split(links, sets, opened, n_open)
        goes_left(first, about, sets[opened[0]], table)
        turn = wait_for_all(counter, team, turn)  # all have read ``found`` and the rows
        for p in range(me, n_open, team):
            middles[p] = split_rows(column, rows, w.spare, table, links[opened[p], START], links[opened[p], END])
        turn = wait_for_all(counter, team, turn)
        n_later, depth = zero, depth + 1
        for p in range(n_open):
            i = opened[p]
            if try_children(i, used, middles[p], links, facts, rows, row_values, rules, scales):
                init_children(i, used, middles[p], links, facts, w.interactions, w.alive[me])
                later[n_later], later[n_later + 1] = used, used + 1
                n_later, used = n_later + 2, used + 2
            else:
                links[i, FEATURE] = NO_SPLIT
                links[i, SEED] ^= np.int64(depth)  # other columns are drawn at the next depth
                later[n_later] = i
                n_later += 1
        for p in range(n_later):
            opened[p] = later[p]
        n_open = n_later
    return used

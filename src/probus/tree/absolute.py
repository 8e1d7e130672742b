"""Absolute error: rows cross one by one, and a tree of sums finds the medians of both sides in a few steps each.

A Fenwick tree over the ranks of y holds the weight and Σ w y of the rows on the left; another those of all rows. What
is on the right is their difference, so one walk down finds the median of either side and what it costs.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from probus.tree.cells import fill_cells, sort_by
from probus.tree.codes import CODE_SHIFT, MISSING, N_CODES, NOMINAL, PLACE
from probus.tree.kernel import inner
from probus.tree.node_columns import END, START
from probus.tree.scan import row_of
from probus.tree.split import CODE_OF, ORDER

__all__ = ["absolute_room", "medians_of", "search_absolute"]


def absolute_room(n_rows: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Room for the sums of the left and of all rows by rank, for ranks, and for a list made on the way."""
    return np.empty((4, n_rows + 1)), np.empty(n_rows, np.int64), np.empty(n_rows, np.uint64)


@inner
def search_absolute(f, lists, codes, about, rows, start, end, label, amount, weight, rules, cells, buffer, out, room):
    """As ``search_column``, for absolute error. The last list holds the rows in order of y; amount is w y."""
    sums, rank, spare = room
    place, n_codes, m = about[f, PLACE], about[f, N_CODES], end - start
    by_y = lists.shape[0] - 1
    for p in range(start, end):
        rank[row_of(lists[by_y, p])] = p - start + 1
    entries = lists[max(place, 0), start:end]
    known, ordered = m, place >= 0
    if cells is not None and place < 0:
        nominal = about[f, NOMINAL] == 1
        known = _in_cells(
            nominal, codes[-1 - place], n_codes, rows[start:end], label, amount, weight, cells, buffer, spare
        )
        entries = spare[:m]
    elif about[f, MISSING] == 1:
        while known > 0 and np.int64(entries[known - 1] >> CODE_SHIFT) == n_codes:
            known -= 1
    first_right = 0 if rules.learn else known
    if known == 0:
        return -np.inf
    gain = -np.inf
    for way in range(2 if rules.learn and known < m else 1):
        for k in range(4):
            for i in range(m + 1):
                sums[k, i] = 0.0
        for i in range(m if first_right == 0 else known):
            _add(sums[2], sums[3], rank[row_of(entries[i])], row_of(entries[i]), amount, weight)
        n_left, w_left, w_all = 0.0, 0.0, 0.0
        for i in range(m if first_right == 0 else known):
            w_all += weight[row_of(entries[i])]
        if way == 1:
            for i in range(known, m):
                r = row_of(entries[i])
                _add(sums[0], sums[1], rank[r], r, amount, weight)
                n_left += 1.0
                w_left += weight[r]
        before = _loss(sums[2], sums[3], sums[0], sums[1], 0.0, w_all)
        last = known + 1 if rules.learn and known < m and way == 0 else known
        n_all = m if first_right == 0 else known
        for i in range(1, last):
            r = row_of(entries[i - 1])
            _add(sums[0], sums[1], rank[r], r, amount, weight)
            n_left += 1.0
            w_left += weight[r]
            if i < known and entries[i] >> CODE_SHIFT == entries[i - 1] >> CODE_SHIFT:
                continue
            if min(n_left, n_all - n_left) < rules.min_leaf:
                continue
            if min(w_left, w_all - w_left) < max(rules.min_weight, 1e-300):
                continue
            gained = before - _loss(sums[0], sums[1], sums[2], sums[3], 0.0, w_left)
            gained -= _loss(sums[2], sums[3], sums[0], sums[1], 1.0, w_all - w_left)
            if gained > gain:
                gain, out[2] = gained, way
                out[0] = np.int64(entries[i - 1] >> CODE_SHIFT) + (0 if ordered else 1)
                out[1] = np.int64(entries[i] >> CODE_SHIFT) if i < known and ordered else -1
                if cells is not None and not ordered and about[f, NOMINAL] == 0:
                    out[0], out[1] = cells[1][CODE_OF, out[0] - 1], (cells[1][CODE_OF, out[0]] if i < known else -1)
    return gain


@inner
def _in_cells(nominal, codes, n_codes, rows, label, amount, weight, cells, buffer, spare):
    """A list of the node's rows in order of code, or of the mean of their level; returns how many are known."""
    tallies, ints, scores, _ = cells
    filled = fill_cells(codes, n_codes, rows, label, amount, weight, ints[CODE_OF], tallies, buffer)
    filled -= ints[CODE_OF, filled - 1] == n_codes
    known = np.int64(0)
    for q in range(filled):
        ints[ORDER, q] = q
        scores[q] = tallies[q, 2] / tallies[q, 1] if nominal else q
        known += np.int64(tallies[q, 0])
    sort_by(scores, ints[ORDER], filled, ints[2])
    at = np.int64(0)
    for q in range(filled):  # where each level's rows begin
        ints[3, ints[ORDER, q]] = at
        at += np.int64(tallies[ints[ORDER, q], 0])
    for q in range(filled):
        ints[2, ints[ORDER, q]] = q
    for p in range(len(rows)):
        code = codes[rows[p]]
        if code == n_codes:
            spare[at] = (np.uint64(filled) << CODE_SHIFT) | (np.uint64(rows[p]) << np.uint64(1))
            at += 1
            continue
        low, high = 0, filled - 1
        while low < high:  # the cell of a code, by halves
            middle = (low + high) // 2
            if ints[CODE_OF, middle] < code:
                low = middle + 1
            else:
                high = middle
        spare[ints[3, low]] = (np.uint64(ints[2, low]) << CODE_SHIFT) | (np.uint64(rows[p]) << np.uint64(1))
        ints[3, low] += 1
    return known


@inner
def _add(by_weight, by_sum, rank, row, amount, weight):
    """Put a row into a Fenwick tree."""
    while rank < len(by_weight):
        by_weight[rank] += weight[row]
        by_sum[rank] += amount[row]
        rank += rank & -rank


@inner
def _loss(by_weight, by_sum, less_weight, less_sum, less, w):
    """Σ w |y − median| of the rows of one tree, less those of another where ``less`` is 1."""
    n, at, below_w, below_s = len(by_weight) - 1, 0, 0.0, 0.0
    total = 0.0
    i = n
    while i > 0:
        total += by_sum[i] - less * less_sum[i]
        i -= i & -i
    step = 1
    while 2 * step <= n:
        step *= 2
    while step > 0:
        if at + step <= n:
            here = by_weight[at + step] - less * less_weight[at + step]
            if below_w + here < 0.5 * w:
                at += step
                below_w += here
                below_s += by_sum[at] - less * less_sum[at]
        step //= 2
    # the median m is the next y: Σ above (y − m) + Σ below (m − y), where m times the difference of weights remains
    i, next_w, next_s = at + 1, 0.0, 0.0
    while i > 0:
        next_w += by_weight[i] - less * less_weight[i]
        next_s += by_sum[i] - less * less_sum[i]
        i -= i & -i
    own_w, own_s = next_w - below_w, next_s - below_s
    median = own_s / own_w if own_w > 0.0 else 0.0
    return total - 2.0 * below_s - own_s + median * (2.0 * below_w + own_w - w)


@njit(nogil=True, cache=True)
def medians_of(links, rows, y, weight, value, impurity):
    """The weighted median of each node, and its mean absolute error.

    links, rows (IN)      as ``grow`` leaves them: a node has rows[start:end]
    value, impurity (OUT) float64[nodes]
    """
    for node in range(len(links)):
        mine = rows[links[node, START] : links[node, END]]
        order = np.argsort(y[mine])
        total, below = 0.0, 0.0
        for r in mine:
            total += weight[r]
        median, i = y[mine[order[0]]], 0
        while i < len(order) and below + weight[mine[order[i]]] < 0.5 * total * (1.0 - 1e-12):
            below += weight[mine[order[i]]]
            i += 1
        median = y[mine[order[i]]]
        if abs(below + weight[mine[order[i]]] - 0.5 * total) <= 1e-12 * total and i + 1 < len(order):
            median = 0.5 * (median + y[mine[order[i + 1]]])
        loss = 0.0
        for r in mine:
            loss += weight[r] * abs(y[r] - median)
        value[node], impurity[node] = median, loss / total

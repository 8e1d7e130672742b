"""Absolute error: rows cross one by one, and a tree of sums finds the medians of both sides in a few steps each.

A Fenwick tree over the ranks of y holds the weight and Σ w y of the rows on the left; another those of all rows. What
is on the right is their difference, so one walk down finds the median of either side and what it costs.
"""

from __future__ import annotations

import numpy as np

from probus.compiling import njit
from probus.tree._node_columns import END, START
from probus.tree.kernel_parts import inner
from probus.tree.preparation._codes import CODE_SHIFT, MISSING, MONOTONE, N_CODES, NOMINAL, PLACE
from probus.tree.preparation._row_target import amount_of, n_outputs_of
from probus.tree.splitting._feature_search import CODE_OF, ORDER
from probus.tree.splitting._histogram import fill_cells, sort_by
from probus.tree.splitting._scan import in_order, row_of


def absolute_buffers(n_rows: int) -> tuple[np.ndarray, ...]:
    """Buffers for the sums of the left and of all rows by rank, ranks, a list made on the way, losses and middles."""
    sums, rank, spare = np.empty((4, n_rows + 1)), np.empty(n_rows, np.int64), np.empty(n_rows, np.uint64)
    return sums, rank, spare, np.empty((2, n_rows + 1))


@inner
def search_absolute(
    f, lists, codes, about, rows, start, end, label, amount, weight, rules, bounds, cells, buffer, out, middle, buffers
):  # fmt: skip
    """As ``search_column``, for absolute error. The last lists hold the rows in order of each output; amount is w y.

    middle (OUT) float64[1] between the medians of both sides of the best split
    """
    spare, loss, middles = buffers[2], buffers[3][0], buffers[3][1]
    place, n_codes, m, monotone = about[f, PLACE], about[f, N_CODES], end - start, about[f, MONOTONE]
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
    if known == 0:
        return -np.inf
    gain, n_outputs = -np.inf, n_outputs_of(label)
    for way in range(2 if rules.learn and known < m else 1):
        last = known + 1 if rules.learn and known < m and way == 0 else known
        before = 0.0
        for i in range(last):
            loss[i] = 0.0
        for o in range(n_outputs):
            by_y = lists[lists.shape[0] - n_outputs + o, start:end]
            before += _add_losses(entries, known, last, way, by_y, amount, o, weight, rules, monotone, bounds, buffers)
        for i in range(1, last):
            if before - loss[i] > gain:
                gain, out[2], middle[0] = before - loss[i], way, middles[i]
                out[0] = np.int64(entries[i - 1] >> CODE_SHIFT) + (0 if ordered else 1)
                out[1] = np.int64(entries[i] >> CODE_SHIFT) if i < known and ordered else -1
                out[3], out[4] = row_of(entries[i - 1]), (row_of(entries[i]) if i < known else -1)
                if cells is not None and not ordered and about[f, NOMINAL] == 0:
                    out[0], out[1] = cells[1][CODE_OF, out[0] - 1], (cells[1][CODE_OF, out[0]] if i < known else -1)
    return gain


@inner
def _add_losses(entries, known, last, way, by_y, amount, output, weight, rules, monotone, bounds, buffers):
    """Add the loss of one output after each cut to ``buffers[3]``, inf where it is not allowed; returns that before."""
    sums, rank, loss, middles = buffers[0][:, : len(entries) + 1], buffers[1], buffers[3][0], buffers[3][1]
    n_all = len(entries) if rules.learn else known
    for p in range(len(by_y)):
        rank[row_of(by_y[p])] = p + 1
    for k in range(4):
        for i in range(len(entries) + 1):
            sums[k, i] = 0.0
    n_left, w_left, w_all = 0.0, 0.0, 0.0
    for i in range(n_all):
        r = row_of(entries[i])
        _add(sums[2], sums[3], rank[r], weight[r], amount_of(amount, r, output))
        w_all += weight[r]
    for i in range(known, n_all if way == 1 else known):
        r = row_of(entries[i])
        _add(sums[0], sums[1], rank[r], weight[r], amount_of(amount, r, output))
        n_left += 1.0
        w_left += weight[r]
    exact = monotone != 0
    before, _ = _loss(sums[2], sums[3], sums[0], sums[1], 0.0, w_all, False)
    for i in range(1, last):
        r = row_of(entries[i - 1])
        _add(sums[0], sums[1], rank[r], weight[r], amount_of(amount, r, output))
        n_left += 1.0
        w_left += weight[r]
        if (
            (i < known and entries[i] >> CODE_SHIFT == entries[i - 1] >> CODE_SHIFT)
            or min(n_left, n_all - n_left) < rules.min_leaf
            or min(w_left, w_all - w_left) < max(rules.min_weight, 1e-300)
        ):
            loss[i] = np.inf
            continue
        left, a = _loss(sums[0], sums[1], sums[2], sums[3], 0.0, w_left, exact)
        right, b = _loss(sums[2], sums[3], sums[0], sums[1], 1.0, w_all - w_left, exact)
        ruled_out = exact and not in_order(a, b, monotone, bounds)
        middles[i] = (a + b) / 2.0
        loss[i] = np.inf if ruled_out else loss[i] + left + right
    return before


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
def _add(by_weight, by_sum, rank, weight, amount):
    """Put a row into a Fenwick tree."""
    while rank < len(by_weight):
        by_weight[rank] += weight
        by_sum[rank] += amount
        rank += rank & -rank


@inner
def _loss(by_weight, by_sum, less_weight, less_sum, less, w, exact):
    """Σ w |y − median| of the rows of one tree, less those of another where ``less`` is 1; and the median.

    Any number between the two middle ones is a median: where ``exact`` it is midway between them, else the lower.
    """
    total, i = 0.0, len(by_weight) - 1
    while i > 0:
        total += by_sum[i] - less * less_sum[i]
        i -= i & -i
    below_w, below_s, own_w, own_s = _at_weight(by_weight, by_sum, less_weight, less_sum, less, 0.5 * w)
    # the median m is the next y: Σ above (y − m) + Σ below (m − y), where m times the difference of weights remains
    median = own_s / own_w if own_w > 0.0 else 0.0
    loss = total - 2.0 * below_s - own_s + median * (2.0 * below_w + own_w - w)
    if exact and own_w > 0.0 and below_w + own_w <= 0.5 * w * (1.0 + 1e-12):
        _, _, own_w, own_s = _at_weight(
            by_weight, by_sum, less_weight, less_sum, less, (below_w + own_w) * (1.0 + 1e-12)
        )
        median = 0.5 * (median + own_s / own_w) if own_w > 0.0 else median
    return loss, median


@inner
def _at_weight(by_weight, by_sum, less_weight, less_sum, less, w):
    """Weight and Σ w y of the rows before the one at which the weight summed up by rank reaches w, and of that row."""
    n, at, below_w, below_s, step = len(by_weight) - 1, 0, 0.0, 0.0, 1
    while 2 * step <= n:
        step *= 2
    while step > 0:
        if at + step <= n:
            here = by_weight[at + step] - less * less_weight[at + step]
            if below_w + here < w:
                at += step
                below_w += here
                below_s += by_sum[at] - less * less_sum[at]
        step //= 2
    i, next_w, next_s = min(at + 1, n), 0.0, 0.0
    while i > 0:
        next_w += by_weight[i] - less * less_weight[i]
        next_s += by_sum[i] - less * less_sum[i]
        i -= i & -i
    return below_w, below_s, next_w - below_w, next_s - below_s


@inner
def split_losses(lists, start, end, on_left, amount, weight, n_outputs, w_left, w_right, exact):
    """The loss before and after a split that is given, summed over outputs, and the medians of both sides of the last.

    on_left (IN) int64[n] 1 for rows that go left
    """
    before, after, a, b = 0.0, 0.0, 0.0, 0.0
    for o in range(n_outputs):
        by_y = lists[lists.shape[0] - n_outputs + o, start:end]
        loss, _ = _loss_in_order(by_y, -1, on_left, amount, o, weight, w_left + w_right, exact)
        left, a = _loss_in_order(by_y, 1, on_left, amount, o, weight, w_left, exact)
        right, b = _loss_in_order(by_y, 0, on_left, amount, o, weight, w_right, exact)
        before, after = before + loss, after + left + right
    return before, after, a, b


@inner
def _loss_in_order(by_y, side, on_left, amount, output, weight, w, exact):
    """Σ w |y − median| over the rows of one side, or over all where ``side`` is −1; and the median."""
    below, loss, median, found = 0.0, 0.0, 0.0, 0
    for entry in by_y:
        r = row_of(entry)
        if side >= 0 and on_left[r] != side:
            continue
        y = amount_of(amount, r, output) / weight[r]
        if found == 0 and below + weight[r] >= 0.5 * w * (1.0 - 1e-12):
            median, found = y, 1
            if exact and below + weight[r] <= 0.5 * w * (1.0 + 1e-12):
                found = 2  # half of the weight is at or below: the median is midway to the next
        elif found == 2:
            median, found = 0.5 * (median + y), 1
        below += weight[r]
    for entry in by_y:
        r = row_of(entry)
        if side < 0 or on_left[r] == side:
            loss += abs(amount_of(amount, r, output) - weight[r] * median)
    return loss, median


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

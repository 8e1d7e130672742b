"""One random split of a node on a feature, for extremely randomised trees.

A threshold is uniform between the smallest and the largest value (Geurts, Ernst and Wehenkel 2006). Of a nominal column
a random subset of the levels goes left. Missing values go to a random side.
"""

from __future__ import annotations

import numpy as np

from probus.tree._criteria import ABSOLUTE, score
from probus.tree.kernel_parts import inlined, inner
from probus.tree.preparation._codes import CODE_SHIFT, MONOTONE, N_CODES, NOMINAL, PLACE
from probus.tree.preparation._row_target import add_row, n_outputs_of
from probus.tree.splitting._absolute_error import split_losses
from probus.tree.splitting._feature_search import CODE_OF, ORDER
from probus.tree.splitting._histogram import fill_cells
from probus.tree.splitting._scan import allowed, in_order, row_of
from probus.tree.splitting._thresholds import between


@inner
def stir(state):
    """The next state of a splitmix64 stream, and 64 random bits."""
    state = state + np.uint64(0x9E3779B97F4A7C15)
    z = state
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state, z ^ (z >> np.uint64(31))


@inner
def draw(state, n):
    """The next state of a stream, and a whole number below n."""
    state, z = stir(state)
    return state, np.int64(((z >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@inlined
def draw_column(state, pool, drawn):
    """The next state of a stream, and a column that is not among the first so many of the pool, which it joins.

    pool (INOUT) int64[d] the columns, those drawn first
    """
    state, j = draw(state, len(pool) - drawn)
    pool[drawn], pool[drawn + j] = pool[drawn + j], pool[drawn]
    return state, pool[drawn]


@inner
def search_random(
    f, state, lists, codes, about, rows, start, end, label, amount, weight, table, rules, bounds, total, tallies, cells,
    buffer, out, values, threshold,
):  # fmt: skip
    """As ``search_column``, for one random split; returns the state of the stream too.

    values (IN)     Values without their upper ends: the value of each code, and where each column's begin
    threshold (OUT) float64[2]: and, for absolute error, the middle between the medians of both sides
    """
    place, n_codes, nominal = about[f, PLACE], about[f, N_CODES], about[f, NOMINAL] == 1
    left, right = tallies[0], tallies[1]
    first, last = _range_of_codes(n_codes, place, lists, codes, rows, start, end)
    state, coin = draw(state, np.int64(2))
    if first >= last:
        return -np.inf, state
    cut, n_cells = first, np.int64(0)
    if nominal:
        if cells is not None:
            column, ints = codes[-1 - place], cells[1]
            filled = fill_cells(
                column, n_codes, rows[start:end], label, amount, weight, ints[CODE_OF], cells[0], buffer
            )
            filled -= ints[CODE_OF, filled - 1] == n_codes
            state, n_cells = _draw_levels(state, filled, ints)
    else:
        state, cut, threshold[0] = _draw_threshold(state, values[0], values[1][f], first, last)
    for k in range(len(left)):
        left[k] = 0.0
    if nominal and cells is not None:
        for q in range(n_cells):
            for k in range(len(left)):
                left[k] += cells[0][cells[1][ORDER, q], k]
    for p in range(start, end):
        r = row_of(lists[place, p]) if place >= 0 else rows[p]
        code = _code_at(p, place, lists, codes, rows)
        if (code == n_codes and rules.learn and coin == 1) or (code < n_codes and not nominal and code <= cut):
            add_row(tallies, np.int64(0), r, label, amount, weight)
            buffer[r] = 1
        else:
            buffer[r] = 0
    for k in range(len(left)):
        right[k] = total[k] - left[k]
    absolute, monotone = rules.criterion == ABSOLUTE, about[f, MONOTONE]
    if not allowed(left, right, rules, 0 if absolute else monotone, bounds):
        return -np.inf, state
    out[0], out[1], out[2] = (n_cells if nominal else cut), -1, coin
    if not absolute:
        return score(rules, left, table) + score(rules, right, table) - score(rules, total, table), state
    if nominal and cells is not None:
        _mark_levels(n_cells, cells[1], codes[-1 - place], rows[start:end], buffer)
    before, after, a, b = split_losses(
        lists, start, end, buffer, amount, weight, n_outputs_of(label), left[1], right[1], monotone != 0
    )
    threshold[1] = (a + b) / 2.0
    return (before - after if monotone == 0 or in_order(a, b, monotone, bounds) else -np.inf), state


@inlined
def _range_of_codes(n_codes, place, lists, codes, rows, start, end):
    """The smallest and the largest code of the node's rows that are not missing."""
    first, last = n_codes, np.int64(-1)
    for p in range(start, end):
        code = _code_at(p, place, lists, codes, rows)
        if code < n_codes:
            first, last = min(first, code), max(last, code)
    return first, last


@inlined
def _draw_levels(state, filled, ints):
    """Put the cells in random order; returns the state of the stream, and how many of the first go left."""
    for q in range(filled):
        ints[ORDER, q] = q
    for q in range(filled - 1):
        state, j = draw(state, filled - q)
        ints[ORDER, q], ints[ORDER, q + j] = ints[ORDER, q + j], ints[ORDER, q]
    state, j = draw(state, filled - 1)
    return state, j + 1


@inlined
def _draw_threshold(state, low, base, first, last):
    """The state of the stream, the last code that goes left, and a threshold between the values of two codes."""
    state, u = draw(state, np.int64(1 << 31))
    t = between(low[base + first], low[base + last], u / 2147483648.0)
    cut, above = first, last  # above: the smallest code whose value lies above the threshold
    while above - cut > 1:
        middle = (cut + above) // 2
        if low[base + middle] <= t:
            cut = middle
        else:
            above = middle
    return state, cut, t


@inner
def _mark_levels(n_cells, ints, codes, rows, on_left):
    """Mark the rows whose level goes left."""
    for r in rows:
        for q in range(n_cells):
            if ints[CODE_OF, ints[ORDER, q]] == codes[r]:
                on_left[r] = 1


@inner
def _code_at(p, place, lists, codes, rows):
    code = np.int64(0)
    if place >= 0:
        code = np.int64(lists[place, p] >> CODE_SHIFT)
    if codes is not None and place < 0:
        code = np.int64(codes[-1 - place, rows[p]])
    return code

"""The sums of one node, and its best split."""

from __future__ import annotations

import numpy as np

from probus.tree._criteria import ABSOLUTE, ENTROPY, constant_of_row, score
from probus.tree._node_columns import (  # fmt: skip
    ABOVE,
    BELOW,
    DEPTH,
    END,
    FEATURE,
    GAIN,
    HIGH,
    IMPURITY,
    LEFT,
    LOW,
    LOWER,
    MIDDLE,
    MISSING_LEFT,
    MISSING_SEEN,
    PENDING,
    RIGHT,
    SEED,
    START,
    THRESHOLD,
    UPPER,
)
from probus.tree.kernel_parts import inlined, inner
from probus.tree.preparation._codes import CODE_SHIFT, MISSING, N_CODES, NOMINAL, PLACE
from probus.tree.preparation._row_target import amount_of, n_outputs_of, sum_index
from probus.tree.splitting._absolute_error import search_absolute
from probus.tree.splitting._feature_search import CODE_OF, ORDER, search_column, search_plain
from probus.tree.splitting._random_split import draw_column, search_random
from probus.tree.splitting._scan import row_of

_EPSILON = 2.220446049250313e-16  # as scikit-learn forgives in comparing gains


@inner
def may_split(link, fact, tally, label, amount, weight, table, rows, rules, limits):
    """Sum up a node; whether it may split at all."""
    link[LEFT] = link[RIGHT] = -1
    link[FEATURE], link[MISSING_LEFT], link[MISSING_SEEN] = -2, 0, 0
    link[BELOW] = link[ABOVE] = 0
    n = link[END] - link[START]
    constant, pure = _sum_up(rows[link[START] : link[END]], label, amount, weight, rules, tally)
    fact[IMPURITY] = 0.0
    if rules.criterion == ABSOLUTE and not pure:
        fact[IMPURITY] = np.inf
    elif not pure:
        fact[IMPURITY] = max(0.0, (constant - score(rules, tally, table)) / (tally[1] * rules.n_outputs))
    if pure or link[DEPTH] >= limits.max_depth or n < max(limits.min_split, 2 * rules.min_leaf):
        return False
    if tally[1] < 2.0 * rules.min_weight:
        return False
    if n <= limits.pending:
        link[LEFT] = PENDING
        return False
    return True


@inner
def _sum_up(rows, label, amount, weight, rules, tally):
    """Tally the rows of a node; returns the part of the loss that no split changes, and whether no split can gain."""
    for k in range(len(tally)):
        tally[k] = 0.0
    tally[0] = len(rows)
    constant, pure, n_classes = 0.0, True, (len(tally) - 2) // rules.n_outputs
    for o in range(n_outputs_of(label)):
        lowest = highest = amount_of(amount, rows[0], o) / weight[rows[0]]
        for r in rows:
            v, w = amount_of(amount, r, o), weight[r]
            if o == 0:
                tally[1] += w
            tally[sum_index(label, r, o)] += v
            if rules.numbers:
                y = v / w
                constant += constant_of_row(rules.criterion, v, y)
                lowest, highest = min(lowest, y), max(highest, y)
        if rules.numbers:
            pure &= highest - lowest <= 1e-15 * max(abs(lowest), abs(highest))
        else:
            most = 0.0
            for k in range(2 + o * n_classes, 2 + (o + 1) * n_classes):
                most = max(most, tally[k])
            pure &= most >= tally[1] * (1.0 - 1e-15)
            constant += 0.0 if rules.criterion == ENTROPY else tally[1]
    return constant, pure


@inner
def search_node(
    link, fact, tally, lists, codes, about, rows, label, amount, weight, table, rules, limits, sides, buffer, out, pool,
    cells, ratios, values, medians, words, n_words,
):  # fmt: skip
    """Find the best split of a node among the features it may use; returns how many words are in use."""
    bounds, cut = fact[LOWER : UPPER + 1], sides[2]
    d = len(about)
    best, column = -np.inf, d
    tried, drawn, again = 0, 0, False
    state = np.uint64(link[SEED])
    some = limits.shuffled or limits.max_features < d
    most = (fact[IMPURITY] * tally[1] * rules.n_outputs) * (1.0 - 1e-12)  # no split gains more than all
    if some:
        for f in range(d):
            pool[f] = f
    if ratios is not None:
        for f in range(d):
            ratios[1, f] = -np.inf
    while not again and best < most:
        if drawn < d and tried < limits.max_features:
            f = drawn
            if some:
                state, f = draw_column(state, pool, drawn)
            drawn += 1
        elif ratios is None or tried == 0:
            break
        else:
            f, again = -1, True
            if ratios is not None:
                f = best_ratio(ratios)
        gain, state = _search_feature(
            f, state, link[START], link[END], lists, codes, about, rows, label, amount, weight, table, rules, bounds,
            tally, sides, buffer, out, cells, values, medians,
        )  # fmt: skip
        if gain == -np.inf:
            continue
        tried += 1
        if ratios is not None and not again:
            ratios[0, f] = gain
            ratios[1, f] = gain / split_information(f, link, lists, codes, about, rows, weight, cells, out)
            continue
        if gain > best or (gain == best and f < column and not limits.shuffled):
            best, column, fact[THRESHOLD], fact[MIDDLE] = gain, f, cut[0], cut[1]
            link[LOW], link[HIGH], link[MISSING_LEFT] = out[0], out[1], out[2]
            link[BELOW], link[ABOVE] = out[3], out[4]
            if codes is not None and about[f, NOMINAL] == 1:
                link[LOW] = n_words
                _write_levels(out[0], about[f, N_CODES], cells[1], words, n_words)
    # no split increases the loss; a negative gain is rounding
    if column == d or max(best, 0.0) / (limits.total_weight * rules.n_outputs) + _EPSILON < limits.min_gain:
        return n_words
    link[FEATURE], fact[GAIN] = column, best
    return n_words + (2 * ((about[column, N_CODES] + 31) // 32) if about[column, NOMINAL] == 1 else 0)


@inlined
def _search_feature(
    f, state, start, end, lists, codes, about, rows, label, amount, weight, table, rules, bounds, tally, sides, buffer,
    out, cells, values, medians,
):  # fmt: skip
    """The gain of the best, or of a random, split of a feature, and the state of the stream; ``out`` has the split."""
    cut = sides[2]
    if values is not None:
        return search_random(
            f, state, lists, codes, about, rows, start, end, label, amount, weight, table, rules, bounds, tally, sides,
            cells, buffer, out, values, cut,
        )  # fmt: skip
    if medians is not None:
        gain = search_absolute(
            f, lists, codes, about, rows, start, end, label, amount, weight, rules, bounds, cells, buffer, out, cut[1:],
            medians,
        )  # fmt: skip
        return gain, state
    simple = rules.plain and (len(tally) == 3 or (rules.unit and len(tally) == 4))
    if label.ndim == 1 and simple and about[f, PLACE] >= 0 and about[f, MISSING] == 0:
        gain = search_plain(lists, about[f, PLACE], start, end, amount, weight, rules.unit, rules.min_leaf, tally, out)
    else:
        gain = search_column(
            f, lists, codes, about, rows, start, end, label, amount, weight, table, rules, bounds, tally, sides, cells,
            buffer, out,
        )  # fmt: skip
    return gain, state


@inner
def _write_levels(n_left, n_levels, ints, words, n_words):
    """Set the bits of the levels that go left; those the node knows are set as its rows are sent."""
    for q in range(2 * ((n_levels + 31) // 32)):
        words[n_words + q] = np.uint32(0)
    for q in range(n_left):
        c = ints[CODE_OF, ints[ORDER, q]]
        words[n_words + (c >> 5)] |= np.uint32(1) << np.uint32(c & 31)


@inner
def best_ratio(ratios):
    """The column of the largest gain ratio among those that gain at least the average (Quinlan 1993, section 2.2).

    ratios (IN) float64[2, d] gain and gain ratio of each column; a ratio of −inf for features that were not tried
    """
    total, counted, best = 0.0, 0, -1
    for f in range(ratios.shape[1]):
        if ratios[1, f] > -np.inf and ratios[0, f] > 0.0:
            total += ratios[0, f]
            counted += 1
    for f in range(ratios.shape[1]):
        much = counted == 0 or ratios[0, f] >= total / counted * (1.0 - 1e-9)
        if ratios[1, f] > -np.inf and much and (best < 0 or ratios[1, f] > ratios[1, best]):
            best = f
    return best


@inner
def split_information(f, link, lists, codes, about, rows, weight, cells, out):
    """The entropy of the two sides themselves, in bits, times the weight of both; ``out`` is of the column's search."""
    low, missing_left = out[0], out[2]
    left, both, place, n_codes = 0.0, 0.0, about[f, PLACE], about[f, N_CODES]
    for p in range(link[START], link[END]):
        r, code = rows[p], n_codes
        if place >= 0:
            r, code = row_of(lists[place, p]), np.int64(lists[place, p] >> CODE_SHIFT)
        if codes is not None and place < 0:
            code = np.int64(codes[-1 - place, r])
        both += weight[r]
        if code == n_codes:
            left += weight[r] * missing_left
        elif about[f, NOMINAL] == 0 and code <= low:
            left += weight[r]
    if cells is not None and about[f, NOMINAL] == 1:
        for q in range(low):
            left += cells[0][cells[1][ORDER, q], 1]
    share = min(max(left / both, 1e-12), 1.0 - 1e-12)
    return -both * (share * np.log2(share) + (1.0 - share) * np.log2(1.0 - share))

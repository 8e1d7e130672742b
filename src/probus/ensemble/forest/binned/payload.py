"""What a row adds to the sums of a node.

The *load* of a row is one whole number where there are two classes and weights are whole: its weight if it is of the
second class, its weight, and one, side by side in 64 bits, so that one addition sums all three. Otherwise it is a pair:
its weight, and its number times its weight or the code of its class.
"""

from __future__ import annotations

import numpy as np

from probus.tree.criteria import ENTROPY, score
from probus.tree.kernel import inlined, inner

__all__ = ["LARGEST_SUM", "add_row", "counted", "packed", "second", "sum_up", "unpack", "weighed"]

_BITS = 21
LARGEST_SUM = (1 << _BITS) - 1  # of weights, that fits where it belongs
_MASK = np.uint64(LARGEST_SUM)
_ONE, _TWO = np.uint64(_BITS), np.uint64(2 * _BITS)


def packed(second_class: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The loads of rows of two classes: whether each is of the second, and its weight, a whole number.

    >>> packed(np.array([0, 1]), np.array([3, 1])).tolist() == [3 << 21 | 1, 1 << 42 | 1 << 21 | 1]
    True
    """
    w = weight.astype(np.uint64)
    return (w * second_class.astype(np.uint64)) << _TWO | w << _ONE | np.uint64(1)


@inlined
def second(load):
    """The weight of the second class in a sum of loads."""
    return np.float64(np.int64(load >> _TWO))


@inlined
def weighed(load):
    """The weight in a sum of loads."""
    return np.float64(np.int64((load >> _ONE) & _MASK))


@inlined
def counted(load):
    """How many loads were summed."""
    return np.int64(load & _MASK)


@inlined
def unpack(load, tally):
    """A sum of loads as a tally."""
    tally[0], tally[1] = counted(load), weighed(load)
    tally[2], tally[3] = weighed(load) - second(load), second(load)


@inner
def add_row(tally, load, i):
    """Add the row at place i to a tally: rows, weight, and the weight of each class or the sum of w y."""
    tally[0] += 1.0
    if load.ndim == 1:
        tally[1] += weighed(load[i])
        tally[2] += weighed(load[i]) - second(load[i])
        tally[3] += second(load[i])
    else:
        w, v = load[i, 0], load[i, 1]
        tally[1] += w
        if len(tally) == 3:
            tally[2] += v
        else:
            tally[2 + np.int64(v)] += w


@inlined
def sum_up(load, rules, table, tally):
    """Tally a node; returns its impurity, 0 where there is nothing to gain.

    load (IN)   uint64[m], or float64[m, 2]
    tally (OUT) float64[2 + K]
    """
    for k in range(len(tally)):
        tally[k] = 0.0
    if load.ndim == 1:
        total = np.uint64(0)
        for i in range(len(load)):
            total += load[i]
        unpack(total, tally)
        pure = min(tally[2], tally[3]) == 0.0
    elif len(tally) == 3:
        lowest = highest = load[0, 1] / load[0, 0]
        squares = 0.0
        for i in range(len(load)):
            y = load[i, 1] / load[i, 0]
            tally[1] += load[i, 0]
            tally[2] += load[i, 1]
            squares += load[i, 1] * y
            lowest, highest = min(lowest, y), max(highest, y)
        tally[0] = len(load)
        if highest - lowest <= 1e-15 * max(abs(lowest), abs(highest)):
            return 0.0
        return max(0.0, (squares - score(rules, tally, table)) / tally[1])
    else:
        for i in range(len(load)):
            add_row(tally, load, i)
        most = 0.0
        for k in range(2, len(tally)):
            most = max(most, tally[k])
        pure = most >= tally[1] * (1.0 - 1e-15)
    if pure:
        return 0.0
    fixed = 0.0 if rules.criterion == ENTROPY else tally[1]
    return max(0.0, (fixed - score(rules, tally, table)) / tally[1])

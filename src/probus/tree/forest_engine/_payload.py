"""What a row adds to the sums of a node.

The *load* of a row is one whole number where there are two classes and weights are whole: its weight if it is of the
second class, its weight, and one, side by side in 64 bits, so that one addition sums all three. Of up to eight classes,
for random cuts, it is its weight in the byte of its class; so many rows are summed at once as no byte overflows.
Otherwise it is a pair: its weight, and its number times its weight or the code of its class.
"""

from __future__ import annotations

import numpy as np

from probus.tree._criteria import ENTROPY, score
from probus.tree.kernel_parts import inlined

_BITS = 21
LARGEST_SUM = (1 << _BITS) - 1  # of weights, that fits where it belongs
_MASK = np.uint64(LARGEST_SUM)
_ONE, _TWO = np.uint64(_BITS), np.uint64(2 * _BITS)
TWO_BYTES = (_ONE, _TWO)  # where the weight, and that of the second class, begin


def packed(second_class: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The loads of rows of two classes: whether each is of the second, and its weight, a whole number.

    >>> packed(np.array([0, 1]), np.array([3, 1])).tolist() == [3 << 21 | 1, 1 << 42 | 1 << 21 | 1]
    True
    """
    w = weight.astype(np.uint64)
    return (w * second_class.astype(np.uint64)) << _TWO | w << _ONE | np.uint64(1)


def in_bytes(label: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The loads of rows of up to eight classes: the weight, a whole number below 256, in the byte of the class.

    >>> in_bytes(np.array([0, 2]), np.array([3, 1])).tolist() == [3, 1 << 16]
    True
    """
    return weight.astype(np.uint64) << (8 * label.astype(np.uint64))


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


@inlined
def clear(tally):
    """Let a tally be of no rows."""
    for k in range(len(tally)):
        tally[k] = 0.0


@inlined
def add_bytes(load, tally):
    """Add a sum of loads of bytes to the weights of a tally."""
    for k in range(8):
        w = np.float64(np.int64((load >> np.uint64(8 * k)) & np.uint64(255)))
        tally[2 + k] += w
        tally[1] += w


@inlined
def sum_up(load, at_once, rules, table, tally):
    """Tally a node; returns its impurity, 0 where there is nothing to gain.

    load (IN)   uint64[m], or float64[m, 2]
    tally (OUT) float64[2 + K]
    """
    clear(tally)
    if load.ndim == 1:
        size = len(load) if len(tally) == 4 else at_once
        for first in range(0, len(load), size):
            part, total = load[first : first + size], np.uint64(0)
            for i in range(len(part)):
                total += part[i]
            if len(tally) == 4:
                unpack(total, tally)
            else:
                add_bytes(total, tally)
        tally[0] = len(load)
    elif len(tally) == 3:
        lowest = highest = load[0, 1] / load[0, 0]
        w, s, squares = 0.0, 0.0, 0.0
        for i in range(len(load)):
            v = load[i, 1]
            y = v if rules.unit else v / load[i, 0]
            w += load[i, 0]
            s += v
            squares += v * y
            lowest, highest = min(lowest, y), max(highest, y)
        tally[0], tally[1], tally[2] = len(load), w, s
        if highest - lowest <= 1e-15 * max(abs(lowest), abs(highest)):
            return 0.0
        return max(0.0, (squares - score(rules, tally, table)) / tally[1])
    else:
        for i in range(len(load)):
            tally[np.uint64(2) + np.uint64(load[i, 1])] += load[i, 0]
        tally[0] = len(load)
        for k in range(2, len(tally)):
            tally[1] += tally[k]
    most = 0.0
    for k in range(2, len(tally)):
        most = max(most, tally[k])
    if most >= tally[1] * (1.0 - 1e-15):
        return 0.0
    fixed = 0.0 if rules.criterion == ENTROPY else tally[1]
    return max(0.0, (fixed - score(rules, tally, table)) / tally[1])

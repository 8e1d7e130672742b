"""Every partition of a few cells, one cell crossing at a time (Gray code)."""

from __future__ import annotations

import numpy as np

from probus.tree.kernel_parts import inlined


@inlined
def crossing(step):
    """In a step, from 1 on: the cell that crosses, 1.0 if to the left, -1.0 if back, and a bit for each on the left.

    >>> [crossing.py_func(step) for step in range(1, 4)]
    [(0, 1.0, 1), (1, 1.0, 3), (0, -1.0, 2)]
    """
    cell = 0
    while (step >> cell) & 1 == 0:
        cell += 1
    code = step ^ (step >> 1)
    return cell, (1.0 if (code >> cell) & 1 else -1.0), code


@inlined
def left_first(code, n, order):
    """Write the cells whose bits are set before the others; returns how many they are.

    order (OUT) int64[*]
    """
    first, last = 0, n - 1
    for cell in range(n):
        if (code >> cell) & 1:
            order[first] = cell
            first += 1
        else:
            order[last] = cell
            last -= 1
    return np.int64(first)

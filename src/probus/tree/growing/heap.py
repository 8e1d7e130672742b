"""A heap of open nodes: the next one to split is that of the largest key."""

from __future__ import annotations

from probus.tree.kernel_parts import inner

__all__ = ["pop", "push"]


@inner
def push(keys, heap, size, key, node):
    """Add a node with its key to those that are open, so many until now.

    keys, heap (INOUT) float64[*], int64[*]
    """
    at = size
    while at > 0 and keys[(at - 1) // 2] < key:
        up = (at - 1) // 2
        keys[at], heap[at] = keys[up], heap[up]
        at = up
    keys[at], heap[at] = key, node


@inner
def pop(keys, heap, size):
    """Take the node of the largest key."""
    top, size = heap[0], size - 1
    key, node, at = keys[size], heap[size], 0
    while 2 * at + 1 < size:
        down = 2 * at + 1
        if down + 1 < size and keys[down + 1] > keys[down]:
            down += 1
        if keys[down] <= key:
            break
        keys[at], heap[at] = keys[down], heap[down]
        at = down
    keys[at], heap[at] = key, node
    return top

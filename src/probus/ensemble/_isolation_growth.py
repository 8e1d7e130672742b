"""Growing isolation trees: a random feature and a random threshold, until rows are alone or deep enough."""

from __future__ import annotations

import numpy as np

from probus.compiling import njit
from probus.tree.splitting import between, draw, stir


@njit(nogil=True, cache=True)
def _range(X, rows, start, stop, feature):
    """The smallest and largest known value of a node's rows, and how many are missing."""
    low, high, missing = np.inf, -np.inf, 0
    for place in range(start, stop):
        x = X[rows[place], feature]
        if np.isnan(x):
            missing += 1
        else:
            low, high = min(low, x), max(high, x)
    return low, high, missing


@njit(nogil=True, cache=True)
def grow_isolation_tree(X, rows, features, max_depth, seed, feature, threshold, left, right, missing_left, size, depth):
    """Split a sample of rows; features that do not vary in a node are not drawn there.

    X (IN)        float64[n, d], NaN missing;  rows (IN, OUT) int64[s], reordered;  features (IN, OUT) int64[f]
    feature …     (OUT) of the nodes, at most 2 s − 1: int32, float64, int32, int32, uint8;
                  size (OUT) int32 rows and depth (OUT) int32 splits before each;  returns the number of nodes
    """
    state = np.uint64(seed)
    begin, end = np.empty(2 * rows.shape[0], np.int64), np.empty(2 * rows.shape[0], np.int64)
    begin[0], end[0], depth[0] = 0, rows.shape[0], 0
    n_nodes, node = 1, 0
    while node < n_nodes:
        start, stop = begin[node], end[node]
        feature[node], threshold[node], left[node], right[node], missing_left[node] = -2, -2.0, -1, -1, 0
        size[node] = stop - start
        untried = features.shape[0] if depth[node] < max_depth and stop - start > 1 else 0
        while untried > 0:
            state, chosen = draw(state, untried)
            untried -= 1
            features[chosen], features[untried] = features[untried], features[chosen]
            low, high, missing = _range(X, rows, start, stop, features[untried])
            known = stop - start - missing
            if known == 0 or (low == high and missing == 0):
                continue
            state, bits = stir(state)
            cut = low if low == high else between(low, high, np.float64(bits >> np.uint64(11)) * 2.0**-53)
            # known values that do not vary are separated from missing ones, which else go to a random side
            missing_goes_left = low < high and (bits & np.uint64(1)) == 1
            front, back = start, stop - 1
            while front <= back:
                x = X[rows[front], features[untried]]
                if missing_goes_left if np.isnan(x) else x <= cut:
                    front += 1
                else:
                    rows[front], rows[back] = rows[back], rows[front]
                    back -= 1
            feature[node], threshold[node], missing_left[node] = features[untried], cut, missing_goes_left
            left[node], right[node] = n_nodes, n_nodes + 1
            begin[n_nodes], end[n_nodes], begin[n_nodes + 1], end[n_nodes + 1] = start, front, front, stop
            depth[n_nodes] = depth[n_nodes + 1] = depth[node] + 1
            n_nodes += 2
            break
        node += 1
    return n_nodes

"""Prediction by a flat multiway tree: rows go to one node, or in fractions to several."""

from __future__ import annotations

import numpy as np

from probus.compiling import njit, read_only
from probus.parallel import chunked, thread_count
from probus.tree.multiway._multiway_tree import LEAF, SPREAD, MultiwayTree


def ends_of(tree: MultiwayTree, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
    """The node of each row of a coded matrix; missing values follow the heaviest child."""
    ends = np.empty(len(X), np.int64)
    arrays = _split_arrays(tree)

    def part(start: int, stop: int) -> None:
        walk_ends(read_only(X[start:stop]), *arrays, tree.heaviest_child, ends[start:stop])

    chunked(part, len(X), thread_count(n_jobs, 4.0 * len(X) * (tree.max_depth + 1)))
    return ends


def shares_of(tree: MultiwayTree, X: np.ndarray, n_jobs: int | None = None) -> np.ndarray:
    """The class probabilities of each row of a coded matrix; missing values follow every child in proportion."""
    shares = np.zeros((len(X), tree.value.shape[1]))
    arrays = _split_arrays(tree)

    def part(start: int, stop: int) -> None:
        walk_shares(read_only(X[start:stop]), *arrays, tree.share, tree.value, shares[start:stop])

    chunked(part, len(X), thread_count(n_jobs, 4.0 * len(X) * (tree.max_depth + tree.value.shape[1])))
    return shares


def _split_arrays(tree: MultiwayTree) -> tuple[np.ndarray, ...]:
    return (
        tree.first_child, tree.n_children, tree.feature, tree.threshold, tree.route, tree.routes, tree.coding.n_codes,
    )  # fmt: skip


@njit(nogil=True, cache=True)
def branch_of(x, threshold, route, routes, n_codes):
    """The index of the child of a value, or STAYS, or SPREAD."""
    if route < 0:
        if x != x:
            return SPREAD
        return 0 if x <= threshold else 1
    code = n_codes if x != x else np.int64(x)
    if code < 0 or code > n_codes:
        code = n_codes
    return routes[route + code]


@njit(nogil=True, cache=True)
def walk_ends(X, first, n_children, feature, threshold, route, routes, n_codes, heaviest, out):
    """The node of every row; arguments are the arrays of a MultiwayTree.

    X (IN)    float64[n, d], codes or numbers, NaN for missing
    out (OUT) int64[n]
    """
    for i in range(X.shape[0]):
        node = 0
        while first[node] != LEAF:
            f = feature[node]
            branch = branch_of(X[i, f], threshold[node], route[node], routes, n_codes[f])
            if branch >= 0:
                node = first[node] + branch
            elif branch == SPREAD:
                node = heaviest[node]
            else:
                break
        out[i] = node


@njit(nogil=True, cache=True)
def walk_shares(X, first, n_children, feature, threshold, route, routes, n_codes, share, value, out):
    """The values of the nodes where fractions of each row end, weighted by the fractions.

    X (IN)    float64[n, d], codes or numbers, NaN for missing
    out (OUT) float64[n, K], initially zero
    """
    nodes = np.empty(first.shape[0], np.int64)  # a node is on the stack at most once
    parts = np.empty(first.shape[0])
    for i in range(X.shape[0]):
        nodes[0], parts[0], waiting = 0, 1.0, 1
        while waiting > 0:
            waiting -= 1
            node, part = nodes[waiting], parts[waiting]
            branch = -1
            if first[node] != LEAF:
                f = feature[node]
                branch = branch_of(X[i, f], threshold[node], route[node], routes, n_codes[f])
            if branch >= 0:
                nodes[waiting], parts[waiting] = first[node] + branch, part
                waiting += 1
            elif branch == SPREAD:
                for child in range(first[node], first[node] + n_children[node]):
                    nodes[waiting], parts[waiting] = child, part * share[child]
                    waiting += 1
            else:
                for k in range(out.shape[1]):
                    out[i, k] += part * value[node, k]

"""Leaves below splits on so many features that a table of all patterns would be too long: only those that occur.

Where a row passes the splits on a features that a row of the background fails, and fails those on b features that it
passes, a coalition reaches the leaf if it has all of the a and none of the b. So the Shapley value of each of the a is
(a - 1)! b! / (a + b)!, that of each of the b is -a! (b - 1)! / (a + b)!, and where both rows fail a feature, all is 0.
"""

from __future__ import annotations

from math import factorial

import numpy as np

from probus.compiling import njit
from probus.ensemble.shap.patterns import Blocks
from probus.ensemble.shap.shapley_kernel import Paths
from probus.tree.kernel import inner
from probus.tree.prediction.walk import RowLayout, in_set

__all__ = ["add_wide_leaf"]


def add_wide_leaf(
    paths: Paths, blocks: Blocks, b: int, X: np.ndarray, background: np.ndarray | None, group: int, n_groups: int,
    pairs: bool, out: np.ndarray,
) -> None:  # fmt: skip
    """Add what the leaf of block b contributes to the Shapley values of each row, or to interactions of pairs.

    out : float64[n, d, n_groups · K] or [n, d, d, n_groups · K], of which the pairs in order are added to.
    """
    players = blocks.players[blocks.first_player[b] :][: blocks.n_players[b]]
    leaf, D = int(blocks.node[b]), len(players)
    patterns, which, _ = _distinct(paths, leaf, players, X)
    low, high = np.triu_indices(D, 1)
    found = np.zeros((len(patterns), len(low) if pairs else D))
    if background is None:
        rule, z = int(-(-D // 2)), np.ones(D)
        points = slice(rule * (rule - 1) // 2, rule * (rule + 1) // 2)
        shares_along(paths, leaf, players, z)
        integrate_shares(patterns, z, paths.at[points], paths.weight[points], pairs, found)
    else:
        others, _, share = _distinct(paths, leaf, players, background)
        compare_patterns(patterns, others, share, *_weights(D, pairs), pairs, found)
    n_values = len(paths.value) // len(paths.node)
    value = paths.value[paths.node[leaf] * n_values :][:n_values]
    to = slice(group * n_values, (group + 1) * n_values)
    added = (found[:, :, None] * value)[which]
    if pairs:
        first, second = np.minimum(players[low], players[high]), np.maximum(players[low], players[high])
        out[:, first, second, to] += 0.5 * added
    else:
        out[:, players, to] += added


def _distinct(
    paths: Paths, leaf: int, players: np.ndarray, X: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The distinct patterns of rows, one byte for each player; which one each row has; and the share of each."""
    passed = np.ones((len(X), len(players)), np.uint8)
    X = np.ascontiguousarray(X, np.float64)
    rows = RowLayout(X.reshape(-1).view(), X.shape[1], 1, len(X))
    rows.X.flags.writeable = False
    pass_splits(rows, paths, leaf, players, passed)
    packed = np.ascontiguousarray(np.packbits(passed, axis=1))
    _, first, which, count = np.unique(
        packed.view(np.dtype((np.void, packed.shape[1])))[:, 0],
        return_index=True, return_inverse=True, return_counts=True,
    )  # fmt: skip
    return passed[first], which, count / max(len(X), 1)


def _weights(D: int, pairs: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """By a and b, of one of the a and one of the b; or of two of the a, one of each, and two of the b."""
    n = np.arange(D + 1)

    def weight(a: int, b: int, order: int) -> float:
        return factorial(a) * factorial(b) / factorial(order) if a >= 0 and b >= 0 and order >= 0 else 0.0

    def table(less_a: int, less_b: int, sign: int) -> np.ndarray:
        less = less_a + less_b - 1  # of the players but one, or but two
        return np.array([[sign * weight(a - less_a, b - less_b, a + b - less) for b in n] for a in n])

    one, other, both = ((2, 0, 1), (0, 2, 1), (1, 1, -1)) if pairs else ((1, 0, 1), (0, 1, -1), (0, 0, 0))
    return table(*one), table(*other), table(*both)


# -- kernels -----------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def pass_splits(rows, paths, leaf, players, passed):
    """Whether each row passes all splits on each player before the leaf.

    rows, paths (IN)    ``RowLayout`` and ``Paths``
    passed (IN, OUT)    uint8[n, players], ones at first
    """
    X, row, column, n = rows
    feature, threshold, missing_left, set_of, sets, n_levels, level = paths[1:8]
    below = leaf
    for i in range(leaf - 1, -1, -1):
        if level[i] != level[below] - 1:
            continue
        j, goes_left, w = feature[i], below == i + 1, 0
        while players[w] != j:
            w += 1
        for r in range(n):
            x = X[r * row + j * column]
            if set_of[i] >= 0:
                left = in_set(x, sets, set_of[i], n_levels[j])
            else:
                left = (x <= threshold[i]) | ((x != x) & (missing_left[i] == 1))
            if left != goes_left:
                passed[r, w] = 0
        below = i
        if level[i] == 0:
            return


@njit(nogil=True, cache=True)
def shares_along(paths, leaf, players, z):
    """The share of the training rows that passes the splits on each player: to z, ones at first."""
    feature, level, share = paths[1], paths[7], paths[8]
    below = leaf
    while level[below] > 0:
        i = below - 1
        while level[i] != level[below] - 1:
            i -= 1
        w = 0
        while players[w] != feature[i]:
            w += 1
        z[w] *= share[below]
        below = i


@njit(nogil=True, cache=True)
def compare_patterns(patterns, others, share, of_a, of_b, of_both, pairs, found):
    """The mean over the background, for each distinct pattern.

    patterns, others (IN)       uint8[p, players] of the rows and uint8[q, players] of the background
    share (IN)                  float64[q] of the background
    of_a, of_b, of_both (IN)    see ``_weights``
    found (IN, OUT)             float64[p, players or pairs]
    """
    D = patterns.shape[1]
    side = np.zeros(D, np.int64)
    for p in range(len(patterns)):
        for q in range(len(others)):
            a, b = _sides(patterns[p], others[q], side)
            if a < 0:
                continue
            in_a, in_b, both = share[q] * of_a[a, b], share[q] * of_b[a, b], share[q] * of_both[a, b]
            c = 0
            for j in range(D):
                if not pairs:
                    found[p, j] += in_a if side[j] > 0 else in_b if side[j] < 0 else 0.0
                    continue
                for k in range(j + 1, D):
                    if side[j] != 0 and side[k] != 0:
                        found[p, c] += both if side[j] != side[k] else in_a if side[j] > 0 else in_b
                    c += 1


@inner
def _sides(pattern, other, side):
    """For each player whether the row alone (1), the other alone (-1), or both pass; how many, -1 where none passes."""
    a, b = 0, 0
    for j in range(len(side)):
        if pattern[j] == 0 and other[j] == 0:
            return -1, 0
        side[j] = np.int64(pattern[j]) - np.int64(other[j])
        a += side[j] > 0
        b += side[j] < 0
    return a, b


@njit(nogil=True, cache=True)
def integrate_shares(patterns, z, at, weight, pairs, found):
    """By quadrature for the shares of the training rows, for each distinct pattern; see ``shapley_kernel``.

    patterns (IN)      uint8[p, players]
    z (IN)             the share of the training rows that passes the splits on each
    found (IN, OUT)    float64[p, players or pairs]
    """
    D = len(z)
    credit = np.zeros(D)
    for p in range(len(patterns)):
        for q in range(len(at)):
            t, product = at[q], weight[q]
            for j in range(D):
                o = float(patterns[p, j])
                factor = t * o + (1 - t) * z[j]
                product *= factor
                credit[j] = (o - z[j]) / factor if factor > 0 else 0.0
            if product == 0.0:
                continue
            c = 0
            for j in range(D):
                if not pairs:
                    found[p, j] += product * credit[j]
                    continue
                for k in range(j + 1, D):
                    found[p, c] += product * credit[j] * credit[k]
                    c += 1

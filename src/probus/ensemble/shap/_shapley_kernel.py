r"""Shapley values of trees: the contribution of each feature to a prediction, averaged over all orders of features.

Where a feature is unknown, a row goes both ways, by the weights of the training rows that went there (Lundberg et al.
2020, "path-dependent"). A leaf of value v whose path splits on features k then contributes
:math:`v \prod_{k \in S} o_k \prod_{k \notin S} z_k` to a coalition S: :math:`o_k` is 1 where the row passes all
splits of the path on k and 0 otherwise, :math:`z_k` the share of the weight that passes. Since the weight of a
coalition of s among D features is :math:`\int_0^1 t^s (1 - t)^{D - 1 - s} dt`, the sum over all coalitions is one
integral,

.. math:: \varphi_j = v (o_j - z_j) \int_0^1 \prod_{k \ne j} \bigl(t o_k + (1 - t) z_k\bigr) dt,

of a polynomial of degree D - 1, for which Gauss and Legendre's rule of D / 2 points is exact. At each point products
grow down the paths and sums over leaves flow back up, so that a tree takes time proportional to its nodes, as in the
linear TreeSHAP of Yu et al. (2022); nothing is ever divided by something small.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probus.compiling import njit
from probus.errors import DataError
from probus.tree import Trees, node_shares, partial_dependence_of
from probus.tree.kernel_parts import inner
from probus.tree.prediction import RowLayout, in_set, level_sets, over_rows

_ROWS = 32  # that go through a tree together
_R = np.uint64(_ROWS)


def expected_value(trees: Trees, n_groups: int = 1) -> np.ndarray:
    """The sum of the trees' predictions where no feature is known: float64[n_groups · K].

    Parameters
    ----------
    trees : A series of trees of one ensemble.
    n_groups : the number of sums that the trees take turns in.

    Returns
    -------
    The sums.
    """
    return partial_dependence_of(trees, np.empty((1, 0)), (), n_groups)[:, 0]


def check_no_surrogates(trees: Trees) -> None:
    """Refuse trees that decide by other columns where a value is missing."""
    if trees.surrogates is not None:
        raise DataError("trees with surrogates.", "trees without: a path must be decided by its own splits")


def quadrature_values(trees: Trees, paths: Paths, X: np.ndarray, n_groups: int, n_jobs: int | None) -> np.ndarray:
    """The path-dependent contribution of each feature to the sum over the trees: float64[n, d, n_groups · K]."""
    width = n_groups * trees.n_values
    out = np.zeros((len(X), trees.n_features, width))
    levels, points = int(paths.level.max()) + 1, int(paths.n_points.max())

    def explain(rows: RowLayout, part: slice) -> None:
        sent_left, passed = np.ones((2, levels * _ROWS))
        product, total = np.ones(levels * points * _ROWS), np.zeros(levels * trees.n_values * points * _ROWS)
        work = sent_left, passed, product, total, np.empty((levels, 2 * points))
        shap_sums(rows, paths, trees.n_values, n_groups, work, out[part].reshape(-1))

    over_rows(X, n_jobs, 50.0 * len(X) * len(paths.level) * trees.n_values, explain)
    return out


class Paths(NamedTuple):
    """The nodes of trees in the order of a walk through all of them, left child straight after its parent.

    node : where a node is in ``trees``, and in their ``value``
    level : how many splits lie before a node
    share : of the weight of its parent
    n_points : of the quadrature, for each tree
    at, weight : the points and weights of all rules, those of n points from n (n - 1) / 2 on
    size : the number of nodes of the subtree
    """

    start: np.ndarray
    feature: np.ndarray
    threshold: np.ndarray
    missing_left: np.ndarray
    set_of: np.ndarray
    sets: np.ndarray
    n_levels: np.ndarray
    level: np.ndarray
    share: np.ndarray
    node: np.ndarray
    value: np.ndarray
    n_points: np.ndarray
    at: np.ndarray
    weight: np.ndarray
    size: np.ndarray


def paths_of(trees: Trees) -> Paths:
    """The nodes in the order of a walk."""
    levels, left, right = trees.levels, trees.children_left, trees.children_right
    size, place, level = np.ones((3, len(left)), np.int64)
    for nodes in reversed(levels):
        size[nodes] = 1 + size[left[nodes]] + size[right[nodes]]
    place[trees.start[:-1]], level[trees.start[:-1]] = trees.start[:-1], 0
    for depth, nodes in enumerate(levels, 1):
        level[left[nodes]] = level[right[nodes]] = depth
        place[left[nodes]] = place[nodes] + 1
        place[right[nodes]] = place[nodes] + 1 + size[left[nodes]]
    order = np.empty(len(left), np.int64)
    order[place] = np.arange(len(left))

    sets, set_of = level_sets(trees)
    n_points = _n_points(trees, levels)
    rules = [np.polynomial.legendre.leggauss(n) for n in range(1, n_points.max() + 1)]
    at, weight = (np.concatenate(parts) for parts in zip(*rules, strict=True))
    return Paths(
        trees.start.copy(), trees.feature[order], trees.threshold[order], trees.missing_go_to_left[order],
        set_of[order], sets, trees.n_levels.copy(), level[order], node_shares(trees)[order], order,
        np.require(trees.value, requirements=["C", "W"]).reshape(-1), n_points, (1 + at) / 2, weight / 2,
        size[order],
    )  # fmt: skip


def _n_points(trees: Trees, levels: list[np.ndarray]) -> np.ndarray:
    """For each tree how many points the quadrature needs: half as many as its longest path has features."""
    distinct = np.zeros(len(trees.children_left), np.int64)
    for first in range(0, trees.n_features, 64):
        used = np.zeros(len(trees.children_left), np.uint64)
        for nodes in levels:
            column = trees.feature[nodes].astype(np.int64) - first
            mine = (column >= 0) & (column < 64)
            bit = np.where(mine, np.uint64(1) << np.where(mine, column, 0).astype(np.uint64), np.uint64(0))
            used[trees.children_left[nodes]] = used[trees.children_right[nodes]] = used[nodes] | bit
        distinct += np.bitwise_count(used)
    most = np.maximum.reduceat(distinct, trees.start[:-1])
    return np.maximum(-(-most // 2), 1)


# -- kernels -----------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def shap_sums(rows, paths, n_values, n_groups, work, out):
    """Add the Shapley values of every tree for every row.

    rows, paths (IN) ``RowLayout`` and ``Paths``
    work (WORK)      of the nodes on the path, by level
    out (IN, OUT)    float64, flat, [n, d, n_groups · K]
    """
    X, row, column, n = rows
    start, feature, threshold, missing_left, set_of, sets, n_levels = paths[:7]
    level, share, node, value, n_points, at, weight = paths[7:14]
    sent_left, passed, product, total, credit = work
    path, z = np.zeros(len(credit), np.int64), np.ones(len(credit))
    earned, n_columns, width = np.zeros(_ROWS), len(n_levels), n_groups * n_values
    for first in range(0, n, _ROWS):
        m = min(_ROWS, n - first)
        for t in range(len(start) - 1):
            points = n_points[t]
            rule = points * (points - 1) // 2
            _fill(0, points * _ROWS, 1.0, product)
            for i in range(start[t], start[t + 1]):
                here = level[i]
                path[here] = i
                if here > 0:
                    above = _last_split_on(here, path, feature)
                    z[here] = z[above] * share[i]
                    goes_left = i == path[here - 1] + 1
                    _pass(here, above, z[above], share[i], goes_left, at, weight, rule, points, sent_left, passed,
                          product, credit)  # fmt: skip
                if feature[i] >= 0:
                    _decide(X, row, column, first, m, feature[i], threshold[i], missing_left[i], set_of[i], sets,
                            n_levels, here, sent_left)  # fmt: skip
                    _fill(here * n_values * points * _ROWS, n_values * points * _ROWS, 0.0, total)
                    continue
                _arrive(here, points, n_values, node[i] * n_values, value, product, total)
                below = level[i + 1] if i + 1 < start[t + 1] else 1
                for done in range(here, below - 1, -1):
                    above = _last_split_on(done, path, feature)
                    split_on = feature[path[done - 1]]
                    place = (first * n_columns + split_on) * width + t % n_groups * n_values
                    for k in range(n_values):
                        _earn(done, above, k, points, n_values, passed, credit, total, earned)
                        for r in range(m):
                            out[place + r * n_columns * width + k] += earned[r]


@inner
def _last_split_on(here, path, feature):
    """The level of the last node on the path that was reached by a split on the same feature; 0 if there is none."""
    split_on, above = feature[path[here - 1]], here - 1
    while above > 0 and feature[path[above - 1]] != split_on:
        above -= 1
    return above


@inner
def _decide(X, row, column, first, m, feature, threshold, missing_left, set_of, sets, n_levels, here, sent_left):
    """1 for rows that go left, else 0."""
    for r in range(m):
        x = X[(first + r) * row + feature * column]
        if set_of >= 0:
            goes_left = in_set(x, sets, set_of, n_levels[feature])
        else:
            goes_left = (x <= threshold) | ((x != x) & (missing_left == 1))
        sent_left[here * _ROWS + r] = goes_left


@inner
def _pass(here, above, z, share, goes_left, at, weight, rule, points, sent_left, passed, product, credit):
    """Which rows pass all splits on the feature, and the product with its factor t o + (1 - t) z updated.

    Rows either failed before, or fail now, or still pass. ``credit`` keeps what the latter two contribute to the
    feature per unit of total: (o - z) / (t o + (1 - t) z), less the same of the last node above that split on it.
    """
    r_here, r_above, r_last = np.uint64(here * _ROWS), np.uint64(above * _ROWS), np.uint64((here - 1) * _ROWS)
    for r in range(_R):
        passed[r_here + r] = passed[r_above + r] if (sent_left[r_last + r] > 0.0) == goes_left else 0.0
    for q in range(points):
        t, w = at[rule + q], weight[rule + q]
        before, after = t + (1 - t) * z, t + (1 - t) * z * share
        credit[here, 2 * q] = w * (-1 / (1 - t) - (1 - z) / before)
        credit[here, 2 * q + 1] = w * ((1 - z * share) / after - (1 - z) / before)
        fails, passes = (1 - t) * z * share / before, after / before
        p, p_last = np.uint64((here * points + q) * _ROWS), np.uint64(((here - 1) * points + q) * _ROWS)
        for r in range(_R):
            had_failed = share if passed[r_above + r] == 0.0 else fails
            product[p + r] = product[p_last + r] * (passes if passed[r_here + r] > 0.0 else had_failed)


@inner
def _arrive(here, points, n_values, leaf, value, product, total):
    """At a leaf the total is its value times the product."""
    n, p = np.uint64(points * _ROWS), np.uint64(here * points * _ROWS)
    for k in range(n_values):
        g, v = np.uint64((here * n_values + k) * points * _ROWS), value[leaf + k]
        for r in range(n):
            total[g + r] = v * product[p + r]


@inner
def _earn(done, above, k, points, n_values, passed, credit, total, earned):
    """What a finished node contributes to the feature split on before it; its total is added to its parent's."""
    r_done, r_above = np.uint64(done * _ROWS), np.uint64(above * _ROWS)
    for r in range(_R):
        earned[r] = 0.0
    for q in range(points):
        fails, passes = credit[done, 2 * q], credit[done, 2 * q + 1]
        g = np.uint64(((done * n_values + k) * points + q) * _ROWS)
        up = np.uint64((((done - 1) * n_values + k) * points + q) * _ROWS)
        for r in range(_R):
            had_failed = 0.0 if passed[r_above + r] == 0.0 else fails
            earned[r] += total[g + r] * (passes if passed[r_done + r] > 0.0 else had_failed)
            total[up + r] += total[g + r]


@inner
def _fill(first, n, value, out):
    for i in range(first, first + n):
        out[i] = value

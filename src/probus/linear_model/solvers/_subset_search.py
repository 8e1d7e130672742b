"""The best subset of columns of each size: a local search by exchanges, and branch and bound that proves it.

Both work on the correlations of columns: ``G`` are their products at unit length, ``c`` those with the target at unit
length, so that the residual sum of squares (RSS) of no column is 1.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from probus.compiling import njit

_INDEPENDENT = 1e-9  # the share of a column's square that the others must leave
_RIDGE = 1e-10  # added to dependent columns
_ROUNDING = 1e-13  # of an RSS: smaller differences are not looked for


@dataclass
class Subsets:
    """The best subset found of each size 0 … K: ``rss`` float64[K + 1], ``members`` bool[K + 1, p].

    Sizes that more dependent columns cannot have repeat the RSS of the largest that they can.
    """

    rss: np.ndarray
    members: np.ndarray


def exchange_search(G: np.ndarray, c: np.ndarray, most: int, sweeps: int = 10) -> Subsets:
    """Add, drop and exchange single columns, up and down the sizes, until no subset improves."""
    p = len(c)
    found = Subsets(np.ones(most + 1), np.zeros((most + 1, p), dtype=bool))
    for size in range(1, most + 1):
        found.rss[size] = np.inf
        _improve(G, c, found, size, _grow(G, c, found.members[size - 1]))
    for _ in range(sweeps):
        before = found.rss.copy()
        for size in range(most - 1, 0, -1):
            _improve(G, c, found, size, _shrunk(G, c, found.members[size + 1]))
        for size in range(2, most + 1):
            _improve(G, c, found, size, _grow(G, c, found.members[size - 1]))
        if not (found.rss < before * (1.0 - 1e-10) - _ROUNDING).any():
            break
    return found


def _improve(G: np.ndarray, c: np.ndarray, found: Subsets, size: int, members: np.ndarray) -> None:
    """Exchange members for other columns while that reduces the RSS; keep the result where it is better."""
    before = np.inf
    while True:
        inside, outside = np.flatnonzero(members), np.flatnonzero(~members)
        M, beta, rss = _fit(G, c, inside)
        if rss < found.rss[size]:
            found.rss[size], found.members[size] = rss, members.copy()
        if not len(inside) or not len(outside) or not rss < before:
            return
        before = rss * (1.0 - 1e-10) - _ROUNDING
        across = M @ G[np.ix_(inside, outside)]
        left = G.diagonal()[outside] - np.einsum("ij,ij->j", G[np.ix_(inside, outside)], across)
        pull = c[outside] - G[np.ix_(outside, inside)] @ beta
        own = M.diagonal()[:, None]
        space = left + across**2 / own
        gain = (pull + across * beta[:, None] / own) ** 2 / np.where(space > _INDEPENDENT, space, np.inf)
        net = gain - beta[:, None] ** 2 / own
        i, j = np.unravel_index(int(net.argmax()), net.shape)
        if net[i, j] <= 0.0:
            return
        members = members.copy()
        members[inside[i]], members[outside[j]] = False, True


def _grow(G: np.ndarray, c: np.ndarray, members: np.ndarray) -> np.ndarray:
    """The members and the column that reduces the RSS most."""
    inside, outside = np.flatnonzero(members), np.flatnonzero(~members)
    M, beta, _ = _fit(G, c, inside)
    across = G[np.ix_(inside, outside)]
    left = G.diagonal()[outside] - np.einsum("ij,ij->j", across, M @ across)
    gain = (c[outside] - across.T @ beta) ** 2 / np.where(left > _INDEPENDENT, left, np.inf)
    grown = members.copy()
    grown[outside[gain.argmax()]] = True
    return grown


def _shrunk(G: np.ndarray, c: np.ndarray, members: np.ndarray) -> np.ndarray:
    """The members without the one that increases the RSS least."""
    inside = np.flatnonzero(members)
    M, beta, _ = _fit(G, c, inside)
    shrunk = members.copy()
    shrunk[inside[(beta**2 / M.diagonal()).argmin()]] = False
    return shrunk


def _fit(G: np.ndarray, c: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """The inverse of the members' products, their coefficients, and the RSS."""
    M = _inverse(G[np.ix_(inside, inside)])
    beta = M @ c[inside]
    return M, beta, max(1.0 - float(beta @ c[inside]), 0.0)


def rss_of_all(G: np.ndarray, c: np.ndarray) -> float:
    """The RSS of all columns."""
    return _fit(G, c, np.arange(len(c)))[2]


def _inverse(G: np.ndarray) -> np.ndarray:
    if len(G) and linalg.eigvalsh(G)[0] <= _INDEPENDENT:
        G = G + _RIDGE * np.eye(len(G))
    return linalg.inv(G, assume_a="pos") if len(G) else G


def branch_and_bound(
    G: np.ndarray, c: np.ndarray, found: Subsets, max_nodes: int, *, penalty: float = -1.0, rows: float = 0.0,
    smallest: int = 0,
) -> tuple[bool, int]:  # fmt: skip
    """Improve ``found`` to the best subsets of all sizes; whether that is proven, and the number of subsets visited.

    With a ``penalty`` that is not negative, only the subset that minimises RSS + penalty · size, or rows · log RSS +
    penalty · size where ``rows`` is not 0, is searched for. Sizes below ``smallest`` are not searched.
    """
    M, beta, rss = _fit(G, c, np.arange(len(c)))
    nodes = _leaps(M, beta, rss, found.rss, found.members, float(penalty), float(rows), max_nodes, smallest)
    return nodes < max_nodes, nodes


@njit(nogil=True, cache=True)
def _limits(best, penalty, rows, smallest, out):
    """The RSS below which a subset of each size is of interest; not increasing in the size."""
    most = len(best) - 1
    if penalty < 0.0:
        for s in range(most + 1):
            out[s] = best[max(s, smallest)]
        return
    lowest = np.inf
    for s in range(smallest, most + 1):
        value = rows * np.log(max(best[s], 1e-300)) if rows > 0.0 else best[s]
        lowest = min(lowest, value + penalty * s)
    for s in range(most + 1):
        value = lowest - penalty * max(s, smallest)
        out[s] = np.exp(value / rows) if rows > 0.0 else value


@njit(nogil=True, cache=True)
def _leaps(M, beta, full, best, members, penalty, rows, max_nodes, smallest):
    """Visit subsets by dropping columns from the full set, without those that cannot be of interest; how many.

    A node is a set of columns, of which the first ``fixed`` in ``order`` are not dropped below it. Dropping column i
    increases the RSS by β_i² / M_ii, and no subset without i has a smaller RSS. Candidates are sorted by that increase,
    so that the largest subtrees are cut (Furnival and Wilson 1974).

    M (IN)         float64[p, p]    the inverse of the columns' products
    beta (IN)      float64[p]       the coefficients of all columns, whose RSS is ``full``
    best (OUT)     float64[K + 1]   the smallest RSS of each size
    members (OUT)  bool[K + 1, p]   the subsets
    """
    p, most = len(beta), len(best) - 1
    Ms, betas, rss = np.empty((p + 1, p, p)), np.empty((p + 1, p)), np.empty(p + 1)
    ids, order = np.empty((p + 1, p), np.int64), np.empty((p + 1, p), np.int64)
    size, fixed, child = np.empty(p + 1, np.int64), np.empty(p + 1, np.int64), np.empty(p + 1, np.int64)
    limit = np.empty(most + 1)
    Ms[0], betas[0], rss[0], ids[0] = M, beta, full, np.arange(p)
    size[0], fixed[0], child[0] = p, 0, p - 1
    _sort(Ms[0], betas[0], order[0], 0, p)
    if p == most and full < best[p]:
        best[p] = full
        members[p] = True
    _limits(best, penalty, rows, smallest, limit)
    depth, nodes = 0, 0
    while depth >= 0 and nodes < max_nodes:
        i, m = child[depth], size[depth]
        if i < fixed[depth] or m <= smallest:
            depth -= 1
            continue
        child[depth] -= 1
        if i > most:
            continue
        nodes += 1
        drop = order[depth, i]
        now = rss[depth] + betas[depth, drop] ** 2 / Ms[depth, drop, drop]
        if m - 1 <= most and now < best[m - 1]:
            best[m - 1] = now
            members[m - 1] = False
            for a in range(m):
                if a != drop:
                    members[m - 1, ids[depth, a]] = True
            _limits(best, penalty, rows, smallest, limit)
        if m - 1 > i and now < limit[i] - _ROUNDING:
            _drop(Ms, betas, ids, order[depth], depth, i, m)
            depth += 1
            rss[depth], size[depth], fixed[depth], child[depth] = now, m - 1, i, m - 2
            _sort(Ms[depth], betas[depth], order[depth], i, m - 1)
    return nodes


@njit(nogil=True, cache=True)
def _drop(Ms, betas, ids, order, depth, i, m):
    """The inverse and the coefficients without the i-th of ``order``, in that order, at the next depth."""
    M, new, drop = Ms[depth], Ms[depth + 1], order[i]
    for a in range(m - 1):
        at = order[a] if a < i else order[a + 1]
        share = M[at, drop] / M[drop, drop]
        ids[depth + 1, a] = ids[depth, at]
        betas[depth + 1, a] = betas[depth, at] - share * betas[depth, drop]
        for b in range(a + 1):
            to = order[b] if b < i else order[b + 1]
            new[a, b] = new[b, a] = M[at, to] - share * M[drop, to]


@njit(nogil=True, cache=True)
def _sort(M, beta, order, fixed, m):
    """Set ``order``: the fixed columns first, then the others by the increase of the RSS without them, descending."""
    rise = np.empty(m)
    for a in range(m):
        order[a], rise[a] = a, beta[a] ** 2 / M[a, a]
    for a in range(fixed + 1, m):
        b = a
        while b > fixed and rise[order[b]] > rise[order[b - 1]]:
            order[b], order[b - 1] = order[b - 1], order[b]
            b -= 1

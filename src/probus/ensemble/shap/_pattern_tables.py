r"""What the leaves of a block contribute to a row, for every pattern of its decisions.

A leaf of value v is reached by a coalition S just where the row passes the splits on the features of S, and a row of
the background those on the others. With the bits p of the row, q of the background, and the share :math:`h_q` of the
background with these bits, it contributes to feature k

.. math:: v \int_0^1 \sum_q h_q (p_k - q_k) \prod_{j \ne k} \bigl(t p_j + (1 - t) q_j\bigr) dt,

as in ``shapley_kernel``, whose path-dependent values have the background of independent bits with the shares of the
training rows. At a point t the sum over q is a product of matrices of two rows, one for each bit: over D bits it takes
:math:`D 2^D` operations for all patterns p at once, not :math:`4^D`. So a background costs as many operations as it has
rows, and not their product with the rows that are explained (Nadel and Wettenstein 2025 count patterns in this way).
The second derivative, of two features, gives their interaction.
"""

from __future__ import annotations

import numpy as np

from probus.compiling import njit
from probus.ensemble.shap._patterns import Blocks, Lookup
from probus.ensemble.shap._shapley_kernel import Paths
from probus.parallel import chunked, thread_count
from probus.tree.kernel_parts import inner


def tables_of(
    paths: Paths,
    blocks: Blocks,
    counts: np.ndarray,
    first_count: np.ndarray,
    n_rows: int,
    n_groups: int,
    n_values: int,
    pairs: bool,
    n_jobs: int | None,
) -> Lookup:
    """The tables of the blocks: Shapley values of each player, or interactions of each pair of players.

    counts, first_count : of the patterns of the background; of no rows for the shares of the training rows
    """
    d, width = len(paths.n_levels), n_groups * n_values
    n_players = blocks.n_players
    n_entries = (n_players * (n_players - 1) // 2 if pairs else n_players) * n_values
    first_entry = np.concatenate([[0], np.cumsum(n_entries)])
    first = np.concatenate([[0], np.cumsum(n_entries << blocks.n_bits)])
    tree = np.searchsorted(paths.start, blocks.node, "right") - 1
    column = np.zeros(first_entry[-1], np.int64)
    name_entries(blocks, first_entry, tree % n_groups, n_values, width, d, pairs, column)
    table = np.zeros(first[-1])

    def fill(begin: int, end: int) -> None:
        fill_tables(paths, blocks, counts, first_count, n_rows, n_values, pairs, first, begin, end, table)

    threads = thread_count(n_jobs, 20.0 * len(table))
    chunked(fill, len(n_players), threads, chunk=max(1, -(-len(n_players) // (8 * threads))))
    return Lookup(table, first, first_entry, column)


# -- kernels -----------------------------------------------------------------------------------------------


@njit(nogil=True, cache=True)
def name_entries(blocks, first_entry, group, n_values, width, d, pairs, column):
    """The column of the result for each entry of the tables."""
    first_player, n_players, players = blocks[3], blocks[4], blocks[5]
    for b in range(len(group)):
        e, end = first_entry[b], first_player[b] + n_players[b]
        for w in range(first_player[b], end):
            for u in range(w + 1 if pairs else w, end if pairs else w + 1):
                low, high = min(players[w], players[u]), max(players[w], players[u])
                place = low * d + high if pairs else low
                for k in range(n_values):
                    column[e] = place * width + group[b] * n_values + k
                    e += 1


@njit(nogil=True, cache=True)
def fill_tables(paths, blocks, counts, first_count, n_rows, n_values, pairs, first, begin, end, table):
    """Add up the contributions of the leaves of some blocks.

    paths, blocks (IN)         ``Paths`` and ``Blocks``
    counts, first_count (IN)   of the patterns of the background, of no rows for the shares of the training rows
    begin, end (IN)            the blocks to do
    first, table (IN, OUT)     where the entries of each block begin, and the entries
    """
    feature, level, share, node, value, at, weight = (
        paths[1], paths[7], paths[8], paths[9], paths[10], paths[12], paths[13],
    )  # fmt: skip
    most = 0
    for b in range(begin, end):
        most = max(most, blocks[2][b])
    size = 1 << most
    of_leaf, h, F, half = np.zeros(size, np.int64), np.zeros(size), np.zeros(size), np.zeros(size)
    mask, want, z = np.zeros(most + 1, np.int64), np.zeros(most + 1, np.int64), np.ones(most + 1)
    player, place = np.zeros(most + 1, np.int64), np.zeros(most * most + 1, np.int64)
    found = np.zeros((max(1, most * (most - 1) // 2 if pairs else most), size))
    path = np.zeros(level.max() + 1, np.int64)
    for b in range(begin, end):
        root, n_path, n_bits, first_player = blocks[0][b], blocks[1][b], blocks[2][b], blocks[3][b]
        n_players = blocks[4][b]
        _path_to(root, feature, level, path)
        for i in range(root, root + 2 * (n_bits - n_path) + 1):
            path[level[i]] = i
            if feature[i] >= 0:
                continue
            D = _describe_leaf(level[i], level[root], root, n_path, feature, share, path, blocks[5], first_player,
                               n_players, player, mask, want, z)  # fmt: skip
            _match(D, n_bits, mask, want, of_leaf)
            if n_rows > 0:
                h[: 1 << D] = 0.0
                for p in range(1 << n_bits):
                    h[of_leaf[p]] += counts[first_count[b] + p] / n_rows
            else:
                _independent(D, z, h)
            points = max((D + 1) // 2, 1)
            rule = points * (points - 1) // 2
            if pairs:
                _interactions(D, h, at, weight, rule, points, F, half, found)
            else:
                _values(D, h, at, weight, rule, points, F, found)
            m = _places(D, player, n_players, pairs, place)
            for k in range(n_values):
                v = value[node[i] * n_values + k]
                for c in range(m):
                    to = first[b] + ((place[c] * n_values + k) << n_bits)
                    for p in range(1 << n_bits):
                        table[to + p] += v * found[c, of_leaf[p]]


@inner
def _path_to(node, feature, level, path):
    """The nodes above a node by their levels: the last ones before it that have these levels."""
    want, i = level[node], node
    while want >= 0:
        if level[i] == want:
            path[want] = i
            want -= 1
        i -= 1


@inner
def _describe_leaf(
    below, top, root, n_path, feature, share, path, players, first_player, n_players, player, mask, want, z
):
    """The players of a leaf, and for each which bits of the pattern of its block it needs to be set, or not.

    player (OUT)       the place of each among those of the block
    mask, want (OUT)   bits that count, and what they have to be
    z (OUT)            the share of the training rows that passes
    """
    D = 0
    for w in range(n_players):
        j, uses, needs, passing, on = players[first_player + w], np.int64(0), np.int64(0), 1.0, False
        if w < n_path:
            uses, needs, on = np.int64(1) << w, np.int64(1) << w, True
        bit = np.int64(0)
        for here in range(below):
            split = path[here]
            if feature[split] != j:
                continue
            on, passing = True, passing * share[path[here + 1]]
            if here >= top:
                bit = np.int64(n_path)
                for i in range(root, split):
                    bit += feature[i] >= 0
                uses |= np.int64(1) << bit
                needs |= np.int64(path[here + 1] == split + 1) << bit
        if on:
            player[D], mask[D], want[D], z[D] = w, uses, needs, passing
            D += 1
    return D


@inner
def _match(D, n_bits, mask, want, of_leaf):
    """The bits of a leaf for each pattern of its block."""
    for p in range(1 << n_bits):
        of_leaf[p] = 0
    for k in range(D):
        for p in range(1 << n_bits):
            of_leaf[p] |= np.int64((p & mask[k]) == want[k]) << k


@inner
def _independent(D, z, h):
    """The shares of patterns whose bits are independent."""
    h[0] = 1.0
    for k in range(D):
        for p in range(1 << k):
            h[p | (1 << k)] = h[p] * z[k]
            h[p] *= 1 - z[k]


@inner
def _transform(D, h, t, F):
    """For all p at once the sum over q of h_q and the product of t p_j + (1 - t) q_j."""
    for p in range(1 << D):
        F[p] = h[p]
    for k in range(D):
        step = 1 << k
        for block in range(0, 1 << D, 2 * step):
            for p in range(block, block + step):
                low, high = F[p], F[p + step]
                F[p], F[p + step] = (1 - t) * high, t * low + high


@inner
def _values(D, h, at, weight, rule, points, F, found):
    """found (OUT) of each player, for each pattern; where F has t q_0 + q_1 and (1 - t) q_1, they are q_0 and -q_1."""
    for k in range(D):
        for p in range(1 << D):
            found[k, p] = 0.0
    for q in range(points):
        t, w = at[rule + q], weight[rule + q]
        _transform(D, h, t, F)
        for k in range(D):
            step = 1 << k
            for block in range(0, 1 << D, 2 * step):
                for p in range(block, block + step):
                    passing = F[p] / (1 - t)
                    found[k, p] -= w * passing
                    found[k, p + step] += w * (F[p + step] - passing) / t


@inner
def _interactions(D, h, at, weight, rule, points, F, half, found):
    """As ``_values``, for two players one after the other; half of each is the share of both orders."""
    for c in range(D * (D - 1) // 2):
        for p in range(1 << D):
            found[c, p] = 0.0
    for q in range(points):
        t, w = at[rule + q], 0.5 * weight[rule + q]
        _transform(D, h, t, F)
        c = 0
        for k in range(D):
            step = 1 << k
            for block in range(0, 1 << D, 2 * step):
                for p in range(block, block + step):
                    passing = F[p] / (1 - t)
                    half[p], half[p + step] = -passing, (F[p + step] - passing) / t
            for j in range(k + 1, D):
                step = 1 << j
                for block in range(0, 1 << D, 2 * step):
                    for p in range(block, block + step):
                        passing = half[p] / (1 - t)
                        found[c, p] -= w * passing
                        found[c, p + step] += w * (half[p + step] - passing) / t
                c += 1


@inner
def _places(D, player, n_players, pairs, place):
    """Where the players of a leaf, or their pairs, are among those of the block."""
    if not pairs:
        for k in range(D):
            place[k] = player[k]
        return D
    c = 0
    for k in range(D):
        w = player[k]
        for j in range(k + 1, D):
            place[c] = w * n_players - w * (w + 1) // 2 + player[j] - w - 1
            c += 1
    return c

"""The loops of the network: weights of attention, attention among rows and among columns, norms, activations, kernels.

Cells are float32[T, width, L]: the L rows of a block come last. In a product of matrices, BLAS computes the numbers of
``LANES`` neighbours in the last place by the same instructions. So a block of as many new rows predicts each of them
the same, wherever it is in the block.
"""

from __future__ import annotations

import numpy as np

from probus.compiling import njit

LANES = 16  # rows
INDICATOR = 0.7  # of a level: two levels are about as far apart as two standardised numbers
_LOG2_E = np.float32(1.4426950408889634)
_LEAST, _MOST = np.float32(-120.0), np.float32(120.0)  # exponents of 2, beyond which nothing matters
_C1, _C2, _C3 = np.float32(0.69314718), np.float32(0.24022651), np.float32(0.055504109)
_C4, _C5, _C6 = np.float32(0.0096181291), np.float32(0.0013333558), np.float32(0.00015403530)
_ONE, _HALF, _BIAS, _SHIFT = np.float32(1.0), np.float32(0.5), np.int32(127), np.int32(23)


@njit(nogil=True, inline="always", error_model="numpy")
def _power_of_two(x):
    """2 to the power of a short float, to seven digits; loops over it are vectorised.

    With n the nearest whole number, 2ˣ = 2ⁿ · 2ᶠ, |f| ≤ ½, and Taylor's series of degree 6.
    """
    x = min(max(x, _LEAST), _MOST)
    n = np.floor(x + _HALF)
    f = x - n
    series = _ONE + f * (_C1 + f * (_C2 + f * (_C3 + f * (_C4 + f * (_C5 + f * _C6)))))
    return series * np.int32((np.int32(n) + _BIAS) << _SHIFT).view(np.float32)


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
def exponentials(scores, total):
    """Replace the scores of each column by the exponentials of their differences to its largest, and sum them.

    Rows are taken four at a time, and as one long row where columns do not matter: short loops are slow.

    scores (IN, OUT)  float32[m, n]
    total (OUT)       float32[n]
    """
    m, n = scores.shape
    fours, whole = m // 4, m // 4 * 4
    wide = scores[:whole].reshape(fours, 4 * n)
    top, sums = np.full(4 * n, -np.inf, np.float32), np.zeros(4 * n, np.float32)
    for j in range(fours):
        for r in range(4 * n):
            top[r] = max(top[r], wide[j, r])
    for j in range(whole, m):
        for r in range(n):
            top[r] = max(top[r], scores[j, r])
    for r in range(n):
        total[r] = max(max(top[r], top[n + r]), max(top[2 * n + r], top[3 * n + r]))
    for j in range(m):
        for r in range(n):
            scores[j, r] = (scores[j, r] - total[r]) * _LOG2_E
    every = scores.reshape(m * n)
    for i in range(m * n):
        every[i] = _power_of_two(every[i])
    for j in range(fours):
        for r in range(4 * n):
            sums[r] += wide[j, r]
    for j in range(whole, m):
        for r in range(n):
            sums[r] += scores[j, r]
    for r in range(n):
        total[r] = (sums[r] + sums[n + r]) + (sums[2 * n + r] + sums[3 * n + r])


@njit(nogil=True, cache=True, error_model="numpy")
def attend_to_rows(query, keys, values, out):
    """Each cell attends to the cells of its column in the training rows, for each head.

    query (IN)   float32[T, H·D, L]    of a block of rows, times the scale
    keys (IN)    float32[T·H, N, D]    of the training rows
    values (IN)  float32[T·H, D, N]
    out (OUT)    float32[T, H·D, L]
    """
    lanes = query.shape[2]
    pairs, rows, size = keys.shape
    own = query.reshape(pairs, size, lanes)
    mixed = out.reshape(pairs, size, lanes)
    scores, total = np.empty((rows, lanes), np.float32), np.empty(lanes, np.float32)
    for pair in range(pairs):
        np.dot(keys[pair], own[pair], scores)
        exponentials(scores, total)
        np.dot(values[pair], scores, mixed[pair])
        for k in range(size):
            for r in range(lanes):
                mixed[pair, k, r] /= total[r]


@njit(nogil=True, cache=True, error_model="numpy")
def attend_to_columns(projected, heads, out):
    """The first cells of each row attend to all cells of the row, for each head.

    projected (IN)  float32[T, 3·H·D, L]  queries, times the scale, keys and values
    out (OUT)       float32[t, H·D, L]    of the first t
    """
    wanted, width, lanes = out.shape
    columns, size = len(projected), width // heads
    query, keys = np.empty((size, wanted), np.float32), np.empty((columns, size), np.float32)
    values, mixed = np.empty((size, columns), np.float32), np.empty((size, wanted), np.float32)
    scores, total = np.empty((columns, wanted), np.float32), np.empty(wanted, np.float32)
    for r in range(lanes):
        for head in range(heads):
            first = head * size
            for t in range(columns):
                for k in range(size):
                    keys[t, k] = projected[t, width + first + k, r]
                    values[k, t] = projected[t, 2 * width + first + k, r]
            for t in range(wanted):
                for k in range(size):
                    query[k, t] = projected[t, first + k, r]
            np.dot(keys, query, scores)
            exponentials(scores, total)
            np.dot(values, scores, mixed)
            for t in range(wanted):
                for k in range(size):
                    out[t, first + k, r] = mixed[k, t] / total[t]


@njit(nogil=True, cache=True)
def write_keys(projected, keys, values, first, n):
    """Write the keys and values of the first n rows of a block of training rows to their place.

    projected (IN)  float32[T, 2·H·D, L]  keys, then values
    keys (OUT)      float32[T·H, N, D]
    values (OUT)    float32[T·H, D, N]
    """
    pairs, _, size = keys.shape
    heads = pairs // projected.shape[0]
    for pair in range(pairs):
        t, key = pair // heads, (pair % heads) * size
        value = heads * size + key
        for k in range(size):
            for r in range(n):
                keys[pair, first + r, k] = projected[t, key + k, r]
                values[pair, k, first + r] = projected[t, value + k, r]


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
def normalise(cells, gain, out):
    """Divide the numbers of each cell by their root mean square, and multiply them by the gain.

    cells (IN)  float32[T, width, L]
    out (OUT)   float32[T, width, L]
    """
    columns, width, lanes = cells.shape
    factor = np.empty(lanes, np.float32)
    for t in range(columns):
        factor[:] = np.float32(0.0)
        for k in range(width):
            for r in range(lanes):
                factor[r] += cells[t, k, r] * cells[t, k, r]
        for r in range(lanes):
            factor[r] = _ONE / np.sqrt(factor[r] / np.float32(width) + np.float32(1e-6))
        for k in range(width):
            for r in range(lanes):
                out[t, k, r] = cells[t, k, r] * factor[r] * gain[k]


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
def gelu(cells):
    """Replace numbers by their GELU, in the approximation by the hyperbolic tangent.

    ½ x (1 + tanh u) = x / (1 + exp(−2u)), u = √(2/π) (x + 0.044715 x³).

    cells (IN, OUT)  float32[n]
    """
    factor = np.float32(-2.0 * 0.7978845608028654 * 1.4426950408889634)
    for i in range(len(cells)):
        x = cells[i]
        u = (x + np.float32(0.044715) * x * x * x) * factor
        cells[i] = x / (_ONE + _power_of_two(u))


@njit(nogil=True, inline="always", error_model="numpy")
def _compared(row, other, coded):
    """The squared distance of two rows and their product, with an indicator of each level in place of codes."""
    square, product, both, either = 0.0, 0.0, 0, 0
    for k in range(len(row)):
        if not coded[k]:
            difference = row[k] - other[k]
            square += difference * difference
            product += row[k] * other[k]
        elif row[k] != other[k]:
            either += (row[k] > 0.0) + (other[k] > 0.0)
        else:
            both += row[k] > 0.0
    return square + INDICATOR * INDICATOR * either, product + INDICATOR * INDICATOR * both


@njit(nogil=True, cache=True, error_model="numpy")
def compare_rows(rows, coded, distances, products):
    """The distances of all pairs of rows, and their products. Codes of levels are 1, 2, …, and 0 for none.

    rows (IN)        float64[m, p]
    coded (IN)       bool[p]        which columns have codes of levels
    distances (OUT)  float64[m, m]
    products (OUT)   float64[m, m]
    """
    for i in range(len(rows)):
        for j in range(i + 1):
            square, product = _compared(rows[i], rows[j], coded)
            distances[i, j] = distances[j, i] = np.sqrt(square)
            products[i, j] = products[j, i] = product


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract", "reassoc"})
def kernel_sums(new, rows, coded, coefficients, rate, linear, out):
    """Sums of kernels: Σ c_j ((1 + r) exp(−r) + linear · x·x_j + 1), r = rate · |x − x_j|.

    The first is Matérn's for functions that can be differentiated once. Rows are as in ``compare_rows``.

    new (IN)           float64[n, p]
    rows (IN)          float64[m, p]
    coded (IN)         bool[p]
    coefficients (IN)  float64[m]
    out (OUT)          float64[n]
    """
    for i in range(len(new)):
        total = 0.0
        for j in range(len(rows)):
            square, product = _compared(new[i], rows[j], coded)
            r = rate * np.sqrt(square)
            total += coefficients[j] * ((1.0 + r) * np.exp(-r) + linear * product + 1.0)
        out[i] = total

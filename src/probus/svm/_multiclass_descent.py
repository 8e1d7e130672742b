"""Dual coordinate descent for linear machines of several classes with one joint loss.

Both have weights w_k per class. The loss of a row with raw predictions s_k = xᵀw_k is the largest of 1 + s_k − s_y over
the other classes, but at least 0 (Crammer and Singer 2001), or the sum of those that are positive (Weston and Watkins
1999). The dual variables of a row are α_k with w_k = Σ α_k x, at most 0 for the other classes, and Σ_k α_k = 0.
"""

from __future__ import annotations

import numpy as np

from probus.compiling import njit
from probus.svm._dual_descent import shuffle
from probus.svm._flat_rows import FlatRows, row_square


def minimise_joint(
    rows: FlatRows,
    codes: np.ndarray,
    caps: np.ndarray,
    n_classes: int,
    *,
    summed: bool,
    tol: float,
    max_iter: int,
    seed: int,
) -> tuple[np.ndarray, float, int]:
    """The weights float64[K, p + 1], the relative duality gap, and the number of epochs."""
    W = np.zeros((rows.shape[1] + 1, n_classes))
    alpha = np.zeros((len(codes), n_classes))
    gap, epochs = _descend(*rows.arrays, codes, caps, summed, alpha, W, tol, max_iter, seed)
    return np.ascontiguousarray(W.T), gap, epochs


@njit(nogil=True, cache=True, error_model="numpy")
def _descend(values, columns, begins, bias, codes, caps, summed, alpha, W, tol, max_epochs, seed):
    """Solve the problem of one row after the other, in random order, until the relative gap is at most ``tol``.

    Rows whose α are the best already are left out until the gap is computed again.

    codes (IN)      int64[n]
    caps (IN)       float64[n]        the C of each row
    alpha, W (OUT)  float64[n, K], float64[p + 1, K]
    """
    n, K = alpha.shape
    active, squares = np.arange(n), np.empty(n)
    for i in range(n):
        squares[i] = row_square(values, columns, begins, bias, i, W.shape[0] - 1)
    raw, new, ordered = np.empty(K), np.empty(K), np.empty(K)
    size, state, gap, check = n, np.uint64(seed + 1), np.inf, 1
    for epoch in range(max_epochs):
        state = shuffle(active, size, state)
        s = 0
        while s < size:
            i = active[s]
            _raw(values, columns, begins, bias, i, W, raw)
            if summed:
                _best_sum(raw, alpha[i], codes[i], caps[i], squares[i], new)
            else:
                _best_max(raw, alpha[i], codes[i], caps[i], squares[i], new, ordered)
            moved = 0.0
            for k in range(K):
                new[k] -= alpha[i, k]
                alpha[i, k] += new[k]
                moved = max(moved, abs(new[k]))
            if moved > 0.0:
                _add(values, columns, begins, bias, i, new, W)
                s += 1
            else:
                size -= 1
                active[s], active[size] = active[size], i
        if size == 0 or epoch + 1 == check or epoch + 1 == max_epochs:
            check = epoch + 2 + epoch // 4
            gap = _relative_gap(values, columns, begins, bias, codes, caps, summed, alpha, W, raw)
            if gap <= tol:
                return gap, epoch + 1
            size = n
    return gap, max_epochs


@njit(nogil=True)
def _raw(values, columns, begins, bias, i, W, out):
    """Σ_j x_ij W_j."""
    p = W.shape[0] - 1
    start, stop = (begins[i], begins[i + 1]) if len(begins) > 0 else (i * p, (i + 1) * p)
    for c in range(len(out)):
        out[c] = bias * W[p, c]
    for k in range(start, stop):
        weights, x = W[columns[k] if len(begins) > 0 else k - start], values[k]
        for c in range(len(out)):
            out[c] += x * weights[c]


@njit(nogil=True)
def _add(values, columns, begins, bias, i, steps, W):
    """Add the steps times row i to the weights of the classes."""
    p = W.shape[0] - 1
    start, stop = (begins[i], begins[i + 1]) if len(begins) > 0 else (i * p, (i + 1) * p)
    for k in range(start, stop):
        weights, x = W[columns[k] if len(begins) > 0 else k - start], values[k]
        for c in range(len(steps)):
            weights[c] += x * steps[c]
    for c in range(len(steps)):
        W[p, c] += bias * steps[c]


@njit(nogil=True, error_model="numpy")
def _best_max(raw, alpha, y, cap, square, new, ordered):
    """The α of a row with Σ α = 0 and α ≤ C for its class, 0 for others, that minimise the dual of the largest loss.

    With the sum's multiplier b, α_k = min(bound_k, (b − B_k) / ‖x‖²); b follows from the sorted B (Crammer and Singer).
    """
    K = len(raw)
    if square <= 0.0:  # the loss does not depend on the weights; any other class is as good
        for k in range(K):
            new[k] = 0.0
        new[y], new[(y + 1) % K] = cap, -cap
        return
    for k in range(K):
        new[k] = raw[k] + (0.0 if k == y else 1.0) - square * alpha[k]  # B
        place = new[k] + (square * cap if k == y else 0.0)
        j = k
        while j > 0 and ordered[j - 1] < place:
            ordered[j] = ordered[j - 1]
            j -= 1
        ordered[j] = place
    b, r = ordered[0] - square * cap, 1
    while r < K and b < r * ordered[r]:
        b += ordered[r]
        r += 1
    b /= r
    for k in range(K):
        new[k] = min(cap if k == y else 0.0, (b - new[k]) / square)


@njit(nogil=True, error_model="numpy")
def _best_sum(raw, alpha, y, cap, square, new):
    """The α of a row, between −C and 0 for the other classes, after steps that reduce the dual of the sum of losses."""
    for k in range(len(raw)):
        new[k] = alpha[k]
    for _ in range(10):
        largest = 0.0
        for k in range(len(raw)):
            if k == y:
                continue
            g = raw[y] - raw[k] - 1.0  # by −α_k
            step = (-g / (2.0 * square)) if square > 0.0 else (cap if g < 0.0 else -cap)
            step = min(max(-new[k] + step, 0.0), cap) + new[k]
            new[k] -= step
            new[y] += step
            raw[k] -= square * step
            raw[y] += square * step
            largest = max(largest, abs(step))
        if largest <= 1e-3 * cap:
            break


@njit(nogil=True)
def _objective(alpha, W, codes):
    """½ ‖W‖² plus the α of the other classes."""
    total = 0.0
    for j in range(W.shape[0]):
        for k in range(W.shape[1]):
            total += 0.5 * W[j, k] * W[j, k]
    for i in range(len(codes)):
        for k in range(W.shape[1]):
            total += alpha[i, k] if k != codes[i] else 0.0
    return total


@njit(nogil=True, error_model="numpy")
def _relative_gap(values, columns, begins, bias, codes, caps, summed, alpha, W, raw):
    """The primal objective plus that of α, relative to the first."""
    primal = 0.0
    for j in range(W.shape[0]):
        for k in range(W.shape[1]):
            primal += 0.5 * W[j, k] * W[j, k]
    for i in range(len(codes)):
        y = codes[i]
        _raw(values, columns, begins, bias, i, W, raw)
        loss = 0.0
        for k in range(len(raw)):
            if k != y:
                excess = max(1.0 + raw[k] - raw[y], 0.0)
                loss = loss + excess if summed else max(loss, excess)
        primal += caps[i] * loss
    dual = _objective(alpha, W, codes)
    return max(primal + dual, 0.0) / primal if primal > 0.0 else 0.0

"""Dual coordinate descent for linear machines with two classes or a numeric target.

The problem is min ½ ‖Xᵀβ‖² + Σ (½ d βᵢ² − yᵢ βᵢ + ε |βᵢ|) with lo ≤ β ≤ hi, and w = Xᵀβ. Classes have y = ±1 and bounds
on one side of 0, numbers have bounds on both; squared losses have d = 1/(2C) and no bound (Hsieh et al. 2008, Ho and
Lin 2012).
"""

from __future__ import annotations

import numpy as np

from probus.compiling import njit
from probus.svm._flat_rows import FlatRows, add_row, row_dot, row_square

_MEMORY = 5  # differences of consecutive solutions, from which their limit is extrapolated
_ADJACENT, _NEAR_MEMORY = 8, 1_000_000  # rows that are visited one after the other, where all have more bytes


def minimise_dual(
    rows: FlatRows,
    y: np.ndarray,
    sign: np.ndarray,
    caps: np.ndarray,
    *,
    squared: bool,
    epsilon: float,
    tol: float,
    max_iter: int,
    seed: int,
) -> tuple[np.ndarray, float, int]:
    """The weights float64[p + 1], the duality gap relative to the objective, and the number of epochs.

    sign : 1 or −1 where β has that sign, 0 where it may have any
    caps : the C of each row
    tol : the relative gap at which to stop
    """
    ends = np.full(len(y), np.inf) if squared else caps
    lo, hi = np.where(sign > 0, 0.0, -ends), np.where(sign < 0, 0.0, ends)
    d = 0.5 / caps if squared else np.zeros(len(y))
    w = np.zeros(rows.shape[1] + 1)
    gap, epochs = _descend(*rows.arrays, y, lo, hi, d, epsilon, np.zeros(len(y)), w, tol, max_iter, seed)
    return w, gap, epochs


@njit(nogil=True, cache=True, error_model="numpy")
def _descend(values, columns, begins, bias, y, lo, hi, d, epsilon, beta, w, tol, max_epochs, seed):
    """Visit the variables in random order until the relative duality gap is at most ``tol``.

    A variable at a kink whose gradient keeps it there by more than the largest violation of the last epoch is left out
    (shrinking) until the others have converged. Every few epochs their limit is extrapolated, and used if it is better.
    The gap is computed where its estimate from the residuals of an epoch, each at its time, is small enough.

    values, columns, begins, bias (IN)  see ``FlatRows``
    y, lo, hi, d (IN)                   float64[n]
    beta, w (OUT)                       float64[n], float64[p + 1], with w = Xᵀβ
    """
    n = len(y)
    curvature, active = np.empty(n), np.arange(n)
    for i in range(n):
        curvature[i] = row_square(values, columns, begins, bias, i, len(w) - 1) + d[i]
    size, limit, small, state = n, np.inf, np.inf, np.uint64(seed + 1)
    check, enough, dropped = _MEMORY, 0.0, np.empty(n, np.int64)
    block = _ADJACENT if 8 * len(values) > _NEAR_MEMORY else 1
    history, trial, trial_w = np.empty((_MEMORY + 1, n)), np.empty(n), np.empty(len(w))
    for epoch in range(max_epochs):
        for s in range(size):
            history[epoch % (_MEMORY + 1), active[s]] = beta[active[s]]
        if epoch % (_MEMORY + 1) == _MEMORY and _extrapolate(history, active, size, trial):
            _try(values, columns, begins, bias, y, lo, hi, d, epsilon, active, size, trial, trial_w, beta, w)
        if epoch % (_MEMORY + 1) == 0:  # the same order between two extrapolations, which the limit depends on
            state = _shuffle_blocks(active, size, block, state)
        largest, estimate, kept = 0.0, 0.0, 0
        for s in range(size):
            i = active[s]
            b = beta[i]
            g = row_dot(values, columns, begins, bias, i, w) + d[i] * b - y[i]
            up = g + epsilon if b >= 0.0 else g - epsilon
            down = g + epsilon if b > 0.0 else g - epsilon
            violation = max(-up if b < hi[i] else 0.0, down if b > lo[i] else 0.0, 0.0)
            if violation == 0.0 and min(up if b < hi[i] else np.inf, -down if b > lo[i] else np.inf) > limit:
                dropped[s - kept] = i
                continue
            active[kept] = i
            kept += 1
            largest = max(largest, violation)
            estimate += _gap_of_row(d[i] * b - g, b, lo[i], hi[i], d[i], epsilon)
            if violation > 0.0:
                new = _minimum(b, g, curvature[i], epsilon, lo[i], hi[i])
                if new != b:
                    add_row(values, columns, begins, bias, i, new - b, w)
                    beta[i] = new
        for s in range(kept, size):
            active[s] = dropped[s - kept]
        size = kept
        limit = largest if largest > 0.0 else np.inf
        small = 0.1 * largest if epoch == 0 else small
        if epoch + 1 == check or estimate <= enough or largest == 0.0:
            check = max(check, epoch + 1 + _MEMORY + check // 2)
            gap, primal = _relative_gap(values, columns, begins, bias, y, lo, hi, d, epsilon, beta, w)
            enough = tol * primal
            if gap <= tol or (largest == 0.0 and size == n):
                return gap, epoch + 1
        if largest <= small:
            small = 0.1 * small if size == n else small
            for s in range(size, n):  # those left out have not moved
                history[:, active[s]] = beta[active[s]]
            size, limit = n, np.inf
    return _relative_gap(values, columns, begins, bias, y, lo, hi, d, epsilon, beta, w)[0], max_epochs


@njit(nogil=True)
def _minimum(b, g, curvature, epsilon, lo, hi):
    """The best value of one variable with gradient g, which is b where the objective does not depend on it."""
    if curvature <= 0.0:
        return hi if g + epsilon < 0.0 else lo if g - epsilon > 0.0 else b
    target = b - g / curvature
    size = max(abs(target) - epsilon / curvature, 0.0)
    return min(max(size if target > 0.0 else -size, lo), hi)


@njit(nogil=True)
def _try(values, columns, begins, bias, y, lo, hi, d, epsilon, active, size, trial, trial_w, beta, w):
    """Move the active variables to other values, within their bounds, if this reduces the objective.

    trial, trial_w (OUT)  float64[n], float64[p + 1], overwritten
    beta, w (OUT)         float64[n], float64[p + 1]
    """
    change = 0.0
    for j in range(len(w)):
        trial_w[j] = w[j]
    for s in range(size):
        i = active[s]
        b, new = beta[i], min(max(trial[i], lo[i]), hi[i])
        trial[i] = new
        if new != b:
            add_row(values, columns, begins, bias, i, new - b, trial_w)
            change += 0.5 * d[i] * (new * new - b * b) - y[i] * (new - b) + epsilon * (abs(new) - abs(b))
    for j in range(len(w)):
        change += 0.5 * (trial_w[j] - w[j]) * (trial_w[j] + w[j])
    if change < 0.0:
        for s in range(size):
            beta[active[s]] = trial[active[s]]
        for j in range(len(w)):
            w[j] = trial_w[j]


@njit(nogil=True, error_model="numpy")
def _gap_of_row(r, b, lo, hi, d, epsilon):
    """What a row with residual r = y − xᵀw contributes to the duality gap: its loss, the terms of β, and β xᵀw.

    The loss is the conjugate of the terms, so that no contribution is negative.
    """
    size, end = abs(r) - epsilon, hi if r > 0.0 else -lo
    loss = 0.0
    if size > 0.0 and end > 0.0:
        most = min(size / d, end) if d > 0.0 else end
        loss = size * most - 0.5 * d * most * most
    return loss + 0.5 * d * b * b + epsilon * abs(b) - b * r


@njit(nogil=True, error_model="numpy")
def _relative_gap(values, columns, begins, bias, y, lo, hi, d, epsilon, beta, w):
    """The duality gap relative to the primal objective, and that objective."""
    gap, half = 0.0, 0.0
    for v in w:
        half += 0.5 * v * v
    dual = -half
    for i in range(len(y)):
        b = beta[i]
        gap += _gap_of_row(y[i] - row_dot(values, columns, begins, bias, i, w), b, lo[i], hi[i], d[i], epsilon)
        dual += y[i] * b - 0.5 * d[i] * b * b - epsilon * abs(b)
    primal = dual + gap
    return (max(gap, 0.0) / primal if primal > 0.0 else 0.0), primal


@njit(nogil=True)
def _shuffle_blocks(active, size, block, state):
    """Sort the first of the active variables and shuffle blocks of them; the state of the generator is returned.

    Rows of one block are next to each other in memory, or nearly so, where reading them is several times faster.
    """
    is_active = np.zeros(len(active), np.bool_)
    for s in range(size):
        is_active[active[s]] = True
    ordered, order = np.flatnonzero(is_active), np.arange((size + block - 1) // block)
    state = shuffle(order, len(order), state)
    s = 0
    for begin in order * block:
        for k in range(begin, min(begin + block, size)):
            active[s] = ordered[k]
            s += 1
    return state


@njit(nogil=True)
def shuffle(active, size, state):
    """Shuffle the first of the active variables; the generator is xorshift, whose state is returned."""
    for s in range(size - 1, 0, -1):
        state ^= state << np.uint64(13)
        state ^= state >> np.uint64(7)
        state ^= state << np.uint64(17)
        other = np.int64(state % np.uint64(s + 1))
        active[s], active[other] = active[other], active[s]
    return state


@njit(nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _extrapolate(history, chosen, size, out):
    """Write Anderson's extrapolation of a sequence that converges linearly, from its last members.

    It is their combination, with weights of sum 1, whose differences combine to the least.

    history (IN)       float64[_MEMORY + 1, m]
    chosen, size (IN)  int64[m]: the first of them number the variables that count
    out (OUT)          float64[m], written for those
    Return whether there is one.
    """
    G, differences = np.zeros((_MEMORY, _MEMORY + 1)), np.empty(_MEMORY)
    for c in range(size):
        v, last = chosen[c], history[0, chosen[c]]
        for a in range(_MEMORY):
            value = history[a + 1, v]
            differences[a], last = value - last, value
        for a in range(_MEMORY):
            for b in range(a + 1):
                G[a, b] += differences[a] * differences[b]
    for a in range(_MEMORY):
        for b in range(a):
            G[b, a] = G[a, b]
        G[a, _MEMORY] = 1.0
    trace = 0.0
    for a in range(_MEMORY):
        trace += G[a, a]
    if not trace > 0.0:
        return False
    for a in range(_MEMORY):
        G[a, a] += 1e-10 * trace
    for a in range(_MEMORY):  # elimination without pivots: G is positive definite
        for b in range(a + 1, _MEMORY):
            factor = G[b, a] / G[a, a]
            for k in range(a, _MEMORY + 1):
                G[b, k] -= factor * G[a, k]
    weights, whole = np.empty(_MEMORY), 0.0
    for a in range(_MEMORY - 1, -1, -1):
        value = G[a, _MEMORY]
        for b in range(a + 1, _MEMORY):
            value -= G[a, b] * weights[b]
        weights[a] = value / G[a, a]
        whole += weights[a]
    if not abs(whole) > 0.0:
        return False
    for c in range(size):
        v = chosen[c]
        value = 0.0
        for a in range(_MEMORY):
            value += weights[a] * history[a + 1, v]
        out[v] = value / whole
    return True

"""The equations of the support of sparse columns, solved approximately by preconditioned conjugate gradients."""

from __future__ import annotations

import numpy as np

from probus.compiling import njit

__all__ = ["column_products", "support_step"]

_ITERATIONS = 30
_REDUCTION = 1e-3  # of the squared gradient: coordinate descent goes on from there


@njit(nogil=True, cache=True)
def column_products(data, indices, starts, vector):
    """Xᵀv of columns that are compressed."""
    out = np.empty(len(starts) - 1)
    for j in range(len(out)):
        total = 0.0
        for i in range(starts[j], starts[j + 1]):
            total += data[i] * vector[indices[i]]
        out[j] = total
    return out


@njit(nogil=True, cache=True)
def support_step(data, indices, starts, shift, squares, residual, level, w, l1, l2):
    """Move w towards the optimum for its signs, a coefficient whose sign would change becoming zero.

    Arguments are those of ``descend_sparse``; returns the new level. For fixed signs, the change of the objective by a
    step d is ½ dᵀAd − gᵀd with A = XᵀX + l2 of the support. The step is g times a polynomial of A, so it never
    increases the objective; where coefficients change their sign, it is tried with those at zero, and is cut at the
    first change if that does not help.
    """
    support = np.flatnonzero(w)
    m = len(support)
    g, diagonal = np.empty(m), np.empty(m)
    for k in range(m):
        j = support[k]
        total = shift[j] * level - l2 * w[j] - l1 * np.sign(w[j])
        for i in range(starts[j], starts[j + 1]):
            total += data[i] * residual[indices[i]]
        g[k], diagonal[k] = total, max(squares[j] + l2, 1e-300)
    fitted, product = np.empty(len(residual)), np.empty(m)
    d = _solve(data, indices, starts, shift, support, diagonal, g, l2, fitted, product)
    first, crossing = 1.0, False
    step = d.copy()
    for k in range(m):
        now = w[support[k]]
        if now * (now + d[k]) <= 0.0:
            crossing, step[k] = True, -now
            first = min(first, -now / d[k])
    across = _multiply(data, indices, starts, shift, support, step, l2, fitted, product)
    if crossing and 0.5 * step @ product >= g @ step:
        step = first * d
        across = _multiply(data, indices, starts, shift, support, step, l2, fitted, product)
    for k in range(m):
        now = w[support[k]]
        w[support[k]] = now + step[k] if now * (now + step[k]) > 0.0 else 0.0
    for i in range(len(residual)):
        residual[i] -= fitted[i]
    return level + across


@njit(nogil=True)
def _solve(data, indices, starts, shift, support, diagonal, g, l2, fitted, product):
    """A step d with Ad ≈ g, by conjugate gradients with the diagonal as preconditioner."""
    d, rest = np.zeros(len(g)), g.copy()
    scaled = rest / diagonal
    direction = scaled.copy()
    size = rest @ scaled
    enough = _REDUCTION * size
    for _ in range(_ITERATIONS):
        if size <= enough:
            break
        _multiply(data, indices, starts, shift, support, direction, l2, fitted, product)
        curvature = direction @ product
        if curvature <= 0.0:
            break
        d += (size / curvature) * direction
        rest -= (size / curvature) * product
        scaled = rest / diagonal
        before, size = size, rest @ scaled
        direction = scaled + (size / before) * direction
    return d


@njit(nogil=True)
def _multiply(data, indices, starts, shift, support, v, l2, fitted, product):
    """Write Xv of the columns before centring to ``fitted`` and (XᵀX + l2) v to ``product`` (OUT); return shiftᵀv."""
    fitted[:] = 0.0
    across = 0.0
    for k in range(len(support)):
        j = support[k]
        across += shift[j] * v[k]
        for i in range(starts[j], starts[j + 1]):
            fitted[indices[i]] += data[i] * v[k]
    for k in range(len(support)):
        j = support[k]
        total = l2 * v[k] - shift[j] * across
        for i in range(starts[j], starts[j + 1]):
            total += data[i] * fitted[indices[i]]
        product[k] = total
    return across

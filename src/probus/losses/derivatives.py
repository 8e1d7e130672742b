"""Kernels for the derivatives of each loss, and for a value that is slow in NumPy.

Loops that compile to vector instructions.
All arrays are float64 and C-contiguous; ``y`` and ``raw`` are the target and the raw prediction (IN), ``gradient`` and
``hessian`` the first and second derivative by ``raw`` (OUT).
"""

from __future__ import annotations

import numpy as np

from probus.compiling import njit

__all__ = [
    "EXPONENT_LIMIT",
    "absolute_derivatives",
    "exp",
    "exponential_derivatives",
    "gamma_derivatives",
    "huber_derivatives",
    "log_loss_derivatives",
    "log_loss_total",
    "poisson_derivatives",
    "quantile_derivatives",
    "softmax_derivatives",
    "softmax_values",
    "squared_derivatives",
]

EXPONENT_LIMIT = 300.0  # exponents are clipped here, so that sums of a million squared exponentials stay finite

_LOG2_E = 1.4426950408889634
_LN2_HIGH, _LN2_LOW = 0.6931471803691238, 1.9082149292705877e-10  # their sum is ln 2, the first with trailing zeros
_ROUNDER = 6755399441055744.0  # 1.5 · 2⁵²: adding it leaves the nearest whole number in the low bits

_BLOCK = 64  # rows

# "numpy": a division by zero gives infinity instead of raising, which would keep loops from using vectors
kernel = njit(nogil=True, cache=True, error_model="numpy")


@njit(nogil=True, inline="always", error_model="numpy")
def exp(x):
    """The exponential, accurate to the last two bits, clipped at ±EXPONENT_LIMIT; loops over it are vectorised.

    With n the whole number nearest to x / ln 2, exp(x) = 2ⁿ exp(r), |r| ≤ ½ ln 2, and Taylor's series of degree 13,
    whose terms are paired (Estrin's scheme). A chain of operations that wait for each other takes twice as long.
    """
    x = min(max(x, -EXPONENT_LIMIT), EXPONENT_LIMIT)
    shifted = x * _LOG2_E + _ROUNDER
    n = shifted - _ROUNDER
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    square = r * r
    fourth = square * square
    first = (1.0 + r) + (0.5 + r * (1.0 / 6)) * square
    second = (1.0 / 24 + r * (1.0 / 120)) + (1.0 / 720 + r * (1.0 / 5040)) * square
    third = (1.0 / 40320 + r * (1.0 / 362880)) + (1.0 / 3628800 + r * (1.0 / 39916800)) * square
    last = 1.0 / 479001600 + r * (1.0 / 6227020800)
    series = (first + second * fourth) + (third + last * fourth) * (fourth * fourth)
    exponent = (np.float64(shifted).view(np.int64) + 1023) << 52
    return series * np.int64(exponent).view(np.float64)


@kernel
def squared_derivatives(y, raw, gradient):
    """Of ½ (y - raw)²; the hessian is 1."""
    for i in range(y.size):
        gradient[i] = raw[i] - y[i]


@kernel
def absolute_derivatives(y, raw, gradient):
    """Of abs(y - raw), -1 where they are equal; the hessian is 1."""
    for i in range(y.size):
        gradient[i] = 1.0 if raw[i] > y[i] else -1.0


@kernel
def quantile_derivatives(y, raw, alpha, gradient):
    """Of the pinball loss, -alpha where y and raw are equal; the hessian is 1."""
    for i in range(y.size):
        gradient[i] = 1.0 - alpha if raw[i] > y[i] else -alpha


@kernel
def huber_derivatives(y, raw, delta, gradient):
    """Of Huber's loss, the residual clipped at ±delta; the hessian is 1."""
    for i in range(y.size):
        gradient[i] = min(max(raw[i] - y[i], -delta), delta)


@kernel
def poisson_derivatives(y, raw, gradient, hessian):
    """Of exp(raw) - y raw."""
    for i in range(y.size):
        mean = exp(raw[i])
        gradient[i] = mean - y[i]
        hessian[i] = mean


@kernel
def gamma_derivatives(y, raw, gradient, hessian):
    """Of raw + y exp(-raw)."""
    for i in range(y.size):
        ratio = y[i] * exp(-raw[i])
        gradient[i] = 1.0 - ratio
        hessian[i] = ratio


@kernel
def log_loss_derivatives(y, raw, gradient, hessian):
    """Of log(1 + exp(z)), z being raw where y is 0 and -raw where it is 1: accurate in both tails."""
    for i in range(y.size):
        sign = 1.0 - 2.0 * y[i]
        z = sign * raw[i]
        small = exp(-abs(z))
        share = 1.0 / (1.0 + small)
        gradient[i] = sign * (share if z >= 0.0 else small * share)
        hessian[i] = small * share * share


@kernel
def log_loss_total(y, raw, gradient, hessian):
    """The sum of log(1 + exp(z)), and its derivatives; both as in ``log_loss_derivatives``.

    log(1 + exp(z)) = max(z, 0) + log(1 + exp(-abs(z))), and the second terms of a block are the logarithm of a product,
    which is at most 2 to the power of its length.
    """
    total = 0.0
    for first in range(0, y.size, _BLOCK):
        product = 1.0
        for i in range(first, min(first + _BLOCK, y.size)):
            sign = 1.0 - 2.0 * y[i]
            z = sign * raw[i]
            small = exp(-abs(z))
            share = 1.0 / (1.0 + small)
            gradient[i] = sign * (share if z >= 0.0 else small * share)
            hessian[i] = small * share * share
            total += max(z, 0.0)
            product *= 1.0 + small
        total += np.log(product)
    return total


@kernel
def exponential_derivatives(y, raw, gradient, hessian):
    """Of exp(z), z being raw where y is 0 and -raw where it is 1."""
    for i in range(y.size):
        sign = 1.0 - 2.0 * y[i]
        value = exp(sign * raw[i])
        gradient[i] = sign * value
        hessian[i] = value


@kernel
def softmax_derivatives(y, raw, gradient, hessian):
    """Of -log(share of class y), and the diagonal of its second derivatives; all but y are [n, K].

    Rows are processed in blocks, so that the exponentials of all their classes are one loop, long enough for vectors.
    """
    for first in range(0, y.size, _BLOCK):
        rows = slice(first, first + _BLOCK)
        softmax_block(y[rows], raw[rows], gradient[rows], hessian[rows])


@njit(nogil=True, error_model="numpy")
def softmax_block(y, raw, gradient, hessian):
    """The same for one block of rows."""
    n, n_classes = raw.shape
    for i in range(n):
        largest = raw[i, 0]
        for k in range(1, n_classes):
            largest = max(largest, raw[i, k])
        for k in range(n_classes):
            gradient[i, k] = raw[i, k] - largest
    flat = gradient.reshape(-1)
    for j in range(flat.size):
        flat[j] = exp(flat[j])
    for i in range(n):
        total = 0.0
        for k in range(n_classes):
            total += gradient[i, k]
        scale = 1.0 / total
        for k in range(n_classes):
            share = gradient[i, k] * scale
            gradient[i, k] = share
            hessian[i, k] = share * (1.0 - share)
        gradient[i, int(y[i])] -= 1.0


@kernel
def softmax_values(y, raw, out):
    """-log(share of class y), of which share = exp(raw_y) / Σ exp(raw_k); accurate where it is near 0.

    out (OUT) float64[n]
    """
    n, n_classes = raw.shape
    for i in range(n):
        most = 0
        for k in range(1, n_classes):
            most = k if raw[i, k] > raw[i, most] else most
        others = 0.0
        for k in range(n_classes):
            others += np.exp(raw[i, k] - raw[i, most]) if k != most else 0.0
        out[i] = np.log1p(others) + (raw[i, most] - raw[i, int(y[i])])

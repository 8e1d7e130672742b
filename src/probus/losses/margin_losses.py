"""The losses of linear models by gradient descent: of a target y and a raw prediction p.

Classes are −1 and 1, so that y p is the margin. ``parameter`` is the threshold of the hinge, or ε of the insensitive
losses and of Huber's.
"""

from __future__ import annotations

import numpy as np

from probus.compiling import njit
from probus.losses.derivatives import exp

__all__ = ["CLASS_LOSSES", "HINGE", "NUMBER_LOSSES", "loss_and_slope", "loss_code", "total_loss"]

HINGE, SQUARED_HINGE, LOG, MODIFIED_HUBER, SQUARED, HUBER, INSENSITIVE, SQUARED_INSENSITIVE, SIGMOID = range(9)

NUMBER_LOSSES = {
    "squared_error": SQUARED,
    "huber": HUBER,
    "epsilon_insensitive": INSENSITIVE,
    "squared_epsilon_insensitive": SQUARED_INSENSITIVE,
}
CLASS_LOSSES = {
    "hinge": HINGE,
    "squared_hinge": SQUARED_HINGE,
    "perceptron": HINGE,
    "log_loss": LOG,
    "modified_huber": MODIFIED_HUBER,
    "sigmoid": SIGMOID,  # bounded, so that no outlier counts more than 1; not convex: it may end in a local minimum
    **NUMBER_LOSSES,
}


def loss_code(name: str, epsilon: float) -> tuple[int, float]:
    """The number of a loss and its parameter.

    >>> loss_code("perceptron", 0.1), loss_code("huber", 0.1)
    ((0, 0.0), (5, 0.1))
    """
    return CLASS_LOSSES[name], {"hinge": 1.0, "squared_hinge": 1.0, "perceptron": 0.0}.get(name, float(epsilon))


@njit(nogil=True, inline="always", error_model="numpy")
def loss_and_slope(kind, parameter, y, p):
    """The loss of one row as a and b of a + log b, and its derivative by p; a subgradient where there is a corner.

    A product of a few hundred b does not overflow, so that sums of losses need few logarithms.
    """
    z = y * p
    if kind == HINGE:
        return (parameter - z, 1.0, -y) if z <= parameter else (0.0, 1.0, 0.0)
    if kind == LOG:
        small = exp(-abs(z))
        share = 1.0 / (1.0 + small)
        return max(-z, 0.0), 1.0 + small, -y * (small * share if z > 0.0 else share)
    if kind == SIGMOID:
        small = exp(-abs(z))
        share = 1.0 / (1.0 + small)
        return (small * share if z > 0.0 else share), 1.0, -y * small * share * share
    gap = p - y
    if kind == SQUARED:
        return 0.5 * gap * gap, 1.0, gap
    if kind == SQUARED_HINGE:
        short = max(parameter - z, 0.0)
        return short * short, 1.0, -2.0 * y * short
    if kind == MODIFIED_HUBER:
        short = max(1.0 - z, 0.0)
        return (short * short, 1.0, -2.0 * y * short) if z >= -1.0 else (-4.0 * z, 1.0, -4.0 * y)
    if kind == HUBER:
        slope = min(max(gap, -parameter), parameter)
        return slope * gap - 0.5 * slope * slope, 1.0, slope
    beyond = max(abs(gap) - parameter, 0.0)
    sign = np.sign(gap)
    if kind == INSENSITIVE:
        return beyond, 1.0, sign if beyond > 0.0 else 0.0
    return beyond * beyond, 1.0, 2.0 * beyond * sign


@njit(nogil=True, cache=True)
def total_loss(kind, parameter, y, p, weight, slopes):
    """Σ w_i L(y_i, p_i), and the weighted slopes.

    y, p, weight (IN)  float64[n]
    slopes (OUT)       float64[n]
    """
    total = 0.0
    for i in range(len(y)):
        loss, factor, slope = loss_and_slope(kind, parameter, y[i], p[i])
        total += weight[i] * (loss + np.log(factor))
        slopes[i] = weight[i] * slope
    return total

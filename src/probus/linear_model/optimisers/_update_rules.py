"""How a gradient becomes a step."""

from __future__ import annotations

import numpy as np

from probus.compiling import njit

PLAIN, HEAVY_BALL, NESTEROV, RMSPROP, ADAM = range(5)


@njit(nogil=True, cache=True)
def take_step(rule, constants, eta, t, g, w, m, v):
    """Move w against the gradient.

    rule, constants (IN)  the number of the rule and its float64[3]: β₁, β₂, ε
    eta, t (IN)           the size of the step, and its number, from 1 on
    g (IN)                float64[d]  the gradient
    w (OUT)               float64[d]  the point, moved
    m, v (OUT)            float64[d]  running sums of gradients and of their squares
    """
    beta1, beta2, epsilon = constants[0], constants[1], constants[2]
    if rule == PLAIN:
        for j in range(len(w)):
            w[j] -= eta * g[j]
    elif rule == HEAVY_BALL:  # m is the last move
        for j in range(len(w)):
            m[j] = beta1 * m[j] - eta * g[j]
            w[j] += m[j]
    elif rule == NESTEROV:  # w is the point ahead, at which the gradient is taken
        for j in range(len(w)):
            before = m[j]
            m[j] = beta1 * m[j] - eta * g[j]
            w[j] += m[j] + beta1 * (m[j] - before)
    elif rule == RMSPROP:
        for j in range(len(w)):
            v[j] = beta2 * v[j] + (1.0 - beta2) * g[j] * g[j]
            w[j] -= eta * g[j] / np.sqrt(v[j] + epsilon)
    else:
        for j in range(len(w)):
            m[j] = beta1 * m[j] + (1.0 - beta1) * g[j]
            v[j] = beta2 * v[j] + (1.0 - beta2) * g[j] * g[j]
            first, second = m[j] / (1.0 - beta1**t), v[j] / (1.0 - beta2**t)
            w[j] -= eta * first / (np.sqrt(second) + epsilon)

"""Probabilities from the decisions of machines for two classes."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from probus.svm._one_vs_one import pairs_of

_SMALLEST = 1e-7  # probability of a class in a pair, as in LIBSVM


def fitted_sigmoid(decisions: np.ndarray, positive: np.ndarray) -> tuple[float, float]:
    """A and B of P(positive | decision) = 1 / (1 + exp(A decision + B)), by Newton's method on the log loss.

    The targets are (n₊ + 1) / (n₊ + 2) and 1 / (n₋ + 2) in place of 1 and 0 (Platt 1999), which keeps A and B finite.
    Without rows of both classes it is the logistic function of the decision.

    >>> A, B = fitted_sigmoid(np.array([-2.0, -1.0, 1.0, 2.0]), np.array([False, False, True, True]))
    >>> round(A, 3), abs(round(B, 6))
    (-0.674, 0.0)
    """
    n_positive, n = int(positive.sum()), len(positive)
    if n_positive in (0, n):
        return -1.0, 0.0
    target = np.where(positive, (n_positive + 1.0) / (n_positive + 2.0), 1.0 / (n - n_positive + 2.0))
    scale = max(float(np.abs(decisions).max()), np.finfo(float).tiny)
    Z = np.column_stack([decisions / scale, np.ones(n)])
    theta = np.array([0.0, np.log((n_positive + 1.0) / (n - n_positive + 1.0))])
    value = _log_loss(Z @ theta, target)
    for _ in range(100):
        p = expit(Z @ theta)
        gradient = Z.T @ (p - target)
        if np.abs(gradient).max() < 1e-9 * n:
            break
        hessian = (Z * (p * (1.0 - p))[:, None]).T @ Z + 1e-12 * np.eye(2)
        step, length = np.linalg.solve(hessian, gradient), 1.0
        while length > 1e-10 and _log_loss(Z @ (theta - length * step), target) > value:
            length *= 0.5
        theta = theta - length * step
        value = _log_loss(Z @ theta, target)
    return float(-theta[0] / scale), float(-theta[1])


def _log_loss(raw: np.ndarray, target: np.ndarray) -> float:
    return float(np.sum(np.logaddexp(0.0, raw) - target * raw))


def pair_probabilities(decisions: np.ndarray, A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """The probability of the first of each pair of classes, float64[rows, pairs]."""
    return np.clip(expit(-(A * decisions + B)), _SMALLEST, 1.0 - _SMALLEST)


def coupled(pairwise: np.ndarray, n_classes: int) -> np.ndarray:
    """The probabilities of classes that agree best with those of pairs, float64[rows, classes].

    They minimise Σ (P(j in the pair) pᵢ − P(i in the pair) pⱼ)², which is one linear system per row (Wu, Lin and Weng
    2004, the second method).

    >>> coupled(np.array([[0.9, 0.8, 0.3]]), 3).round(3)
    array([[0.735, 0.081, 0.184]])
    """
    n, K = len(pairwise), n_classes
    Q = np.zeros((n, K + 1, K + 1))
    for (i, j), r in zip(pairs_of(K), pairwise.T, strict=True):
        Q[:, i, i] += (1.0 - r) ** 2
        Q[:, j, j] += r**2
        Q[:, i, j] = Q[:, j, i] = -r * (1.0 - r)
    Q[:, K, :K] = Q[:, :K, K] = 1.0
    right = np.zeros((n, K + 1, 1))
    right[:, K] = 1.0
    p = np.maximum(np.linalg.solve(Q, right)[:, :K, 0], 0.0)
    return p / p.sum(axis=1, keepdims=True)

"""The weights of neighbours, the shares of the vote, and the rules for ties."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from probus.errors import DataError

__all__ = ["class_shares", "vote_weights", "winners"]


def vote_weights(
    distances: np.ndarray, counted: np.ndarray | None, rule: str | Callable | None, epsilon: float
) -> np.ndarray | None:
    """The weight of each neighbour; None where all weigh the same.

    ``counted`` marks the neighbours that vote, all where None. ``"distance"`` is 1/(d + epsilon); with epsilon 0
    a neighbour at distance zero outweighs all others. ``"linear"`` is (d_k − d)/(d_k − d_1), or 1 where all distances
    are equal.

    >>> vote_weights(np.array([[1.0, 2.0, 3.0]]), None, "linear", 0.0)
    array([[1. , 0.5, 0. ]])
    """
    if rule in (None, "uniform"):
        return None if counted is None else counted.astype(np.float64)
    if callable(rule):
        weights = np.asarray(rule(distances))
    else:
        weights = _linear(distances, counted) if rule == "linear" else _inverse(distances, epsilon)
        weights[np.isinf(distances[:, 0])] = 1.0  # no row can be compared with the query
    if counted is not None:
        weights = np.where(counted, weights, 0.0)
    if (weights == 0).all(axis=1).any():
        raise DataError(
            "All neighbors of some sample is getting zero weights. Please modify 'weights' to avoid this case if you "
            "are using a user-defined function."
        )
    return weights


def _inverse(distances: np.ndarray, epsilon: float) -> np.ndarray:
    if epsilon > 0:
        return 1.0 / (distances + epsilon)
    with np.errstate(divide="ignore"):
        weights = 1.0 / distances
    at_zero = np.isinf(weights)
    has_zero = at_zero.any(axis=1)
    weights[has_zero] = at_zero[has_zero]
    return weights


def _linear(distances: np.ndarray, counted: np.ndarray | None) -> np.ndarray:
    nearest = distances[:, :1]
    counted_only = distances if counted is None else np.where(counted, distances, -np.inf)
    comparable = np.where(np.isfinite(counted_only), counted_only, nearest)
    furthest = comparable.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(furthest > nearest, (furthest - comparable) / (furthest - nearest), 1.0)


def class_shares(codes: np.ndarray, weights: np.ndarray | None, n_classes: int) -> np.ndarray:
    """The share of the vote of each class.

    >>> class_shares(np.array([[0, 1, 1]]), None, 2).round(3)
    array([[0.333, 0.667]])
    """
    n, k = codes.shape
    votes = np.zeros((n, n_classes))
    queries = np.arange(n)
    for place in range(k):
        votes[queries, codes[:, place]] += 1.0 if weights is None else weights[:, place]
    return votes / votes.sum(axis=1, keepdims=True)


def winners(
    shares: np.ndarray, codes: np.ndarray, rule: str, prior: np.ndarray, rng: np.random.RandomState
) -> np.ndarray:
    """The class with the largest share; the rule decides between equal shares.

    ``"first"`` takes the first class in order, ``"nearest"`` the class of the nearest neighbour among the tied,
    ``"prior"`` the most frequent in training, ``"random"`` draws.
    """
    first = shares.argmax(axis=1)
    if rule == "first":
        return first
    tied = shares >= shares.max(axis=1, keepdims=True) * (1 - 1e-12)
    for i in np.flatnonzero(tied.sum(axis=1) > 1):
        contenders = np.flatnonzero(tied[i])
        if rule == "nearest":
            first[i] = codes[i][np.isin(codes[i], contenders)][0]
        elif rule == "prior":
            first[i] = contenders[prior[contenders].argmax()]
        else:
            first[i] = rng.choice(contenders)
    return first

"""The weights of neighbours, the shares of the vote, and the rules for ties."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from probus.errors import DataError

_ROUNDING = 1e-9  # votes and distances that agree to nine digits are equal


def vote_weights(
    distances: np.ndarray, parts: np.ndarray | None, rule: str | Callable | None, epsilon: float
) -> np.ndarray | None:
    """The weight of each neighbour; None where all weigh the same.

    ``parts`` are the parts of a vote that the neighbours have, all 1 where None. ``"distance"`` is 1/(d + epsilon);
    with epsilon 0 a neighbour at distance zero outweighs all others. ``"linear"`` is (d_k − d)/(d_k − d_1), or 1 where
    all distances are equal.

    >>> vote_weights(np.array([[1.0, 2.0, 3.0]]), None, "linear", 0.0)
    array([[1. , 0.5, 0. ]])
    """
    if rule in (None, "uniform"):
        return parts
    if callable(rule):
        weights = np.asarray(rule(distances))
    else:
        weights = _linear(distances, parts) if rule == "linear" else _inverse(distances, epsilon)
        weights[np.isinf(distances[:, 0])] = 1.0  # no row can be compared with the query
    if parts is not None:
        weights = np.where(parts > 0, weights * parts, 0.0)
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


def _linear(distances: np.ndarray, parts: np.ndarray | None) -> np.ndarray:
    nearest = distances[:, :1]
    voting = distances if parts is None else np.where(parts > 0, distances, -np.inf)
    comparable = np.where(np.isfinite(voting), voting, nearest)
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


def nearest_of_class(codes: np.ndarray, distances: np.ndarray, n_classes: int) -> np.ndarray:
    """The distance to the nearest neighbour of each class, queries × classes; infinite where there is none."""
    nearest = np.full((len(codes), n_classes), np.inf)
    queries = np.arange(len(codes))
    for place in reversed(range(codes.shape[1])):  # the nearest last
        nearest[queries, codes[:, place]] = distances[:, place]
    return nearest


def winners(
    shares: np.ndarray, rule: str, prior: np.ndarray, nearest: np.ndarray, rng: np.random.RandomState
) -> np.ndarray:
    """The class with the largest share; the rule decides between equal shares.

    ``"first"`` takes the first class in order, ``"nearest"`` the class of the ``nearest`` neighbour (queries × classes:
    the distance to it), ``"prior"`` the most frequent in training, ``"random"`` draws.

    >>> shares, prior, near = np.array([[0.5, 0.5]]), np.array([3, 3]), np.array([[2.0, 1.0]])
    >>> [winners(shares, rule, prior, near, np.random) for rule in ("first", "nearest")]
    [array([0]), array([1])]
    """
    tied = shares >= shares.max(axis=1, keepdims=True) * (1 - _ROUNDING)
    if rule == "nearest":
        tied &= nearest <= np.where(tied, nearest, np.inf).min(axis=1, keepdims=True) * (1 + _ROUNDING)
    elif rule == "prior":
        tied &= prior == np.where(tied, prior, -1).max(axis=1, keepdims=True)
    elif rule == "random":
        return np.where(tied, rng.random_sample(tied.shape), -1.0).argmax(axis=1)
    return tied.argmax(axis=1)

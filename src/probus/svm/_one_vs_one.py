"""One machine for each pair of classes: their joint coefficients, decisions and votes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import numpy as np

from probus.svm._dual_problem import DualSolution


@dataclass(frozen=True)
class PairFit:
    """A machine that is positive for the first of two classes: a coefficient for each row of both, and an intercept."""

    solution: DualSolution
    beta: np.ndarray
    intercept: float


def pairs_of(n_classes: int) -> list[tuple[int, int]]:
    """The pairs of classes, in the order of intercepts and decisions.

    >>> pairs_of(3)
    [(0, 1), (0, 2), (1, 2)]
    """
    return list(combinations(range(n_classes), 2))


def joined(fits: Sequence[PairFit], members: Sequence[np.ndarray]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The support rows, class by class, their numbers per class, and their coefficients against each other class.

    The coefficients float64[K − 1, s] of a row of class i against class j are in row j − 1 if j > i, else in row j.
    """
    K = len(members)
    coefs = [np.zeros((K - 1, len(rows))) for rows in members]
    for (i, j), fit in zip(pairs_of(K), fits, strict=True):
        coefs[i][j - 1], coefs[j][i] = np.split(fit.beta, [len(members[i])])
    used = [(part != 0).any(axis=0) for part in coefs]
    support = np.concatenate([rows[keep] for rows, keep in zip(members, used, strict=True)])
    dual = np.concatenate([part[:, keep] for part, keep in zip(coefs, used, strict=True)], axis=1)
    return support, np.array([keep.sum() for keep in used], dtype=np.int32), dual


def _ends(n_support: np.ndarray) -> np.ndarray:
    return np.concatenate([[0], np.cumsum(n_support)])


def pair_decisions(K: np.ndarray, dual_coef: np.ndarray, n_support: np.ndarray, intercept: np.ndarray) -> np.ndarray:
    """The decisions float64[rows, pairs] from the kernel of rows with the support vectors, float64[rows, s]."""
    ends = _ends(n_support)
    parts = [K[:, a:b] @ dual_coef[:, a:b].T for a, b in pairwise(ends)]
    pairs = pairs_of(len(n_support))
    return np.column_stack([parts[i][:, j - 1] + parts[j][:, i] for i, j in pairs]) + intercept


def pair_coefs(dual_coef: np.ndarray, n_support: np.ndarray, vectors: np.ndarray) -> np.ndarray:
    """The weights of columns of a linear kernel, float64[pairs, d]."""
    ends = _ends(n_support)
    parts = [dual_coef[:, a:b] @ vectors[a:b] for a, b in pairwise(ends)]
    return np.stack([parts[i][j - 1] + parts[j][i] for i, j in pairs_of(len(n_support))])


def votes(decisions: np.ndarray, n_classes: int) -> np.ndarray:
    """The class that wins most pairs, the first of equals; a decision above 0 is for the first of a pair."""
    counts = np.zeros((len(decisions), n_classes), dtype=np.int32)
    for (i, j), decision in zip(pairs_of(n_classes), decisions.T, strict=True):
        won = decision > 0
        counts[:, i] += won
        counts[:, j] += ~won
    return counts.argmax(axis=1)


def votes_and_decisions(decisions: np.ndarray, n_classes: int) -> np.ndarray:
    """The number of pairs that each class wins, and of the sum s of its decisions s / (3 |s| + 3), float64[n, K].

    The second part lies between −1/3 and 1/3: it breaks ties, and outweighs no vote.
    """
    counts, sums = np.zeros((len(decisions), n_classes)), np.zeros((len(decisions), n_classes))
    for (i, j), decision in zip(pairs_of(n_classes), decisions.T, strict=True):
        counts[:, i] += decision >= 0
        counts[:, j] += decision < 0
        sums[:, i] += decision
        sums[:, j] -= decision
    return counts + sums / (3.0 * np.abs(sums) + 3.0)

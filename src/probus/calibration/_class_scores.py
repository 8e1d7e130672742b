"""How unexpected each class of a row is, by its probabilities: the scores of conformal sets."""

from __future__ import annotations

import numpy as np

SCORES = ("lac", "aps", "raps")

_PENALTY, _FREE = 0.01, 5  # of RAPS, for each class after the first five (Angelopoulos et al. 2021)


def class_scores(probabilities: np.ndarray, score: str) -> np.ndarray:
    """A score for each class: float64[n, K], smaller for classes that are more probable.

    "lac" is 1 − p, which makes the smallest sets (Sadinle, Lei and Wasserman 2019). "aps" is the sum of the
    probabilities of all classes at least as probable, which makes larger sets for rows that are hard (Romano, Sesia and
    Candès 2020). "raps" adds a penalty to classes after the fifth.

    >>> class_scores(np.array([[0.5, 0.2, 0.3]]), "aps")
    array([[0.5, 1. , 0.8]])
    """
    if score == "lac":
        return 1.0 - probabilities
    order = np.argsort(-probabilities, axis=1, kind="stable")
    sums = np.cumsum(np.take_along_axis(probabilities, order, axis=1), axis=1)
    if score == "raps":
        sums += _PENALTY * np.maximum(np.arange(1, sums.shape[1] + 1) - _FREE, 0)
    scores = np.empty_like(sums)
    np.put_along_axis(scores, order, sums, axis=1)
    return scores

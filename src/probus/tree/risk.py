"""The risks a split can lower, all in one form: the score of a set of rows, to be made large.

A set of rows is summed up by its *tally*: how many there are, their weight w, and s_k, the weight of each class (for
numbers one s = Σ w y). The best constant for them leaves the risk c − score, where c is a sum over rows that no split
changes. What a split gains is therefore score(left) + score(right) − score(both).
"""

from __future__ import annotations

import numpy as np

from probus.tree.kernel import inner

__all__ = ["ABSOLUTE", "ENTROPY", "ERRORS", "POISSON", "RISKS", "SQUARES", "score", "xlogx", "xlogx_table"]

SQUARES = 0  # Gini impurity, Brier score, squared error: Σ s_k² / w
ENTROPY = 1  # Shannon entropy, log loss, in bits: Σ s_k log s_k − w log w
ERRORS = 2  # rows of another class than the most frequent: max s_k
POISSON = 3  # half the Poisson deviance: s log(s / w)
ABSOLUTE = 4  # absolute error: scored by order statistics, in absolute.py

RISKS = {
    "gini": SQUARES,
    "brier": SQUARES,
    "entropy": ENTROPY,
    "log_loss": ENTROPY,
    "gain_ratio": ENTROPY,
    "misclassification": ERRORS,
    "squared_error": SQUARES,
    "poisson": POISSON,
    "absolute_error": ABSOLUTE,
}


def xlogx_table(n: int) -> np.ndarray:
    """x log₂ x for the whole numbers up to n: where all weights are one, counts are whole and logarithms few."""
    x = np.arange(n + 1, dtype=np.float64)
    return x * np.log2(np.maximum(x, 1.0))


@inner
def xlogx(x, table):
    """x log₂ x, looked up where there is a table."""
    return table[np.int64(x)] if len(table) > 0 else (x * np.log2(x) if x > 0.0 else 0.0)


@inner
def score(risk, tally, table):
    """How well the best constant does on rows of this tally; see the module.

    tally (IN) float64[2 + K] rows, weight, weight of each class; for numbers K = 1 and the last is Σ w y
    table (IN) float64[n + 1] from ``xlogx_table``, or empty
    """
    w, total = tally[1], 0.0
    if w <= 0.0:
        return 0.0
    if risk == SQUARES:
        for k in range(2, len(tally)):
            total += tally[k] * tally[k]
        return total / w
    if risk == ENTROPY:
        for k in range(2, len(tally)):
            total += xlogx(tally[k], table)
        return total - xlogx(w, table)
    if risk == ERRORS:
        for k in range(2, len(tally)):
            total = max(total, tally[k])
        return total
    if risk == POISSON:
        return tally[2] * np.log(tally[2] / w) if tally[2] > 0.0 else -np.inf
    return -np.inf  # sums do not tell

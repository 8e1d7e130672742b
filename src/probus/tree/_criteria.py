"""The split criteria, all in one form: the score of a set of rows, which a split should make large.

A set of rows is summarised by its *tally*: how many there are, their weight w, and sums s_k: the weight of each class
of each output, or Σ w y of each output. The best constant leaves the loss c − score, where c is a sum over rows that no
split changes. A split therefore gains score(left) + score(right) − score(both).

A criterion is an entry of ``CRITERIA``, and a number by which ``score`` and the three functions below it choose the
formula; nothing else depends on which criteria there are. CONTRIBUTING.md describes how to add one.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np

from probus.tree.kernel_parts import inlined, inner

SQUARES = 0  # Gini impurity, Brier score, squared error: Σ s_k² / w
ENTROPY = 1  # Shannon entropy, log loss, in bits: Σ s_k log s_k − w log w
ERRORS = 2  # rows of another class than the most frequent: max s_k
POISSON = 3  # half the Poisson deviance: s log(s / w)
DKM = 5  # Dietterich, Kearns and Mansour (1996): 2 √(s_0 s_1) of two classes, (Σ √s_k)² − w of more
ABSOLUTE = 4  # absolute error: needs medians, which sums do not give; see absolute_error.py


@dataclass(frozen=True)
class Criterion:
    """A split criterion.

    code : the formula, a number that kernels dispatch on.
    classes : whether it is for classes; otherwise for numbers.
    ratio : whether the gain is divided by the information of the split itself.
    binned : whether forests can use it on binned columns.
    """

    code: int
    classes: bool
    ratio: bool = False
    binned: bool = False


CRITERIA = {
    "gini": Criterion(SQUARES, classes=True, binned=True),
    "brier": Criterion(SQUARES, classes=True, binned=True),
    "entropy": Criterion(ENTROPY, classes=True, binned=True),
    "log_loss": Criterion(ENTROPY, classes=True, binned=True),
    "gain_ratio": Criterion(ENTROPY, classes=True, ratio=True),
    "misclassification": Criterion(ERRORS, classes=True),
    "dkm": Criterion(DKM, classes=True),
    "squared_error": Criterion(SQUARES, classes=False, binned=True),
    "poisson": Criterion(POISSON, classes=False),
    "absolute_error": Criterion(ABSOLUTE, classes=False),
}


def names_of(*, classes: bool) -> tuple[str, ...]:
    """The names of the criteria for classes, or for numbers.

    >>> names_of(classes=False)
    ('squared_error', 'poisson', 'absolute_error')
    """
    return tuple(name for name, criterion in CRITERIA.items() if criterion.classes == classes)


def current_name(criterion: str) -> str:
    """The name of a criterion, with a warning if it is the old one of squared error."""
    if criterion != "friedman_mse":
        return criterion
    warnings.warn(
        'criterion="friedman_mse" is deprecated, as in scikit-learn. Use "squared_error": the trees are the same.',
        FutureWarning,
        stacklevel=3,
    )
    return "squared_error"


def xlogx_table(n: int) -> np.ndarray:
    """x log₂ x for the whole numbers up to n: with unit weights all sums are whole numbers."""
    x = np.arange(n + 1, dtype=np.float64)
    return x * np.log2(np.maximum(x, 1.0))


@inner
def xlogx(x, table):
    """x log₂ x, looked up where there is a table."""
    return table[np.int64(x)] if len(table) > 0 else (x * np.log2(x) if x > 0.0 else 0.0)


@inner
def score(rules, tally, table):
    """How well the best constant does on rows of this tally; see the module.

    rules (IN) Rules: the code of the criterion, and the number of outputs
    tally (IN) float64[2 + q K] rows, weight, sums of each output in turn; for numbers K = 1
    table (IN) float64[n + 1] from ``xlogx_table``, or empty
    """
    code, w, total = rules.criterion, tally[1], 0.0
    if w <= 0.0:
        return 0.0
    if code == SQUARES:
        for k in range(2, len(tally)):
            total += tally[k] * tally[k]
        return total / w
    if code == ENTROPY:
        for k in range(2, len(tally)):
            total += xlogx(tally[k], table)
        return total - rules.n_outputs * xlogx(w, table)
    if code == ERRORS:
        n_classes = (len(tally) - 2) // rules.n_outputs
        for first in range(2, len(tally), n_classes):
            most = 0.0
            for k in range(first, first + n_classes):
                most = max(most, tally[k])
            total += most
        return total
    if code == DKM:
        n_classes = (len(tally) - 2) // rules.n_outputs
        for first in range(2, len(tally), n_classes):
            roots = 0.0
            for k in range(first, first + n_classes):
                roots += np.sqrt(tally[k])
            total += 2.0 * w - roots * roots
        return total
    if code == POISSON:
        for k in range(2, len(tally)):
            total += tally[k] * np.log(tally[k] / w) if tally[k] > 0.0 else -np.inf
        return total
    return -np.inf


@inlined
def constant_of_row(code, v, y):
    """What a row of a number y and of v = w y adds to the constant c of the loss; for classes c is 0 or w."""
    if code == SQUARES:
        return v * y
    return v * np.log(y) if y > 0.0 else 0.0


@inlined
def additive(rules):
    """Whether the score of classes follows from Σ φ(s_k), which changes in one class of each output as a row moves."""
    return not rules.numbers and (rules.criterion == SQUARES or rules.criterion == ENTROPY)


@inlined
def step(code, s, v, table):
    """φ(s + v) − φ(s)."""
    if code == SQUARES:
        return v * (2.0 * s + v)
    return xlogx(max(s + v, 0.0), table) - xlogx(s, table)


@inlined
def score_of_sum(rules, phi, w, table):
    """The score from Σ φ(s_k)."""
    if rules.criterion == SQUARES:
        return phi / w
    return phi - rules.n_outputs * xlogx(w, table)

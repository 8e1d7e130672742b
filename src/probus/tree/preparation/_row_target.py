"""What trees predict: one output or several, each a class or a number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.tree.kernel_parts import inlined


@dataclass(frozen=True, eq=False)
class Target:
    """Codes of classes, or numbers (``n_classes`` 1); every weight is above zero.

    y : [n], or [n, q] for several outputs
    n_classes : how many classes there are, the most of any output
    """

    y: np.ndarray
    weight: np.ndarray
    n_classes: int

    @property
    def n_outputs(self) -> int:
        """How many outputs there are."""
        return 1 if self.y.ndim == 1 else self.y.shape[1]

    @property
    def n_sums(self) -> int:
        """How many sums describe a set of rows."""
        return self.n_outputs * self.n_classes

    def take(self, rows: np.ndarray, weight: np.ndarray | None = None) -> Target:
        """The target of some rows, with other weights if they are given."""
        return Target(self.y[rows], self.weight[rows] if weight is None else weight, self.n_classes)


# -- how kernels read the target of a row ------------------------------------------------------------------
# label: int32[n], or int32[n, q]: the sum that a row adds to; amount: float64 of the same shape: what it adds


@inlined
def n_outputs_of(label):
    """How many outputs there are; known when a kernel is compiled."""
    if label.ndim == 1:
        return 1
    return label.shape[1]


@inlined
def sum_index(label, row, output):
    """The place in a tally that a row adds to."""
    if label.ndim == 1:
        return 2 + label[row]
    return 2 + label[row, output]


@inlined
def amount_of(amount, row, output):
    """What a row adds: its weight, or for numbers w y."""
    if amount.ndim == 1:
        return amount[row]
    return amount[row, output]


@inlined
def add_row(tallies, at, row, label, amount, weight):
    """Add a row to the tally at this place.

    tallies (INOUT) float64[*, 2 + q K]
    """
    tallies[at, 0] += 1.0
    tallies[at, 1] += weight[row]
    for o in range(n_outputs_of(label)):
        tallies[at, sum_index(label, row, o)] += amount_of(amount, row, o)

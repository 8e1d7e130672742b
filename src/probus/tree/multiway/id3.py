"""ID3: ask the column that tells most about the class, a branch for each of its levels (Quinlan 1986)."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from sklearn.utils._param_validation import Interval

from probus.errors import DataError
from probus.tree.design import Design
from probus.tree.multiway.coding import ColumnCoding, coding_of
from probus.tree.multiway.condition_text import ConditionText
from probus.tree.multiway.gain import LevelTables
from probus.tree.multiway.grow import SLACK, Cases, Node, Split, Training, first_best, grow, mixed
from probus.tree.multiway.model import MultiwayClassifier

__all__ = ["ID3Classifier"]


class ID3Classifier(MultiwayClassifier):
    """A tree with a branch for each level of the column that gains most information, grown until classes are pure.

    Each column is asked at most once on a path, ordinal columns by level. Numbers, which ID3 does not know, are cut
    into quantile bins first; a bin or ordinal level that no row of a node has goes with the nearest. Rows whose
    value is missing count in every branch by its share. Nothing is pruned.

    Parameters
    ----------
    n_bins : int or None
        Into how many bins of equal weight numbers are cut; None refuses columns of numbers, as the textbook does.
    min_gain : float
        Bits that a split must gain. At 0 a split may gain nothing at all: what two columns tell only together, such
        as their exclusive or, is found.
    min_parent : int
        Rows (their weight) that a node must have to be split.
    max_depth : int or None
        The most questions on a path.
    laplace : bool
        Whether to count one row more of each class where probabilities are made.

    Attributes
    ----------
    tree_ : MultiwayTree
    classes_ : array of shape (n_classes,)
    n_classes_ : int

    Examples
    --------
    >>> from probus import Table
    >>> outlook = ["sunny", "sunny", "overcast", "rainy", "rainy", "rainy", "overcast"]
    >>> windy = ["no", "yes", "no", "no", "no", "yes", "yes"]
    >>> weather = Table.of({"outlook": outlook, "windy": windy})
    >>> model = ID3Classifier().fit(weather, ["stay", "stay", "play", "play", "play", "stay", "play"])
    >>> print(model.export_text())
    outlook = overcast: play (2.0)
    outlook = rainy:
    |   windy = no: play (2.0)
    |   windy = yes: stay (1.0)
    outlook = sunny: stay (2.0)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "n_bins": [Interval(Integral, 2, None, closed="left"), None],
        "min_gain": [Interval(Real, 0, None, closed="left")],
        "min_parent": [Interval(Integral, 2, None, closed="left")],
        "max_depth": [Interval(Integral, 1, None, closed="left"), None],
        "laplace": ["boolean"],
    }

    def __init__(
        self,
        *,
        n_bins: int | None = 5,
        min_gain: float = 0.0,
        min_parent: int = 2,
        max_depth: int | None = None,
        laplace: bool = False,
    ):
        self.n_bins = n_bins
        self.min_gain = min_gain
        self.min_parent = min_parent
        self.max_depth = max_depth
        self.laplace = laplace

    def _coding(self, design: Design, w: np.ndarray) -> ColumnCoding:
        coding = coding_of(design, self._schema, w, n_bins=self.n_bins, ordinal_levels=True)
        numbers = (coding.n_codes == 0) & ~np.isnan(design.X).all(axis=0)
        if numbers.any():
            names = ConditionText(self, coding).names
            text = ", ".join(repr(names[j]) for j in np.flatnonzero(numbers)[:5])
            raise DataError(
                f"ID3Classifier(n_bins=None) found {int(numbers.sum())} columns of numbers: {text}.",
                "columns of levels",
                "Pass n_bins=5 to cut them into bins, or use C45Classifier, which finds thresholds.",
            )
        return coding

    def _grown(self, training: Training) -> Node:
        return grow(training, LargestGain(training, self.min_gain, self.min_parent), self.max_depth)


class LargestGain:
    """The rule of ID3: the column of the largest information gain, the first of equals."""

    once = True

    def __init__(self, training: Training, min_gain: float, min_parent: float):
        self._training = training
        self._tables = LevelTables.of(training)
        self._min_gain = min_gain
        self._min_parent = min_parent

    def may_split(self, counts: np.ndarray) -> bool:
        """As long as there are two classes and rows enough."""
        return mixed(counts, self._min_parent)

    def choose(self, cases: Cases) -> Split | None:
        """See the class."""
        tables = self._tables.counted(self._training, cases)
        gain, _, n_seen = self._tables.gains(tables, min_cases=0.0)
        gain = np.where(n_seen >= 2, gain, -np.inf)
        best = first_best(gain) if len(gain) else 0
        if not len(gain) or gain[best] < self._min_gain - SLACK:
            return None
        column, table = int(self._tables.columns[best]), self._tables.table(tables, best)
        return Split.by_level(column, table, float(gain[best]), ordered=bool(self._training.coding.ordered[column]))

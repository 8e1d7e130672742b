"""C4.5: gain ratio, thresholds for numbers, fractional rows for missing values, pessimistic pruning."""

from __future__ import annotations

from typing import Any

import numpy as np

from probus.parameters import parameter
from probus.tree.multiway._c45_pruning import collapse, prune
from probus.tree.multiway._coding import ColumnCoding, coding_of
from probus.tree.multiway._gain import LevelTables, best_threshold
from probus.tree.multiway._multiway_classifier import MultiwayClassifier
from probus.tree.multiway._multiway_growth import SLACK, Cases, GrowingNode, Split, Training, first_best, grow
from probus.tree.preparation._design import Design
from probus.tree.splitting._thresholds import midway

_CLOSE = 1e-3  # bits: C4.5's tolerance for the average gain and for a gain of zero
_MANY = 0.3  # levels per training row above which a column is excluded from the average gain


class C45Classifier(MultiwayClassifier):
    """C4.5, release 8 (Quinlan 1993, 1996): a branch for each level of a nominal column, thresholds for numbers.

    Among the splits with at least the average gain, the one with the largest gain ratio is chosen: gain divided by the
    information of the branches. Choosing a threshold among T reduces its gain by log2(T) / N bits. Thresholds are
    values of the training data, the largest that does not exceed the midpoint; ordinal columns have thresholds too. A
    row with a missing value goes to every branch in proportion to the branch's share of the rows, in training and
    prediction. Splits that do not reduce the training error are collapsed, then the tree is pruned by upper confidence
    limits of the errors of its leaves.

    C4.5's option to group levels into subsets (``-s``) is not implemented. There are no empty leaves: a row with a
    level that does not occur in training at a node ends there.

    Attributes
    ----------
    tree_ : MultiwayTree
    classes_ : array of shape (n_classes,)
    n_classes_ : int

    Examples
    --------
    >>> from probus import datasets
    >>> votes = datasets.house_votes()
    >>> print(C45Classifier().fit(votes.drop("party"), votes["party"]).export_text())
    physician_fee_freeze = n: democrat (253.4/3.7)
    physician_fee_freeze = y:
    |   synfuels_corporation_cutback = n: republican (145.7/4.0)
    |   synfuels_corporation_cutback = y:
    |   |   mx_missile = n:
    |   |   |   adoption_of_the_budget_resolution = n: republican (22.6/3.3)
    |   |   |   adoption_of_the_budget_resolution = y:
    |   |   |   |   anti_satellite_test_ban = n: democrat (5.0)
    |   |   |   |   anti_satellite_test_ban = y: republican (2.2)
    |   |   mx_missile = y: democrat (6.0/1.0)
    """

    confidence: float | None = parameter(
        "The confidence of the limits of errors; smaller values prune more, and None does not prune.",
        default=0.25,
        above=0,
        below=1,
    )
    min_cases: int = parameter(
        "The minimum weight of at least two branches of a split, and of both sides of a threshold.",
        default=2,
        at_least=1,
    )
    subtree_raising: bool = parameter("Whether pruning may replace a node by its heaviest branch.", default=True)

    @classmethod
    def examples(cls) -> list[Any]:
        """Pruned and unpruned."""
        return [cls(), cls(confidence=None, laplace=True)]

    def _coding(self, design: Design, w: np.ndarray) -> ColumnCoding:
        return coding_of(design, self._schema, w, n_bins=None, ordinal_levels=False)

    def _grown(self, training: Training) -> GrowingNode:
        root = grow(training, LargestGainRatio(training, self.min_cases), self.max_depth)
        collapse(root)
        if self.confidence is not None:
            prune(root, training, self.confidence, self.subtree_raising)
        return root


class LargestGainRatio:
    """The split rule of C4.5: the largest gain ratio among splits with at least the average gain."""

    once = True

    def __init__(self, training: Training, min_cases: float):
        self._training = training
        self._min_cases = float(min_cases)
        self._tables = LevelTables.of(training)
        self._numbers = np.flatnonzero(training.coding.n_codes == 0)
        self._values = {int(j): np.unique(training.X[:, j]) for j in self._numbers}
        few = training.coding.n_codes < _MANY * training.w.sum()
        self._in_average = few if few.any() else ~few

    def may_split(self, counts: np.ndarray) -> bool:
        """Whether there are two classes and enough rows for two branches."""
        n = counts.sum()
        return bool(n - counts.max() > SLACK and n >= 2 * self._min_cases - SLACK)

    def choose(self, cases: Cases) -> Split | None:
        """See the class."""
        n_features = len(cases.open)
        gain, split_info, middle = np.full(n_features, -1.0), np.zeros(n_features), np.full(n_features, np.nan)
        tables = self._tables.counted(self._training, cases)
        level_gain, level_info, n_ample = self._tables.gains(tables, self._min_cases)
        gain[self._tables.columns] = np.where(n_ample >= 2, level_gain, -1.0)
        split_info[self._tables.columns] = level_info
        gain[self._numbers], split_info[self._numbers], middle[self._numbers] = self._thresholds(cases)
        best = self._best(gain, split_info)
        if best is None:
            return None
        ratio = float(gain[best] / split_info[best])
        if self._training.coding.n_codes[best] == 0:
            values = self._values[best]
            threshold = float(values[np.searchsorted(values, middle[best], side="right") - 1])
            return Split(best, 2, ratio, threshold=threshold)
        place = int(np.searchsorted(self._tables.columns, best))
        return Split.by_level(best, self._tables.table(tables, place), ratio, ordered=False)

    def _thresholds(self, cases: Cases) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """For each column of numbers the gain, split information and position of its best threshold."""
        found = np.zeros((len(self._numbers), 4))
        y = self._training.y[cases.rows]
        for j, out in zip(self._numbers, found, strict=True):
            x = self._training.X[cases.rows, j]
            best_threshold(x, y, cases.w, np.argsort(x), self._training.n_classes, self._min_cases, out)
        gain, split_info, low, high = found.T
        return gain, split_info, midway(low, high)

    def _best(self, gain: np.ndarray, split_info: np.ndarray) -> int | None:
        possible = gain > -_CLOSE
        if not possible.any():
            return None
        averaged = gain[possible & self._in_average]
        average = averaged.mean() if len(averaged) else np.inf
        worth = possible & (gain >= average - _CLOSE) & (split_info > _CLOSE)
        if not worth.any():
            return None
        return first_best(np.where(worth, gain / np.where(worth, split_info, 1.0), -np.inf))

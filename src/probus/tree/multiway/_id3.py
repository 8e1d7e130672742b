"""ID3: split on the column with the largest information gain, a branch for each level (Quinlan 1986)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from probus.base import Model
from probus.errors import DataError
from probus.parameters import RANDOM_STATE, parameter
from probus.tree.multiway._coding import ColumnCoding, coding_of
from probus.tree.multiway._condition_text import ConditionText
from probus.tree.multiway._gain import LevelTables
from probus.tree.multiway._multiway_classifier import MultiwayClassifier
from probus.tree.multiway._multiway_growth import SLACK, Cases, GrowingNode, Split, Training, first_best, grow, mixed
from probus.tree.preparation._design import Design
from probus.tree.preparation._tree_settings import MAX_FEATURES, n_features_to_try


class ID3Classifier(MultiwayClassifier):
    """A tree with a branch for each level of the column with the largest information gain, grown until leaves are pure.

    Each column is used at most once on a path, ordinal columns by level. Numbers, which ID3 does not support, are
    discretised into quantile bins first; a bin or ordinal level that does not occur at a node goes with the nearest
    one. Rows with missing values go to every branch in proportion to its weight. There is no pruning.

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

    n_bins: int | None = parameter(
        "The number of quantile bins of numeric columns. None refuses such columns, as in the textbook.",
        default=5,
        at_least=2,
    )
    min_gain: float = parameter(
        "The minimum gain of a split in bits. With 0 a split may have no gain, so that interactions such as exclusive "
        "or can be found.",
        default=0.0,
        at_least=0,
    )
    min_parent: int = parameter("The minimum weight of a node to be split.", default=2, at_least=2)
    max_features: Any = MAX_FEATURES.but(
        doc="The number of columns that a node tries, drawn at random from those not used above it, as in trees of "
        'random forests; a float is a share of all columns, and "sqrt", "log2" and "log2+1" are functions of their '
        "number. None tries all.",
    )
    random_state: Any = RANDOM_STATE

    @classmethod
    def examples(cls) -> list[Model]:
        """The textbook's, and a random tree."""
        return [cls(), cls(max_features="log2+1", random_state=0)]

    def _coding(self, design: Design, w: np.ndarray) -> ColumnCoding:
        coding = coding_of(design, self._schema, w, n_bins=self.n_bins, ordinal_levels=True)
        numbers = (coding.n_codes == 0) & ~np.isnan(design.X).all(axis=0)
        if numbers.any():
            names = ConditionText(self, coding).names
            text = ", ".join(repr(names[j]) for j in np.flatnonzero(numbers)[:5])
            raise DataError(
                f"ID3Classifier(n_bins=None) found {int(numbers.sum())} numeric columns: {text}.",
                "columns of levels",
                "Pass n_bins=5 to discretise them, or use C45Classifier, which finds thresholds.",
            )
        return coding

    def _grown(self, training: Training) -> GrowingNode:
        some = n_features_to_try(self.max_features, training.X.shape[1])
        rng = check_random_state(self.random_state) if self.max_features is not None else None
        return grow(training, LargestGain(training, self.min_gain, self.min_parent, some, rng), self.max_depth)


class LargestGain:
    """The split rule of ID3: the column with the largest information gain, the first in case of ties.

    With a random generator, of ``max_features`` of the columns that can split the node.
    """

    once = True

    def __init__(self, training: Training, min_gain: float, min_parent: float, max_features: int, rng: Any):
        self._training = training
        self._tables = LevelTables.of(training)
        self._min_gain = min_gain
        self._min_parent = min_parent
        self._max_features = max_features
        self._rng = rng

    def may_split(self, counts: np.ndarray) -> bool:
        """Whether there are two classes and enough rows."""
        return mixed(counts, self._min_parent)

    def choose(self, cases: Cases) -> Split | None:
        """See the class."""
        tables = self._tables.counted(self._training, cases)
        gain, _, n_seen = self._tables.gains(tables, min_cases=0.0)
        gain = np.where(n_seen >= 2, gain, -np.inf)
        if self._rng is not None:
            others = self._rng.permutation(np.flatnonzero(np.isfinite(gain)))[self._max_features :]
            gain[others] = -np.inf
        best = first_best(gain) if len(gain) else 0
        if not len(gain) or gain[best] < self._min_gain - SLACK:
            return None
        column, table = int(self._tables.columns[best]), self._tables.table(tables, best)
        return Split.by_level(column, table, float(gain[best]), ordered=bool(self._training.coding.ordered[column]))

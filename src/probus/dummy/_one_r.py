"""One-R: the best rule on a single column (Holte 1993, Machine Learning 11, 63-90)."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.base import Accepts, Classifier, PoorScoreMixin, checked_weights, encoded_classes, table_input
from probus.compiling import njit
from probus.data import Column, Field
from probus.errors import ModelFileError
from probus.parameters import parameter
from probus.state import Array, Labels, Spec, String


class OneRClassifier(PoorScoreMixin, Classifier):
    """Classify by one column: predict the most frequent class of each of its levels or intervals.

    Numeric columns are cut into intervals: along the sorted values, an interval is closed once its largest class
    has ``min_bucket_size`` members and the next value is of another class. Adjacent intervals of one class are merged.
    Missing is a separate value. The column whose rule has the smallest training error is used, the first in case of
    ties.

    Attributes
    ----------
    column_ : str
        The column chosen.
    errors_ : array of shape (n_features,)
        The training error of the rule of each column.
    thresholds_ : array
        Lower bounds of the second and later intervals of a numeric column.
    counts_ : array of buckets × classes
        Training rows per level or interval and class; missing values come last.

    Examples
    --------
    >>> from probus import Table
    >>> outlook = ["sunny", "sunny", "overcast", "rainy", "rainy", "rainy", "overcast"]
    >>> windy = ["no", "yes", "no", "no", "no", "yes", "yes"]
    >>> weather = Table.of({"outlook": outlook, "windy": windy})
    >>> model = OneRClassifier().fit(weather, ["stay", "stay", "play", "play", "play", "stay", "play"])
    >>> print(model.rules())
    outlook: 6 of 7 right
      overcast  play  2 of 2
      rainy     play  2 of 3
      sunny     stay  2 of 2
      missing   play  not seen
    """

    min_bucket_size: int = parameter(
        "Members that the largest class of an interval must have. Smaller values fit the training rows more closely.",
        default=6,
        at_least=1,
    )

    accepts = Accepts(nominal=True, missing=True, weights=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("K"),
        "class_count_": Array("f8", "K"),
        "column_": String(),
        "errors_": Array("f8", "d"),
        "thresholds_": Array("f8", "*"),
        "counts_": Array("f8", "* K"),
    }

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> OneRClassifier:
        """Fit a rule on each column and keep the best."""
        table = table_input(self, X, reset=True)
        self.classes_, label = encoded_classes(y, table.n_rows)
        weights = checked_weights(sample_weight, label)
        w = np.ones(len(label)) if weights is None else weights
        self.class_count_ = np.bincount(label, w, len(self.classes_))
        rules = [self._rule(column, label, w) for column in table]
        errors = [counts.sum() - counts.max(axis=1).sum() for _, counts in rules]
        best = int(np.argmin(errors))
        self.column_ = table.names[best]
        self.thresholds_, self.counts_ = rules[best]
        self.errors_ = np.array(errors) / self.class_count_.sum()
        return self

    def _rule(self, column: Column, label: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The thresholds of a column and the counts of its buckets."""
        thresholds = self._thresholds(column, label, w)
        shape = _n_buckets(column, thresholds), len(self.classes_)
        return thresholds, _count(_buckets(column, thresholds), label, w, shape)

    def _thresholds(self, column: Column, label: np.ndarray, w: np.ndarray) -> np.ndarray:
        """Lower bounds of the second and later intervals; empty for a column of levels."""
        counted = ~column.missing & (w > 0)
        if column.kind.has_levels or not counted.any():
            return np.empty(0)
        values, places = np.unique(column.values[counted], return_inverse=True)
        counts = _count(places, label[counted], w[counted], (len(values), len(self.classes_)))
        closes = np.empty(len(values), dtype=np.bool_)
        close_intervals(counts, float(self.min_bucket_size), closes)
        ends = np.flatnonzero(closes)
        majority = np.add.reduceat(counts, np.append(0, ends[:-1] + 1)).argmax(axis=1)
        ends = ends[:-1][majority[1:] != majority[:-1]]
        return _between(values[ends], values[ends + 1])

    def predict(self, X: Any) -> np.ndarray:
        """The most frequent class among training rows of the same level or interval."""
        choices = self.predict_proba(X).argmax(axis=1)
        return self.classes_[choices]

    def predict_proba(self, X: Any) -> np.ndarray:
        """The class frequencies among training rows of the same level or interval."""
        check_is_fitted(self)
        column = table_input(self, X, reset=False)[self.column_]
        return self._shares()[_buckets(column, self.thresholds_)]

    def _shares(self) -> np.ndarray:
        """The class frequencies in each bucket; those of all rows if it is empty."""
        seen = self.counts_.sum(axis=1, keepdims=True) > 0
        counts = np.where(seen, self.counts_, self.class_count_)
        return counts / counts.sum(axis=1, keepdims=True)

    def rules(self) -> str:
        """The rule as text: one line per level or interval with its class and its accuracy on the training rows."""
        check_is_fitted(self)
        field = self.schema_[self.column_]
        names = _align(_bucket_names(field, self.thresholds_))
        labels = _align([str(label) for label in self.classes_[self._shares().argmax(axis=1)]])
        hits = [f"{c.max():g} of {c.sum():g}" if c.any() else "not seen" for c in self.counts_]
        right = self.counts_.max(axis=1).sum()
        lines = ["  ".join(["", *line]) for line in zip(names, labels, hits, strict=True)]
        return "\n".join([f"{self.column_}: {right:g} of {self.counts_.sum():g} right", *lines])

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless there is a bucket for every level or interval of the chosen column."""
        field = next((f for f in getattr(self, "schema_", None) or () if f.name == self.column_), None)
        if field is None or len(self.counts_) != _n_buckets(field, self.thresholds_):
            raise ModelFileError(
                f"OneRClassifier with {len(self.counts_)} buckets for column {self.column_!r}.",
                "a bucket for each of its levels or intervals, and one for missing values",
            )


def _n_buckets(column: Column | Field, thresholds: np.ndarray) -> int:
    return (len(column.levels) if column.kind.has_levels else len(thresholds) + 1) + 1


def _buckets(column: Column, thresholds: np.ndarray) -> np.ndarray:
    """The bucket of each value: its level or interval; -1, the last bucket, if missing."""
    if column.kind.has_levels:
        return column.values
    return np.where(np.isnan(column.values), -1, np.searchsorted(thresholds, column.values, side="right"))


def _count(buckets: np.ndarray, label: np.ndarray, w: np.ndarray, shape: tuple[int, int]) -> np.ndarray:
    """The weights of each class in each bucket."""
    cells = buckets % shape[0] * shape[1] + label
    return np.bincount(cells, w, shape[0] * shape[1]).reshape(shape)


def _between(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """The midpoint of low and high, always above low."""
    middle = 0.5 * low + 0.5 * high
    return np.where(middle > low, middle, high)


def _bucket_names(field: Field, thresholds: np.ndarray) -> list[str]:
    if field.kind.has_levels:
        return [*map(str, field.levels), "missing"]
    cuts = [str(np.datetime64(int(t), "D")) if field.dates else f"{t:g}" for t in thresholds]
    if not cuts:
        return ["any value", "missing"]
    inner = [f"{low} to {high}" for low, high in pairwise(cuts)]
    return [f"below {cuts[0]}", *inner, f"from {cuts[-1]}", "missing"]


def _align(cells: list[str]) -> list[str]:
    width = max(map(len, cells))
    return [cell.ljust(width) for cell in cells]


# -- discretisation of a sorted column into Holte's intervals ------------------------------------------


@njit(nogil=True, cache=True)
def close_intervals(counts, smallest, closes):
    """Holte's intervals: each is closed once a class has enough members and the next value is of another class.

    counts (IN)   float64[V, K]  weighted counts of the classes at each distinct value, ascending
    smallest (IN) float          members that the largest class of an interval must have
    closes (OUT)  bool[V]        true at the last value of each interval
    """
    n_values, n_classes = counts.shape
    members = np.zeros(n_classes)
    for v in range(n_values):
        for k in range(n_classes):
            members[k] += counts[v, k]
        best = members.argmax()
        closes[v] = v == n_values - 1 or (members[best] >= smallest and counts[v + 1, best] < counts[v + 1].max())
        if closes[v]:
            for k in range(n_classes):
                members[k] = 0.0

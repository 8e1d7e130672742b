"""Filters of subsets: columns that relate to the target and little to each other, by CFS and mRMR."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from probus.base import Model
from probus.data import Column, Table
from probus.feature_selection._column_scores import relation, table_of_counts
from probus.feature_selection._column_selector import ColumnSelector, WeightedSelector, check_number
from probus.parameters import attribute, parameter
from probus.preprocessing import ScreeningTarget
from probus.state import Array, Number, Spec

_MOST_BINS = 16
_PATIENCE = 5  # expansions without a better subset, after which the search of CFS ends (Hall 1999)

Dependence = Callable[[int, int], float]  # of two columns by their places; the last place is the target


# -- dependence of two columns of any kind --------------------------------------------------------------


def coded_values(values: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Numbers as codes of bins of about equal weight, ∛n of them but at most 16; -1 where missing. n is the weight.

    >>> coded_values(np.array([1.0, 5.0, np.nan, 2.0, 8.0, 9.0, 7.0, 3.0, 4.0]))
    array([ 0,  1, -1,  0,  1,  1,  1,  0,  0])
    """
    present = np.flatnonzero(~np.isnan(values))
    codes = np.full(len(values), -1)
    if len(present):
        order = present[np.argsort(values[present], kind="stable")]
        below = np.cumsum(np.ones(len(order)) if weights is None else weights[order])
        n_bins = int(np.clip(np.cbrt(below[-1]), 2, _MOST_BINS))
        cuts = values[order[np.searchsorted(below, np.arange(1, n_bins) * below[-1] / n_bins)]]
        codes[present] = np.searchsorted(cuts, values[present], side="left")
    return codes


def information_of_codes(a: np.ndarray, b: np.ndarray, weights: np.ndarray | None = None) -> tuple[float, float]:
    """The mutual information in nats of two sets of codes, and their mean entropy; -1 is missing."""
    present = (a >= 0) & (b >= 0)
    if not present.any():
        return 0.0, 0.0
    w = np.ones(int(present.sum())) if weights is None else weights[present]
    joint = table_of_counts(a[present], b[present], w) / w.sum()
    entropies = [-float((p[p > 0] * np.log(p[p > 0])).sum()) for p in (joint.sum(axis=1), joint.sum(axis=0), joint)]
    return max(0.0, entropies[0] + entropies[1] - entropies[2]), (entropies[0] + entropies[1]) / 2


class _Dependences:
    """The dependence of pairs of columns, each computed once; the target has the place after the last column."""

    def __init__(self, table: Table, target: ScreeningTarget, measure: str, weights: np.ndarray | None = None):
        self._columns, self._target, self._measure = tuple(table), target, measure
        self._weights = np.ones(len(table)) if weights is None else weights
        self._codes = [
            c.values.astype(np.int64) if c.kind.has_levels else coded_values(c.numbers_array(), weights) for c in table
        ]
        self._codes.append(target.values if target.n_classes else coded_values(target.values, weights))
        self._known: dict[tuple[int, int], float] = {}

    def __call__(self, i: int, j: int) -> float:
        pair = (min(i, j), max(i, j))
        if pair not in self._known:
            self._known[pair] = self._strength(*pair) if self._measure == "correlation" else self._information(*pair)
        return self._known[pair]

    def _information(self, i: int, j: int) -> float:
        found, entropy = information_of_codes(self._codes[i], self._codes[j], self._weights)
        if self._measure == "mutual_information":
            return found
        return found / entropy if entropy > 0 else 0.0

    def _strength(self, i: int, j: int) -> float:
        if j == len(self._columns):
            return relation(self._columns[i], self._target, self._weights).strength
        other = self._columns[j]
        rows = ~other.missing
        both = self._columns[i].take(rows), _as_target(other.take(rows))
        return relation(*both, self._weights[rows]).strength


def _as_target(column: Column) -> ScreeningTarget:
    if column.kind.has_levels:
        return ScreeningTarget(column.values.astype(np.int64), max(len(column.levels), 1))
    return ScreeningTarget(column.numbers_array())


# -- selectors -----------------------------------------------------------------------------------------


class CorrelationSubset(WeightedSelector):
    r"""Keep columns that are related to the target and not to each other, as many as are worth it (CFS, Hall 1999).

    The merit of k columns is :math:`k \bar r_{cf} / \sqrt{k + k (k-1) \bar r_{ff}}`, with the mean dependence of the
    columns on the target and on each other. A best-first search adds columns, until five steps in a row bring nothing.
    Sample weights count rows.

    Attributes
    ----------
    merit_ : the merit of the columns that are kept.
    support_ : which columns are kept.

    >>> import probus
    >>> people = probus.datasets.titanic().drop("Name", "Ticket", "Cabin", "PassengerId")
    >>> selector = CorrelationSubset().fit(people.drop("Survived"), people["Survived"])
    >>> selector.get_feature_names_out().tolist()
    ['Sex']
    """

    measure: str = parameter(
        'The dependence: "symmetric_uncertainty", mutual information over the mean entropy, of numbers in bins of '
        'equal frequency; or "correlation": |r|, the correlation ratio, or Cramér\'s V.',
        default="symmetric_uncertainty",
        one_of=("symmetric_uncertainty", "correlation"),
    )

    fitted: ClassVar[dict[str, Spec]] = {**ColumnSelector.fitted, "merit_": Number()}

    def _support_of(self, table: Table, target: ScreeningTarget, weights: np.ndarray) -> np.ndarray:
        best, self.merit_ = best_first(_Dependences(table, target, self.measure, weights), table.shape[1])
        kept = np.zeros(table.shape[1], dtype=bool)
        kept[list(best)] = True
        return kept


def merit(dependence: Dependence, subset: tuple[int, ...], target: int) -> float:
    """The merit of a subset."""
    k = len(subset)
    if k == 0:
        return 0.0
    with_target = sum(dependence(i, target) for i in subset) / k
    pairs = [dependence(i, j) for place, i in enumerate(subset) for j in subset[:place]]
    return k * with_target / float(np.sqrt(k + 2 * sum(pairs)))


def best_first(dependence: Dependence, d: int) -> tuple[tuple[int, ...], float]:
    """The subset with the best merit that a best-first search finds, and its merit."""
    open_subsets: list[tuple[float, tuple[int, ...]]] = [(0.0, ())]
    seen: set[tuple[int, ...]] = {()}
    best: tuple[int, ...] = ()
    highest, idle = 0.0, 0
    while open_subsets and idle < _PATIENCE:
        place = max(range(len(open_subsets)), key=lambda at: open_subsets[at][0])
        _, subset = open_subsets.pop(place)
        better = False
        for j in range(d):
            larger = tuple(sorted((*subset, j)))
            if j in subset or larger in seen:
                continue
            seen.add(larger)
            value = merit(dependence, larger, d)
            open_subsets.append((value, larger))
            if value > highest + 1e-12:
                best, highest, better = larger, value, True
        idle = 0 if better else idle + 1
    return best, highest


class MinimumRedundancy(WeightedSelector):
    """Keep k columns, one after the other the one most related to the target beyond those that are kept (mRMR).

    Relevance is the mutual information of a column with the target. Redundancy is the mean of that with the columns
    kept so far. Numbers are in bins of equal frequency (Peng, Long and Ding 2005). Sample weights count rows: the
    number of bins follows from their sum.

    Attributes
    ----------
    order_ : the places of the columns that are kept, in the order in which they were.
    relevance_ : the mutual information of each column with the target, in nats.
    support_ : which columns are kept.

    >>> rng = np.random.default_rng(0)
    >>> a, b = rng.normal(size=(2, 300))
    >>> X = np.column_stack([a, a + 0.01 * b, b])
    >>> MinimumRedundancy(k=2).fit(X, a + 0.7 * b > 0).order_
    array([1, 2])
    """

    k: int = parameter("The number of columns.", default=10, at_least=1, kw_only=False)
    scheme: str = parameter(
        'Relevance less redundancy ("difference"), or over it ("quotient").',
        default="difference",
        one_of=("difference", "quotient"),
    )

    relevance_: np.ndarray = attribute()
    order_: np.ndarray = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        **ColumnSelector.fitted,
        "relevance_": Array("f8", "d"),
        "order_": Array("i8", "k", low=0, high="d"),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """One column."""
        return [cls(1)]

    def _support_of(self, table: Table, target: ScreeningTarget, weights: np.ndarray) -> np.ndarray:
        d = table.shape[1]
        check_number(self.k, d)
        dependence = _Dependences(table, target, "mutual_information", weights)
        self.relevance_ = np.array([dependence(j, d) for j in range(d)])
        kept, redundancy = np.zeros(d, dtype=bool), np.zeros(d)
        order: list[int] = []
        for _ in range(self.k):
            mean = redundancy / max(len(order), 1)
            if self.scheme == "difference" or not order:
                scores = self.relevance_ - mean
            else:
                scores = self.relevance_ / (mean + 1e-12)
            chosen = int(np.where(kept, -np.inf, scores).argmax())
            kept[chosen] = True
            order.append(chosen)
            redundancy += [0.0 if kept[j] else dependence(j, chosen) for j in range(d)]
        self.order_ = np.array(order, dtype=np.int64)
        return kept

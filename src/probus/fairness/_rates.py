"""Rates of decisions: what share of some rows gets a decision, or has a label, in each group.

A ``Rate`` is the share of ``hits`` among the rows that it is ``of``: the true positive rate is the share of rows that
are selected among those with the positive label. Parts are data: a criterion names its rates.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import t

from probus.data import Column, Level, Table
from probus.errors import DataError
from probus.fairness._groups import Groups
from probus.fairness._intervals import GroupValues
from probus.metrics import Outcome
from probus.metrics.curves import effective_size, quantile, wilson

Rows = Callable[[np.ndarray, np.ndarray], np.ndarray]  # of the truth and the decision of each row, as booleans


@dataclass(frozen=True)
class Rate:
    """A share of rows.

    Attributes
    ----------
    name : in code, fairlearn's where it has it.
    label : in tables.
    of : the rows that count, from truth and decision.
    hits : those that are counted.
    what : the rows that count, in words.
    """

    name: str
    label: str
    of: Rows
    hits: Rows
    what: str


RATES = {
    rate.name: rate
    for rate in (
        Rate("selection_rate", "selection rate", lambda y, d: np.ones_like(y), lambda y, d: d, "rows"),
        Rate("true_positive_rate", "TPR", lambda y, d: y, lambda y, d: d, "rows with the positive label"),
        Rate("false_positive_rate", "FPR", lambda y, d: ~y, lambda y, d: d, "rows with the negative label"),
        Rate("false_negative_rate", "FNR", lambda y, d: y, lambda y, d: ~d, "rows with the positive label"),
        Rate("true_negative_rate", "TNR", lambda y, d: ~y, lambda y, d: ~d, "rows with the negative label"),
        Rate("positive_predictive_value", "PPV", lambda y, d: d, lambda y, d: y, "selected rows"),
        Rate("accuracy", "accuracy", lambda y, d: np.ones_like(y), lambda y, d: y == d, "rows"),
        Rate("error_rate", "error rate", lambda y, d: np.ones_like(y), lambda y, d: y != d, "rows"),
        Rate("base_rate", "base rate", lambda y, d: np.ones_like(y), lambda y, d: y, "rows"),
    )
}


OF_RIGHT = {"accuracy", "error_rate"}  # which are defined for any number of classes


@dataclass(frozen=True, eq=False)
class Decisions:
    """Truth and decision of each row, as booleans, with weights.

    Attributes
    ----------
    actual : whether the label is the positive one.
    selected : whether the prediction is.
    weights : float64[n], or None.
    positive : the positive label.
    clusters : int64[n], what each row belongs to, such as a person; None where rows are independent.
    """

    actual: np.ndarray
    selected: np.ndarray
    weights: np.ndarray | None
    positive: Level
    clusters: np.ndarray | None = None

    @classmethod
    def of_outcome(cls, outcome: Outcome, clusters: np.ndarray | None = None) -> Decisions:
        """Those of an outcome with a positive class."""
        if outcome.positive is None:
            raise DataError(
                f"{len(outcome.classes)} classes without a positive one.",
                "two classes, or the label of the wanted one",
                "Pass pos_label=…: the outcome that people want, or fear.",
            )
        predicted = outcome.need("predicted")
        positive = outcome.positive
        label = outcome.classes[positive]
        return cls(outcome.actual == positive, predicted == positive, outcome.weights, label, clusters)

    @classmethod
    def of(
        cls, y_true: Any, y_pred: Any, pos_label: Level | None, sample_weight: Any, clusters: Any = None
    ) -> Decisions:
        """Those of labels as users pass them; of 0 and 1, or −1 and 1, the positive one is 1."""
        outcome = Outcome.of(y_true, y_pred, pos_label=pos_label, sample_weight=sample_weight)
        return cls.of_outcome(outcome, cluster_codes(clusters, len(outcome)))

    @classmethod
    def of_right(cls, y_true: Any, y_pred: Any, sample_weight: Any, clusters: Any = None) -> Decisions:
        """Those of any number of classes, of which only accuracy is asked: a right decision selects."""
        outcome = Outcome.of(y_true, y_pred, sample_weight=sample_weight)
        right = outcome.need("predicted") == outcome.actual
        return cls(np.ones(len(right), bool), right, outcome.weights, True, cluster_codes(clusters, len(outcome)))


@dataclass(frozen=True, eq=False)
class Shares:
    """The rate of each group, and what its interval is made of.

    Attributes
    ----------
    values : float64[G], NaN of groups without rows that count.
    effective : how many independent rows of equal weight know as much.
    rows : the number of rows that count.
    clusters : the number of clusters they are in; None where rows are independent.
    """

    values: np.ndarray
    effective: np.ndarray
    rows: np.ndarray
    clusters: np.ndarray | None = None

    def interval(self, level: float) -> tuple[np.ndarray, np.ndarray]:
        """Wilson's intervals; with clusters those of Korn and Graubard (1998), with Student's t."""
        n = self.effective
        if self.clusters is not None:
            n = n * (quantile(level) / t.ppf((1 + level) / 2, np.maximum(self.clusters - 1, 1))) ** 2
        return wilson(self.values, n, level)

    @property
    def group_values(self) -> GroupValues:
        """The same as values with intervals of any level."""
        return GroupValues(self.values.copy(), self.interval)


def cluster_codes(clusters: Any, n: int) -> np.ndarray | None:
    """What rows belong to, as users pass it, as numbers from 0 on; missing values are clusters of their own."""
    if clusters is None:
        return None
    values = clusters if isinstance(clusters, Column) else Table.of({"groups": clusters}, infer=False)["groups"]
    if len(values) != n:
        raise DataError(f"groups has {len(values):,} rows and y has {n:,}.", "what each row belongs to")
    codes = np.unique(values.decoded().astype(str), return_inverse=True)[1].astype(np.int64)
    missing = np.asarray(values.missing)
    codes[missing] = codes.max(initial=0) + 1 + np.arange(int(missing.sum()))
    codes = np.unique(codes, return_inverse=True)[1].astype(np.int64)
    if len(codes) and codes.max() == 0:
        raise DataError("one cluster in groups.", "rows of at least two")
    return codes


def rates_of(rate: Rate, decisions: Decisions, groups: Groups) -> Shares:
    """The rate of each group."""
    of, hits = (part(decisions.actual, decisions.selected) for part in (rate.of, rate.hits))
    weights = np.ones(len(of)) if decisions.weights is None else decisions.weights
    codes, w, hit = groups.codes[of], weights[of], hits[of].astype(np.float64)
    total, squares, summed = (np.bincount(codes, each, minlength=len(groups)) for each in (w, w**2, w * hit))
    counts = np.bincount(codes, minlength=len(groups))
    share = np.divide(summed, total, out=np.full(len(groups), np.nan), where=total > 0)
    n = effective_size(total, squares)
    if decisions.clusters is None:
        return Shares(share, n, counts)
    error, m = clustered_errors(hit, w, codes, share, decisions.clusters[of])
    spread = share * (1 - share)
    seen = np.divide(spread, error**2, out=m.astype(np.float64), where=(error > 0) & (spread > 0))
    return Shares(share, np.minimum(seen, n), counts, m)


def values_of(rate: Rate, decisions: Decisions, groups: Groups) -> GroupValues:
    """The rate of each group with intervals."""
    return rates_of(rate, decisions, groups).group_values


def clustered_errors(
    numbers: np.ndarray, weights: np.ndarray, codes: np.ndarray, means: np.ndarray, clusters: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """The standard error of the mean of each group where rows come in clusters, and the number of clusters.

    The linearised error: the squared sums of the residuals of each cluster, times m / (m - 1).
    """
    size, k = len(means), int(clusters.max(initial=0)) + 1
    cells = codes * k + clusters
    sums = np.bincount(cells, weights * (numbers - means[codes]), minlength=size * k).reshape(size, k)
    m = (np.bincount(cells, minlength=size * k).reshape(size, k) > 0).sum(axis=1)
    total = np.bincount(codes, weights, minlength=size)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt((sums**2).sum(axis=1) * m / (m - 1)) / total, m

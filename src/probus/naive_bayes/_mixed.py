"""Naive Bayes for tables with columns of any kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import ArrayValue, NoneAllowed
from probus.base import Accepts, Model, checked_weights, encoded_classes, table_input
from probus.data import Column, Kind, Schema, Table
from probus.errors import ModelFileError
from probus.naive_bayes._class_priors import checked_priors
from probus.naive_bayes._distributions import class_samples, clipped, level_log_probs, normal_fit, normal_log_densities
from probus.naive_bayes._kernels import kernel_log_densities
from probus.naive_bayes._posterior import BayesClassifier
from probus.parameters import attribute, parameter
from probus.state import Array, Labels, Maybe, Spec

_WIDTH = {
    "silverman": lambda n: (4.0 / (3.0 * n)) ** 0.2,
    "scott": lambda n: n**-0.2,
}


class NaiveBayes(BayesClassifier):
    """Naive Bayes for columns of any kind: a density for numbers, frequencies for levels.

    log P(y | x) = log P(y) + Σ_j log P(x_j | y) − log P(x). Missing values are omitted from the sum, in fitting
    and in prediction; unknown levels are treated as missing. A weight of 2 is equal to repeating the row.

    Attributes
    ----------
    theta_, var_ : arrays of classes × numeric columns
        Means and variances.
    log_prob_ : array of classes × levels
        log P(level | class), for the levels of all columns that have them, one column after another.
    bandwidth_ : array of classes × numeric columns
        Widths of the kernels, for ``numeric="kernel"``.

    Examples
    --------
    >>> from probus import Table
    >>> weather = Table.of({"sky": ["sun", "sun", "rain", None], "warm": [21.0, 25.0, 12.0, 14.0]})
    >>> model = NaiveBayes().fit(weather, ["play", "play", "stay", "stay"])
    >>> today = Table.of({"sky": ["rain"], "warm": [None]})
    >>> model.predict(today)
    array(['stay'], dtype='<U4')
    >>> model.contributions(today).round(2)
    array([[[-0.61,  0.37],
            [ 0.  ,  0.  ]]])
    """

    numeric: str = parameter(
        "A normal density for each numeric column within each class, or the average of one small normal "
        "density around each training value.",
        default="gaussian",
        one_of=("gaussian", "kernel"),
    )
    smoothing: str = parameter(
        "The probability of a level that does not occur in a class: a pseudo-count ``alpha``, added to every "
        "level, or ``epsilon``, with the other probabilities scaled down.",
        default="laplace",
        one_of=("laplace", "epsilon"),
    )
    alpha: float = parameter("The pseudo-count of Laplace smoothing.", default=1.0, above=0)
    epsilon: float | None = parameter(
        "The probability of epsilon smoothing; by default 1 / (rows × levels), so below 1 / rows.",
        default=None,
        above=0,
        below=1,
    )
    var_smoothing: float = parameter(
        "The share of a column's variance that is added to its variance within each class. A variance is at "
        "least g²/12, where g is the smallest difference between two values. Constant columns are ignored.",
        default=1e-9,
        above=0,
    )
    bandwidth: str | float = parameter(
        "Width of the kernels, in standard deviations of the column within the class: (4 / 3n)^⅕, n^-⅕, or a number.",
        default="silverman",
        one_of=("silverman", "scott"),
        above=0,
    )
    priors: Any = parameter(
        "Class probabilities; by default the class frequencies.", default=None, of=[ArrayValue(), NoneAllowed()]
    )

    bandwidth_: Any = attribute()
    kernel_count_: Any = attribute()
    kernel_value_: Any = attribute()
    kernel_weight_: Any = attribute()
    accepts = Accepts(nominal=True, missing=True, weights=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("K"),
        "class_count_": Array("f8", "K"),
        "class_prior_": Array("f8", "K"),
        "theta_": Array("f8", "K m"),
        "var_": Array("f8", "K m"),
        "log_prob_": Array("f8", "K L"),
        "bandwidth_": Maybe(Array("f8", "K m")),
        "kernel_count_": Maybe(Array("i8", "m K", low=0)),
        "kernel_value_": Maybe(Array("f8", "T")),
        "kernel_weight_": Maybe(Array("f8", "T")),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """Both densities and both ways of smoothing."""
        return [cls(), cls(numeric="kernel", smoothing="epsilon")]

    # -- fitting ---------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> NaiveBayes:
        """Estimate the distribution of each column within each class."""
        table = table_input(self, X, reset=True)
        self.classes_, label = encoded_classes(y, table.n_rows)
        weights = checked_weights(sample_weight, label)
        w = np.ones(table.n_rows) if weights is None else weights
        self.class_count_ = np.bincount(label, w, len(self.classes_))
        frequencies = self.class_count_ / self.class_count_.sum()
        self.class_prior_ = frequencies if self.priors is None else checked_priors(self.priors, len(self.classes_))
        self._learn_numbers(table.of_kind(Kind.NUMERIC), label, w)
        self._learn_levels([column for column in table if column.kind.has_levels], label, w)
        return self

    def _learn_numbers(self, columns: list[Column], label: np.ndarray, w: np.ndarray) -> None:
        n_classes = len(self.classes_)
        moments = np.zeros((2, n_classes, len(columns)))
        for j, column in enumerate(columns):
            moments[:, :, j] = normal_fit(column.values, label, w, n_classes, self.var_smoothing, column.name)
        self.theta_, self.var_ = np.ascontiguousarray(moments[0]), np.ascontiguousarray(moments[1])
        if self.numeric == "kernel":
            self._learn_kernels(columns, label, w)
        else:
            self.bandwidth_ = self.kernel_count_ = self.kernel_value_ = self.kernel_weight_ = None

    def _learn_kernels(self, columns: list[Column], label: np.ndarray, w: np.ndarray) -> None:
        n_classes = len(self.classes_)
        by_column = [class_samples(column.values, label, w, n_classes) for column in columns]
        samples = [sample for of_classes in by_column for sample in of_classes]
        nothing = [np.empty(0)]
        self.kernel_value_ = np.concatenate([values for values, _ in samples] or nothing)
        self.kernel_weight_ = np.concatenate([weights for _, weights in samples] or nothing)
        shape = (len(columns), n_classes)
        self.kernel_count_ = np.array([len(values) for values, _ in samples], dtype=np.int64).reshape(shape)
        totals = np.array([weights.sum() for _, weights in samples]).reshape(shape).T
        with np.errstate(divide="ignore"):  # a column without values has no bandwidth
            width = _WIDTH[self.bandwidth](totals) if isinstance(self.bandwidth, str) else self.bandwidth
        self.bandwidth_ = width * np.sqrt(self.var_)

    def _learn_levels(self, columns: list[Column], label: np.ndarray, w: np.ndarray) -> None:
        n_classes = len(self.classes_)
        tables = [np.empty((n_classes, 0))]
        for column in columns:
            n_levels = len(column.levels)
            there = column.values >= 0
            cells = label[there] * n_levels + column.values[there]
            counts = np.bincount(cells, w[there], n_classes * n_levels).reshape(n_classes, n_levels)
            small = 1.0 / (max(w.sum(), 1.0) * max(n_levels, 2))
            epsilon = small if self.epsilon is None else self.epsilon
            tables.append(level_log_probs(counts, self.smoothing, self.alpha, epsilon))
        self.log_prob_ = np.concatenate(tables, axis=1)

    # -- scoring ---------------------------------------------------------------------------------------

    def contributions(self, X: Any) -> np.ndarray:
        """The contribution of each column to each class: log P(y | x_j) − log P(y), shape rows × columns × classes.

        Positive values are evidence for the class, negative ones against it; missing values contribute 0. The
        posterior is proportional to P(y) times the exponential of the sum over columns.
        """
        check_is_fitted(self)
        table = self._checked(X)
        evidence = np.stack(list(self._log_likelihoods(table)), axis=1)
        weighted = evidence + self._log_prior()
        peak = weighted.max(axis=2, keepdims=True)
        return evidence - peak - np.log(np.exp(weighted - peak).sum(axis=2, keepdims=True))

    def _checked(self, X: Any) -> Table:
        return table_input(self, X, reset=False)

    def _operations_per_row(self) -> float:
        kernels = 0.0 if self.kernel_value_ is None else 10.0 * len(self.kernel_value_)
        return kernels + self.n_features_in_ * len(self.classes_)

    def _log_prior(self) -> np.ndarray:
        with np.errstate(divide="ignore"):  # a class may have no weight
            return np.log(self.class_prior_)

    def _joint_log_likelihood(self, X: Table) -> np.ndarray:
        scores = np.tile(self._log_prior(), (X.n_rows, 1))
        for column_scores in self._log_likelihoods(X):
            scores += column_scores
        return scores

    def _log_likelihoods(self, table: Table) -> Iterator[np.ndarray]:
        """For each column log P(x_j | y) of every row and class; 0 where the value is missing."""
        nothing = np.zeros((len(self.classes_), 1))
        number = level = 0
        for column in table:
            if column.kind is Kind.NUMERIC:
                yield self._numeric_scores(column.values, number)
                number += 1
            else:
                log_prob = self.log_prob_[:, level : level + len(column.levels)]
                yield np.concatenate([log_prob, nothing], axis=1).T[column.values]  # missing, -1, takes the last
                level += len(column.levels)

    def _numeric_scores(self, x: np.ndarray, j: int) -> np.ndarray:
        theta, var = self.theta_[:, j], self.var_[:, j]
        if self.kernel_value_ is None or np.isnan(var[0]):
            return normal_log_densities(clipped(x, theta, var), theta, var)
        x = np.require(clipped(x, theta, self.bandwidth_[:, j] ** 2), requirements=["C", "W"])
        scores = np.empty((len(self.classes_), len(x)))
        ends = np.cumsum(self.kernel_count_).reshape(self.kernel_count_.shape)[j]
        for k, end in enumerate(ends):
            sample = slice(end - self.kernel_count_[j, k], end)
            values, weights = self.kernel_value_[sample], self.kernel_weight_[sample]
            kernel_log_densities(x, values, weights, self.bandwidth_[k, j], scores[k])
        return scores.T

    # -- loading ---------------------------------------------------------------------------------------

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless the fitted arrays match the schema."""
        schema: Schema | None = getattr(self, "schema_", None)
        numeric = [field for field in schema or () if field.kind is Kind.NUMERIC]
        n_levels = sum(len(field.levels) for field in schema or ())
        found = (self.theta_.shape[1], self.log_prob_.shape[1])
        if schema is None or found != (len(numeric), n_levels):
            raise ModelFileError(
                f"NaiveBayes with {found[0]} numeric columns and {found[1]} levels.",
                f"those of its schema, {len(numeric)} and {n_levels}",
            )
        kernels = [self.kernel_count_, self.kernel_value_, self.kernel_weight_, self.bandwidth_]
        if any(part is not None for part in kernels):
            self._check_kernels(*kernels)

    def _check_kernels(self, counts: Any, values: Any, weights: Any, bandwidth: Any) -> None:
        whole = counts is not None and values is not None and weights is not None and bandwidth is not None
        if not whole or (counts > len(values)).any() or counts.sum() != len(values):
            raise ModelFileError("NaiveBayes with incomplete kernel densities.", "values for each column")
        if (counts[~np.isnan(self.var_[0])] == 0).any():
            raise ModelFileError("NaiveBayes with a kernel density of no values.", "values for each class")

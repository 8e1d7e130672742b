"""Naive Bayes for categorical columns, coded 0, 1, 2 …"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils import Tags

from probus.allowed_values import ArrayValue, IntegerIn, NoneAllowed
from probus.base import Accepts, matrix_input, table_input
from probus.data import Table, are_records, is_frame
from probus.errors import DataError, ModelFileError
from probus.naive_bayes._discrete import CLASS_PRIOR, FIT_PRIOR, FORCE_ALPHA, DiscreteBayes
from probus.naive_bayes._kernels import category_ranges, category_scores, count_categories
from probus.naive_bayes._posterior import CHUNK
from probus.parallel import chunked, thread_count
from probus.parameters import attribute, parameter
from probus.state import Array, Labels, Spec

# integers of any width are accepted and converted chunk by chunk
_WHOLE = [np.int64, np.int32, np.int16, np.int8, np.uint8, np.uint16, np.uint32]
_MOST = 10_000_000  # categories of a column: there is a count of each, for every class


class CategoricalNB(DiscreteBayes):
    """Naive Bayes for categorical columns.

    P(x_j = c | y) = (N_yjc + α) / (N_y + α n_j), with n_j the number of categories of column j.

    An array holds categories as 0, 1, 2 …; fractions are truncated, as in scikit-learn. A Table or a frame may hold
    levels instead, which are matched by name.

    Examples
    --------
    >>> model = CategoricalNB().fit([[0, 2], [0, 1], [1, 0]], ["a", "a", "b"])
    >>> model.n_categories_
    array([2, 3])
    >>> model.predict_proba([[1, 0]]).round(3)
    array([[0.231, 0.769]])
    """

    alpha: float = parameter("Pseudo-count added to every category: Laplace smoothing.", default=1.0, at_least=0)
    force_alpha: bool = FORCE_ALPHA
    fit_prior: bool = FIT_PRIOR
    class_prior: Any = CLASS_PRIOR
    min_categories: Any = parameter(
        "Minimum number of categories per column, for categories that do not occur in the training rows.",
        default=None,
        of=[NoneAllowed(), ArrayValue(), IntegerIn(at_least=1)],
    )

    n_categories_: np.ndarray = attribute()
    counts_: np.ndarray = attribute()
    accepts = Accepts(nominal=True, weights=True, negative=False)
    fitted: ClassVar[dict[str, Spec]] = {
        "classes_": Labels("K"),
        "class_count_": Array("f8", "K"),
        "class_log_prior_": Array("f8", "K"),
        "n_categories_": Array("i8", "d", low=1),
        "counts_": Array("f8", "K L"),
        "log_prob_": Array("f8", "K L"),
    }

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = False  # arrays hold codes; only frames hold levels
        return tags

    @property
    def category_count_(self) -> list[np.ndarray]:
        """For each column the weighted count of each category within each class: arrays of K × categories."""
        return self._by_column(self.counts_)

    @property
    def feature_log_prob_(self) -> list[np.ndarray]:
        """For each column log P(category | class): arrays of K × categories."""
        return self._by_column(self.log_prob_)

    def _by_column(self, table: np.ndarray) -> list[np.ndarray]:
        return np.split(table, np.cumsum(self.n_categories_)[:-1], axis=1)

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless the tables have the number of categories of the columns."""
        size = self.counts_.shape[1]
        if (self.n_categories_ > size).any() or self.n_categories_.sum() != size:
            raise ModelFileError(
                f"CategoricalNB.n_categories_ is {self.n_categories_}.", f"numbers that add up to {size} categories"
            )

    # -- input -----------------------------------------------------------------------------------------

    def _training_input(self, X: Any, *, reset: bool) -> np.ndarray:
        if reset:
            self.__dict__.pop("schema_", None)
            if is_frame(X) or type(X) is dict or are_records(X):
                table = Table.of(X, infer=False)
                X = table if any(column.kind.has_levels for column in table) else X
        if hasattr(self, "schema_") or (reset and isinstance(X, Table)):
            table = table_input(self, X, reset=reset)
            return np.column_stack([column.values.astype(np.int64) for column in table])
        return matrix_input(self, X, reset=reset, dtype=_WHOLE)

    def _checked(self, X: Any) -> np.ndarray:
        return self._training_input(X, reset=False)

    # -- fitting ---------------------------------------------------------------------------------------

    def _count(
        self, X: np.ndarray, codes: np.ndarray, weights: np.ndarray | None, n_classes: int
    ) -> tuple[np.ndarray, np.ndarray]:
        """The number of categories of each column, and the counts of all."""
        n_categories = self._categories_needed(X)
        start, counts = _starts(n_categories), np.zeros((n_classes, n_categories.sum()))
        w = np.empty(0) if weights is None else weights

        def part(first: int, last: int) -> None:
            """Count some columns: threads share no counts, so sums do not depend on the number of threads."""
            for at in range(0, len(X), CHUNK):
                rows = _chunk(X, at, at + CHUNK)
                count_categories(rows, codes[at : at + CHUNK], w[at : at + CHUNK], start, (first, last), counts)

        chunked(part, X.shape[1], thread_count(None, X.size))
        return n_categories, counts

    def _categories_needed(self, X: np.ndarray) -> np.ndarray:
        needed = _largest_codes(X) + 1
        if hasattr(self, "schema_"):
            needed = np.maximum(needed, [len(field.levels) for field in self.schema_])
        if self.min_categories is None:
            return needed
        least = np.asarray(self.min_categories)
        if not np.issubdtype(least.dtype, np.signedinteger):
            raise ValueError(f"'min_categories' should have integral type. Got {least.dtype} instead.")
        if least.shape not in ((), needed.shape):
            raise ValueError(
                f"'min_categories' should have shape ({X.shape[1]},) when an array-like is provided. "
                f"Got {least.shape} instead."
            )
        return np.maximum(needed, least)

    def _keep(self, counts: tuple[np.ndarray, np.ndarray], *, first: bool) -> None:
        if not first:
            past = self.n_categories_, self.counts_
            sizes = np.maximum(past[0], counts[0])
            counts = sizes, _widened(*past, sizes) + _widened(*counts, sizes)
        self.n_categories_, self.counts_ = counts

    def _smooth(self, alpha: float) -> None:
        smoothed = self.counts_ + alpha
        start = _starts(self.n_categories_)
        totals = np.add.reduceat(smoothed, start, axis=1)
        self.log_prob_ = np.log(smoothed) - np.repeat(np.log(totals), self.n_categories_, axis=1)

    # -- scoring ---------------------------------------------------------------------------------------

    def _joint_log_likelihood(self, X: np.ndarray) -> np.ndarray:
        rows = _chunk(X, 0, len(X))
        self._check_categories(rows)
        scores = np.empty((len(rows), len(self.classes_)))
        category_scores(rows, self.class_log_prior_, _starts(self.n_categories_), self.log_prob_, scores)
        return scores

    def _check_categories(self, rows: np.ndarray) -> None:
        """Raise an error if a row holds an unknown category."""
        largest = _largest_codes(rows)
        beyond = np.flatnonzero(largest >= self.n_categories_)
        if len(beyond):
            shown = "; ".join(
                f"column {j} holds {largest[j]}, fitted with 0 to {self.n_categories_[j] - 1}" for j in beyond[:3]
            )
            raise DataError(
                f"unknown categories: {shown}.",
                "categories seen in fit",
                "Pass min_categories to allow them.",
            )


def _starts(n_categories: np.ndarray) -> np.ndarray:
    """The offset of each column's categories in the table of all categories."""
    return np.cumsum(n_categories) - n_categories


def _widened(n_categories: np.ndarray, counts: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """A table of counts extended to so many categories of each column."""
    wide = np.zeros((len(counts), sizes.sum()))
    column = np.repeat(np.arange(len(sizes)), n_categories)
    wide[:, np.arange(counts.shape[1]) + (_starts(sizes) - _starts(n_categories))[column]] = counts
    return wide


def _chunk(X: np.ndarray, start: int, stop: int) -> np.ndarray:
    return np.require(X[start:stop], np.int64, ["C", "W"])


def _largest_codes(X: np.ndarray) -> np.ndarray:
    """The largest code of each column; a negative one is an error."""

    def part(start: int, stop: int) -> np.ndarray:
        ranges = np.zeros((2, X.shape[1]), dtype=np.int64)
        category_ranges(_chunk(X, start, stop), *ranges)
        return ranges

    ranges = np.array(chunked(part, len(X), thread_count(None, X.size), chunk=CHUNK))
    if ranges[:, 0].min() < 0:
        raise DataError("Negative values in data passed to CategoricalNB (input X).", "codes of categories, from 0")
    largest = ranges[:, 1].max(axis=0)
    if largest.max() >= _MOST:
        raise DataError(
            f"CategoricalNB found the category {largest.max()} in column {int(largest.argmax())}.",
            f"codes of categories, from 0 to {_MOST - 1}: there is a count for each",
            "Encode the column with OrdinalEncoder, or use GaussianNB for numbers.",
        )
    return largest

"""Base class of selectors: transformers that keep some of the columns, whole nominal ones included."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csc_array, issparse
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from probus.base import Accepts, RequiredTargetMixin, checked_weights, table_input
from probus.data import Table, checked_sparse, has_names
from probus.display import counted
from probus.errors import DataError
from probus.parameters import attribute
from probus.preprocessing import ScreeningTarget, TableTransformer, in_container_of
from probus.state import Array, Spec

_NONE = "No features were selected: either the data is too noisy or the selection test too strict."


def numbers_input(selector: Any, X: Any, *, reset: bool, dtype: Any = "numeric") -> Any:
    """X as scikit-learn validates it, sparse or dense, with missing values where the selector accepts them."""
    if reset:
        selector.__dict__.pop("schema_", None)
    missing = "allow-nan" if selector.accepts.missing else True
    X = checked_sparse(X) if issparse(X) else X
    return validate_data(selector, X, reset=reset, dtype=dtype, accept_sparse=["csc", "csr"], ensure_all_finite=missing)


def are_numbers(X: Any) -> bool:
    """Whether X is an array of numbers, which needs no table."""
    return type(X) is np.ndarray and X.ndim == 2 and X.dtype.kind in "biuf"


class ColumnSelector(TableTransformer):
    """Base class of selectors: a subclass decides which columns of a typed table, or of a matrix, are kept."""

    support_: np.ndarray = attribute()
    accepts: ClassVar[Any] = Accepts(nominal=True, missing=True)
    fitted: ClassVar[dict[str, Spec]] = {"support_": Array("?", "d")}

    @abstractmethod
    def _support(self, table: Table, y: Any) -> np.ndarray:
        """Which columns are kept; other fitted attributes are set too."""

    def get_support(self, indices: bool = False) -> np.ndarray:
        """Which columns are kept, as a mask; with ``indices``, their positions."""
        check_is_fitted(self)
        return np.flatnonzero(self.support_) if indices else self.support_

    def inverse_transform(self, X: Any) -> Any:
        """Kept columns of numbers in their former places, the others 0."""
        check_is_fitted(self)
        if not issparse(X):
            X = check_array(X, dtype=None, accept_sparse="csc")
        if X.shape[1] != self.support_.sum():
            raise DataError(
                f"X has a different shape than during fitting: {X.shape[1]} columns.", f"{self.support_.sum()} columns"
            )
        if issparse(X):
            X = csc_array(X)
            lengths = np.zeros(len(self.support_), dtype=X.indptr.dtype)
            lengths[self.support_] = np.diff(X.indptr)
            starts = np.concatenate([[0], np.cumsum(lengths)])
            return csc_array((X.data, X.indices, starts), shape=(X.shape[0], len(self.support_)))
        whole = np.zeros((X.shape[0], len(self.support_)), dtype=X.dtype)
        whole[:, self.support_] = X
        return whole

    def transform(self, X: Any) -> Any:
        """The columns that are kept."""
        check_is_fitted(self)
        if hasattr(self, "schema_") and not issparse(X) and not are_numbers(X):
            table = table_input(self, X, reset=False)
            if not self.support_.any():
                return self._nothing(X, len(table))
            return in_container_of(self, self._applied(table), X)
        matrix = numbers_input(self, X, reset=False, dtype=None)
        if not self.support_.any():
            return self._nothing(X, matrix.shape[0])
        if has_names(X):
            return in_container_of(self, self._applied(Table.of(X, infer=False)), X)
        return matrix[:, np.flatnonzero(self.support_)]

    def _nothing(self, X: Any, n_rows: int) -> Any:
        """The kept columns if there are none."""
        warnings.warn(_NONE, UserWarning, stacklevel=3)
        if has_names(X):
            return in_container_of(self, Table([]), X)
        return np.empty((n_rows, 0), dtype=getattr(X, "dtype", np.float64))

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> Any:
        """``fit`` and ``transform`` of the same rows."""
        return self.fit(X, y, **fit_params).transform(X)

    def _learn(self, table: Table, y: Any) -> None:
        self.support_ = self._support(table, y)

    def _applied(self, table: Table) -> Table:
        return table.select(*self._names_out(table.names))

    def _names_out(self, names: Sequence[str]) -> list[str]:
        return [name for name, kept in zip(names, self.support_, strict=True) if kept]


class WeightedSelector(RequiredTargetMixin, ColumnSelector):
    """Base class of selectors by a statistic of weighted rows and a target."""

    accepts: ClassVar[Any] = Accepts(nominal=True, missing=True, weights=True)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> WeightedSelector:
        """Select by the training rows; a row of weight 2 counts as two rows."""
        table, labels, weights, _ = weighted_rows(table_input(self, X, reset=True), y, sample_weight)
        target = ScreeningTarget.of(labels, len(table))
        if target.n_classes == 1:
            raise DataError("the target has one class only.", "at least two classes, or numbers")
        self.support_ = self._support_of(table, target, np.ones(len(table)) if weights is None else weights)
        return self

    @abstractmethod
    def _support_of(self, table: Table, target: ScreeningTarget, weights: np.ndarray) -> np.ndarray:
        """Which columns are kept; other fitted attributes are set too."""

    def _support(self, table: Table, y: Any) -> np.ndarray:
        raise NotImplementedError  # fit selects


def weighted_rows(
    table: Table, y: Any, sample_weight: Any, groups: Any = None
) -> tuple[Table, np.ndarray, np.ndarray | None, np.ndarray | None]:
    """The rows with a weight above 0, their labels, weights and groups."""
    ScreeningTarget.of(y, len(table))  # an error where there is no target for every row
    labels = y.decoded() if hasattr(y, "decoded") else np.asarray(y)
    weights = checked_weights(sample_weight, np.empty((len(table), 0)))
    groups = None if groups is None else np.asarray(groups)
    if groups is not None and len(groups) != len(table):
        raise DataError(f"{len(groups)} groups of {counted(len(table), 'row')}.", "a group for each row")
    if weights is None or weights.min() > 0:
        return table, labels, weights, groups
    rows = np.flatnonzero(weights)
    return table.take(rows), labels[rows], weights[rows], None if groups is None else groups[rows]


def check_number(k: int, n_columns: int, name: str = "k") -> None:
    """Refuse to keep more columns than there are."""
    if k > n_columns:
        raise DataError(f"{name}={k} of {counted(n_columns, 'column')}.", f"a number from 1 to {n_columns}")

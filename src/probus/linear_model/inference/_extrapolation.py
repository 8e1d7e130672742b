"""A warning where rows lie far outside the range of the training data, where a linear model has no data to rely on."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import issparse

from probus.base import Model
from probus.compiling import njit
from probus.display import counted_of
from probus.held_out import are_held_out
from probus.sklearn_seam import SCORING_LOOP
from probus.state import Array, Number, Part, Spec

_MANY_CELLS = 50_000
_FITS = ("fit", "fit_transform")  # of scikit-learn's, such as RANSACRegressor, which predict what they did not train on
_NAMED = 3


class ExtrapolationWarning(UserWarning):
    """Rows to predict lie far outside the training range; silenced like any warning, by its class.

    >>> warnings.simplefilter("ignore", ExtrapolationWarning)
    """


@dataclass(frozen=True, eq=False)
class TrainingRange(Part):
    """The range of each column in training.

    Attributes
    ----------
    low, high : the smallest and the largest value of each column.
    n_rows : the number of rows.
    """

    low: np.ndarray
    high: np.ndarray
    n_rows: int

    declared: ClassVar[dict[str, Spec]] = {"low": Array("f8", "d"), "high": Array("f8", "d"), "n_rows": Number()}

    @property
    def margin(self) -> float:
        """The share of the range beyond which a value is far outside: a quarter, and more for few rows.

        New rows of the same distribution often exceed the range of few rows by a quarter, and rarely by this.
        """
        return 0.25 + 10.0 / max(self.n_rows, 1)


def training_range(X: Any) -> TrainingRange | None:
    """The range of the columns; None for sparse rows, whose counts of rare words exceed any range."""
    return None if issparse(X) else TrainingRange(*_column_range(X), X.shape[0])


def warn_of_extrapolation(
    model: Model, X: Any, trained: TrainingRange | None, names_of: Callable[[Model, int], list[str]]
) -> None:
    """Warn where values lie beyond the training range by more than its margin: which columns, how many rows.

    Columns that were constant in training have no range, and no coefficient. Nothing is reported in cross-validation,
    where rows at the edge of the data are predicted by construction.
    """
    if trained is None or issparse(X):
        return
    with np.errstate(over="ignore"):
        reach = trained.margin * (trained.high - trained.low)
        least, most = trained.low - reach, trained.high + reach
    low, high = _column_range(X)
    columns = np.flatnonzero(((low < least) | (high > most)) & (reach > 0))
    if not len(columns) or are_held_out() or _in_foreign_loop():
        return
    far = (X[:, columns] < least[columns]) | (X[:, columns] > most[columns])
    counts, names = far.sum(axis=0), names_of(model, X.shape[1])
    largest = np.argsort(-counts, kind="stable")[:_NAMED]
    shown = [
        f"{names[j]} ({counts[i]:,}; trained on {trained.low[j]:.4g} to {trained.high[j]:.4g})"
        for i, j in zip(largest, columns[largest], strict=True)
    ]
    more = f" and {len(columns) - len(shown)} more columns" if len(columns) > len(shown) else ""
    rows = counted_of(int(far.any(axis=1).sum()), len(X), "rows", "lies", "lie")
    warnings.warn(
        f"{type(model).__name__}: {rows} beyond the training range by more than "
        f"{100 * trained.margin:.0f} % of it, in {', '.join(shown)}{more}. A linear model extrapolates there, without "
        "data.",
        ExtrapolationWarning,
        stacklevel=_level_of_caller(),
    )


def _in_foreign_loop() -> bool:
    """Whether the call comes from scikit-learn's cross-validation or fits, in this thread; it offers no other sign."""
    frame = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module == SCORING_LOOP or (frame.f_code.co_name in _FITS and module.startswith("sklearn.")):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def _level_of_caller() -> int:
    """The ``stacklevel`` at which the caller's code is, outside Probus and scikit-learn."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith(("probus.", "sklearn.")):
        frame, level = frame.f_back, level + 1
    return level


def _column_range(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The smallest and the largest value of each column."""
    if X.size < _MANY_CELLS or not X.flags.c_contiguous:
        return X.min(axis=0), X.max(axis=0)
    low, high = X[0].copy(), X[0].copy()
    _widen(X, low, high)
    return low, high


@njit(nogil=True, cache=True)
def _widen(X, low, high):
    """The smallest and the largest value of each column.

    X (IN)           float64[n, d]
    low, high (OUT)  float64[d]  the first row on entry
    """
    n, d = X.shape
    for i in range(1, n):
        for j in range(d):
            value = X[i, j]
            low[j] = value if value < low[j] else low[j]
            high[j] = value if value > high[j] else high[j]

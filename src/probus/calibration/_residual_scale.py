"""How residuals are spread for each row: their size, or their quantiles above and below the median."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, KFold

from probus.data import Table, is_frame
from probus.data.row_selection import take_rows
from probus.ensemble import RandomForestRegressor, fit_member
from probus.errors import DataError
from probus.pipeline import tabular

SPREADS = ("none", "size", "quantiles")

_FOLDS, _MORE_FOLDS = 5, 10  # the latter up to _FEW rows, of which a forest learns less if it lacks a fifth
_FEW = 5_000
_FEWEST = 50  # rows below which a spread is learnt only with scaled=True
_MOST = 10_000  # rows that a forest is fitted on: a spread needs no more, and a study has a time limit
_LEAST = 0.1  # of the mean absolute residual: no row is expected to have a smaller one
_LEVEL = 0.9
_TIMED_ROWS = 1_000


@dataclass(frozen=True, eq=False)
class Spread:
    """How residuals are expected to lie for each row: around ``middle``, as far as ``below`` and ``above`` of it."""

    middle: np.ndarray
    below: np.ndarray
    above: np.ndarray

    @classmethod
    def even(cls, n: int) -> Spread:
        """The same for all rows."""
        return cls(np.zeros(n), np.ones(n), np.ones(n))

    def scores(self, residual: np.ndarray) -> np.ndarray:
        """The distance of each residual from the middle, as a multiple of what is expected on its side."""
        distance = residual - self.middle
        return np.where(distance >= 0, distance / self.above, -distance / self.below)

    def take(self, rows: np.ndarray) -> Spread:
        """That of those rows."""
        return Spread(self.middle[rows], self.below[rows], self.above[rows])


def can_scale(X: Any) -> bool:
    """Whether a forest takes the rows: a table, a frame, or a matrix of numbers."""
    matrix = isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "biuf"
    return isinstance(X, Table) or is_frame(X) or matrix


def enough_rows(n: int, groups: np.ndarray | None) -> bool:
    """Whether there are enough rows, or groups, to learn a spread from."""
    return (n if groups is None else len(np.unique(groups))) >= _FEWEST


def fitted_spread(
    kind: str, X: Any, residual: np.ndarray, weights: np.ndarray | None, rows: np.ndarray | None = None
) -> Any:
    """A forest for absolute residuals, or for residuals, fitted on those rows or on some of them, if they are many.

    Its leaves are large enough that their means are stable.
    """
    if not can_scale(X):
        raise DataError(f"scaled intervals for {type(X).__name__} rows.", "a table, a frame or a matrix of numbers")
    rows = np.arange(len(residual)) if rows is None else rows
    if len(rows) > _MOST:
        rows = np.sort(np.random.default_rng(0).permutation(rows)[:_MOST])
    leaf = max(5, int(np.sqrt(min(len(residual), _MOST)) / 2))  # the same without a fold as with all rows
    forest = RandomForestRegressor(100, min_samples_leaf=leaf, max_features=0.5, random_state=0)
    model = forest if isinstance(X, np.ndarray) else tabular(forest)
    target = np.abs(residual[rows]) if kind == "size" else residual[rows]
    return fit_member(model, take_rows(X, rows), target, None if weights is None else weights[rows])


def spread_of(kind: str, model: Any, X: Any, mean: float) -> Spread:
    """The spread of each row, by the forest: "size", or the 5 %, 50 % and 95 % "quantiles"."""
    least = _LEAST * mean
    if kind == "size":
        size = np.maximum(model.predict(X), least)
        return Spread(np.zeros(len(size)), size, size)
    forest, seen = (model, X) if isinstance(model, RandomForestRegressor) else (model[-1], model[:-1].transform(X))
    low, middle, high = forest.quantiles(seen, [(1 - _LEVEL) / 2, 0.5, (1 + _LEVEL) / 2]).T
    return Spread(middle, np.maximum(middle - low, least), np.maximum(high - middle, least))


def cross_fitted_spread(
    kind: str, X: Any, residual: np.ndarray, weights: np.ndarray | None, groups: np.ndarray | None
) -> Spread:
    """The spread of each row by a forest that was not fitted on it."""
    n, mean = len(residual), float(np.average(np.abs(residual), weights=weights))
    found = np.empty((3, n))
    folds = min(_MORE_FOLDS if n < _FEW else _FOLDS, n if groups is None else len(np.unique(groups)))
    splitter = (KFold if groups is None else GroupKFold)(folds, shuffle=True, random_state=0)
    for train, test in splitter.split(residual, residual, groups):
        one = spread_of(kind, fitted_spread(kind, X, residual, weights, train), take_rows(X, test), mean)
        found[:, test] = one.middle, one.below, one.above
    return Spread(*found)


def chosen_spread(
    tried: dict[str, Spread], residual: np.ndarray, weights: np.ndarray | None, groups: np.ndarray | None
) -> str:
    """The spread whose intervals have the best interval score; "none" unless it is better by its standard error.

    The score of Gneiting and Raftery (2007) is the width plus, for a target outside, 2/α times its distance.
    """
    losses = {kind: _interval_score(residual, spread, weights) for kind, spread in tried.items()}
    best = min(losses, key=lambda kind: float(np.average(losses[kind], weights=weights)))
    gain = losses["none"] - losses[best]
    mean = float(np.average(gain, weights=weights))
    moves = (gain - mean) * (1.0 if weights is None else weights / weights.mean())
    if groups is not None:
        moves = np.bincount(np.unique(groups, return_inverse=True)[1], moves)
    return best if mean > float(np.sqrt(np.sum(moves**2))) / len(residual) else "none"


def _interval_score(residual: np.ndarray, spread: Spread, weights: np.ndarray | None) -> np.ndarray:
    how: dict[str, Any] = {} if weights is None else {"weights": weights, "method": "inverted_cdf"}
    times = np.quantile(spread.scores(residual), _LEVEL, **how)
    low, high = spread.middle - times * spread.below, spread.middle + times * spread.above
    outside = np.maximum(low - residual, 0.0) + np.maximum(residual - high, 0.0)
    return high - low + 2 / (1 - _LEVEL) * outside


def seconds_of_spreads(X: Any, residual: np.ndarray, now: Callable[[], float]) -> float:
    """About how long it takes to choose between all spreads: one forest is timed, and its predictions for some rows."""
    n = len(residual)
    started = now()
    forest = fitted_spread("quantiles", X, residual, None)
    fit = now() - started
    few = np.arange(min(n, _TIMED_ROWS))
    started = now()
    spread_of("quantiles", forest, take_rows(X, few), 1.0)
    predict = (now() - started) * n / len(few)
    folds = _MORE_FOLDS if n < _FEW else _FOLDS
    return 2 * (folds * fit + predict) + fit

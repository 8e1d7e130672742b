"""The order in which columns enter the L1 path: the largest penalty at which each has a coefficient."""

from __future__ import annotations

import warnings
from typing import ClassVar

import numpy as np

from probus.base import Model
from probus.data import Table
from probus.feature_selection._column_selector import ColumnSelector, WeightedSelector, check_number
from probus.linear_model import lasso_path
from probus.parameters import attribute, parameter
from probus.preprocessing import ScreeningTarget
from probus.state import Array, Spec

_ALPHAS, _EPS = 100, 1e-3


def encode(table: Table, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Columns with mean 0 and variance 1, a column for each level; and the place of the column that each is made of.

    Missing values are the mean; columns that do not vary are 0. Rows are scaled by ``_root_weights``.
    """
    parts, sources = [], []
    for place, column in enumerate(table):
        if column.kind.has_levels and len(column.levels) > 2:
            levels = range(len(column.levels))
            part = np.where(column.missing[:, None], np.nan, column.values[:, None] == np.array(levels))
        elif column.kind.has_levels:
            part = np.where(column.missing, np.nan, column.values)[:, None].astype(np.float64)
        else:
            part = column.numbers_array()[:, None]
        parts.append(part)
        sources += [place] * part.shape[1]
    matrix = np.hstack(parts).astype(np.float64)
    largest = np.nanmax(np.abs(matrix), axis=0, initial=0.0)
    matrix = matrix / np.where(largest > 0, largest, 1.0)
    known = weights @ ~np.isnan(matrix)
    centred = np.nan_to_num(matrix - weights @ np.nan_to_num(matrix) / np.where(known > 0, known, 1.0))
    spread = np.sqrt(weights @ centred**2 / weights.sum())
    scaled = centred / np.where(spread > 1e-12, spread, np.inf)
    return scaled * _root_weights(weights)[:, None], np.array(sources)


def sides_of(target: ScreeningTarget, weights: np.ndarray | None = None) -> np.ndarray:
    """The target as columns of variance 1: one of numbers or of two classes, else one for each class.

    Rows are scaled by ``_root_weights``.
    """
    if not target.n_classes:
        sides = target.values[:, None]
    elif target.n_classes == 2:
        sides = (target.values == 1)[:, None]
    else:
        sides = target.values[:, None] == np.arange(target.n_classes)
    weights = np.ones(len(sides)) if weights is None else weights
    sides = sides - weights @ sides / weights.sum()
    spread = np.sqrt(weights @ sides**2 / weights.sum())
    return sides / np.where(spread > 0, spread, 1.0) * _root_weights(weights)[:, None]


def _root_weights(weights: np.ndarray) -> np.ndarray:
    """Factors of rows whose squares are proportional to the weights and 1 on average: squares of residuals count so."""
    return np.sqrt(weights / weights.mean())


def entries(table: Table, target: ScreeningTarget, weights: np.ndarray | None = None) -> np.ndarray:
    """The penalty at which each column enters the path, the largest over its levels and over classes; 0 if never."""
    weights = np.ones(len(table)) if weights is None else weights
    matrix, sources = encode(table, weights)
    found = np.zeros(matrix.shape[1])
    for side in sides_of(target, weights).T:
        if not side.any():
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an end of the path that has not converged has no new columns of interest
            alphas, coefficients, _ = lasso_path(matrix, side, alphas=_ALPHAS, eps=_EPS)
        active = coefficients != 0
        first = np.where(active.any(axis=1), alphas[active.argmax(axis=1)], 0.0)
        # columns that enter between the same two penalties are ordered by their coefficient
        size = np.abs(coefficients[np.arange(len(first)), active.argmax(axis=1)])
        found = np.maximum(found, first * (1.0 + 1e-3 * size / (1.0 + size)))
    largest = np.zeros(len(table.names))
    np.maximum.at(largest, sources, found)
    return largest


class L1Selection(WeightedSelector):
    """Keep the k columns that enter the path of the lasso first, as the penalty on absolute coefficients falls.

    Columns are standardised. A nominal column enters with the first of its levels. For classes, the lasso is that of
    their indicators, and the first entry counts. Missing values are replaced by the mean. Sample weights weigh the
    means, the variances and the squares of residuals.

    Attributes
    ----------
    entries_ : the penalty at which each column enters, 0 if it never does.
    support_ : which columns are kept.

    >>> X = np.random.default_rng(0).normal(size=(80, 6))
    >>> L1Selection(k=2).fit(X, X[:, 4] - 0.5 * X[:, 1]).get_support(indices=True)
    array([1, 4])
    """

    k: int = parameter("The number of columns.", default=10, at_least=1, kw_only=False)

    entries_: np.ndarray = attribute()
    fitted: ClassVar[dict[str, Spec]] = {**ColumnSelector.fitted, "entries_": Array("f8", "d")}

    @classmethod
    def examples(cls) -> list[Model]:
        """One column."""
        return [cls(1)]

    def _support_of(self, table: Table, target: ScreeningTarget, weights: np.ndarray) -> np.ndarray:
        check_number(self.k, table.shape[1])
        self.entries_ = entries(table, target, weights)
        kept = np.zeros(len(self.entries_), dtype=bool)
        kept[np.argsort(-self.entries_, kind="stable")[: self.k]] = True
        return kept & (self.entries_ > 0)

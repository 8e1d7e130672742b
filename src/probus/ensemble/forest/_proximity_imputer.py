"""Missing values filled in from the rows that a forest finds most alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from probus.base import Model
from probus.data import Column, Kind, Table
from probus.ensemble.forest import RandomForestClassifier, RandomForestRegressor
from probus.errors import DataError, ModelFileError
from probus.parameters import RANDOM_STATE, parameter
from probus.preprocessing import Imputer, ScreeningTarget, mean_or_mode
from probus.state import Array, Many, Object, Spec
from probus.tree import Trees
from probus.tree.prediction import leaves_of
from probus.tree.preparation import THREADS


class ProximityImputer(Imputer):
    r"""Fills missing values by those of the training rows, weighed by how alike a forest finds them (Breiman).

    Missing values get the median or mode of their column. Then, ``n_iter`` times, a forest is grown on the filled rows,
    and missing values get :math:`\sum_j p_{ij} x_j / \sum_j p_{ij}` over the training rows j that have the value, where
    :math:`p_{ij}` is the share of trees in which i and j come to the same leaf. Levels get the one with the greatest
    sum of :math:`p_{ij}`, of equals the first. New rows go through the same forests, one after the other, so what
    becomes of a row of the fit does not depend on when it comes.

    With y the forests predict it: then rows that are alike in what matters for y fill each other's missing values.
    Errors estimated on the rows of such a fit are too good, so fit it within each fold (a pipeline does). Without y the
    forests distinguish the rows from others made by shuffling each column separately (Shi and Horvath 2006).

    Columns that are entirely missing in training are dropped, with a warning; text passes unchanged.

    Attributes
    ----------
    forests_ : the trees of each round. leaves_ : the leaves of the training rows in them.
    donors_ : the training rows as numbers and codes of levels, NaN where missing.

    Examples
    --------
    >>> from probus.datasets import airquality
    >>> days = airquality().select("ozone", "solar", "wind", "temperature")
    >>> filled = ProximityImputer(random_state=0).fit_transform(days)
    >>> int(days["ozone"].missing.sum()), int(filled["ozone"].missing.sum())
    (37, 0)
    """

    n_estimators: int = parameter("The number of trees of each forest.", default=100, at_least=1, kw_only=False)
    n_iter: int = parameter("How often a forest is fitted and missing values are filled.", default=5, at_least=1)
    min_samples_leaf: int = parameter(
        "The fewest rows of a leaf; larger leaves average over more rows.", default=5, at_least=1
    )
    random_state: Any = RANDOM_STATE
    n_jobs: int | None = THREADS

    fitted: ClassVar[dict[str, Spec]] = {
        **Imputer.fitted,
        "forests_": Many(Object(Trees), "I"),
        "leaves_": Many(Array("i4", "n T", 0), "I"),
        "donors_": Array("f8", "n *"),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """A small one, and one with indicators."""
        return [cls(5, n_iter=2, random_state=0), cls(5, n_iter=1, indicators=True, random_state=0)]

    def check_fitted_state(self) -> None:
        """Forests, leaves and donors belong together, and donors' levels are levels of the schema."""
        super().check_fitted_state()
        levels = np.array([len(field.levels) or np.inf for field in self._fields()])
        width = self.donors_.shape[1]
        fits = len(levels) == width and all(forest.n_features == width for forest in self.forests_)
        codes = self.donors_[:, np.isfinite(levels)] if fits else np.empty((0, 0))
        known = codes[~np.isnan(codes)]
        if not fits or (known < 0).any() or (known % 1 != 0).any() or (codes >= levels[np.isfinite(levels)]).any():
            raise ModelFileError("ProximityImputer: the donors do not match the schema.")
        for forest, leaves in zip(self.forests_, self.leaves_, strict=True):
            if leaves.shape[1] != len(forest) or leaves.max(initial=-1) >= len(forest.feature):
                raise ModelFileError("ProximityImputer: the donors are in leaves that do not exist.")

    # -- learning --------------------------------------------------------------------------------------

    def _fill(self, column: Column) -> float:
        return mean_or_mode(column, median=True)

    def _learn(self, table: Table, y: Any) -> None:
        super()._learn(table, y)
        if not self._fields():
            raise DataError("every column is text.", "a column of numbers or levels")
        target = None if y is None else ScreeningTarget.of(y, table.n_rows)
        random = check_random_state(self.random_state)
        self.donors_ = self._matrix(table)
        self.forests_, self.leaves_ = [], []
        filled = self._roughly(self.donors_)
        for _ in range(self.n_iter):
            self.forests_.append(self._forest(filled, target, int(random.randint(2**31 - 1))))
            self.leaves_.append(leaves_of(self.forests_[-1], filled, self.n_jobs))
            filled = self._refill(filled, np.isnan(self.donors_), self.leaves_[-1], len(self.forests_) - 1)

    def _forest(self, filled: np.ndarray, target: ScreeningTarget | None, seed: int) -> Trees:
        """The trees of a forest that predicts the target, or else distinguishes the rows from shuffled ones."""
        how: Any = {"min_samples_leaf": self.min_samples_leaf, "random_state": seed, "n_jobs": self.n_jobs}
        if target is None:
            random = np.random.default_rng(seed)
            shuffled = np.column_stack([random.permutation(column) for column in filled.T])
            target = ScreeningTarget(np.repeat([0, 1], len(filled)), 2)
            filled = np.vstack([filled, shuffled])
        model = RandomForestClassifier if target.n_classes else RandomForestRegressor
        return model(self.n_estimators, **how).fit(self._table(filled), target.values).trees_

    # -- filling ---------------------------------------------------------------------------------------

    def _imputed(self, table: Table) -> Table:
        rows = self._matrix(table)
        missing = np.isnan(rows)
        lacking = np.flatnonzero(missing.any(axis=1))
        if not len(lacking):
            return table
        missing, filled = missing[lacking], self._roughly(rows[lacking])
        for k, forest in enumerate(self.forests_):
            filled = self._refill(filled, missing, leaves_of(forest, filled, self.n_jobs), k)
        columns = []
        for j, name in enumerate(field.name for field in self._fields()):
            values = table[name].values.copy()
            values[lacking[missing[:, j]]] = filled[missing[:, j], j]
            columns.append(replace(table[name], values=values))
        return table.with_columns(*columns)

    def _refill(self, filled: np.ndarray, missing: np.ndarray, leaves: np.ndarray, k: int) -> np.ndarray:
        """The rows with what is proximate in the k-th forest for missing values; unchanged where nothing is."""
        out = filled.copy()
        for j, field in enumerate(self._fields()):
            lacking = missing[:, j]
            if lacking.any():
                donor = np.flatnonzero(~np.isnan(self.donors_[:, j]))
                mean_or_mode = _levels_said if field.kind.has_levels else _numbers_said
                predicted = mean_or_mode(self.leaves_[k][donor], self.donors_[donor, j], leaves[lacking])
                out[lacking, j] = np.where(np.isnan(predicted), filled[lacking, j], predicted)
        return out

    # -- rows as trees see them ------------------------------------------------------------------------

    def _fields(self) -> list[Any]:
        """The columns that trees see: those that are kept and not text."""
        return [
            field
            for field, kept in zip(self.schema_, self._kept(), strict=True)
            if kept and field.kind is not Kind.TEXT
        ]

    def _matrix(self, table: Table) -> np.ndarray:
        """The columns that trees see, levels as codes, NaN where missing."""
        columns = [table[field.name] for field in self._fields()]
        return np.column_stack([np.where(column.missing, np.nan, column.values) for column in columns])

    def _table(self, filled: np.ndarray) -> Table:
        return Table(
            Column(f.name, f.kind, x.astype(np.int32) if f.kind.has_levels else x.copy(), f.levels)
            for f, x in zip(self._fields(), filled.T, strict=True)
        )

    def _roughly(self, rows: np.ndarray) -> np.ndarray:
        """Median or mode in every gap."""
        is_text = np.array([field.kind is Kind.TEXT for field in self.schema_])
        return np.where(np.isnan(rows), self.fills_[self._kept() & ~is_text], rows)


def _numbers_said(donors: np.ndarray, values: np.ndarray, leaves: np.ndarray) -> np.ndarray:
    """The means of the donors' values, weighed by proximity: by sums over leaves, without a pair of rows."""
    n_nodes, n_trees = 1 + max(donors.max(), leaves.max()), donors.shape[1]
    sums = np.bincount(donors.ravel(), values.repeat(n_trees), n_nodes)
    counts = np.bincount(donors.ravel(), minlength=n_nodes)
    total = counts[leaves].sum(axis=1)
    return np.divide(sums[leaves].sum(axis=1), total, out=np.full(len(leaves), np.nan), where=total > 0)


def _levels_said(donors: np.ndarray, codes: np.ndarray, leaves: np.ndarray) -> np.ndarray:
    """The codes whose donors are most proximate in sum, of equals the lowest; NaN where none is."""
    n_nodes, n_codes = 1 + max(donors.max(), leaves.max()), int(codes.max()) + 1
    votes = np.empty((len(leaves), n_codes), np.int64)
    for code in range(n_codes):
        votes[:, code] = np.bincount(donors[codes == code].ravel(), minlength=n_nodes)[leaves].sum(axis=1)
    return np.where(votes.any(axis=1), votes.argmax(axis=1), np.nan)

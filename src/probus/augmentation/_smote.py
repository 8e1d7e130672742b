"""New rows of rare classes, between a row and its neighbours of the same class."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce
from typing import Any, ClassVar

import numpy as np

from probus.augmentation._sampler import ClassSampler, NewRows, concatenate
from probus.data import Kind, Table
from probus.errors import DataError
from probus.neighbors import NearestNeighbors
from probus.parameters import N_JOBS, parameter
from probus.state import Spec

METRIC = parameter(
    'How neighbours are found: "gower" for columns of any kind, each counting as much; "euclidean" for columns of '
    "numbers as they are, which is what imbalanced-learn does.",
    default="gower",
    one_of=("gower", "euclidean"),
)


class NeighbourSampler(ClassSampler):
    """Parent of samplers that make rows between a row and its neighbours of the same class.

    Numbers lie between those of the two rows, at random. Levels are the most frequent ones among all neighbours of the
    row, as in SMOTE-NC. Text is that of the row, and a value that is missing in the row is missing in the new one.
    """

    metric: str = METRIC
    n_jobs: int | None = N_JOBS

    fitted: ClassVar[dict[str, Spec]] = ClassSampler.fitted
    _neighbours_of: ClassVar[str] = "k_neighbors"

    def _resample(self, table: Table, target: np.ndarray, random: np.random.RandomState) -> NewRows:
        wanted = self._wanted(np.bincount(target), self.classes_[target])
        made, labels = [], []
        for code, n in wanted.items():
            if n:
                rows, own = self._new_rows(table, target, code, n, random)
                made.append(rows)
                labels.append(np.full(len(rows), own))
        if not made:
            return NewRows(np.arange(len(target)))
        return NewRows(np.arange(len(target)), reduce(concatenate, made), np.concatenate(labels))

    def _new_rows(
        self, table: Table, target: np.ndarray, code: int, n: int, random: np.random.RandomState
    ) -> tuple[Table, int]:
        """New rows of a class, and its code."""
        raise NotImplementedError

    def _nearest(self, rows: Table, queries: Table, k: int) -> np.ndarray:
        """The k nearest rows of each query, without itself, which is the first of them."""
        measured = rows.drop(*(column.name for column in rows.of_kind(Kind.TEXT)))
        search = NearestNeighbors(n_neighbors=k + 1, metric=self.metric, n_jobs=self.n_jobs).fit(measured)
        near: Any = search.kneighbors(queries.select(*measured.names), return_distance=False)
        return near[:, 1:]

    def _own_neighbours(self, table: Table, target: np.ndarray, code: int, k: int) -> tuple[Table, np.ndarray]:
        """The rows of a class, and the k nearest of the class to each."""
        own = table.take(np.flatnonzero(target == code))
        if len(own) <= k:
            name, parameter_ = type(self).__name__, self._neighbours_of
            raise DataError(
                f"class {self.classes_.tolist()[code]!r} has {len(own)} rows, and {name} needs {k} neighbours of each.",
                f"more than {k} rows of each class that is sampled",
                f"Pass {parameter_}={max(len(own) - 1, 1)}, or use RandomOverSampler.",
            )
        return own, self._nearest(own, own, k)


class SMOTE(NeighbourSampler):
    """Adds rows of the smaller classes between a row and one of its neighbours (Chawla et al. 2002).

    imbalanced-learn's class, for columns of any kind with missing values, where it has SMOTENC and SMOTEN. With
    ``metric="euclidean"`` the rows of a single class are those of imbalanced-learn; of several, each has draws of its
    own here, and the same there.

    Attributes
    ----------
    sampling_strategy_ : how many rows each class gets.

    Examples
    --------
    >>> people = Table.of({"age": [22.0, 24.0, 31.0, 50, 51, 52, 53], "sex": list("mmfmfmf")}, {"sex": "nominal"})
    >>> X, y = SMOTE(k_neighbors=2, random_state=0).fit_resample(people, [1, 1, 1, 0, 0, 0, 0])
    >>> X.take([7]).to_dict(), y.tolist()
    ({'age': [26.85...], 'sex': ['m']}, [1, 1, 1, 0, 0, 0, 0, 1])
    """

    k_neighbors: int = parameter("The number of neighbours of the same class.", default=5, at_least=1)

    def _new_rows(
        self, table: Table, target: np.ndarray, code: int, n: int, random: np.random.RandomState
    ) -> tuple[Table, int]:
        own, near = self._own_neighbours(table, target, code, self.k_neighbors)
        drawn = random.randint(low=0, high=near.size, size=n)
        steps = random.uniform(size=n)
        return toward(own, near, drawn // near.shape[1], drawn % near.shape[1], steps), code


class ADASYN(NeighbourSampler):
    """Adds rows of the smaller classes, most of them where other classes are near (He et al. 2008).

    A row gets new ones in proportion to the share of other classes among its neighbours. imbalanced-learn's class, for
    columns of any kind with missing values; with ``metric="euclidean"`` the rows are those of imbalanced-learn.

    Attributes
    ----------
    sampling_strategy_ : how many rows each class gets, about: the number of each row is rounded.

    Examples
    --------
    >>> X = [[0.0], [1.0], [2.0], [2.5], [3.0], [4.0], [5.0]]
    >>> new, _ = ADASYN(n_neighbors=2, random_state=0).fit_resample(X, [1, 1, 1, 0, 0, 0, 0])
    >>> new[7:].round(2).tolist()
    [[1.41]]
    """

    n_neighbors: int = parameter("The number of neighbours.", default=5, at_least=1)

    _neighbours_of: ClassVar[str] = "n_neighbors"

    def _new_rows(
        self, table: Table, target: np.ndarray, code: int, n: int, random: np.random.RandomState
    ) -> tuple[Table, int]:
        own, near = self._own_neighbours(table, target, code, self.n_neighbors)
        around = self._nearest(table, own, self.n_neighbors)
        others = (target[around] != code).mean(axis=1)
        if not others.any():
            raise DataError(
                f"no neighbour of class {self.classes_.tolist()[code]!r} is of another class.",
                "classes that are neighbours",
                "Use SMOTE, which does not need them.",
            )
        each = np.rint(others / others.sum() * n).astype(np.int64)
        rows = np.repeat(np.arange(len(own)), each)
        columns = random.choice(near.shape[1], size=len(rows))
        steps = random.uniform(size=(len(rows), 1))[:, 0]
        return toward(own, near, rows, columns, steps), code


def toward(own: Table, near: np.ndarray, rows: np.ndarray, places: np.ndarray, steps: np.ndarray) -> Table:
    """Rows so far on the way from rows to their neighbours at those places; see ``NeighbourSampler`` for the others."""
    other = near[rows, places]
    columns: list[Any] = []
    for column in own:
        if column.kind is Kind.NUMERIC:
            mixed = column.values[rows] + steps * (column.values[other] - column.values[rows])
            values = np.where(np.isnan(mixed), column.values[rows], mixed)
        elif column.kind is Kind.TEXT:
            values = column.values[rows]
        else:
            values = np.where(column.values[rows] < 0, column.values[rows], _modes(column.values[near])[rows])
        columns.append(replace(column, values=values, written=None))
    return Table(columns, origin=own.origin)


def _modes(codes: np.ndarray) -> np.ndarray:
    """The most frequent code of each row, the lowest of equally frequent ones; -1 is missing and counts last."""
    counts = np.zeros((len(codes), int(codes.max(initial=0)) + 1), dtype=np.int64)
    for column in codes.T:
        known = column >= 0
        counts[np.flatnonzero(known), column[known]] += 1
    return np.where(counts.any(axis=1), counts.argmax(axis=1), -1).astype(codes.dtype)

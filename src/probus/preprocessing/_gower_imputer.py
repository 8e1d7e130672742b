"""Imputation of missing values from the nearest rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from probus.data import Column, Kind, Table
from probus.distances import Gower
from probus.errors import ModelFileError
from probus.parameters import parameter
from probus.preprocessing._impute import Imputer, mean_or_mode
from probus.state import Array, Spec

_QUERIES = 256
_MOST_DISTANCES = 2**24  # of one block, 128 MB
_ROUNDING = 1e-12  # smaller differences of distances are ties


class GowerImputer(Imputer):
    """Impute missing values from the nearest training rows by Gower's distance, on columns of any kind.

    Donors are the ``n_neighbors`` nearest training rows that have the value, including ties, so that the order of the
    rows does not matter. Numbers are imputed by the mean of the donors, levels by the most frequent one (the first in
    case of ties). A row without a comparable donor gets the mean or mode of the column. Columns that are entirely
    missing in training are dropped, with a warning; text passes unchanged.

    >>> people = Table.of({"sex": ["m", "f", "f"], "age": [20, 31, 33], "salary": [2000.0, None, 2600.0]}, infer=False)
    >>> GowerImputer(n_neighbors=1).fit_transform(people).to_dict()["salary"]
    [2000.0, 2600.0, 2600.0]
    """

    n_neighbors: int = parameter("The number of donors.", default=5, at_least=1, kw_only=False)
    weights: str = parameter(
        'The weight of each donor: equal ("uniform"), or 1/d of its distance d ("distance"); donors at distance 0 then '
        "count alone, if there are any.",
        default="uniform",
        one_of=("uniform", "distance"),
    )

    fitted: ClassVar[dict[str, Spec]] = {
        **Imputer.fitted,
        "numbers_": Array("f8", "n *"),
        "codes_": Array("i4", "n *", low=-1),
    }

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError unless the donors have the columns and levels of the schema."""
        super().check_fitted_state()
        levels = [len(field.levels) for field in self.schema_ if field.kind.has_levels]
        n_numeric = sum(field.kind is Kind.NUMERIC for field in self.schema_)
        fits = self.numbers_.shape[1] == n_numeric and self.codes_.shape[1] == len(levels)
        if not fits or (self.codes_ >= np.array(levels, dtype=np.int32)).any():
            raise ModelFileError("GowerImputer: the donors do not match the schema.")

    def _fill(self, column: Column) -> float:
        return mean_or_mode(column)

    def _learn(self, table: Table, y: Any) -> None:
        super()._learn(table, y)
        numeric, coded = table.of_kind(Kind.NUMERIC), [c for c in table if c.kind.has_levels]
        self.numbers_ = np.array([c.values for c in numeric], dtype=np.float64).reshape(-1, table.n_rows).T.copy()
        self.codes_ = np.array([c.values for c in coded], dtype=np.int32).reshape(-1, table.n_rows).T.copy()

    def _donors(self) -> Table:
        """The training rows, without text and without columns that are entirely missing."""
        numbers, codes = iter(self.numbers_.T), iter(self.codes_.T)
        columns = [
            Column(f.name, f.kind, next(numbers if f.kind is Kind.NUMERIC else codes), f.levels, f.dates)
            for f in self.schema_
            if f.kind is not Kind.TEXT
        ]
        return Table(column for column in columns if not column.missing.all())

    def _imputed(self, table: Table) -> Table:
        donors = self._donors()
        missing_rows = {name: table[name].missing for name in donors.names if table[name].missing.any()}
        if not missing_rows:
            return table
        space, measured = Gower(donors), table.select(*donors.names)
        imputed = {name: table[name].values.copy() for name in missing_rows}
        queries = np.flatnonzero(np.logical_or.reduce(list(missing_rows.values())))
        size = max(1, min(_QUERIES, _MOST_DISTANCES // donors.n_rows))
        for start in range(0, len(queries), size):
            block = queries[start : start + size]
            distances = space.distances(measured.take(block))
            for name, missing in missing_rows.items():
                lacking = missing[block]
                imputed[name][block[lacking]] = self._donor_values(distances[lacking], donors[name])
        return table.with_columns(*(replace(table[name], values=guess) for name, guess in imputed.items()))

    def _donor_values(self, distances: np.ndarray, donor: Column) -> np.ndarray:
        """The value of the nearest donors, for each row of distances; missing if there are none."""
        has_value = ~donor.missing
        rows, chosen_donors, weight = self._nearest(distances[:, has_value])
        values = donor.values[has_value][chosen_donors]
        if donor.kind is Kind.NUMERIC:
            total = np.bincount(rows, weight, minlength=len(distances))
            sums = np.bincount(rows, weight * values, minlength=len(distances))
            return np.divide(sums, total, out=np.full(len(distances), np.nan), where=total > 0)
        return _modes(rows, values, weight, len(distances))

    def _nearest(self, distances: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Pairs of a row and a donor near it, as two arrays, and the weight of each pair."""
        comparable = np.where(np.isnan(distances), np.inf, distances)
        k = min(self.n_neighbors, comparable.shape[1])
        last = np.partition(comparable, k - 1, axis=1)[:, k - 1 : k]
        rows, donors = np.nonzero((comparable <= last + _ROUNDING) & np.isfinite(comparable))
        if self.weights == "uniform":
            return rows, donors, np.ones(len(rows))
        near = comparable[rows, donors]
        exact = near <= _ROUNDING
        has_exact = np.isin(rows, rows[exact])
        return rows, donors, np.where(has_exact, exact, 1.0 / np.where(exact, 1.0, near))


def _modes(rows: np.ndarray, codes: np.ndarray, weight: np.ndarray, n_rows: int) -> np.ndarray:
    """The code with the largest weight in each row, the lowest in case of ties; -1 for rows without any."""
    modes = np.full(n_rows, -1, dtype=np.int32)
    n_codes = int(codes.max(initial=0)) + 1
    pairs, place = np.unique(rows * n_codes + codes, return_inverse=True)
    totals = np.bincount(place, weight, minlength=len(pairs)).round(12)
    by_weight = np.lexsort((-pairs, totals))  # ascending, so that the best pair of a row is written last
    modes[pairs[by_weight] // n_codes] = pairs[by_weight] % n_codes
    return modes

"""Rows that are like no real ones, for models that need examples of what is odd."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from probus.augmentation._noise import SHARE
from probus.augmentation._sampler import NewRows, Sampler
from probus.base import table_input
from probus.data import Column, Kind, Table
from probus.errors import DataError
from probus.parameters import parameter
from probus.state import Spec

METHOD = parameter(
    'How rows are drawn: "uniform" draws each column from its whole range, and levels with equal probability; '
    '"permuted" draws each column from its own values, so that only the combination of columns is odd.',
    default="uniform",
    one_of=("uniform", "permuted"),
    kw_only=False,
)


class ArtificialAnomalies(Sampler):
    """Adds rows that are drawn at random from the space of the columns, as examples of an anomaly.

    With a target they get the label of the anomalies, so that a classifier with few of them, or none, has more. Without
    one, real rows get the label 1 and artificial rows −1.

    Examples
    --------
    >>> X, y = ArtificialAnomalies(share=0.5, margin=0.0, random_state=0).fit_resample([[1.0], [2.0], [3.0], [4.0]])
    >>> X.ravel().round(1).tolist(), y.tolist()
    ([1.0, 2.0, 3.0, 4.0, 3.1, 2.8], [1, 1, 1, 1, -1, -1])
    """

    method: str = METHOD
    share: float = SHARE
    margin: float = parameter(
        'By how much the range of a number is widened at either end, as a share of it, with method="uniform".',
        default=0.1,
        at_least=0,
    )
    label: Any = parameter("The label of the new rows. None is the rarest class of the target.", default=None, of=[])

    fitted: ClassVar[dict[str, Spec]] = Sampler.fitted

    def fit_resample(self, X: Any, y: Any = None) -> tuple[Any, np.ndarray]:
        """The rows and their labels, then the artificial rows; without y the labels are 1 and −1."""
        return super().fit_resample(X, y)

    def _read(self, X: Any, y: Any) -> Any:
        if y is not None:
            table, codes, _ = super()._read(X, y)
            rarest = self.classes_.tolist()[int(np.bincount(codes).argmin())]
            label = rarest if self.label is None else self.label
        else:
            table = table_input(self, X, reset=True)
            self.classes_, codes = np.array([1]), np.zeros(len(table), dtype=np.int64)
            label = -1 if self.label is None else self.label
        if table.of_kind(Kind.TEXT):
            raise DataError(
                f"column {table.of_kind(Kind.TEXT)[0].name!r} is text.", "numbers and levels", "Leave it out."
            )
        if label not in self.classes_.tolist():
            if isinstance(label, str) != isinstance(self.classes_.tolist()[0], str):
                raise DataError(f"label={label!r}, where others are like {self.classes_.tolist()[0]!r}.", "one type")
            self.classes_ = np.array([*self.classes_.tolist(), label])
        self._code = self.classes_.tolist().index(label)
        return table, codes, self.classes_.take

    def _resample(self, table: Table, target: np.ndarray, random: np.random.RandomState) -> NewRows:
        n = max(round(self.share * len(table)), 1)
        added = artificial_rows(table, n, self.method, self.margin, random)
        code = self.__dict__.pop("_code")
        return NewRows(np.arange(len(target)), added, np.full(n, code))


def artificial_rows(table: Table, n: int, method: str, margin: float, random: np.random.RandomState) -> Table:
    """Rows whose columns are drawn independently of each other; a value is missing as often as in the table."""
    columns = []
    for column in table:
        drawn = column.values[random.randint(low=0, high=len(table), size=n)]
        if method == "uniform":
            drawn = np.where(_missing(column, drawn), drawn, _uniform(column, n, margin, random))
        columns.append(replace(column, values=drawn, written=None))
    return Table(columns, origin=table.origin)


def _missing(column: Column, values: np.ndarray) -> np.ndarray:
    return np.isnan(values) if column.kind is Kind.NUMERIC else values < 0


def _uniform(column: Column, n: int, margin: float, random: np.random.RandomState) -> np.ndarray:
    """Values of the whole range of a column, or of its levels."""
    if column.kind is not Kind.NUMERIC:
        return random.randint(low=0, high=max(len(column.levels), 1), size=n).astype(column.values.dtype)
    known = column.values[np.isfinite(column.values)]
    if not len(known):
        return np.full(n, np.nan)
    low, high = float(known.min()), float(known.max())
    wider = margin * (high - low)
    return random.uniform(low - wider, high + wider, size=n)

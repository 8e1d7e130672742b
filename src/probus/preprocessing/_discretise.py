"""Numbers as ordered intervals."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from probus.allowed_values import ArrayValue, NoneAllowed
from probus.data import Column, Kind, Table
from probus.errors import DataError
from probus.parameters import parameter
from probus.preprocessing._transformer import TableTransformer
from probus.sklearn_seam import original
from probus.state import Array, Many, Maybe, Spec


class TableDiscretizer(TableTransformer):
    """Replace numbers by the interval that holds them, as its number from 0 on or as an ordered level.

    The cuts are found on training rows, without missing values, which stay missing. Columns of other kinds pass
    unchanged. A value beyond the training range belongs to the first or the last interval. Where many values are the
    same, there are fewer intervals.

    Attributes
    ----------
    cuts_ : the cuts of each column, None for columns that pass unchanged. A value that equals a cut lies above it.

    >>> ages = Table.of({"age": [3.0, 17.0, 21.0, 40.0, None, 66.0], "sex": ["f", "m", "f", "m", "f", "m"]})
    >>> TableDiscretizer(3, strategy="uniform", encode="level").fit_transform(ages)["age"].decoded().tolist()
    ['< 24', '< 24', '< 24', '24 to 45', None, '≥ 45']
    """

    n_bins: int = parameter("The number of intervals of a column, at most.", default=5, at_least=2, kw_only=False)
    strategy: str = parameter(
        '"uniform" cuts the range into equal widths, "quantile" into equal numbers of rows, "kmeans" half-way between '
        "the centres of k-means.",
        default="quantile",
        one_of=("uniform", "quantile", "kmeans"),
    )
    encode: str = parameter(
        '"number" makes numeric columns of the intervals, "level" ordinal ones with the intervals as levels.',
        default="number",
        one_of=("number", "level"),
    )
    columns: Sequence[str] | None = parameter(
        "The numeric columns to discretise; all if None.", default=None, of=[ArrayValue(), NoneAllowed()]
    )

    fitted: ClassVar[dict[str, Spec]] = {"cuts_": Many(Maybe(Array("f8", "*")), "d")}

    def _learn(self, table: Table, y: Any) -> None:
        names = [c.name for c in table.of_kind(Kind.NUMERIC)] if self.columns is None else list(self.columns)
        for name in names:
            if table[name].kind is not Kind.NUMERIC:
                raise DataError(f"column {name!r} is {table[name].kind}.", "numeric columns to discretise")
        self.cuts_ = [self._cuts(column) if column.name in names else None for column in table]

    def _cuts(self, column: Column) -> np.ndarray:
        known = column.values[~column.missing]
        if len(np.unique(known)) < 2:
            return np.empty(0)
        how: dict[str, Any] = {"quantile_method": "averaged_inverted_cdf"} if self.strategy == "quantile" else {}
        bins = original("sklearn.preprocessing", "KBinsDiscretizer")(
            min(self.n_bins, len(np.unique(known))), encode="ordinal", strategy=self.strategy, subsample=None, **how
        )
        # a power of 2, which rounds nothing: scikit-learn drops intervals that are narrower than 1e-8
        power = 60 - int(np.frexp(known.max() / 2 - known.min() / 2)[1])
        with warnings.catch_warnings():  # fewer bins are documented above
            warnings.simplefilter("ignore")
            edges = bins.fit(np.ldexp(known, power)[:, None]).bin_edges_[0]
        inner = np.unique(np.ldexp(edges[1:-1], -power))
        return inner if len(inner) else np.unique(known)[1:2]  # nearly all values are one: it, and those above

    def _applied(self, table: Table) -> Table:
        columns = [
            column if cuts is None else _in_intervals(column, cuts, levels=self.encode == "level")
            for column, cuts in zip(table, self.cuts_, strict=True)
        ]
        return Table(columns, origin=table.origin)

    def _names_out(self, names: Sequence[str]) -> list[str]:
        return list(names)


def _in_intervals(column: Column, cuts: np.ndarray, levels: bool) -> Column:
    codes = np.searchsorted(cuts, column.values, side="right")
    if not levels:
        return Column.numbers(column.name, np.where(column.missing, np.nan, codes))
    codes = np.where(column.missing, -1, codes).astype(np.int32)
    return Column(column.name, Kind.ORDINAL, codes, _interval_names(cuts))


def _interval_names(cuts: np.ndarray) -> tuple[str, ...]:
    """The intervals as text, with as many digits as tell the cuts apart.

    >>> _interval_names(np.array([1.0, 2.5]))
    ('< 1', '1 to 2.5', '≥ 2.5')
    """
    for digits in range(3, 18):
        texts = [f"{cut:.{digits}g}" for cut in cuts]
        if len(set(texts)) == len(texts):
            break
    if not texts:
        return ("any",)
    between = [f"{low} to {high}" for low, high in pairwise(texts)]
    return (f"< {texts[0]}", *between, f"≥ {texts[-1]}")

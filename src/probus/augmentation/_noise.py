"""Rows with small changes, and rows between two rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from probus.augmentation._sampler import NewRows, Sampler, numeric_columns, with_values
from probus.base import checked_numbers, table_input
from probus.data import Column, Kind, Table
from probus.parameters import parameter
from probus.state import Maybe, Plain, Spec

TARGET = parameter(
    '"auto" treats a target of labels, of whole numbers or of truth values as classes, and other numbers as numbers.',
    default="auto",
    one_of=("auto", "classes", "numbers"),
)
SHARE = parameter("The number of new rows for each row.", default=1.0, above=0)


class RowSampler(Sampler):
    """Parent of samplers that add changed copies of any rows, for a target of classes or of numbers."""

    share: float = SHARE
    target: str = TARGET

    fitted: ClassVar[dict[str, Spec]] = {**Sampler.fitted, "sampling_strategy_": Maybe(Plain())}

    def _read(self, X: Any, y: Any) -> Any:
        numbers = self.target == "numbers" or (self.target == "auto" and _are_numbers(y))
        if not numbers:
            return super()._read(X, y)
        table = table_input(self, X, reset=True)
        self.__dict__.pop("classes_", None)
        return table, checked_numbers(y, len(table)), lambda values: values

    def _bases(self, n: int, random: np.random.RandomState) -> np.ndarray:
        """The row that each new one begins with: every row as often as ``share`` says, the rest drawn."""
        whole, rest = divmod(round(self.share * n), n)
        return np.concatenate([np.repeat(np.arange(n), whole), np.sort(random.permutation(n)[:rest])])


class Noise(RowSampler):
    """Adds copies of rows with noise: numbers a little larger or smaller, and some levels drawn anew.

    The target of a copy is that of its row. Missing values stay missing, text is unchanged.

    Examples
    --------
    >>> X, y = Noise(scale=0.1, random_state=0).fit_resample([[1.0], [2.0], [3.0]], ["a", "b", "b"])
    >>> X.ravel().round(2).tolist(), y.tolist()
    ([1.0, 2.0, 3.0, 1.07, 2.16, 2.77], ['a', 'b', 'b', 'a', 'b', 'b'])
    """

    scale: float = parameter(
        "The standard deviation of the noise of a numeric column, as a share of that of the column.",
        default=0.1,
        at_least=0,
        kw_only=False,
    )
    swap: float = parameter(
        "The share of levels that are replaced by the level of another row, drawn at random.",
        default=0.1,
        at_least=0,
        at_most=1,
    )

    def _resample(self, table: Table, target: np.ndarray, random: np.random.RandomState) -> NewRows:
        bases = self._bases(len(target), random)
        rows = jittered(table.take(bases), table, self.scale, random)
        levels = [column for column in table if column.kind.has_levels]
        swapped = {column.name: _swapped(rows[column.name], column, self.swap, random) for column in levels}
        return NewRows(np.arange(len(target)), with_values(rows, swapped), target[bases])


class Mixup(RowSampler):
    """Adds rows between two rows drawn at random (Zhang et al. 2018).

    Numbers of a new row are λ a + (1 − λ) b, with λ of a beta distribution. Levels, text and missing values are those
    of a with probability λ, else of b. A target that is a number is mixed too. A class is that of a with probability
    λ: the expected loss is that of mixed labels, and any classifier can be fitted.

    Examples
    --------
    >>> X, y = Mixup(random_state=0).fit_resample([[1.0], [2.0], [3.0]], [1.5, 2.5, 3.5])
    >>> bool(np.allclose(X.ravel() + 0.5, y)), len(y)
    (True, 6)
    """

    alpha: float = parameter(
        "Both parameters of the beta distribution of λ; near 0 new rows are near old ones.",
        default=0.2,
        above=0,
        kw_only=False,
    )

    def _resample(self, table: Table, target: np.ndarray, random: np.random.RandomState) -> NewRows:
        n = len(target)
        first = self._bases(n, random)
        second = random.randint(low=0, high=n, size=len(first))
        share = random.beta(self.alpha, self.alpha, size=len(first))
        rows = between(table.take(first), table.take(second), 1.0 - share, random)
        if target.dtype.kind == "f":
            mixed = share * target[first] + (1.0 - share) * target[second]
        else:
            mixed = np.where(random.uniform(size=len(first)) < share, target[first], target[second])
        return NewRows(np.arange(n), rows, mixed)


# -- changed rows --------------------------------------------------------------------------------------


def jittered(rows: Table, like: Table, scale: float, random: np.random.RandomState) -> Table:
    """The rows with normal noise in their numbers, of so many standard deviations of the columns of ``like``."""
    changed = {}
    for column in numeric_columns(like):
        known = column.values[np.isfinite(column.values)]
        spread = float(known.std(ddof=1)) if len(known) > 1 else 0.0
        noise = random.standard_normal(size=len(rows))
        changed[column.name] = rows[column.name].values + scale * spread * noise
    return with_values(rows, changed)


def between(first: Table, second: Table, steps: np.ndarray, random: np.random.RandomState) -> Table:
    """Rows that are so far on the way from one row to another, ``steps`` from 0 to 1.

    Levels, text, and columns where either value is missing, are those of the second row with probability ``steps``.
    """
    columns = []
    for column in first:
        other = second[column.name].values
        values = np.where(random.uniform(size=len(steps)) < steps, other, column.values)
        if column.kind is Kind.NUMERIC:
            mixed = column.values + steps * (other - column.values)
            values = np.where(np.isnan(mixed), values, mixed)
        columns.append(replace(column, values=values, written=None))
    return Table(columns, origin=first.origin)


def _swapped(rows: Column, column: Column, share: float, random: np.random.RandomState) -> np.ndarray:
    """The levels of rows, a share of them replaced by those of rows drawn at random; missing ones stay."""
    known = column.values[column.values >= 0]
    if not len(known):
        return rows.values
    chosen = (random.uniform(size=len(rows)) < share) & (rows.values >= 0)
    drawn = known[random.randint(low=0, high=len(known), size=len(rows))]
    return np.where(chosen, drawn, rows.values)


def _are_numbers(y: Any) -> bool:
    """Whether a target is numbers that are not whole, and so no classes."""
    if isinstance(y, Column):
        return y.kind is Kind.NUMERIC
    values = np.asarray(y)
    return values.dtype.kind == "f" and bool((values != np.floor(values)).any())

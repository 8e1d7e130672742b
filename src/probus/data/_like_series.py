"""What users of pandas type first on a column: statistics, comparisons that filter rows, and answers to the rest."""

from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from probus.data._kind import Kind
from probus.errors import DataError

if TYPE_CHECKING:
    from probus.data._column import Column
    from probus.data._description import Description, Frequencies


_SWAPPED = {"hist": "column.plot()", "mode": "column.value_counts()", "index": "numpy.arange(len(column))",
            "apply": "np.array([f(value) for value in column])", "map": "np.array([f(value) for value in column])",
            "astype": "column.as_kind('nominal')", "dtype": "column.kind",
            "std_dev": "column.std()", "average": "column.mean()", "n_missing": "column.missing.sum()",
            "n_unique": "column.nunique()", "categories": "column.levels", "cat": "column.levels",
            "fillna": "probus.tabular(model), which imputes, or table.to_pandas()",
            "str": "table.to_pandas()", "dt": "probus.preprocessing.DateFeatures(), or table.to_pandas()"}  # fmt: skip


class LikeSeries:
    """Parent of ``Column``: the words of pandas that have one meaning for typed columns."""

    if TYPE_CHECKING:
        name: str
        kind: Kind
        values: np.ndarray
        levels: tuple[Any, ...]
        dates: bool
        decoded: Callable[[], np.ndarray]
        numbers_array: Callable[[], np.ndarray]
        take: Callable[[Any], Column]

        @property
        def missing(self) -> np.ndarray:
            """True where the value is missing."""

        @property
        def is_number_like(self) -> bool:
            """Whether the values can be used as numbers."""

    # -- values ----------------------------------------------------------------------------------------

    def to_list(self) -> list[Any]:
        """The values as a list, missing as None; dates as days since 1970-01-01."""
        return [None if gone else v for v, gone in zip(self.decoded().tolist(), self.missing, strict=True)]

    tolist = to_list

    def to_numpy(self) -> np.ndarray:
        """The values as an array: numbers, or the levels or text as objects."""
        return np.asarray(self.decoded())

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_list())

    def __getitem__(self, rows: Any) -> Any:
        """The value of a row by its number, of dates a date; a column of several rows by indices, a mask or a slice."""
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is Ellipsis:
            rows = rows[0]  # column[rows, ...]: scikit-learn's way of selecting the rows of a fold
        if isinstance(rows, (int, np.integer)):
            (value,) = self.take([rows]).to_list()
            return self._as_found(value) if self.dates and value is not None else value
        return self.take(rows if isinstance(rows, slice) else np.asarray(rows))

    def head(self, n: int = 5) -> Column:
        """The first rows."""
        return self.take(slice(0, n))

    def unique(self) -> np.ndarray:
        """The distinct values that occur, in order; missing is not one of them."""
        from probus.data.findings._facts import facts

        return np.array(_in_order(self, facts(self).values))  # type: ignore[arg-type]

    def nunique(self) -> int:
        """The number of distinct values."""
        from probus.data.findings._facts import facts

        return facts(self).n_distinct  # type: ignore[arg-type]

    def value_counts(self) -> Frequencies:
        """How often each value occurs, the most frequent first; ``to_frame`` gives a polars frame."""
        from probus.data._description import Frequencies

        return Frequencies.of(self)  # type: ignore[arg-type]

    def describe(self) -> Description:
        """The statistics of the column, as ``Table.describe``."""
        from probus.data._description import Description
        from probus.data._table import Table

        return Description(Table([self]))

    def plot(self, axes: Any = None) -> Any:
        """Draw a histogram of numbers and dates, or bars of levels, on matplotlib axes, which are returned."""
        from probus.data.pictures import draw_column
        from probus.display.drawing import new_axes

        axes = new_axes(axes, 4.5, 2.8)
        draw_column(self, axes)  # type: ignore[arg-type]
        return axes

    # -- statistics of numbers: axis, dtype and out are what numpy.mean(column) passes, and change nothing ------------

    def mean(self, axis: None = None, dtype: Any = None, out: None = None) -> Any:
        """The mean of the values that are not missing; of dates, a date."""
        return self._as_found(np.mean(self._present("mean")))

    def median(self) -> Any:
        """The median of the values that are not missing; of dates, a date."""
        return self.quantile(0.5)

    def quantile(self, q: float = 0.5) -> Any:
        """A quantile of the values that are not missing; of dates, a date."""
        return self._as_found(np.quantile(self._present("quantile"), q))

    def std(self, axis: None = None, dtype: Any = None, out: None = None, ddof: int = 1) -> float:
        """The standard deviation with n − 1 in the denominator, n − ddof in general; of dates, in days."""
        return float(np.std(self._present("std"), ddof=ddof))

    def var(self, axis: None = None, dtype: Any = None, out: None = None, ddof: int = 1) -> float:
        """The variance with n − 1 in the denominator, n − ddof in general."""
        return float(np.var(self._present("var"), ddof=ddof))

    def count(self) -> int:
        """The number of values that are not missing."""
        return int((~self.missing).sum())

    def sum(self, axis: None = None, dtype: Any = None, out: None = None) -> float:
        """The sum of the values that are not missing."""
        return float(np.sum(self._present("sum")))

    def min(self, axis: None = None, dtype: Any = None, out: None = None) -> Any:
        """The least value: number, date, or the first level of an ordinal column that occurs."""
        return self._extreme("min", np.min)

    def max(self, axis: None = None, dtype: Any = None, out: None = None) -> Any:
        """The largest value: number, date, or the last level of an ordinal column that occurs."""
        return self._extreme("max", np.max)

    def _extreme(self, what: str, choose: Callable[[np.ndarray], Any]) -> Any:
        if self.kind is Kind.ORDINAL and (self.values >= 0).any():
            return self.levels[int(choose(self.values[self.values >= 0]))]
        return self._as_found(choose(self._present(what)))

    def _present(self, what: str) -> np.ndarray:
        """The numbers that are not missing."""
        if not self.is_number_like:
            expected = "a column of numbers" + ", or one whose levels are in order" * (what in ("min", "max"))
            hint = "column.value_counts() counts its values; column.as_kind('numeric') makes them numbers."
            raise DataError(f"column {self.name!r} is {self.kind}, and has no {what}.", expected, hint)
        numbers = self.numbers_array()
        numbers = numbers[~np.isnan(numbers)]
        if not len(numbers):
            raise DataError(f"every value of column {self.name!r} is missing.", "at least one value")
        return numbers

    def _as_found(self, number: Any) -> Any:
        if not self.dates:
            return float(number)
        return np.datetime64("1970-01-01", "us") + np.timedelta64(round(float(number) * 86_400_000_000), "us")

    # -- arithmetic ------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> np.ndarray:
        return self._numbers_for("+") + np.asarray(other)

    def __radd__(self, other: Any) -> np.ndarray:
        return np.asarray(other) + self._numbers_for("+")

    def __sub__(self, other: Any) -> np.ndarray:
        return self._numbers_for("−") - np.asarray(other)

    def __rsub__(self, other: Any) -> np.ndarray:
        return np.asarray(other) - self._numbers_for("−")

    def __mul__(self, other: Any) -> np.ndarray:
        return self._numbers_for("×") * np.asarray(other)

    def __rmul__(self, other: Any) -> np.ndarray:
        return np.asarray(other) * self._numbers_for("×")

    def __truediv__(self, other: Any) -> np.ndarray:
        return self._numbers_for("/") / np.asarray(other)

    def __rtruediv__(self, other: Any) -> np.ndarray:
        return np.asarray(other) / self._numbers_for("/")

    def __pow__(self, other: Any) -> np.ndarray:
        return self._numbers_for("**") ** np.asarray(other)

    def __floordiv__(self, other: Any) -> np.ndarray:
        return self._numbers_for("//") // np.asarray(other)

    def __mod__(self, other: Any) -> np.ndarray:
        return self._numbers_for("%") % np.asarray(other)

    def __neg__(self) -> np.ndarray:
        return -self._numbers_for("−")

    def __abs__(self) -> np.ndarray:
        return np.abs(self._numbers_for("absolute value"))

    def __round__(self, n: int = 0) -> np.ndarray:
        return np.round(self._numbers_for("rounded value"), n)

    def _numbers_for(self, sign: str) -> np.ndarray:
        """The column as an array of numbers; ``with_columns`` makes a column of what is computed."""
        if not self.is_number_like:
            raise DataError(f"column {self.name!r} is {self.kind}, and has no {sign}.", "a column of numbers")
        return self.numbers_array()

    # -- conditions ------------------------------------------------------------------------------------

    def isna(self) -> np.ndarray:
        """True where the value is missing."""
        return self.missing

    isnull = is_null = isna

    def notna(self) -> np.ndarray:
        """True where the value is not missing."""
        return ~self.missing

    notnull = is_not_null = notna

    def between(self, low: Any, high: Any) -> np.ndarray:
        """True where the value is at least ``low`` and at most ``high``."""
        return (self >= low) & (self <= high)

    def isin(self, values: Iterable[Any]) -> np.ndarray:
        """True where the value is one of these."""
        found = np.zeros(len(self.values), dtype=bool)
        for value in values:
            found |= self == value
        return found

    def __eq__(self, other: object) -> Any:
        return self._compare(other, operator.eq)

    def __ne__(self, other: object) -> Any:
        return ~self._compare(other, operator.eq)

    def __lt__(self, other: Any) -> np.ndarray:
        return self._compare(other, operator.lt)

    def __le__(self, other: Any) -> np.ndarray:
        return self._compare(other, operator.le)

    def __gt__(self, other: Any) -> np.ndarray:
        return self._compare(other, operator.gt)

    def __ge__(self, other: Any) -> np.ndarray:
        return self._compare(other, operator.ge)

    __hash__ = object.__hash__

    def _compare(self, other: Any, compare: Callable[[Any, Any], Any]) -> np.ndarray:
        """Row by row, False where the value is missing: numbers, dates, or the places of levels in their order."""
        if hasattr(other, "__len__") and not isinstance(other, str):
            theirs = np.asarray(other)
            if theirs.shape != self.values.shape:
                raise DataError(f"column {self.name!r} has {len(self.values)} rows, compared with {len(theirs)}.")
            return np.asarray(compare(self.decoded(), theirs), bool) & ~self.missing
        if self.kind is Kind.NUMERIC:
            number = self._number(other)
            if number is None and compare is not operator.eq:
                raise DataError(
                    f"column {self.name!r} is compared with {other!r}.", "a date" if self.dates else "a number"
                )
            return np.zeros(len(self.values), bool) if number is None else compare(self.values, number)
        if compare is operator.eq:
            return self._equal(other)
        if self.is_number_like and not isinstance(other, str):
            with np.errstate(invalid="ignore"):
                return compare(self.numbers_array(), other)
        place = next((i for i, level in enumerate(self.levels) if _same(level, other)), None)
        if self.kind is not Kind.ORDINAL or place is None:
            expected = f"one of its levels: {', '.join(map(str, self.levels))}" if self.kind is Kind.ORDINAL else ""
            raise DataError(
                f"column {self.name!r} is {self.kind}, compared with {other!r} by order.",
                expected or "numbers, dates, or an ordinal column",
                "" if expected else f"Give its levels in order: table.with_kinds({self.name}=['low', 'high']).",
            )
        return compare(self.values, place) & (self.values >= 0)

    def _equal(self, other: Any) -> np.ndarray:
        if self.kind is Kind.TEXT:
            return np.fromiter((value == other for value in self.values), bool, len(self.values))
        place = [i for i, level in enumerate(self.levels) if _same(level, other)]
        return np.isin(self.values, place)

    def _number(self, other: Any) -> float | None:
        """What a numeric column is compared with, as a number; of dates, as days."""
        if isinstance(other, (int, float, np.number, np.bool_)):
            return float(other)
        if not self.dates:
            return None
        try:
            moment = np.datetime64(other, "us")
        except (TypeError, ValueError):
            return None
        return float((moment - np.datetime64("1970-01-01", "us")) / np.timedelta64(1, "D"))

    # -- answers ---------------------------------------------------------------------------------------

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        hint = _SWAPPED.get(name, "")
        if not hint and hasattr(getattr(sys.modules.get("pandas"), "Series", None), name):
            hint = f"table.to_pandas()[{self.name!r}].{name}"
        raise AttributeError(f"a Column has no attribute {name!r}." + f" Use {hint}." * bool(hint))


def _in_order(column: Any, values: Iterable[Any]) -> list[Any]:
    """Distinct values in the order of the levels, or sorted."""
    place = {level: i for i, level in enumerate(column.levels)}
    return sorted(values, key=lambda value: place.get(value, value))


def _same(level: Any, other: Any) -> bool:
    """Whether two levels are the same: 1, 1.0 and "1" are, True and 1 as in Python."""
    from probus.data._column import level_key

    return level == other or level_key(level) == level_key(other)

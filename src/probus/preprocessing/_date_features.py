"""Calendar features of dates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from probus.base import Model
from probus.data import Column, Kind, Table
from probus.errors import ModelFileError
from probus.parameters import parameter
from probus.preprocessing._transformer import TableTransformer, distinct
from probus.state import Many, Spec, String

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_LEVELS: dict[str, tuple[Any, ...]] = {"month": _MONTHS, "weekday": _WEEKDAYS, "hour": tuple(range(24))}
_PARTS = ("year", "month", "weekday", "hour")
_WAVES = tuple(f"{part} {wave}" for part in ("month", "hour") for wave in ("sine", "cosine"))


class DateFeatures(TableTransformer):
    """Add the year, month, weekday and hour of each date; the date itself remains, as days since 1970-01-01.

    ``when: year`` is numeric; ``when: month``, ``when: weekday`` and ``when: hour`` are ordinal. A part that does not
    vary in the training rows is not added, and the weekday only if the day of the month varies. A missing date is
    missing in each of its columns. Columns that are not dates pass unchanged.

    >>> from probus.data import Table
    >>> visits = Table.of({"when": ["2024-01-05", "2024-02-29"]}, infer=True)
    >>> DateFeatures().fit_transform(visits)
    Table: 2 rows × 3 columns
                     kind     missing  values
      when           numeric           2024-01-05 – 2024-02-29
      when: month    ordinal           Jan < Feb < Mar < Apr < May < Jun, …
      when: weekday  ordinal           Mon < Tue < Wed < Thu < Fri < Sat, …
    <BLANKLINE>
               when  when: month  when: weekday
      0  2024-01-05  Jan          Fri
      1  2024-02-29  Feb          Thu
    """

    cyclic: bool = parameter(
        "Month and hour as sine and cosine, so that December is next to January; for models that use distances.",
        default=False,
    )

    fitted: ClassVar[dict[str, Spec]] = {"parts_": Many(Many(String((*_PARTS, *_WAVES))), "d")}

    @classmethod
    def examples(cls) -> list[Model]:
        """One with ordinal, one with cyclic features."""
        return [cls(), cls(cyclic=True)]

    def check_fitted_state(self) -> None:
        """Raise a ModelFileError where a column that is not a date has parts."""
        for field, parts in zip(self.schema_, self.parts_, strict=True):
            if parts and not field.dates:
                raise ModelFileError(f"DateFeatures: {field.name!r} is not a date.")

    def _learn(self, table: Table, y: Any) -> None:
        self.parts_ = [self._varying(column.values) if column.dates else [] for column in table]

    def _varying(self, days: np.ndarray) -> list[str]:
        """The names of the parts that vary."""
        days = days[np.isfinite(days)]
        varying = [part for part in _PARTS if len(np.unique(_part(days, part))) > 1]
        if "weekday" in varying and len(np.unique(_day_of_month(days))) == 1:
            varying.remove("weekday")
        if not self.cyclic:
            return varying
        waves = {part: [wave for wave in _WAVES if wave.startswith(part)] for part in _PARTS}
        return [name for part in varying for name in waves[part] or [part]]

    def notes(self) -> list[str]:
        """What each date became, as sentences."""
        parts = {field.name: own for field, own in zip(self.schema_, self.parts_, strict=True) if own}
        return [f"{name} is used as days and as {', '.join(own)}" for name, own in parts.items()]

    def _applied(self, table: Table) -> Table:
        names = iter(self._names_out(table.names))
        columns: list[Column] = []
        for column, parts in zip(table, self.parts_, strict=True):
            columns.append(column.renamed(next(names)))
            columns += [_feature(next(names), column.values, part) for part in parts]
        return Table(columns, origin=table.origin)

    def _names_out(self, names: Sequence[str]) -> list[str]:
        parts = zip(names, self.parts_, strict=True)
        return distinct(made for name, own in parts for made in (name, *(f"{name}: {part}" for part in own)))


def _feature(name: str, days: np.ndarray, part: str) -> Column:
    """The column of one part, missing where the date is."""
    present = np.isfinite(days)
    part, _, wave = part.partition(" ")
    if part in _LEVELS and not wave:
        codes = np.full(len(days), -1, dtype=np.int32)
        codes[present] = _part(days[present], part)
        return Column(name, Kind.ORDINAL, codes, _LEVELS[part])
    values = np.full(len(days), np.nan)
    values[present] = _part(days[present], part)
    if wave:
        values = (np.sin if wave == "sine" else np.cos)(2 * np.pi * values / len(_LEVELS[part]))
    return Column.numbers(name, values)


def _part(days: np.ndarray, part: str) -> np.ndarray:
    """The year, or the month, weekday or hour counted from 0.

    >>> [int(_part(np.array([19782.75]), part)[0]) for part in _PARTS]  # Thursday, 29 February 2024, 18:00
    [2024, 1, 3, 18]
    """
    whole = np.floor(days)
    if part == "hour":
        return np.minimum(np.floor((days - whole) * 24 + 1e-6), 23)
    if part == "weekday":
        return (whole + 3) % 7  # 1970-01-01 was a Thursday
    dates = whole.astype("datetime64[D]")
    if part == "year":
        return dates.astype("datetime64[Y]").astype(np.int64) + 1970
    return dates.astype("datetime64[M]").astype(np.int64) % 12


def _day_of_month(days: np.ndarray) -> np.ndarray:
    dates = np.floor(days).astype("datetime64[D]")
    return (dates - dates.astype("datetime64[M]")).astype(np.int64)

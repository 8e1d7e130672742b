"""Conversion of a column of strings to a typed column: numbers, booleans, or labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from probus.data.column import Column, quote_some
from probus.data.infer import infer_column
from probus.data.reading.missing_markers import AMONG_NUMBERS, Declared

if TYPE_CHECKING:
    import polars as pl

__all__ = ["EXACT", "Typed", "typed_numbers", "typed_strings"]

EXACT = 2.0**53  # larger integers are not exact in float64
_FEW = 5


@dataclass(frozen=True)
class Typed:
    """A column, the strings treated as missing in it, and a note for the user."""

    column: Column
    markers: tuple[str, ...] = ()
    note: str = ""


def typed_numbers(name: str, numbers: np.ndarray, declared: Declared) -> Typed:
    """A column of unquoted numbers."""
    return Typed(infer_column(name, declared.blanked(numbers), quoted=False))


def typed_strings(
    name: str, cells: pl.Series, *, quoted: bool | None, decimal: str, markers: frozenset[str], declared: Declared
) -> Typed:
    """A column of strings.

    ``quoted`` is as in ``infer_column``; ``markers`` are the strings that always mean missing. Only distinct cells are
    examined, so the cost does not grow with repeated values.
    """
    seen = _Distinct(cells, decimal, markers | declared.words)
    if seen.nothing_left:
        column = Column.numbers(name, np.full(len(cells), np.nan), why="all values are missing")
        return Typed(column, seen.markers_found(markers - declared.words))
    if quoted:
        return Typed(infer_column(name, seen.strings(), quoted=True), seen.markers_found(markers - declared.words))
    seen.take_markers_among_numbers()
    found = seen.markers_found((markers | AMONG_NUMBERS) - declared.words)
    if seen.all_numbers:
        return _numbers(name, seen, quoted, declared, found)
    if seen.all_booleans:
        truth = [None if cell is None else cell.strip().lower() == "true" for cell in seen.strings()]
        return Typed(Column.labels(name, truth, (False, True), why="true or false"), found)
    if seen.mostly_numbers:
        return _mostly_numbers(name, seen, found)
    return Typed(infer_column(name, seen.strings(), quoted=quoted), found)


def _numbers(name: str, seen: _Distinct, quoted: bool | None, declared: Declared, found: tuple[str, ...]) -> Typed:
    reason = seen.why_digits_are_labels()
    if reason:
        note = (
            f"column {name!r} {reason} and is kept as labels; pass kinds={{{name!r}: 'numeric'}} if these are numbers"
        )
        return Typed(infer_column(name, seen.strings(), quoted=True), found, note)
    if quoted is None:
        return Typed(infer_column(name, seen.plain_strings(), quoted=None), found)
    return Typed(infer_column(name, declared.blanked(seen.numbers()), quoted=False), found)


def _mostly_numbers(name: str, seen: _Distinct, found: tuple[str, ...]) -> Typed:
    strange, count = seen.strange()
    why = f"{count} of {len(seen.cells)} values are not numbers: {quote_some(strange)}"
    note = f"column {name!r} is nominal, because {why}; pass missing=[{quote_some(strange)}] to make it numeric"
    return Typed(Column.labels(name, seen.strings().tolist(), seen.levels(), why=why), found, note)


class _Distinct:
    """The distinct cells of a column, which of them are numbers, and which are missing."""

    def __init__(self, cells: pl.Series, decimal: str, gone: frozenset[str]):
        tally = cells.drop_nulls().value_counts(name="rows")
        self.cells = cells
        self.decimal = decimal
        self.raw = tally.to_series(0)
        self.counts = tally["rows"].to_numpy()
        self.words = self.raw.str.strip_chars()
        self.values = _as_numbers(self.words, decimal)
        self.gone = self.words.is_in(list(gone)).to_numpy()
        self.number = self.values.is_not_null().to_numpy() & ~self.gone

    @property
    def nothing_left(self) -> bool:
        return bool(self.gone.all())

    @property
    def all_numbers(self) -> bool:
        return bool((self.number | self.gone).all())

    @property
    def all_booleans(self) -> bool:
        return bool((self._boolean | self.gone).all())

    @property
    def mostly_numbers(self) -> bool:
        return len(self.strange()[0]) <= _FEW and 2 * self.counts[self.number].sum() > self.counts[~self.gone].sum()

    @property
    def _boolean(self) -> np.ndarray:
        return self.words.is_in(["TRUE", "FALSE", "True", "False", "true", "false"]).to_numpy()

    def take_markers_among_numbers(self) -> None:
        """Treat markers such as "?" as missing if all other cells are numbers, or all are booleans."""
        soft = self.words.is_in(list(AMONG_NUMBERS)).to_numpy()
        enough = self.number.sum() >= 2 or self._boolean.any()
        if enough and ((self.number | soft | self.gone).all() or (self._boolean | soft | self.gone).all()):
            self.gone |= soft

    def markers_found(self, markers: frozenset[str]) -> tuple[str, ...]:
        """The markers that occur in the column."""
        return tuple(sorted(markers & set(self.words.filter(self.gone).to_list()) - {""}))

    def strange(self) -> tuple[list[str], int]:
        """The strings that are not numbers, and the number of cells that hold them."""
        odd = ~(self.number | self.gone)
        return sorted(self.words.filter(odd).head(_FEW + 1).to_list()), int(self.counts[odd].sum())

    def levels(self) -> list[str]:
        """The distinct cells that are not missing, numbers first, in numeric order."""
        present = ~self.gone
        order = self.values.filter(present).to_frame("number").with_columns(cell=self.raw.filter(present))
        return order.sort("number", "cell", nulls_last=True)["cell"].to_list()

    def why_digits_are_labels(self) -> str:
        """Why these digits cannot be converted to numbers without loss; empty if they can."""
        words = self.words.filter(self.number)
        if not words.str.contains(r"^[+-]?\d+$").all():
            return ""
        if words.str.contains(r"^0\d").any():
            return "has leading zeros"
        return (
            "has more digits than float64 can represent"
            if (self.values.filter(self.number).abs() > EXACT).any()
            else ""
        )

    def numbers(self) -> np.ndarray:
        """The column as float64, NaN for what is missing."""
        return _as_numbers(self._present().str.strip_chars(), self.decimal).to_numpy()

    def strings(self) -> np.ndarray:
        """The column as str objects, None for what is missing."""
        return self._present().to_numpy()

    def plain_strings(self) -> np.ndarray:
        """The column as strings with a decimal point."""
        return self._present().str.strip_chars().str.replace(",", ".", literal=True).to_numpy()

    def _present(self) -> pl.Series:
        gone = self.raw.filter(self.gone).to_list()
        return self.cells.set(self.cells.is_in(gone), None) if gone else self.cells


def _as_numbers(words: pl.Series, decimal: str) -> pl.Series:
    """The strings as float64, null if not numbers; with decimal commas a string with a point is not a number."""
    import polars as pl

    if decimal == ",":
        words = words.set(words.str.contains(".", literal=True), None).str.replace(",", ".", literal=True)
    return words.cast(pl.Float64, strict=False)

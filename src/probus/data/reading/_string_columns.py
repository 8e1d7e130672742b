"""Conversion of a column of strings to a typed column: numbers, booleans, or labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from probus.data._coded_strings import CodedStrings, examine_strings
from probus.data._column import Column, as_missing, quote_some
from probus.data._infer import from_format, infer_column, infer_strings, is_identifier, why_mixed
from probus.data._kind import Kind
from probus.data._written_formats import FormatFit, fit_format, is_date_format, perhaps_thousands
from probus.data.reading._missing_markers import AMONG_NUMBERS, CONVENTIONAL, Declared
from probus.errors import Advice

if TYPE_CHECKING:
    import polars as pl


EXACT = 2.0**53  # from here on, integers are not exact in float64
_FEW = 5
_BOOLEANS = ("TRUE", "FALSE", "True", "False", "true", "false")


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
    cells: CodedStrings,
    *,
    quoted: bool | None,
    decimal: str,
    markers: frozenset[str],
    declared: Declared,
    facts: pl.DataFrame | None = None,
    decimal_shown: bool = True,
) -> Typed:
    """A column of strings.

    ``quoted`` is as in ``infer_column``; ``markers`` are the strings that always mean missing: some of CONVENTIONAL and
    "". Only distinct cells are examined, so the cost does not grow with repeated values. ``facts`` are those of
    ``facts_of``, which examines many columns in the time of one. ``decimal_shown`` is whether the file shows that the
    decimal sign does not separate thousands.
    """
    name = cells.name
    if facts is None:
        (facts,) = facts_of([cells], decimal, declared)
    seen = _Distinct(cells, decimal, facts, markers)
    if seen.nothing_left:
        column = Column.numbers(name, np.full(len(cells.codes), np.nan), why="all values are missing")
        return Typed(column, seen.markers_found(markers - declared.words))
    if quoted and seen.all_numbers:
        return Typed(infer_strings(seen.strings(), quoted=True), seen.markers_found(markers - declared.words))
    if not seen.all_numbers:
        seen.try_formats()
    if not quoted or seen.format:
        seen.take_markers_among_numbers()
    found = seen.markers_found((markers | AMONG_NUMBERS) - declared.words)
    if seen.all_numbers and not seen.format and not decimal_shown:
        seen.note_perhaps_thousands()
    if seen.all_numbers and seen.format:
        column = from_format(seen.strings(), seen.fit())
        return Typed(replace(column, values=declared.blanked(column.values)), found)
    if seen.all_numbers:
        return _numbers(name, seen, quoted, declared, found)
    if seen.all_booleans and not quoted:
        return Typed(seen.booleans(), found)
    if seen.mostly_numbers and not quoted:
        return _mostly_numbers(name, seen, found)
    column = infer_strings(seen.strings(), quoted=quoted, formats=False)
    mixed = f"column {name!r} is {column.kind}: {why_mixed(seen.strings(), seen.fit())}" if seen.format else ""
    return Typed(column, found, mixed)


def _numbers(name: str, seen: _Distinct, quoted: bool | None, declared: Declared, found: tuple[str, ...]) -> Typed:
    reason = seen.why_digits_are_labels()
    if reason:
        advice = Advice("kinds", {name: "numeric"}, when="if these are numbers")
        note = f"column {name!r} {reason} and is kept as labels; pass {advice}"
        return Typed(infer_strings(seen.strings(), quoted=True), found, note)
    if quoted is None:
        return Typed(infer_strings(seen.plain_strings(), quoted=None), found)
    beyond = seen.beyond_float64()
    note = f"column {name!r}: {quote_some(beyond)} beyond float64, read as infinite" if beyond else ""
    return Typed(infer_column(name, declared.blanked(seen.numbers()), quoted=False), found, note)


def _mostly_numbers(name: str, seen: _Distinct, found: tuple[str, ...]) -> Typed:
    strange, count = seen.strange(), int(seen.coded.counts[seen.odd].sum())
    what = "dates" if is_date_format(seen.format) else "numbers"
    written = f" written {seen.format}" if seen.format else ""
    why = f"{count} of {len(seen.coded.codes)} values are not {what}{written}: {quote_some(strange)}"
    note = f"column {name!r} is nominal, because {why}; pass {as_missing(strange)} to make it numeric"
    strings = seen.strings()
    kind = Kind.BINARY if len(strings.seen) == 2 else Kind.NOMINAL
    column = replace(strings.coded_by(seen.levels(), kind, why), format=seen.likely_format)
    return Typed(column, found, note)


def facts_of(columns: Sequence[CodedStrings], decimal: str, declared: Declared) -> list[pl.DataFrame]:
    """What the distinct strings of each column are, in one query for all: stripped, as numbers, and as markers."""
    import polars as pl

    word = pl.first().str.strip_chars()
    value = _as_number(word, decimal)
    return examine_strings(
        columns, word=word, value=value, number=value.is_not_null(), declared=word.is_in(list(declared.words)),
        conventional=word.is_in(list(CONVENTIONAL)), empty=word == "", soft=word.is_in(list(AMONG_NUMBERS)),
        boolean=word.is_in(list(_BOOLEANS)),
    )  # fmt: skip


class _Distinct:
    """The distinct cells of a column, which of them are numbers, and which are missing."""

    def __init__(self, coded: CodedStrings, decimal: str, facts: pl.DataFrame, markers: frozenset[str]):
        self.coded = coded
        self.decimal = decimal
        self.raw = coded.seen
        self.words, self.values, *masks = facts.get_columns()
        number, declared, conventional, empty, self._soft, self._boolean = (mask.to_numpy() for mask in masks)
        self.gone = declared | (conventional & (len(markers) > 1)) | (empty & ("" in markers))
        self.number = number & ~self.gone
        self.format = self.other = ""

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
        if len(self.strange()) > _FEW:
            return False
        counts = self.coded.counts
        return bool(2 * counts[self.number].sum() > counts[~self.gone].sum())

    def try_formats(self) -> None:
        """Treat strings in the format of numbers or dates as numbers, if these are more than the plain numbers."""
        import polars as pl

        left = ~(self.gone | self._soft)
        fit = fit_format(self.words.filter(left), self.decimal) if left.any() else None
        if fit is None or is_identifier(self.coded, fit.format):
            return
        values = fit.values.is_not_null().to_numpy()
        if np.count_nonzero(values) > np.count_nonzero(self.number[left]):
            numbers = np.full(len(left), np.nan)
            numbers[left] = fit.values.to_numpy()
            self.values, self.number = pl.Series(numbers, nan_to_null=True), ~np.isnan(numbers)
            self.format, self.other = fit.format, fit.other

    @property
    def likely_format(self) -> str:
        """The format of the strings that are numbers; none for a decimal point."""
        return self.format or ("1.234,5" if self.decimal == "," else "")

    def note_perhaps_thousands(self) -> None:
        """Give numbers whose decimal sign may separate thousands a format, which names the other one."""
        fit = perhaps_thousands(self.words.filter(self.number), self.values.filter(self.number), self.decimal)
        if fit is not None:
            self.format, self.other = fit.format, fit.other

    def take_markers_among_numbers(self) -> None:
        """Treat markers such as "?" as missing if all other cells are numbers, or all are booleans."""
        soft = self._soft
        enough = self.number.sum() >= 2 or self._boolean.any()
        if enough and ((self.number | soft | self.gone).all() or (self._boolean | soft | self.gone).all()):
            self.gone |= soft

    def markers_found(self, markers: frozenset[str]) -> tuple[str, ...]:
        """The markers that occur in the column."""
        return tuple(sorted(markers & set(self.words.filter(self.gone).to_list()) - {""}))

    @property
    def odd(self) -> np.ndarray:
        """Which of the strings are not numbers."""
        return ~(self.number | self.gone)

    def strange(self) -> list[str]:
        """The first strings that are not numbers."""
        return sorted(self.words.filter(self.odd).head(_FEW + 1).to_list())

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
            if (self.values.filter(self.number).abs() >= EXACT).any()
            else ""
        )

    def beyond_float64(self) -> list[str]:
        """The numbers in digits that are infinite as float64."""
        infinite = self.number & np.isinf(self.values.to_numpy())
        return [word for word in self.words.filter(infinite).to_list() if any(map(str.isdigit, word))]

    def numbers(self) -> np.ndarray:
        """The column as float64, NaN for what is missing."""
        return np.where(self.number[self.coded.codes], self.coded.looked_up(self.values), np.nan)

    def strings(self) -> CodedStrings:
        """The column as strings, without what is missing."""
        return self.coded.without(self.gone)

    def plain_strings(self) -> CodedStrings:
        """The column as strings with a decimal point."""
        strings = self.strings()
        return CodedStrings.of(self.coded.name, strings.cells().str.strip_chars().str.replace(",", ".", literal=True))

    def booleans(self) -> Column:
        """The column as true or false."""
        truth = np.append(np.where(self.gone, -1, self.words.str.to_lowercase() == "true"), -1).astype(np.int32)
        return Column(self.coded.name, Kind.BINARY, truth[self.coded.codes], (False, True), why="true or false")

    def fit(self) -> FormatFit:
        """The format of the strings that are not missing, with their values."""
        return FormatFit(self.format, self.values.filter(~self.gone), self.other)


def _as_number(word: pl.Expr, decimal: str) -> pl.Expr:
    """A string as float64, null if it is not a number; with decimal commas a string with a point is not a number."""
    import polars as pl

    if decimal == ",":
        pointed = word.str.contains(".", literal=True)
        word = pl.when(~pointed).then(word.str.replace(",", ".", literal=True))
    return word.cast(pl.Float64, strict=False)

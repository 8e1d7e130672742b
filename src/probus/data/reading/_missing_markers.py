"""Markers of missing values: conventional ones, those recognised among numbers, and those given by the user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from probus.data._column import level_key
from probus.errors import DataError

if TYPE_CHECKING:
    import polars as pl


CONVENTIONAL = frozenset({"NA", "N/A", "n/a", "NaN", "nan", "NULL", "null", "#N/A", "<NA>"})
"""Always missing if unquoted. "None" is not here: beside "One" and "Two" it is a level."""

AMONG_NUMBERS = frozenset({"?", "-", "--", ".", "..", "*", "None", "none", "na"})
"""Missing only if all other values of the column are numbers or booleans."""


@dataclass(frozen=True)
class Declared:
    """The values that the user declared missing.

    >>> Declared.of(["?", -999]).words == {"?", "-999"}
    True
    """

    words: frozenset[str] = frozenset()
    numbers: tuple[float, ...] = ()

    @classmethod
    def of(cls, missing: Any) -> Declared:
        """From one value or several."""
        if missing is None:
            return cls()
        if isinstance(missing, Mapping):
            raise DataError(
                "missing is a dict.", "one value or a list, for all columns", "Replace others after reading."
            )
        several = isinstance(missing, Iterable) and not isinstance(missing, str)
        words = frozenset(level_key(value) for value in (missing if several else [missing]))
        return cls(words, tuple(number for word in words if (number := _number(word)) is not None))

    def blanked(self, numbers: np.ndarray) -> np.ndarray:
        """The numbers with NaN for the values declared missing."""
        return np.where(np.isin(numbers, self.numbers), np.nan, numbers) if self.numbers else numbers

    def removed(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The frame with null for the values declared missing."""
        import polars as pl
        import polars.selectors as cs

        if not self.words:
            return frame
        labels, words, numbers = cs.string() | cs.categorical() | cs.enum(), list(self.words), list(self.numbers)
        frame = frame.with_columns(pl.when(labels.cast(pl.String).is_in(words).not_()).then(labels))
        return frame.with_columns(pl.when(cs.numeric().cast(pl.Float64).is_in(numbers).not_()).then(cs.numeric()))

    def holds(self, cell: Any) -> bool:
        """Whether the cell is declared missing."""
        return level_key(cell) in self.words


def _number(word: str) -> float | None:
    try:
        return float(word)
    except ValueError:
        return None

"""Which kind a column seems to be, and why."""

from __future__ import annotations

import numpy as np

from probus.data.column import Column, natural_order

__all__ = ["suggest"]


def suggest(name: str, values: np.ndarray, *, quoted: bool | None = None) -> Column:
    """The column that these values suggest.

    ``values`` are float64 (NaN missing), bool, or ``str`` objects with None. ``quoted`` is True where the file
    has them in quotes and leaves numbers bare, so that digits are names; None where quotes tell nothing.
    """
    if values.dtype == bool:
        return Column.labels(name, values.tolist(), (False, True), why="true or false")
    if values.dtype.kind == "f":
        return Column.numbers(name, values, why="numbers")
    return Column.labels(name, values.tolist(), natural_order({v for v in values if v is not None}))

"""Operations that make a new column from one or two others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Operation:
    """A function of one or two columns, and its formula.

    An operation is ``ordered`` if swapping its two columns changes more than the sign.
    """

    template: str
    function: Callable[..., np.ndarray]
    n_parents: int = 2
    ordered: bool = False

    def name(self, *parents: str) -> str:
        """The name of the new column.

        >>> OPERATIONS["quotient"].name("height", "weight")
        '(height / weight)'
        """
        return self.template.format(*parents)

    def __call__(self, *parents: np.ndarray) -> np.ndarray:
        """The new column: missing where a parent is, and 0 where the result is not finite (1 / 0, 0 / 0)."""
        with np.errstate(all="ignore"):
            made = np.asarray(self.function(*parents), dtype=np.float64)
        known = ~np.isnan(parents).any(axis=0)
        return np.where(known & ~np.isfinite(made), 0.0, made)


OPERATIONS = {
    "sum": Operation("({0} + {1})", np.add),
    "difference": Operation("({0} - {1})", np.subtract),
    "product": Operation("({0} * {1})", np.multiply),
    "quotient": Operation("({0} / {1})", np.divide, ordered=True),
    "radius": Operation("sqrt({0}^2 + {1}^2)", np.hypot),
    "square_difference": Operation("({0}^2 - {1}^2)", lambda a, b: (a - b) * (a + b)),
    "asymmetry": Operation("(({0} - {1}) / ({0} + {1}))", lambda a, b: (a - b) / (a + b)),
    "square": Operation("{0}^2", np.square, n_parents=1),
    "cube": Operation("{0}^3", lambda a: a**3, n_parents=1),
    "sine": Operation("sin({0})", np.sin, n_parents=1),
    "cosine": Operation("cos({0})", np.cos, n_parents=1),
}

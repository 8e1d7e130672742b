"""The fast forms of measures: what a measure needs of a resample, given only how often each row was drawn.

``Sums``: a few weighted sums of numbers known per row. ``ConfusionCells``: the weight of rows by true and predicted
class.
``Ranks``: one pass over the sorted scores. ``Whole``: everything else, by its own function of all rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from probus.errors import DataError

if TYPE_CHECKING:
    from probus.metrics._outcome import Outcome

__all__ = ["ConfusionCells", "Form", "Ranking", "Ranks", "Sums", "Whole", "checked_codes", "mean"]


@dataclass(frozen=True, eq=False)
class Sums:
    """``value`` of Σ w·term for each term and, last, Σ w, over arrays float64[..., T + 1]."""

    terms: tuple[np.ndarray, ...]
    value: Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class ConfusionCells:
    """``value`` of confusion matrices float64[..., K, K]; ``codes`` is the flat cell of each row."""

    codes: np.ndarray
    k: int
    value: Callable[[np.ndarray], np.ndarray]

    @classmethod
    def of(cls, codes: np.ndarray, k: int, counts: Callable[..., np.ndarray], positive: int | None) -> ConfusionCells:
        """The form of ``counts``, a function of confusion matrices and the code of the positive class."""
        return cls(codes.astype(np.int32), k, lambda cells: counts(cells, positive))


@dataclass(frozen=True, eq=False)
class Ranking:
    """Rows by falling score, which of them are positive, and where a run of equal scores ends."""

    order: np.ndarray
    positive: np.ndarray
    last: np.ndarray

    @classmethod
    def of(cls, positive: np.ndarray, scores: np.ndarray) -> Ranking:
        """Sort once."""
        order = np.argsort(-scores, kind="stable").astype(np.uint32)
        falls = scores[order[1:]] < scores[order[:-1]]
        return cls(order, positive[order], np.append(falls, True))


@dataclass(frozen=True, eq=False)
class Ranks:
    """The mean over rankings of the area under the ROC curve, or of the average precision."""

    rankings: tuple[Ranking, ...]
    precision: bool = False


@dataclass(frozen=True, eq=False)
class Whole:
    """``value`` of an outcome, resampled by copying rows, or by weights where ``takes_weights``."""

    value: Callable[[Outcome], float]
    takes_weights: bool


Form = Sums | ConfusionCells | Ranks | Whole


def mean(sums: np.ndarray) -> np.ndarray:
    """Σ w·term / Σ w."""
    return sums[..., 0] / sums[..., 1]


def checked_codes(codes: np.ndarray, k: int) -> np.ndarray:
    """The codes unchanged; kernels do not check bounds, so a code of no class is an error here."""
    low, high = codes.min(), codes.max()
    if low < 0 or high >= k:
        raise DataError(f"codes from {low} to {high} for {k} classes.", f"0 to {k - 1}", "Outcome.of codes labels.")
    return codes

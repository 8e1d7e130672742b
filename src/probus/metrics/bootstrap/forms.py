"""What a measure needs of a resample, given only how often each row came.

``Sums``: a few weighted sums of numbers known per row. ``Cells``: the weight of rows by true and predicted class.
``Ranks``: one walk down the sorted scores. ``Whole``: everything else, by its own function of all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from probus.errors import DataError
from probus.metrics import regression
from probus.metrics.confusion import of_positive, recall, specificity
from probus.metrics.measure import MEASURES, Measure
from probus.metrics.outcome import Outcome
from probus.metrics.ranking import positives_of

__all__ = ["Cells", "Form", "Ranking", "Ranks", "Sums", "Whole", "forms_of"]

_NO_SPREAD = 1e-12  # variances below this share of their terms are rounding


@dataclass(frozen=True, eq=False)
class Sums:
    """``value`` of Σ w·term for each term and, last, Σ w, over arrays float64[..., T + 1]."""

    terms: tuple[np.ndarray, ...]
    value: Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True, eq=False)
class Cells:
    """``value`` of confusion matrices float64[..., K, K]; ``codes`` is the flat cell of each row."""

    codes: np.ndarray
    k: int
    value: Callable[[np.ndarray], np.ndarray]


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


Form = Sums | Cells | Ranks | Whole


def forms_of(measures: Sequence[Measure], outcome: Outcome) -> list[Form]:
    """The form of each measure on that outcome; measures of the same scores share one sort."""
    one_sort: list[Ranking] = []
    return [_form_of(measure, outcome, one_sort) for measure in measures]


def _form_of(measure: Measure, outcome: Outcome, one_sort: list[Ranking]) -> Form:
    if measure.counts is not None:
        k = len(outcome.classes)
        cells = _checked_codes(outcome.actual, k) * k + _checked_codes(outcome.need("predicted"), k)
        return _cells(cells, k, partial(_of_positive, measure.counts, outcome.positive))
    if measure.rows is not None:
        return Sums((measure.rows(outcome),), _mean)
    known = MEASURES.get(measure.name) is measure
    if known and measure.name in ("roc_auc", "average_precision"):
        if not one_sort:
            one_sort.append(Ranking.of(positives_of(outcome), outcome.need("scores")))
        return Ranks((one_sort[0],), precision=measure.name == "average_precision")
    if known and measure.name in _BY_NAME:
        return _BY_NAME[measure.name](outcome)
    return Whole(measure.compute, takes_weights=known)


def _checked_codes(codes: np.ndarray, k: int) -> np.ndarray:
    """The codes themselves: a kernel would tally those of no class somewhere in memory."""
    low, high = codes.min(), codes.max()
    if low < 0 or high >= k:
        raise DataError(f"codes from {low} to {high} for {k} classes.", f"0 to {k - 1}", "Outcome.of codes labels.")
    return codes


def _cells(codes: np.ndarray, k: int, value: Callable[[np.ndarray], np.ndarray]) -> Cells:
    return Cells(codes.astype(np.int32), k, value)


def _of_positive(
    counts: Callable[[np.ndarray, int | None], np.ndarray], positive: int | None, cells: np.ndarray
) -> np.ndarray:
    return counts(cells, positive)


# -- of sums -----------------------------------------------------------------------------------------------------


def _mean(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0] / sums[..., 1]


def _root_mean(sums: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(_mean(sums), 0.0))


def _total(sums: np.ndarray) -> np.ndarray:
    return sums[..., 0]


def _unexplained(sums: np.ndarray) -> np.ndarray:
    """Σe² / Σ(y − ȳ)² from Σe², Σy, Σy², Σw, with y measured from near its mean; NaN without spread."""
    squared, y, y2, w = np.moveaxis(sums, -1, 0)
    spread = y2 - y**2 / w
    return np.divide(squared, spread, out=np.full(np.shape(spread), np.nan), where=spread > _NO_SPREAD * y2)


def _explained(sums: np.ndarray) -> np.ndarray:
    return 1.0 - _unexplained(sums)


def _root_unexplained(sums: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(_unexplained(sums), 0.0))


def _against_spread(value: Callable[[np.ndarray], np.ndarray], outcome: Outcome) -> Sums:
    y = outcome.actual - outcome.mean(outcome.actual)  # sums of squares about a far origin would cancel
    return Sums((regression.squared(outcome), y, y**2), value)


# -- of the score alone ------------------------------------------------------------------------------------------


def _efficiency(outcome: Outcome, share: Callable[[np.ndarray, int | None], np.ndarray]) -> Cells:
    positive = positives_of(outcome)
    cells = 2 * positive + (outcome.need("scores") >= 0.5)
    return _cells(cells, 2, partial(_of_positive, share, 1))


def _each_against_rest(outcome: Outcome) -> Ranks:
    chances = outcome.need("chances")
    occur = np.unique(outcome.actual)
    return Ranks(tuple(Ranking.of(outcome.actual == code, chances[:, code]) for code in occur))


_BY_NAME: dict[str, Callable[[Outcome], Form]] = {
    "sse": lambda outcome: Sums((regression.squared(outcome),), _total),
    "rmse": lambda outcome: Sums((regression.squared(outcome),), _root_mean),
    "rmsle": lambda outcome: Sums((regression.squared_log(outcome),), _root_mean),
    "r2": partial(_against_spread, _explained),
    "rse": partial(_against_spread, _root_unexplained),
    "roc_auc_ovr": _each_against_rest,
    "signal_efficiency": partial(_efficiency, share=partial(of_positive, recall)),
    "background_rejection": partial(_efficiency, share=specificity),
}

"""Measures that behave like shares: the number of rows with which a share would vary as much.

A share of n independent rows has the variance p(1 − p)/n and Wilson's interval, which holds for few rows and near 0 and
1. Resamples do not: of ten rows all right, every resample is all right. Any measure between two bounds whose variance
is known gets the same interval from n = p(1 − p)/Var (Korn and Graubard 1998, for weighted and clustered shares).
Unlike a share, a measure that bends with the counts, as F1 and κ do, is also biased in small samples.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.metrics._outcome import Outcome
from probus.metrics.bootstrap._draws import Draws
from probus.metrics.bootstrap._influence import cell_moves, cell_slopes, influence
from probus.metrics.curves._shares import effective_size
from probus.metrics.resample_forms import ConfusionCells, Ranks

_INVISIBLE = 1e-20  # variances below are rounding
_STEP = 1e-3  # of the rows of a cell or class, for second differences


@dataclass(frozen=True)
class ShareLike:
    """What makes a measure's interval that of a share.

    rows : with how many a share would vary as the measure does.
    df : degrees of freedom of the t that replaces z where the variance is not that of a share, since few rows estimate
        it badly.
    bias : how far samples of this size are expected to lie above the population.
    """

    rows: float
    df: float | None = None
    bias: float = 0.0


def share_like(
    form: ConfusionCells | Ranks, value: float, bounds: tuple[float, float], outcome: Outcome, draws: Draws
) -> ShareLike:
    """A measure of that value and range as a share."""
    if isinstance(form, Ranks):
        return _of_ranks(form, value, outcome, draws)
    return _of_cells(form, bounds, outcome, draws)


def _of_ranks(form: Ranks, area: float, outcome: Outcome, draws: Draws) -> ShareLike:
    """As many degrees of freedom as the rarer side has rows, less one.

    Where the variance is estimated as 0, as in a perfect order, the rows of the rarer side: no area's variance exceeds
    that of a share of the smaller class (Birnbaum and Klose 1957).
    """
    sides = [ranking.order[side] for ranking in form.rankings for side in (ranking.positive, ~ranking.positive)]
    rarer = min(_units(outcome, draws, rows) for rows in sides)
    variance = float(np.sum(influence(form, outcome, draws) ** 2)) * _few_groups(draws)
    if variance > _INVISIBLE and 0 < area < 1 and rarer > 1:
        return ShareLike(area * (1 - area) / variance, max(rarer - 1, 1.0))
    return ShareLike(rarer)


def _of_cells(form: ConfusionCells, bounds: tuple[float, float], outcome: Outcome, draws: Draws) -> ShareLike:
    """From the variance and the bias of the smoothed counts, times what weights and groups do to the variance."""
    w = np.ones(len(outcome)) if outcome.weights is None else outcome.weights
    w = w * (w.sum() / np.square(w).sum())  # Σw is now the effective number of rows
    counts = np.bincount(form.codes, w, minlength=form.k**2)
    smooth = _smooth(counts, form.k)
    slopes = cell_slopes(form, smooth)
    keeps_classes = len(draws.starts) > 2
    variance = _cell_variance(smooth, slopes, form.k, keeps_classes)
    if variance <= _INVISIBLE:
        return ShareLike(_units(outcome, draws, np.arange(len(outcome))))
    low, high = bounds
    value = float(form.value(smooth.reshape(form.k, form.k)))
    rows = (value - low) * (high - value) / variance
    bias = _cell_bias(form, smooth, keeps_classes)
    if outcome.weights is None and not len(draws.unit):
        return ShareLike(rows, bias=bias)
    independent = _cell_variance(counts, slopes, form.k, keeps_classes)
    if independent <= _INVISIBLE:
        cost = w.sum() / _units(outcome, draws, np.arange(len(outcome)))
    else:
        by_unit = float(np.sum(draws.centred(draws.by_unit(w * slopes[form.codes])) ** 2)) * _few_groups(draws)
        cost = max(by_unit / independent, 1.0)
    return ShareLike(rows / cost, bias=bias * cost)


def _smooth(counts: np.ndarray, k: int) -> np.ndarray:
    """One row added to each true class, spread over the classes that occur, and the class scaled back to its size.

    Without it, the variance of a class whose five rows are all right would be zero.
    """
    table = counts.reshape(k, k)
    rows = table.sum(axis=1, keepdims=True)
    occurs = (table.sum(axis=0) + rows[:, 0]) > 0
    return ((table + occurs / occurs.sum()) * rows / (rows + 1.0)).ravel()


def _cell_variance(counts: np.ndarray, slopes: np.ndarray, k: int, keeps_classes: bool) -> float:
    """Σ count (slope − mean)², the mean within each true class where draws keep their sizes."""
    shape = (k, k) if keeps_classes else (1, k * k)
    counts, slopes = counts.reshape(shape), slopes.reshape(shape)
    rows = counts.sum(axis=1, keepdims=True)
    mean = np.divide((counts * slopes).sum(axis=1, keepdims=True), rows, out=np.zeros_like(rows), where=rows > 0)
    return float((counts * (slopes - mean) ** 2).sum())


def _cell_bias(form: ConfusionCells, counts: np.ndarray, keeps_classes: bool) -> float:
    """½ tr(HΣ), H the second derivatives with respect to the counts and Σ their multinomial variance.

    Σ is diag(c) − ccᵀ/n, of all counts c or, where draws keep their sizes, of each true class. The second term counts
    for classes alone, since scaling all counts moves no measure. The bias of a share is 0.
    """
    value = form.value(counts.reshape(form.k, form.k))
    more, fewer = cell_moves(form, counts, _STEP)
    bias = _bend(value, more, fewer, counts)
    if keeps_classes:
        table = counts.reshape(form.k, form.k)
        each = np.eye(form.k)[:, :, None] * table
        more, fewer = form.value(table + _STEP * each), form.value(table - _STEP * each)
        bias -= _bend(value, more, fewer, table.sum(axis=1))
    return bias


def _bend(value: np.ndarray, more: np.ndarray, fewer: np.ndarray, rows: np.ndarray) -> float:
    """Half the sum of second derivatives along parts of the counts, each per row of its part."""
    return float((more - 2 * value + fewer)[rows > 0] @ (0.5 / (_STEP**2 * rows[rows > 0])))


def _units(outcome: Outcome, draws: Draws, rows: np.ndarray) -> float:
    """How many groups those rows are of, or how many rows of equal weight know as much."""
    if len(draws.unit):
        return float(len(np.unique(draws.unit[rows])))
    if outcome.weights is None:
        return float(len(rows))
    return float(effective_size(outcome.weights[rows].sum(), np.square(outcome.weights[rows]).sum()))


def _few_groups(draws: Draws) -> float:
    """Variances between G groups are larger by G/(G − 1) than those around the mean of the very groups."""
    return draws.n_units / (draws.n_units - 1) if len(draws.unit) else 1.0

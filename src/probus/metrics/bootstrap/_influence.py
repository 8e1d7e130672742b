"""How much each drawn unit moves a measure: the derivative with respect to its weight, or a jackknife.

The values sum to zero within each stratum and their squares sum to the measure's variance, so that they give the
standard error and, by their skewness, the acceleration of BCa intervals.
"""

from __future__ import annotations

import numpy as np

from probus.metrics._outcome import Outcome
from probus.metrics._rank_slopes import area_slopes, precision_slopes
from probus.metrics.bootstrap._draws import Draws
from probus.metrics.bootstrap._sums import augment, gradient
from probus.metrics.resample_forms import ConfusionCells, Form, Ranking, Ranks, Sums, Whole

_STEP = 1e-4  # of the rows of a cell
_AT_ONCE = 1 << 20  # counts of moved matrices: K classes have K² cells, and a matrix of K² counts for each


def influence(form: Form, outcome: Outcome, draws: Draws) -> np.ndarray:
    """The influence of every unit, or of every block of them for a function that is no more than a function."""
    if isinstance(form, Sums):
        parts = np.array(augment(form, outcome, draws))
        slope = gradient(form.value, parts.sum(axis=1), np.abs(parts).sum(axis=1))
        return draws.centred(slope @ parts)
    if isinstance(form, ConfusionCells):
        w = np.ones(len(outcome)) if outcome.weights is None else outcome.weights
        counts = np.bincount(form.codes, w, minlength=form.k**2)
        return draws.centred(draws.by_unit(w * cell_slopes(form, counts)[form.codes]))
    if isinstance(form, Ranks):
        each = [_of_ranking(ranking, outcome, form.precision) for ranking in form.rankings]
        return draws.centred(draws.by_unit(np.mean(each, axis=0)))
    return _jackknife(form, outcome, draws)


def cell_slopes(form: ConfusionCells, counts: np.ndarray) -> np.ndarray:
    """∂value/∂count of each cell that holds any, by adding and taking away a little of it; 0 elsewhere."""
    more, fewer = cell_moves(form, counts, _STEP)
    return np.divide(more - fewer, 2 * _STEP * counts, out=np.zeros(len(counts)), where=counts > 0)


def cell_moves(form: ConfusionCells, counts: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """The value with ``step`` of its rows added to each cell in turn, and with as many taken away."""
    more, fewer = np.empty((2, len(counts)))
    size = max(1, _AT_ONCE // len(counts))
    for start in range(0, len(counts), size):
        cells = slice(start, start + size)
        change = step * counts * np.eye(min(size, len(counts) - start), len(counts), start)
        for value, sign in ((more, 1), (fewer, -1)):
            value[cells] = form.value((counts + sign * change).reshape(-1, form.k, form.k))
    return more, fewer


def _of_ranking(ranking: Ranking, outcome: Outcome, precision: bool) -> np.ndarray:
    """w ∂/∂w of the area or the average precision, in the order of the rows.

    Each class's part is scaled by √(n/(n − 1)) as in DeLong, DeLong and Clarke-Pearson (1988).
    """
    w = np.ones(len(outcome)) if outcome.weights is None else outcome.weights
    w = w[ranking.order]
    ends = np.flatnonzero(ranking.last)
    place = np.cumsum(ranking.last) - ranking.last  # among the distinct scores
    tp, fp = (np.cumsum(w * side)[ends] for side in (ranking.positive, ~ranking.positive))
    _, *slopes = (precision_slopes if precision else area_slopes)(tp, fp)
    moved = np.empty(len(w))
    for side, slope in zip((ranking.positive, ~ranking.positive), slopes, strict=True):
        n = max(int(np.count_nonzero(side & (w > 0))), 2)
        moved[side] = (w * slope[place])[side] * np.sqrt(n / (n - 1))
    back = np.empty(len(w))
    back[ranking.order] = moved
    return back


def _jackknife(form: Whole, outcome: Outcome, draws: Draws) -> np.ndarray:
    """Blocks of units left out in turn; their values, centred and scaled so that the squares sum to the variance."""
    block = draws.by_row(draws.blocks())
    kept = []
    for b in range(int(block.max()) + 1):
        rest = np.flatnonzero(block != b)
        if len(rest) and (outcome.weights is None or outcome.weights[rest].any()):
            kept.append(form.value(outcome.take(rest)))
    values = np.array(kept)
    values = values[~np.isnan(values)]
    m = len(values)
    if m < 2:
        return np.zeros(1)
    return (values.mean() - values) * np.sqrt((m - 1) / m)

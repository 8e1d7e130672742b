"""The variance of a cross-validated score, over samples of rows: of those tested and of those trained on.

What varies from sample to sample is three things. The rows that are tested: their variance is that of their mean
contributions, over all rows and not within classes, since stratified folds hold the class counts fixed and the next
sample does not. The models: how much one row's loss changes with the training set (w below), and how much the losses
of all rows tested on one fitted model change together (τ² below). Both are seen where rows are tested more than once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probus.model_selection.tested_rows import TestedRows

__all__ = ["ScoreVariance", "score_variance"]

_SHARE = 0.75  # of w + τ²: chosen on the populations of benchmarks/cross_validation.py that are named so
_ONCE = 1.25  # for rows tested once: what their variance is multiplied by, in place of w; chosen there too
_MANY = 1e4  # degrees of freedom, as good as infinitely many


@dataclass(frozen=True)
class ScoreVariance:
    """The variance of a score over samples.

    total : the variance. single : that of one repeat with independent rows, tested by models that do not vary.
    df : the degrees of freedom of the estimate.
    """

    total: float
    single: float
    df: float

    @property
    def inflation(self) -> float:
        """By how much it exceeds that of independent rows; 1 where it does not."""
        return max(self.total / self.single, 1.0) if self.single > 0 else 1.0


def score_variance(tested: TestedRows) -> ScoreVariance:
    """V = Var(row means)/n + max(w, ¾(w + τ²)).

    With ψ the contribution of a row in a split, w is the variance of ψ within rows, over n, and τ² that of the effects
    of splits on ψ, less its row's mean: a one-way analysis of variance. If the effect of a training set is a sum over
    its rows, τ² is a share of the variance wanted; if it is chaotic, τ² is larger than that. The factor is a
    compromise. Where every row is tested once, w and τ² are not seen, and V is the larger of 5/4 of the variance of
    rows and the variance of Nadeau and Bengio (2003), which knows only the spread between splits.
    """
    n_units = int(tested.unit.max()) + 1
    total = len(tested.moves)
    if n_units < 2:
        return ScoreVariance(np.inf, np.inf, 1.0)
    rows = float(np.sum(tested.by_unit**2)) / (n_units * (n_units - 1))
    single = float(np.sum(tested.as_tested**2)) / (total * (n_units - 1))
    if total == n_units:
        return ScoreVariance(max(_ONCE * rows, _between(tested)), single, _MANY)
    within, effects = _components(tested, n_units)
    extra = max(within, _SHARE * (within + effects))
    variance = rows + extra
    # few splits estimate τ²: their degrees of freedom count for its part of the variance (Satterthwaite 1946)
    part = (extra - within) / variance if variance > 0 else 0.0
    df = 1 / (part**2 / _split_df(tested) + 1 / _MANY)
    return ScoreVariance(variance, single, df)


def _split_df(tested: TestedRows) -> float:
    n_splits = len(np.unique(tested.split))
    return max((n_splits - n_splits / tested.folds) / 2, 1.0)


def _components(tested: TestedRows, n_units: int) -> tuple[float, float]:
    """The variance w within units, over their number, and the variance τ² of the effects of splits."""
    total, repeats = len(tested.moves), len(tested.moves) / n_units
    times = np.bincount(tested.unit, minlength=n_units)
    off = tested.moves - (np.bincount(tested.unit, tested.moves, minlength=n_units) / times)[tested.unit]
    if tested.folds > 1:
        repeat = tested.split // tested.folds
        off = off - (np.bincount(repeat, off) / np.maximum(np.bincount(repeat), 1))[repeat]
    inner = float(off @ off) / max(total - n_units, 1)
    _, split = np.unique(tested.split, return_inverse=True)
    size = np.bincount(split)
    n_splits, n_repeats = len(size), len(size) / tested.folds if tested.folds > 1 else 0.0
    between = float(np.sum(np.bincount(split, off) ** 2 / size)) / max(n_splits - n_repeats, 1.0)
    # a unit's own mean takes part of the effects with it: this much of them is left
    left = 1 - 1 / repeats
    seen = left**2 + left / repeats / max(tested.folds, 2)
    spread = float(np.mean(size)) * seen - left
    return inner / n_units, (between - left * inner) / spread if spread > 0 else 0.0


def _between(tested: TestedRows) -> float:
    """The variance of Nadeau and Bengio (2003), from the scores of splits; 0 where they test single rows."""
    _, split = np.unique(tested.split, return_inverse=True)
    size = np.bincount(split)
    if len(size) < 2 or size.max() < 2:
        return 0.0
    scores = np.bincount(split, tested.moves) / size
    return float(scores.var(ddof=1)) * (1 / len(size) + 1 / (len(size) - 1))

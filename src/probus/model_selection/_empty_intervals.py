"""Intervals that exclude nothing of interest, and why they are so wide."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from probus.display import counted
from probus.metrics import Estimate, Measure

if TYPE_CHECKING:
    from probus.model_selection._resample_result import Resampled


_AT_THE_BOUND = 0.05  # of the distance of the value from a perfect score
_TIMES_WORSE = 10.0
_MOST_OF_THE_RANGE = 0.9
_FEW = 10  # rows of a fold or of a class, and groups


def says_nothing(score: Estimate, measure: Measure, floor: float = math.nan) -> bool:
    """Whether an interval excludes nothing.

    It ends no better than ``floor``, the score of a model that ignores the features, and it begins at a perfect score,
    or its end is ten times as far from perfect as the value. Where the floor is not known, both; that of a score which
    has an upper bound only, such as R², is 0.

    >>> from probus.metrics import measure
    >>> rmse, r2, auc = measure("rmse"), measure("r2"), measure("roc_auc")
    >>> says_nothing(Estimate(0.3, 0.0, 38.0), rmse, 0.5), says_nothing(Estimate(0.3, 0.2, 0.45), rmse, 0.5)
    (True, False)
    >>> says_nothing(Estimate(0.98, -1770.0, 1.0), r2, -0.1), says_nothing(Estimate(0.7, 0.1, 1.0), auc)
    (True, True)
    """
    if math.isnan(score.value) or score.low == score.high:
        return False
    if not math.isfinite(score.half_width):
        return True
    low, high = float(measure.low), float(measure.high)
    if high - low < math.inf and score.high - score.low >= _MOST_OF_THE_RANGE * (high - low):
        return True
    perfect = high if measure.greater_is_better else low
    if not math.isfinite(perfect):
        return False
    best, worst = (score.high, score.low) if measure.greater_is_better else (score.low, score.high)
    if math.isnan(floor) and low == -math.inf:
        floor = 0.0
    own, nearest, farthest = (abs(each - perfect) for each in (score.value, best, worst))
    if math.isnan(floor):
        return nearest <= _AT_THE_BOUND * own and farthest >= _TIMES_WORSE * own and (high - low == math.inf)
    useless = farthest >= abs(floor - perfect) > 0
    return useless and (nearest <= _AT_THE_BOUND * own or farthest >= _TIMES_WORSE * max(own, nearest))


def reason_of(result: Resampled, measure: Measure, score: Estimate) -> str:
    """Why the interval of a score is so wide, in a few words."""
    sizes = [len(test) for _, test in result.splits.pairs]
    if not math.isfinite(score.half_width):
        return "one split" if len(sizes) == 1 else "too few splits"
    fewest = int(np.median(sizes))
    if fewest < _FEW:
        return f"{counted(fewest, 'row')} in a fold" if len(sizes) > 1 else f"{counted(fewest, 'row')} held out"
    task = result.task
    if task.groups is not None and (groups := len(np.unique(task.groups))) < _FEW:
        return counted(groups, "group")
    if task.classes:
        rows = np.bincount(task.table[task.target].values, minlength=len(task.classes))
        rarest = int(rows.argmin())
        if rows[rarest] < _FEW:
            return f"{counted(int(rows[rarest]), 'row')} of class {task.classes[rarest]}"
    return "a few rows decide the score" if measure.needs in ("values", "probabilities") else "too few rows"

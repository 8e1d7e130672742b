"""By how much the best of several scores is too good because it was chosen."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from probus.errors import DataError
from probus.metrics import Measure
from probus.model_selection import Resampled

_SAMPLES = 200
_ROWS = 5_000  # on more rows the differences are known so well that choosing hardly matters


def selection_bias(results: Mapping[str, Resampled], best: str, measure: Measure, random_state: int = 0) -> float:
    """How much better than its expected value the score of the best model is, since it was chosen by that score.

    Bootstrap bias correction (Tsamardinos et al. 2018): the rows are drawn with replacement, the model that is the
    best on them is scored on the rows that were not drawn, and that is compared with the scores of ``best`` on the
    same rows. The predictions are kept, so nothing is fitted. Zero where one model is far better than the others.
    """
    pooled = {name: each.pooled() for name, each in results.items() if not each.failures}
    n = len(pooled[best])
    if len(pooled) < 2 or n > _ROWS:
        return 0.0
    random = np.random.default_rng(random_state)
    lost = []
    for _ in range(_SAMPLES):
        drawn = random.integers(0, n, n)
        others = np.setdiff1d(np.arange(n), drawn)
        try:
            scores = {name: measure.better(measure.compute(each.take(drawn))) for name, each in pooled.items()}
            winner = max(scores, key=lambda name: scores[name])
            pair = [measure.better(measure.compute(pooled[name].take(others))) for name in (best, winner)]
        except DataError:  # one class only
            continue
        lost.append(pair[0] - pair[1])
    return max(float(np.mean(lost)), 0.0) if lost else 0.0

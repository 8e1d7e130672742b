"""Several rows to ask for at once, none like another."""

from __future__ import annotations

import numpy as np

from probus.active.queries import Situation

_PER_ROW, _LEAST = 5, 25  # how many of the best rows a batch is chosen from


def diverse(situation: Situation, scores: np.ndarray, n: int) -> np.ndarray:
    """The places of n candidates: of high scores, and far from each other.

    Of the 5 n best rows the first is the best, and each further one has the largest product of score, between 0 and 1,
    and distance to the nearest that was chosen. A row equal to one of them comes last.
    """
    order = np.argsort(-scores, kind="stable")
    if n <= 1:
        return order[:n]
    best = order[: max(_PER_ROW * n, _LEAST)]
    best = best[np.isfinite(scores[best])] if np.isfinite(scores[best]).sum() >= n else best
    value = scores[best]
    low, high = value[np.isfinite(value)].min(), value.max()
    value = np.clip(np.nan_to_num((value - low) / (high - low or 1.0), neginf=0.0), 0.0, 1.0) + 1e-6
    chosen = [0]
    near = _distances(situation, best, 0)
    if near is None:
        return best[:n]
    while len(chosen) < min(n, len(best)):
        worth = value * near
        worth[chosen] = -1.0
        chosen.append(int(worth.argmax()))
        found = _distances(situation, best, chosen[-1])
        assert found is not None
        near = np.minimum(near, found)
    return best[chosen]


def _distances(situation: Situation, places: np.ndarray, one: int) -> np.ndarray | None:
    rows = situation.candidates[places]
    found = situation.pool.distances(rows[[one]])
    return None if found is None else found[0, rows]

"""The predictions of a family as the saved model makes them: probabilities calibrated, decisions by cost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from probus.calibration import cheapest, chosen_map, cost_matrix, fitted_map
from probus.metrics import Outcome
from probus.model_selection import Resampled, joined

_MOST_CELLS = 100_000  # rows × classes that a map is fitted on: more would hardly change it
_LEAST_ROWS = 1_000


def as_saved(raw: Resampled, cost: Any) -> tuple[Resampled, str]:
    """Calibrated probabilities and decisions of least expected cost on the test rows, and the method of calibration.

    The probabilities of a fold are mapped by what was fitted on the other folds of its run, so that no map is evaluated
    on rows that it was fitted on. Numbers, predictions without probabilities, and those of a single split, which has no
    other folds, are returned unchanged, as "none".
    """
    if (
        raw.splits.folds == 1
        or raw.failures
        or not raw.task.classes
        or any(each.probabilities is None for each in raw.outcomes)
    ):
        return raw, "none"
    folds = raw.splits.folds
    runs = [slice(first, first + folds) for first in range(0, len(raw.outcomes), folds)]
    method = _method(raw, runs[0])
    mapped = [p for run in runs for p in _map(raw, run, method)]
    every = joined(raw.outcomes[runs[0]])
    positive = len(every.classes) - 1 if every.positive is None else every.positive
    costs = cost_matrix(cost, every.actual, every.weights, np.array(every.classes), positive)
    outcomes = tuple(
        replace(each.with_probabilities(p), predicted=cheapest(p, costs))
        for each, p in zip(raw.outcomes, mapped, strict=True)
    )
    return replace(raw, outcomes=outcomes), method


def decided_plainly(saved: Resampled) -> Resampled:
    """The same with the most probable class as the prediction, whatever the cost of mistakes was."""
    if not saved.task.classes or any(each.probabilities is None for each in saved.outcomes):
        return saved
    plain = 1.0 - np.eye(len(saved.outcomes[0].classes))
    outcomes = (replace(each, predicted=cheapest(each.need("probabilities"), plain)) for each in saved.outcomes)
    return replace(saved, outcomes=tuple(outcomes))


def without_zeros(baseline: Resampled) -> Resampled:
    """The class frequencies that a baseline predicts, with half a row for each class that it was not trained on.

    A probability of 0 for a class that is in the test rows makes its log loss that of an impossible event, and any
    model that has learnt nothing would beat it.
    """
    if not baseline.task.classes or any(each.probabilities is None for each in baseline.outcomes):
        return baseline
    outcomes = []
    for each, (train, _) in zip(baseline.outcomes, baseline.splits.pairs, strict=True):
        p = each.need("probabilities")
        p = np.where(p > 0, p, 0.5 / len(train))
        outcomes.append(replace(each, probabilities=p / p.sum(axis=1, keepdims=True)))
    return replace(baseline, outcomes=tuple(outcomes))


def _method(raw: Resampled, run: slice) -> str:
    """The method of calibration that suits the predictions of a run."""
    every = joined(raw.outcomes[run])
    rows = _some(len(every), len(every.classes))
    groups = _groups(raw, run)
    return chosen_map("auto", *_parts(every.take(rows)), None if groups is None else groups[rows])[0].method


def _map(raw: Resampled, run: slice, method: str) -> list[np.ndarray]:
    """The probabilities of each fold of a run, mapped by what was fitted on the others."""
    folds, out = raw.outcomes[run], []
    for k, each in enumerate(folds):
        others = joined([*folds[:k], *folds[k + 1 :]])
        known = others.take(_some(len(others), len(others.classes)))
        out.append(fitted_map(method, *_parts(known))(each.need("probabilities")))
    return out


def _groups(raw: Resampled, run: slice) -> np.ndarray | None:
    return None if raw.units is None else raw.units[np.concatenate(raw.rows[run])]


def _parts(outcome: Outcome) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    return outcome.need("probabilities"), outcome.actual, outcome.weights


def _some(n: int, k: int) -> np.ndarray:
    most = max(_MOST_CELLS // k, _LEAST_ROWS)
    return np.arange(n) if n <= most else np.sort(np.random.default_rng(0).choice(n, most, replace=False))

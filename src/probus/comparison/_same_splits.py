"""Who takes part in a comparison: models or results under distinct names, all on the same splits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from probus.data import Task
from probus.errors import DataError
from probus.metrics import Estimate, Measure
from probus.model_selection import Resampled
from probus.wrapping import distinct_names


def named_results(results: Mapping[str, Resampled] | Iterable[Resampled]) -> dict[str, Resampled]:
    """The results by name: the keys, or their own names, counted where they repeat."""
    if isinstance(results, Mapping):
        return {str(name): result for name, result in results.items()}
    entries = list(results)
    return dict(zip(distinct_names(result.name for result in entries), entries, strict=True))


def check_same_splits(results: Mapping[str, Resampled]) -> None:
    """Refuse results that do not test on the same rows of the same task: their scores cannot be paired."""
    (first_name, first), *others = results.items()
    for name, other in others:
        both = f"{first_name!r} and {name!r}"
        if not _same_task(first.task, other.task):
            raise DataError(
                f"{both} were resampled on different tasks.",
                "results on one and the same task",
                "For several data sets pass the models and a dict of tasks.",
            )
        if not _same_pairs(first, other):
            raise DataError(
                f"{both} were resampled on different splits ({first.splits.how}; {other.splits.how}).",
                "the same splits, so that scores can be paired",
                "Resample both with one cv and one random_state, or pass the models and the task to compare().",
            )


def _same_task(a: Task, b: Task) -> bool:
    if a is b:
        return True
    return a.target == b.target and len(a) == len(b) and a.classes == b.classes and bool((a.y == b.y).all())


def _same_pairs(a: Resampled, b: Resampled) -> bool:
    if a.splits is b.splits:
        return True
    return len(a.splits.pairs) == len(b.splits.pairs) and all(
        np.array_equal(mine, theirs)
        for pair_a, pair_b in zip(a.splits.pairs, b.splits.pairs, strict=True)
        for mine, theirs in zip(pair_a, pair_b, strict=True)
    )


def estimate_or_reason(result: Resampled, measure: Measure, level: float) -> Estimate:
    """The score with its interval; where there is none, NaN with the reason in place of the method."""
    if result.failed_everywhere:
        return undefined_score(level, result.failure)
    try:
        found = result.estimate(measure, level)
    except DataError as error:
        return undefined_score(level, f"not ranked: {str(error).partition(chr(10))[0].rstrip('.')}")
    return undefined_score(level, f"not ranked: {measure.label} is undefined") if math.isnan(found.value) else found


def undefined_score(level: float, reason: str) -> Estimate:
    """A score that nobody has, and why."""
    return Estimate(math.nan, -math.inf, math.inf, level, reason)

"""Models on several data sets: each data set is one observation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np

from probus.comparison._methods import METHODS, Method
from probus.comparison._paired_scores import wilcoxon
from probus.comparison._pairs import Pair, Pairs, judge, verdict
from probus.comparison._post_hoc import PostHoc, nemenyi
from probus.comparison._rank_board import RankBoard, RankStanding
from probus.comparison._ranks import RankTable, friedman
from probus.comparison._same_splits import estimate_or_reason
from probus.comparison._significance import TestResult
from probus.display import p_text
from probus.errors import DataError
from probus.metrics import Estimate, Measure
from probus.model_selection import Resampled

Across = Mapping[str, Mapping[str, Resampled]]  # data set → model → result


def ranked_across(
    results: Across, measure: Measure, test: str, *, level: float, alpha: float
) -> tuple[RankBoard, TestResult | None, Method, str]:
    """The models by average rank, the test of them all together, the method for pairs, and why it was taken."""
    names = list(next(iter(results.values())))
    estimates = {
        name: {data: estimate_or_reason(each[name], measure, level) for data, each in results.items()} for name in names
    }
    status = {name: _status(results, name, estimates[name]) for name in names}
    scores = _rank({name: estimates[name] for name in names if not status[name]}, status, measure)
    method, why = _method(test, scores, measure)
    up = measure.greater_is_better
    omnibus, distance = None, None
    if method.name == "friedman":
        omnibus = friedman(scores, greater_is_better=up, level=1 - alpha)
        after = nemenyi(scores, greater_is_better=up, level=1 - alpha)
        pairs, distance = _nemenyi_pairs(after, alpha), after.critical_difference
    else:
        how: dict[str, Any] = {"greater_is_better": up, "level": level}
        tests = [(a, b, wilcoxon(scores[a], scores[b], names=(a, b), **how)) for a, b in combinations(scores, 2)]
        pairs = judge(tests, up, alpha)
    average = _average_ranks(scores, measure)
    standings = [
        _standing(place, name, average.get(name), estimates[name], pairs, status[name])
        for place, name in enumerate({**scores, **estimates}, start=1)
    ]
    return RankBoard(standings, measure, pairs, alpha=alpha, critical_difference=distance), omnibus, method, why


def _status(results: Across, name: str, estimates: Mapping[str, Estimate]) -> str:
    """Why a model is left out of the ranks, empty where it is not: it failed on some split, or has no score."""
    reasons = {data: each[name].failure for data, each in results.items() if each[name].failures}
    reasons |= {data: estimate.method for data, estimate in estimates.items() if math.isnan(estimate.value)}
    return "; ".join(f"{data}: {words}" for data, words in reasons.items())


def _rank(
    estimates: Mapping[str, Mapping[str, Estimate]], status: Mapping[str, str], measure: Measure
) -> dict[str, np.ndarray]:
    """The scores of each model that can be ranked, a number per data set, the best average rank first."""
    if len(estimates) < 2:
        reasons = "; ".join(f"{name}: {reason}" for name, reason in status.items() if reason)
        raise DataError(
            f"{len(estimates)} of {len(status)} models can be ranked: {reasons}.", "at least two to compare"
        )
    scores = {name: np.array([each.value for each in row.values()]) for name, row in estimates.items()}
    average = _average_ranks(scores, measure)
    return {name: scores[name] for name in sorted(scores, key=lambda name: average[name])}


def _average_ranks(scores: Mapping[str, np.ndarray], measure: Measure) -> dict[str, float]:
    table = RankTable.of(scores, None, measure.greater_is_better)
    return dict(zip(table.names, table.average.tolist(), strict=True))


def _method(test: str, scores: Mapping[str, np.ndarray], measure: Measure) -> tuple[Method, str]:
    n_models, n_sets = len(scores), len(next(iter(scores.values())))
    if test != "auto":
        return METHODS[test], "as chosen"
    if n_models > 2:
        return METHODS["friedman"], f"{n_models} models, {n_sets} data sets: ranks compare what scores cannot"
    if measure.needs == "values" and math.isinf(measure.high):
        why = f"two models, {n_sets} data sets, and {measure.label} in the units of each: only its order compares"
        return METHODS["friedman"], why
    return METHODS["wilcoxon"], f"two models, {n_sets} data sets: each gives one difference of {measure.label}"


def _nemenyi_pairs(after: PostHoc, alpha: float) -> Pairs:
    """Differences of average ranks, where less is better."""
    pairs = []
    for test in after:
        (a, b), p = test.names, test.pvalue
        pairs.append(Pair(a, b, test.effect, p, p, verdict(test.effect.value, p, False, alpha), p_text(p)))
    correction = f"p-values of Nemenyi's test allow for all {len(pairs)} pairs" if len(pairs) > 1 else ""
    return Pairs(pairs, correction, what="difference of average ranks")


def _standing(
    place: int, name: str, average: float | None, scores: dict[str, Estimate], pairs: Pairs, status: str
) -> RankStanding:
    if average is None:
        return RankStanding(None, name, None, scores, status=status)
    best = pairs[0].a
    if name == best:
        return RankStanding(place, name, average, scores, status=status)
    pair = pairs[best, name]
    return RankStanding(place, name, average, scores, not pair.decided, pair.evidence, status)

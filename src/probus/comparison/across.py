"""Models on several data sets: each data set is one observation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations

import numpy as np

from probus.comparison.entrants import failed_everywhere, failure_text
from probus.comparison.methods import METHODS, Method
from probus.comparison.paired_scores import wilcoxon
from probus.comparison.pairs import Pair, Pairs, judged, verdict
from probus.comparison.post_hoc import PostHoc, nemenyi
from probus.comparison.rank_board import RankBoard, RankStanding
from probus.comparison.ranks import RankTable, friedman
from probus.comparison.results import TestResult, p_text
from probus.errors import DataError
from probus.metrics import Estimate, Measure
from probus.model_selection import Resampled

__all__ = ["Across", "ranked_across"]

Across = Mapping[str, Mapping[str, Resampled]]  # data set → model → result


def ranked_across(
    results: Across, measure: Measure, test: str, *, level: float, alpha: float
) -> tuple[RankBoard, TestResult | None, Method, str]:
    """The models by average rank, the test of them all together, the method for pairs, and why it was taken."""
    names = list(next(iter(results.values())))
    estimates = {
        name: {data: result[name].estimate(measure, level) for data, result in results.items()} for name in names
    }
    status = {name: _status(results, name, estimates[name]) for name in names}
    fit = [name for name in names if not status[name][0]]
    if len(fit) < 2:
        told = "; ".join(f"{name} {status[name][1]}" for name in names if name not in fit)
        raise DataError(f"{len(fit)} of {len(names)} models can be ranked: {told}.", "at least two to compare")
    scores = {name: np.array([score.value for score in estimates[name].values()]) for name in fit}
    method, why = _method(test, scores, measure)
    table = RankTable.of(scores, None, measure.greater_is_better)
    average = dict(zip(table.names, table.average.tolist(), strict=True))
    order = sorted(fit, key=lambda name: average[name])
    scores = {name: scores[name] for name in order}
    up = measure.greater_is_better
    omnibus, distance = None, None
    if method.name == "friedman":
        omnibus = friedman(scores, greater_is_better=up, level=level)
        after = nemenyi(scores, greater_is_better=up, level=1 - alpha)
        pairs, distance = _nemenyi_pairs(after, alpha), after.critical_difference
    else:
        tests = [
            (a, b, wilcoxon(scores[a], scores[b], names=(a, b), greater_is_better=up, level=level))
            for a, b in combinations(order, 2)
        ]
        pairs = judged(tests, up, alpha)
    standings = [
        _standing(place if name in average else None, name, average.get(name), estimates[name], pairs, order[0], told)
        for place, name in enumerate([*order, *(n for n in names if n not in fit)], start=1)
        for told in [status[name][1]]
    ]
    board = RankBoard(standings, measure, pairs, alpha=alpha, critical_difference=distance)
    return board, omnibus, method, why


def _status(results: Across, name: str, estimates: Mapping[str, Estimate]) -> tuple[bool, str]:
    """Whether the model must be left out of the ranks, and what went wrong where."""
    told = {data: failure_text(result[name]) for data, result in results.items() if result[name].failures}
    undefined = [data for data, estimate in estimates.items() if math.isnan(estimate.value)]
    out = bool(undefined) or all(failed_everywhere(result[name]) for result in results.values())
    told |= dict.fromkeys(undefined, "its score is undefined")
    return out, "; ".join(f"{data}: {words}" for data, words in told.items())


def _method(test: str, scores: Mapping[str, np.ndarray], measure: Measure) -> tuple[Method, str]:
    n_models, n_sets = len(scores), len(next(iter(scores.values())))
    if test != "auto":
        return METHODS[test], "as asked for"
    if n_models > 2:
        return METHODS["friedman"], f"{n_models} models, {n_sets} data sets: ranks compare what scores cannot"
    if measure.needs == "values" and math.isinf(measure.high):
        why = f"two models, {n_sets} data sets, and a {measure.label} in the units of each: only its order compares"
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
    rank: int | None,
    name: str,
    average: float | None,
    scores: dict[str, Estimate],
    pairs: Pairs,
    best: str,
    status: str,
) -> RankStanding:
    if rank is None or name == best:
        return RankStanding(rank, name, average, scores, status=status)
    pair = pairs[best, name]
    return RankStanding(rank, name, average, scores, not pair.decided, pair.evidence, status)

"""The comparison of recommenders on the same splits, user by user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from probus.arguments import verb
from probus.comparison import Comparison, comparison_of
from probus.display import counted
from probus.errors import DataError, FailedModelError
from probus.model_selection import ProgressOption
from probus.recommend._evaluation import HALVINGS, Evaluated, predicted, run
from probus.recommend._measures import recommender_measures
from probus.recommend._resampled import ResampledRecommender
from probus.recommend._splits import rating_splits
from probus.wrapping import from_pairs, named_models

_TEST = "t-test of the differences of each user, whose ratings count as one observation"
_HALVES = "t-test of the differences of each user, with the variance of training users"


@verb
def compare(
    models: Mapping[str, Any] | Iterable[Any],
    X: Any = None,
    *,
    users: Any = None,
    items: Any = None,
    cv: Any = None,
    scoring: Any = None,
    relevant: float | None = None,
    level: float = 0.95,
    alpha: float = 0.05,
    margin: float | None = None,
    baseline: str | None = None,
    halvings: int = HALVINGS,
    n_jobs: int | None = None,
    random_state: Any = None,
    progress: ProgressOption = None,
    executor: Any = None,
) -> Comparison:
    """Compare recommenders on the same splits of ratings; ``probus.compare`` calls it.

    The test is a t-test of the differences between the scores of each user, as ratings of one user are not
    independent. P-values are adjusted for the largest difference among as many models.

    Parameters
    ----------
    models : recommenders by name, or a list; or what ``resample`` returned for them, on the same splits.
    X, users, items, cv, scoring, relevant, halvings : as in ``probus.recommend.resample``; the first measure decides.
    level, alpha, margin, baseline, n_jobs, random_state, progress, executor : as in ``probus.compare``.

    Returns
    -------
    The leaderboard, the verdict on each pair and the test that gave it; it prints itself.
    """
    models = from_pairs(models)
    given = list(models.values()) if isinstance(models, Mapping) else list(models)
    if len(given) < 2:
        raise DataError(f"{counted(len(given), 'model')} to compare.", "at least two")
    absent: dict[str, str] = {}
    if any(isinstance(each, ResampledRecommender) for each in given):
        if X is not None or not all(isinstance(each, ResampledRecommender) for each in given):
            raise DataError("results together with ratings or models.", "either models or results of resample()")
        named = models if isinstance(models, Mapping) else {each.name: each for each in given}
        results: dict[str, Any] = {str(name): each for name, each in named.items()}
        measures = recommender_measures(scoring, True) if scoring is not None else given[0].measures
    else:
        if X is None:
            raise DataError("recommenders without ratings.", "compare(models, ratings)")
        data = Evaluated.of(given, X, users, items, relevant)
        rated = data.rated and all(map(predicted, given))
        measures = recommender_measures(scoring, rated)
        splits = rating_splits(cv, data.ratings, random_state)
        results, how = {}, (n_jobs, random_state, progress, executor)
        for name, model in named_models(models if isinstance(models, Mapping) else given).items():
            try:
                results[name] = run(model, data, splits, measures, name, *how, halvings=halvings)
            except FailedModelError as error:
                absent[name] = str(error).partition("\n")[0].rstrip(".")
    if not results:
        raise FailedModelError(f"every model failed: {'; '.join(absent.values())}.", "at least one that does not")
    found = comparison_of(
        results, measures, "", absent, test="paired_rows", level=level, alpha=alpha, margin=margin, baseline=baseline
    )
    first = next(iter(results.values()))
    notes = (f"{first.splits.how}; {100 * level:g} % intervals: {first.estimate(measures[0]).method}", *first.notes)
    why = _HALVES if first.of_halves(measures[0]) else _TEST
    return replace(found, why=why, where=counted(first.n_users, "user"), notes=notes)

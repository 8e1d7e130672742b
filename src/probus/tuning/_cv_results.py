"""The evaluations of a search in the form of scikit-learn's ``cv_results_``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from scipy.stats import rankdata

from probus.metrics import Measure
from probus.spaces import Space
from probus.tuning._archive import Archive
from probus.tuning._evaluation import Evaluation


def resolved(config: Mapping[str, Any], space: Space, model: Any) -> dict[str, Any]:
    """A configuration with values of the space's own types; the model's values for its own configuration.

    >>> from probus.naive_bayes import GaussianNB
    >>> from probus.spaces import Real
    >>> resolved({}, Space({"var_smoothing": Real(1e-3, 1)}), GaussianNB())
    {'var_smoothing': 1e-09}
    """
    if config or not len(space):
        return space.check(config)
    values = model.get_params()
    return {name: values[name] for name in space if name in values}  # CatBoost lists only what was passed


def cv_results(
    archive: Archive, space: Space, model: Any, measures: Sequence[Measure], sign: float = 1.0
) -> dict[str, Any]:
    """The columns of ``cv_results_``: times, parameters, scores of each split, their mean, deviation and rank.

    The main measure is called "score", as in a search with one measure; all are there under their own names too.
    ``fidelity`` is the share of the full effort; those with more of it have the lower ranks.
    """
    params = [resolved(each.config, space, model) for each in archive]
    found: dict[str, Any] = {}
    for name in ("fit", "score"):
        times = [np.array(getattr(each, f"{name}_seconds")) for each in archive]
        found[f"mean_{name}_time"] = np.array([each.mean() if len(each) else 0.0 for each in times])
        found[f"std_{name}_time"] = np.array([each.std() if len(each) else 0.0 for each in times])
    for name in space:
        found[f"param_{name}"] = _mask([config.get(name, _ABSENT) for config in params])
    found["params"] = params
    found["fidelity"] = np.array([each.fidelity for each in archive])
    n_splits = max((len(each) for one in archive for each in one.scores.values()), default=1)
    for place, measure in enumerate(measures):
        scores = sign * np.array([_scores(each, measure.name, n_splits) for each in archive])
        means = np.array([each.mean(measure.name) for each in archive])
        for label in ["score", measure.name] if place == 0 else [measure.name]:
            for split, column in enumerate(scores.T):
                found[f"split{split}_test_{label}"] = column
            found[f"mean_test_{label}"] = sign * means
            found[f"std_test_{label}"] = np.array([_deviation(row) for row in scores])
            found[f"rank_test_{label}"] = _ranks(means if measure.greater_is_better else -means, found["fidelity"])
    return found


_ABSENT = object()


def _mask(values: list[Any]) -> np.ma.MaskedArray:
    column = np.ma.masked_all(len(values), dtype=object)
    for place, value in enumerate(values):
        if value is not _ABSENT:
            column[place] = value
    return column


def _scores(evaluation: Evaluation, measure: str, n: int) -> np.ndarray:
    """The scores of all splits, NaN for those that were not evaluated."""
    known = evaluation.scores.get(measure, ())
    return np.array([*known, *[np.nan] * (n - len(known))])


def _deviation(scores: np.ndarray) -> float:
    known = scores[~np.isnan(scores)]
    return float(known.std()) if len(known) else np.nan


def _ranks(scores: np.ndarray, efforts: np.ndarray) -> np.ndarray:
    """Ranks of scores, the higher the better, from 1, equal ones sharing the best; less effort and failures last."""
    turned = np.nan_to_num(scores, nan=-np.inf)
    failed = np.isneginf(turned)
    keys = np.lexsort((-turned, -efforts, failed))
    level = np.zeros(len(keys))
    pairs = [(failed[i], efforts[i] if not failed[i] else 0.0, turned[i]) for i in keys]
    level[keys] = np.cumsum([0, *(one != other for one, other in zip(pairs[1:], pairs[:-1], strict=True))])
    return rankdata(level, method="min").astype(np.int32)

"""Measures of recommenders, as sums over users: of predicted ratings, of lists of items, and of all lists together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from probus.errors import DataError
from probus.metrics import Measure

_LENGTH = 10
_RATED = ("rmse", "mae", "mse")
RANKED = ("ndcg", "precision", "recall", "map", "mrr", "hit_rate", "coverage", "novelty")
_LABELS = {
    "ndcg": "NDCG",
    "map": "MAP",
    "mrr": "MRR",
    "hit_rate": "hit rate",
    "rmse": "RMSE",
    "mae": "MAE",
    "mse": "MSE",
}
_WORDS = {"map": "average_precision mean_average_precision", "mrr": "reciprocal_rank", "hit_rate": "hitrate hit hr"}


@dataclass(frozen=True, eq=False)
class TestedSplit:
    """What a model did on a split.

    user, item, actual : of each tested rating. predicted : the predicted rating; None where the model has none.
    users : int64[V], the users tested, in order. lists : int32[V, k], the items for each, the best first, −1 after the
    last. information : float64[I], how surprising each item is: −log₂ of the share of users who have it in training.
    relevant : from what rating on a tested item is relevant. n_items : how many could be recommended.
    """

    __test__ = False

    user: np.ndarray
    item: np.ndarray
    actual: np.ndarray
    predicted: np.ndarray | None
    users: np.ndarray
    lists: np.ndarray
    information: np.ndarray
    n_items: int
    relevant: float
    seconds: float = 0.0

    def sums(self, measure: Measure) -> tuple[np.ndarray, np.ndarray]:
        """Two sums for each tested user, whose totals' ratio is the measure, or its square."""
        name, k = parts_of(measure.name)
        if not k:
            return self._errors(name)
        if name == "coverage":
            raise ValueError(name)
        if name == "novelty":
            lists = self.lists[:, :k]
            given = lists >= 0
            information = np.where(given, self.information[np.maximum(lists, 0)], 0.0).sum(axis=1)
            return _ratio(information, given.sum(axis=1)), np.asarray(given.any(axis=1), dtype=np.float64)
        hits, n_relevant = self._hits(k)
        some = n_relevant > 0
        return np.where(some, _OF_HITS[name](hits, n_relevant), 0.0), some.astype(np.float64)

    def has(self, measure: Measure) -> bool:
        """Whether a measure of lists is known: some tested item is relevant, or is recommended."""
        name, k = parts_of(measure.name)
        if name in ("coverage", "novelty"):
            return bool((self.lists[:, :k] >= 0).any())
        return bool((self.actual >= self.relevant).any())

    def _errors(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        assert self.predicted is not None
        error = self.predicted - self.actual
        place = np.searchsorted(self.users, self.user)
        loss = np.abs(error) if name == "mae" else error**2
        n = len(self.users)
        return np.bincount(place, loss, minlength=n), np.bincount(place, np.ones(len(place)), minlength=n)

    def _hits(self, k: int) -> tuple[np.ndarray, np.ndarray]:
        """bool[V, k], which of the first k items are relevant, and how many relevant items each user has."""
        good = self.actual >= self.relevant
        place = np.searchsorted(self.users, self.user[good])
        n_items = len(self.information)
        relevant = np.unique(place * n_items + self.item[good])
        lists = self.lists[:, :k]
        keys = np.arange(len(lists))[:, None] * n_items + lists
        hits = np.isin(keys, relevant) & (lists >= 0)
        if hits.shape[1] < k:
            hits = np.pad(hits, ((0, 0), (0, k - hits.shape[1])))
        return hits, np.bincount(place, minlength=len(self.users))

    def shown_alone(self, k: int) -> tuple[np.ndarray, int]:
        """For each user the number of items that nobody else is recommended, and the number of all that somebody is."""
        lists = self.lists[:, :k]
        shown = lists[lists >= 0]
        times = np.bincount(shown, minlength=len(self.information))
        alone = np.where(lists >= 0, times[np.maximum(lists, 0)] == 1, False).sum(axis=1)
        return alone.astype(np.float64), int(np.count_nonzero(times))


def _ndcg(hits: np.ndarray, n_relevant: np.ndarray) -> np.ndarray:
    discount = 1 / np.log2(np.arange(hits.shape[1]) + 2)
    best = np.concatenate([[0.0], np.cumsum(discount)])
    return _ratio(hits @ discount, best[np.minimum(n_relevant, hits.shape[1])])


def _average_precision(hits: np.ndarray, n_relevant: np.ndarray) -> np.ndarray:
    precision = np.cumsum(hits, axis=1) / np.arange(1, hits.shape[1] + 1)
    return _ratio((precision * hits).sum(axis=1), np.minimum(n_relevant, hits.shape[1]))


_OF_HITS: dict[str, Callable[[np.ndarray, np.ndarray], np.ndarray]] = {
    "precision": lambda hits, _: np.asarray(hits.mean(axis=1)),
    "recall": lambda hits, n: _ratio(hits.sum(axis=1), n),
    "hit_rate": lambda hits, _: np.asarray(hits.any(axis=1), dtype=np.float64),
    "ndcg": _ndcg,
    "map": _average_precision,
    "mrr": lambda hits, _: _ratio(hits.any(axis=1), hits.argmax(axis=1) + 1.0),
}


def _ratio(a: Any, b: Any) -> Any:
    return np.divide(a, b, out=np.zeros(len(a)), where=np.asarray(b) > 0)


# -- by name -------------------------------------------------------------------------------------------


def recommender_measure(scoring: Any) -> Measure:
    """The measure of that name: "rmse", "mae", "ndcg@10", "recall@20", …; without a length it is of 10 items.

    >>> recommender_measure("NDCG").name, recommender_measure("rmse").greater_is_better
    ('ndcg@10', False)
    """
    if isinstance(scoring, Measure):
        scoring = scoring.name
    if not isinstance(scoring, str):
        raise DataError(f"scoring={scoring!r}.", _KNOWN)
    name, k = parts_of(scoring.lower().removeprefix("neg_").replace(" ", "_"))
    name = {"root_mean_squared_error": "rmse", "mean_absolute_error": "mae", "mean_squared_error": "mse"}.get(
        name, name
    )
    name = next((own for own, words in _WORDS.items() if name in words.split()), name)
    if name in _RATED and not k:
        return Measure(name, _LABELS[name], _of_users, "ratings", False, 0.0, np.inf)
    if name not in RANKED:
        raise DataError(f"no measure {scoring!r} of recommenders.", _KNOWN)
    k = k or _LENGTH
    high = np.inf if name == "novelty" else 1.0
    return Measure(f"{name}@{k}", f"{_LABELS.get(name, name)}@{k}", _of_users, "lists", True, 0.0, high)


_KNOWN = "one of 'rmse', 'mae', 'mse', " + ", ".join(f"'{name}@10'" for name in RANKED) + ", or a list of them"


def _of_users(outcome: Any) -> NoReturn:
    raise DataError("a measure of recommenders for predictions of rows.", "probus.resample(recommender, ratings)")


def recommender_measures(scoring: Any, rated: bool) -> tuple[Measure, ...]:
    """The measures of ``scoring``; by default RMSE and NDCG for ratings, and NDCG for implicit feedback."""
    if scoring is None:
        scoring = ["rmse", "mae", "ndcg@10", "recall@10"] if rated else ["ndcg@10", "recall@10", "coverage@10"]
    listed = [scoring] if isinstance(scoring, (str, Measure)) or not isinstance(scoring, Iterable) else list(scoring)
    if not listed:
        raise DataError("an empty list for scoring.", _KNOWN)
    return tuple({each.name: each for each in map(recommender_measure, listed)}.values())


def parts_of(name: str) -> tuple[str, int]:
    """The name of a measure without its length, and the length, 0 for none.

    >>> parts_of("ndcg@20"), parts_of("rmse")
    (('ndcg', 20), ('rmse', 0))
    """
    found = re.fullmatch(r"(.+?)(?:_?@_?|_at_|_)([1-9]\d*)", name)
    return (found[1], int(found[2])) if found else (name, 0)

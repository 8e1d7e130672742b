"""Fitting a recommender once per split, and keeping what it predicts and recommends."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from probus.arguments import verb
from probus.display import figure
from probus.errors import DataError, FailedModelError
from probus.metrics import Measure
from probus.model_selection import ProgressOption, Splits, seeds, shown
from probus.model_selection.engine import run_jobs, unwarned
from probus.recommend._measures import TestedSplit, parts_of, recommender_measures
from probus.recommend._ratings import Ratings
from probus.recommend._recommender import Recommender
from probus.recommend._resampled import RatedTask, ResampledRecommender
from probus.recommend._side_tables import SideTable
from probus.recommend._splits import Pair, rating_splits
from probus.wrapping import name_of, set_random_states

HALVINGS = 10
_LONGEST = 20  # items of each list that is kept, at least


@dataclass(frozen=True, eq=False)
class Evaluated:
    """Ratings with the tables of users and items: what recommenders are resampled, compared and tuned on.

    relevant : from what rating on a tested item is relevant.
    """

    ratings: Ratings
    users: SideTable | None
    items: SideTable | None
    relevant: float

    @classmethod
    def of(
        cls, models: Sequence[Any], X: Any, users: Any = None, items: Any = None, relevant: float | None = None
    ) -> Evaluated:
        """Read the ratings as the models do; tables are those given, or those that a model was fitted with."""
        for model in models:
            checked_recommender(model)
        scored = [model for model in models if model.predicts_ratings]
        explicit = [model for model in scored if not getattr(model, "implicit", False)]
        ratings = (explicit or scored or list(models))[0].read_ratings(X)
        implicit = bool(scored) and not explicit
        sided = [model for model in models if getattr(model, "sided", False)]
        if (users is not None or items is not None) and not sided:
            raise DataError("tables of users or items, which no model uses.", "a model such as Hybrid among the models")
        tables: tuple[SideTable | None, SideTable | None] = (None, None)
        if sided:
            kept = next((model.sides for model in sided if any(model.sides)), (None, None))
            tables = clone(sided[0]).read_sides(
                ratings, kept[0] if users is None else users, kept[1] if items is None else items
            )
        everyone = ratings.users if tables[0] is None else ratings.users.joined(tables[0].ids.labels)
        everything = ratings.items if tables[1] is None else ratings.items.joined(tables[1].ids.labels)
        return cls(ratings.among(everyone, everything), *tables, _threshold(ratings, relevant, implicit))

    times: ClassVar[None] = None  # as a task, for what shortens evaluations
    classes: ClassVar[tuple[Any, ...]] = ()

    def __len__(self) -> int:
        return len(self.ratings)

    @property
    def rated(self) -> bool:
        """Whether there are ratings on a scale."""
        return self.ratings.columns.rating is not None

    def fitted(self, model: Any, train: np.ndarray) -> Any:
        """The model, fitted on those ratings."""
        sides = (self.users, self.items) if getattr(model, "sided", False) else ()
        return model.fit_ratings(self.ratings.take(train), *sides)


def checked_recommender(model: Any) -> Any:
    """The model; an error where it is none that ``resample`` takes with ratings."""
    if not isinstance(model, Recommender):
        what = model.__name__ if isinstance(model, type) else type(model).__name__
        hint = f"Create one: {what}()." if isinstance(model, type) and issubclass(model, Recommender) else ""
        raise DataError(f"{what} among recommenders.", "recommenders of probus.recommend", hint)
    return model


def _threshold(ratings: Ratings, relevant: float | None, implicit: bool) -> float:
    if relevant is None:
        return float(np.median(ratings.values)) if ratings.columns.rating and not implicit else -np.inf
    if not (ratings.values >= relevant).any():
        raise DataError(
            f"relevant={relevant!r}, and no rating is as high: the highest is {figure(ratings.values.max())}.",
            "from what rating on an item is relevant",
        )
    return float(relevant)


def predicted(model: Any) -> bool:
    """Whether a model predicts ratings on their scale, and not only which items fit."""
    return bool(model.predicts_ratings and not getattr(model, "implicit", False))


# -- a split -------------------------------------------------------------------------------------------


def tested_split(
    model: Any, data: Evaluated, split: tuple[np.ndarray, np.ndarray], seed: int | None, length: int
) -> TestedSplit:
    """Fit a clone on the training ratings, predict the tested ones, and recommend to each tested user."""
    train, test = split
    started = time.perf_counter()
    candidate = clone(model)
    if seed is not None:
        set_random_states(candidate, seed)
    with unwarned():
        fitted = data.fitted(candidate, train)
    ratings = data.ratings
    user, item = ratings.user[test], ratings.item[test]
    counts = np.bincount(ratings.item[train], minlength=len(ratings.items))
    allowed = counts > 0
    if getattr(model, "sided", False) and data.items is not None:
        allowed = allowed | (data.items.ids.codes(ratings.items.labels) >= 0)
    users = np.unique(user)
    lists = fitted.top(users, min(length, len(ratings.items)), allowed=allowed)[0]
    n_users = max(len(np.unique(ratings.user[train])), 1)
    return TestedSplit(
        user=user,
        item=item,
        actual=ratings.values[test],
        predicted=fitted.predict_codes(user, item) if fitted.rated_ else None,
        users=users,
        lists=lists,
        information=-np.log2(np.maximum(counts, 0.5) / n_users),
        n_items=int(allowed.sum()),
        relevant=data.relevant,
        seconds=time.perf_counter() - started,
    )


# -- resampling ----------------------------------------------------------------------------------------


@verb
def resample(
    model: Any,
    X: Any,
    *,
    users: Any = None,
    items: Any = None,
    cv: Any = None,
    scoring: Any = None,
    relevant: float | None = None,
    halvings: int = HALVINGS,
    n_jobs: int | None = None,
    random_state: Any = None,
    progress: ProgressOption = None,
    name: str | None = None,
    executor: Any = None,
) -> ResampledRecommender:
    """Fit a recommender once per split of the ratings, and score it on the others; ``probus.resample`` calls it.

    Every item that the user has not rated in training is a candidate, and no candidates are sampled. A measure of lists
    is the mean over tested users who have a relevant test rating.

    Parameters
    ----------
    model : a recommender.
    X : the ratings: a frame, a Table, a dict of columns, or a path.
    users, items : tables of users and items, for models that use them; by default those that the model was fitted with.
    cv : the number of random folds, by default 5; ``UserFolds()``, ``TimeSplit()`` or ``LeaveLastOut()``; a splitter
        of scikit-learn, whose groups are the users; or pairs of rows.
    scoring : "rmse", "mae", "mse", and of lists "ndcg@10", "precision@10", "recall@10", "map@10", "mrr@10",
        "hit_rate@10", "coverage@10" and "novelty@10", of any length; the main one first.
    relevant : from what rating on a tested item is relevant; by default the median rating, and all of implicit
        feedback.
    halvings : for the intervals of measures of lists, how often the users are split into halves, with a model of each.
        Lists depend on all training users, so that scores of the tested users alone show too little. 0 fits no more:
        the intervals are then for these training ratings, and too short for others.
    n_jobs, random_state, progress, executor : as in ``probus.resample``.
    name : of the model in the result; by default its class.

    Returns
    -------
    Predictions and lists of every split, with scores and their intervals over users; it prints itself.

    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> item = np.concatenate([rng.permutation(12)[:8] for _ in range(20)])
    >>> ratings = {"user": np.repeat(np.arange(20), 8), "item": item, "rating": 3 + item % 3}
    >>> from probus.recommend import Biases
    >>> resample(Biases(), ratings, scoring="rmse").estimate("rmse") < 0.5
    True
    """
    data = Evaluated.of([model], X, users, items, relevant)
    splits = rating_splits(cv, data.ratings, random_state)
    measures = recommender_measures(scoring, data.rated and predicted(model))
    how = (n_jobs, random_state, progress, executor)
    return run(model, data, splits, measures, name or name_of(model), *how, halvings=halvings)


def run(
    model: Any,
    data: Evaluated,
    splits: Splits,
    measures: tuple[Measure, ...],
    name: str,
    n_jobs: int | None = None,
    random_state: Any = None,
    progress: ProgressOption = None,
    executor: Any = None,
    *,
    halvings: int = HALVINGS,
) -> ResampledRecommender:
    """Resample on splits that were drawn before."""
    length = list_length(measures)
    pairs = [*splits.pairs]
    if any(parts_of(each.name)[1] for each in measures):
        pairs += halves_of_users(data.ratings, splits.pairs, halvings)
    states = [None] * len(pairs) if random_state is None else seeds(random_state, len(pairs))
    jobs = [(pair, state) for pair, state in zip(pairs, states, strict=True)]
    done: list[TestedSplit] = []
    with shown(progress) as update:
        update(0, len(jobs), name)
        work = run_jobs(partial(_tested, model, data, length), jobs, n_jobs, executor)
        for each in work:
            done.append(each)
            update(len(done), len(jobs), name)
    failed = next((each for each in done if isinstance(each, Exception)), None)
    if failed is not None:
        raise FailedModelError(
            f"{name} failed: {str(failed).partition(chr(10))[0]}", "a model that can be fitted on the training ratings"
        ) from failed
    return ResampledRecommender(
        name=name,
        task=RatedTask(data.ratings),
        splits=splits,
        tested_splits=tuple(done[: len(splits)]),
        halves=tuple(done[len(splits) :]),
        measures=measures,
        notes=tuple(_notes(data, measures)),
    )


def halves_of_users(ratings: Ratings, pairs: Sequence[Pair], halvings: int) -> list[Pair]:
    """Random halves of the users, so often, as splits: the ratings of one half, then those of the other."""
    if not isinstance(halvings, (int, np.integer)) or isinstance(halvings, bool) or halvings < 0:
        raise DataError(f"halvings={halvings!r}.", "how often the users are split into halves, 0 or more")
    rng, n_users, found = np.random.default_rng(0), len(ratings.users), list[Pair]()
    for place in range(int(halvings)):
        half = rng.permutation(n_users) % 2
        both = [[rows[half[ratings.user[rows]] == h] for rows in pairs[place % len(pairs)]] for h in (0, 1)]
        if all(len(rows) for each in both for rows in each):
            found += [(train, test) for train, test in both]
    return found


def list_length(measures: tuple[Measure, ...]) -> int:
    """How many items are recommended to each user, so that all measures can be computed."""
    return max(_LONGEST, *(parts_of(each.name)[1] for each in measures))


def _tested(model: Any, data: Evaluated, length: int, split: Any, seed: int | None) -> Any:
    try:
        return tested_split(model, data, split, seed, length)
    except Exception as error:  # whatever a model raises is reported with its name
        return error.with_traceback(None)


def _notes(data: Evaluated, measures: tuple[Measure, ...]) -> list[str]:
    columns = data.ratings.columns
    notes = [f"columns: {columns}"] if columns.guessed else []
    ranked = any(
        parts_of(each.name)[0] in ("ndcg", "precision", "recall", "map", "mrr", "hit_rate") for each in measures
    )
    if ranked and np.isfinite(data.relevant):
        notes.append(f"a tested item is relevant from a rating of {figure(data.relevant)} on")
    return notes

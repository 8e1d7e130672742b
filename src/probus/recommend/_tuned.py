"""Recommenders whose parameters are chosen by a search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, clone

from probus.allowed_values import CallableValue, NoneAllowed, OneOf, TrueOrFalse
from probus.arguments import verb
from probus.base import Model
from probus.metrics import Measure
from probus.model_selection import ProgressOption, Splits
from probus.model_selection.engine import unwarned
from probus.model_selection.one_split import error_line
from probus.parameters import N_JOBS, RANDOM_STATE, attribute, parameter
from probus.recommend._evaluation import Evaluated, checked_recommender, list_length, predicted, tested_split
from probus.recommend._measures import recommender_measures
from probus.recommend._ratings import Ratings
from probus.recommend._recommendations import Recommendations
from probus.recommend._recommender import Recommender
from probus.recommend._resampled import value_on
from probus.recommend._side_tables import SideTable
from probus.recommend._splits import rating_splits
from probus.state import Number, Object, Plain, Size, Spec
from probus.tuning import Archive, Fidelity, SplitResult, resolved, run_search, short_hash, table_hash
from probus.wrapping import set_random_states

_FOLDS = 3


class TunedRecommender(Recommender):
    """A recommender with parameters chosen by a search: fitting it searches, then fits the best on all ratings.

    The model's own parameters are evaluated first. The best score chose the configuration and is optimistic;
    ``resample(TunedRecommender(…), ratings)`` gives an honest one. A file holds the best configuration.

    Attributes
    ----------
    best_estimator_, best_params_, best_index_, best_score_ : the best configuration, fitted; its parameters, place and
        mean score.
    archive : what was tried, as a result that prints and plots itself.
    """

    model: Any = parameter("The recommender.", of=[], kw_only=False)
    space: Any = parameter("The ``Space`` to search, or a dict of it; None is that of the model.", default=None, of=[])
    tuner: Any = parameter("A tuner of ``probus.tuning``, or its name.", default="auto", of=[])
    cv: Any = parameter("The splits that choose, as in ``resample``; None is 3 random folds.", default=None, of=[])
    scoring: Any = parameter(
        "One or several measures, as in ``resample``; the first one chooses. None is RMSE for ratings, and NDCG@10 for "
        "implicit feedback.",
        default=None,
        of=[],
    )
    relevant: Any = parameter("From what rating on a tested item is relevant, as in ``resample``.", default=None, of=[])
    time: Any = parameter('The seconds of the search, or a span such as "90s".', default=None, of=[])
    evaluations: Any = parameter(
        "The number of evaluations, that of the model's own parameters included.", default=None, of=[]
    )
    n_jobs: int | None = N_JOBS
    progress: ProgressOption = parameter(
        '"auto" shows a bar, None nothing; or a function of (done, total, text).',
        default=None,
        of=[OneOf("auto"), CallableValue(), TrueOrFalse(), NoneAllowed()],
    )
    random_state: Any = RANDOM_STATE.but(default=0)

    best_estimator_: Any = attribute()

    fitted: ClassVar[dict[str, Spec]] = {
        "best_estimator_": Object(BaseEstimator),
        "best_params_": Plain(),
        "best_score_": Number(),
        "best_index_": Size("B", most=10**9),
    }
    budget, limit, objectives, start = None, None, 1, None  # of searches in general

    @classmethod
    def examples(cls) -> list[Model]:
        """One with two evaluations."""
        from probus.recommend._factorization import MatrixFactorization

        return [cls(MatrixFactorization(2, max_iter=3, random_state=0), space={"factors": 1}, evaluations=2)]

    # -- as the model inside ---------------------------------------------------------------------------

    @property
    def implicit(self) -> bool:
        """Whether the model takes ratings as implicit feedback."""
        return bool(getattr(self.model, "implicit", False))

    @property
    def sided(self) -> bool:
        """Whether the model uses tables of users and items."""
        return bool(getattr(self.model, "sided", False))

    @property
    def sides(self) -> Any:
        """The tables that the model was fitted with."""
        return getattr(self, "_sides", (None, None))

    def read_ratings(self, ratings: Any) -> Ratings:
        """As the model does."""
        return Ratings.of(checked_recommender(self.model).read_ratings(ratings))

    def read_sides(self, data: Ratings, users: Any, items: Any) -> tuple[SideTable | None, SideTable | None]:
        """As the model does."""
        self._sides = self.model.read_sides(data, users, items)
        return self._sides

    def fit_ratings(self, data: Ratings, users: SideTable | None = None, items: SideTable | None = None) -> Self:
        """Search, and fit the best configuration on all ratings."""
        self._validate_params()
        return self._search(Evaluated.of([self.model], data, users, items, self.relevant))

    def fit_evaluated(self, data: Evaluated, **where: Any) -> Self:
        """The same for ratings that were read before; ``where`` is the archive, its name and an executor."""
        self._validate_params()
        self._sides = (data.users, data.items)
        return self._search(data, **where)

    def _search(self, data: Evaluated, **where: Any) -> Self:
        seed = self.random_state if isinstance(self.random_state, (int, np.integer)) else 0
        splits = rating_splits(_FOLDS if self.cv is None else self.cv, data.ratings, seed)
        measures = recommender_measures(
            self.scoring or ("rmse" if data.rated and predicted(self.model) else "ndcg@10"), data.rated
        )
        found = run_search(self, data, **where, splits=splits, measures=measures, evaluates=RatingsEvaluator)
        archive = found.archive
        self._archive = archive
        self.best_index_ = archive.best_index
        self.best_score_ = float(archive.main[self.best_index_])
        self.best_params_ = resolved(archive.best.config, found.space, self.model)
        best = found.evaluator.configured(archive.best.config)
        set_random_states(best, found.seed)
        self.best_estimator_ = data.fitted(best, np.arange(len(data.ratings)))
        self.users_, self.items_, self.rated_ = (
            getattr(self.best_estimator_, name) for name in ("users_", "items_", "rated_")
        )
        return self

    @property
    def archive(self) -> Archive:
        """What the search tried."""
        return self._archive

    # -- the best configuration ------------------------------------------------------------------------

    def predict(self, pairs: Any) -> np.ndarray:
        """What the best configuration predicts."""
        return np.asarray(self.best_estimator_.predict(pairs))

    def predict_codes(self, user: np.ndarray, item: np.ndarray) -> np.ndarray:
        """The same for numbers of users and items."""
        return np.asarray(self.best_estimator_.predict_codes(user, item))

    def recommend(self, user: Any = None, n: int = 10, **options: Any) -> Recommendations:
        """What the best configuration recommends."""
        found: Recommendations = self.best_estimator_.recommend(user, n, **options)
        return found

    def top(self, user: np.ndarray, n: int, **options: Any) -> tuple[np.ndarray, np.ndarray]:
        """The same for numbers of users."""
        found: tuple[np.ndarray, np.ndarray] = self.best_estimator_.top(user, n, **options)
        return found

    def to_be_saved(self) -> BaseEstimator:
        """The best configuration."""
        return getattr(self, "best_estimator_", self)


def _side_hash(side: SideTable) -> str:
    return short_hash(side.ids.labels, table_hash(side.table))


@dataclass(frozen=True, eq=False)
class RatingsEvaluator:
    """Evaluates configurations of a recommender on splits of ratings."""

    model: Any
    task: Evaluated
    splits: Splits
    measures: tuple[Measure, ...]
    seeds: tuple[int, ...]
    fidelity: Fidelity

    @property
    def fingerprint(self) -> dict[str, Any]:
        """What an archive knows the ratings and the tables of users and items by."""
        ratings = self.task.ratings
        values = short_hash(ratings.user, ratings.item, ratings.values, ratings.users.labels, ratings.items.labels)
        sides = {"users": self.task.users, "items": self.task.items}
        return {
            "ratings": len(ratings),
            "relevant": str(self.task.relevant),
            "values": values,
            **{what: _side_hash(side) for what, side in sides.items() if side is not None},
        }

    def configured(self, config: Mapping[str, Any], share: float = 1.0) -> Any:
        """The model with that configuration and effort."""
        values = {name: clone(value, safe=False) for name, value in config.items()}
        return self.fidelity.reduced(clone(self.model).set_params(**values), share)

    def split(self, config: Mapping[str, Any], split: int, share: float = 1.0) -> SplitResult:
        """Fit the configuration on the training ratings of a split and score it on the others."""
        try:
            with unwarned():
                model = self.configured(config, share)
                train, test = self.splits.pairs[split]
                some = self.fidelity.rows(train, self.task, share, self.seeds[split])  # type: ignore[arg-type]
                found = tested_split(model, self.task, (some, test), self.seeds[split], list_length(self.measures))
                scores = {each.name: value_on(each, found) for each in self.measures}
                return SplitResult(scores, found.seconds, 0.0)
        except Exception as reason:  # parameters that the model rejects
            return SplitResult({}, error=error_line(reason))


@verb
def tune(
    model: Any,
    X: Any,
    *,
    users: Any = None,
    items: Any = None,
    space: Any = None,
    tuner: Any = "auto",
    cv: Any = None,
    scoring: Any = None,
    relevant: float | None = None,
    time: float | str | None = None,
    evaluations: int | None = None,
    n_jobs: int | None = None,
    archive: Any = None,
    name: str = "tuning",
    progress: ProgressOption = "auto",
    random_state: Any = 0,
    executor: Any = None,
) -> TunedRecommender:
    """Search the parameters of a recommender, and fit the best on all ratings; ``probus.tune`` calls it.

    Parameters
    ----------
    model : a recommender.
    X, users, items, relevant : as in ``probus.recommend.resample``.
    space, tuner, cv, scoring : as in ``TunedRecommender``.
    time, evaluations, n_jobs, archive, name, progress, random_state, executor : as in ``probus.tune``.

    Returns
    -------
    The fitted model, with the best configuration and all that was tried.
    """
    data = Evaluated.of([checked_recommender(model)], X, users, items, relevant)
    tuned = TunedRecommender(
        model, space=space, tuner=tuner, cv=cv, scoring=scoring, relevant=relevant, time=time,
        evaluations=evaluations, n_jobs=n_jobs, progress=progress, random_state=random_state,
    )  # fmt: skip
    return tuned.fit_evaluated(data, archive=archive, name=name, executor=executor)

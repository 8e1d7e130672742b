"""Choosing among models by resampling them, as a model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d

from probus.allowed_values import ArrayValue, InstanceOf
from probus.base import Accepts, Classifier, Model, Regressor, checked_weights, encoded_classes, table_input
from probus.data import Column, Kind, Table, Task
from probus.errors import DataError, FailedModelError
from probus.metrics import Measure, measure, measures_for
from probus.model_selection._many_models import Entry, resample_many
from probus.model_selection._model_input import features_for, prepared
from probus.model_selection._resample_result import Resampled
from probus.model_selection._split_scores import SplitScores
from probus.model_selection._splits import seeds, splits_of
from probus.parameters import N_JOBS, RANDOM_STATE, parameter
from probus.state import Array, Labels, Number, Object, Spec, String
from probus.wrapping import fit_weighted, named_models, set_random_states, takes_weights

_FOLDS = 5


class BestOf(Model):
    """Parent of the two: resamples every candidate on the same splits and fits the best on all rows."""

    candidates: Mapping[str, Any] | Sequence[Any] = parameter(
        "The estimators to choose from: in a list, or by name in a dict.",
        of=[ArrayValue(), InstanceOf(Mapping)],
        kw_only=False,
    )
    cv: Any = parameter(
        "The splits, as of ``splits_of``; all candidates are evaluated on the same ones.", default=_FOLDS, of=[]
    )
    scoring: str | Measure | Callable[..., float] | None = parameter(
        "The measure that chooses; None is the accuracy, or RMSE of numbers.", default=None
    )
    random_state: Any = RANDOM_STATE
    n_jobs: int | None = N_JOBS

    accepts = Accepts(nominal=True, text=True, missing=True, weights=True, own_levels=True)
    fitted: ClassVar[dict[str, Spec]] = {
        "best_estimator_": Object(BaseEstimator),
        "best_name_": String(),
        "best_score_": Number(),
        "scores_": Array("f8", "C"),
    }

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> BestOf:
        """Resample the candidates, take the one with the best mean score, the first of equals, and fit it."""
        table = table_input(self, X, reset=True, passed_on=True)
        if table.n_rows < 2:
            raise DataError("n_samples = 1.", "at least two rows: one to learn from, one to choose by")
        target, y = self._target(y, table)
        weights = checked_weights(sample_weight, y)
        task = _task_of(table, target, weights)
        candidates = {name: prepared(each, task) for name, each in named_models(self.candidates).items()}
        if not candidates:
            raise DataError("no candidates.", "at least one estimator to choose from")
        chosen = self.measure_for(task)
        tried = self._try_all(candidates, task, chosen)
        self.scores_ = np.array([_mean_score(each) for each in tried])
        self.best_name_ = _best(tried, self.scores_, chosen)
        self.best_score_ = float(self.scores_[list(candidates).index(self.best_name_)])
        best = clone(candidates[self.best_name_])
        if self.random_state is not None:
            set_random_states(best, seeds(self.random_state, 1)[0])
        weights = weights if takes_weights(best) else None
        self.best_estimator_ = fit_weighted(best, features_for(best, table), y, weights)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """What the best candidate predicts."""
        return self._answer("predict", X)

    def _answer(self, method: str, X: Any) -> np.ndarray:
        check_is_fitted(self)
        table = table_input(self, X, reset=False, passed_on=True)
        return getattr(self.best_estimator_, method)(features_for(self.best_estimator_, table))

    def measure_for(self, task: Task) -> Measure:
        """The measure that chooses: the one given by ``scoring``, or the default one of the task."""
        return measures_for(len(task.classes))[0] if self.scoring is None else measure(self.scoring)

    def _try_all(self, candidates: Mapping[str, Any], task: Task, chosen: Measure) -> list[Resampled]:
        splits = splits_of(self.cv, task, random_state=self.random_state)
        entries = {name: Entry(name, each, task, splits) for name, each in candidates.items()}
        found = resample_many(entries, scoring=chosen, n_jobs=self.n_jobs, random_state=self.random_state)
        found.need(len(entries))
        return list(found.results.values())

    @abstractmethod
    def _target(self, y: Any, table: Table) -> tuple[Column, np.ndarray]:
        """The target as a column and as an array, checked; attributes that describe it are set."""


def _best_has(method: str) -> Callable[[Any], bool]:
    def has(model: Any) -> bool:
        if hasattr(model, "best_estimator_"):
            return hasattr(model.best_estimator_, method)
        return all(hasattr(each, method) for each in named_models(model.candidates).values())

    return has


class BestOfClassifier(Classifier, BestOf):
    """Chooses among classifiers by resampling them, and predicts with the best.

    Each candidate is wrapped by ``tabular``, so that all preparation is fitted within the splits. ``best_score_`` chose
    the best candidate and is optimistic; ``nested`` gives an estimate that is not.

    Attributes
    ----------
    best_name_, best_estimator_, best_score_ : the one chosen, fitted on all rows, and its mean score while choosing.
    scores_ : array of the mean score of each candidate.

    >>> from probus.dummy import ZeroRClassifier
    >>> from probus.naive_bayes import GaussianNB
    >>> X, y = [[float(i)] for i in range(20)], ["low"] * 8 + ["high"] * 12
    >>> BestOfClassifier([ZeroRClassifier(), GaussianNB()]).fit(X, y).best_name_
    'GaussianNB'
    """

    fitted: ClassVar[dict[str, Spec]] = {**BestOf.fitted, "classes_": Labels("K")}

    @classmethod
    def examples(cls) -> list[Model]:
        """One that chooses between two."""
        from probus.dummy import ZeroRClassifier
        from probus.naive_bayes import NaiveBayes

        return [cls([NaiveBayes(), ZeroRClassifier()], cv=3)]

    @available_if(_best_has("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities that the best candidate gives."""
        return self._answer("predict_proba", X)

    @available_if(_best_has("decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """The scores that the best candidate gives."""
        return self._answer("decision_function", X)

    def _target(self, y: Any, table: Table) -> tuple[Column, np.ndarray]:
        self.classes_, codes = encoded_classes(y, table.n_rows)
        kind = Kind.BINARY if len(self.classes_) == 2 else Kind.NOMINAL
        column = Column(_free_name(table), kind, codes.astype(np.int32), tuple(self.classes_.tolist()))
        return column, self.classes_[codes]


class BestOfRegressor(Regressor, BestOf):
    """Chooses among regressors by resampling them, and is the best of them; see ``BestOfClassifier``.

    >>> from probus.dummy import ZeroRRegressor
    >>> from probus.neighbors import KNeighborsRegressor
    >>> X, y = [[float(i)] for i in range(20)], [float(i) for i in range(20)]
    >>> BestOfRegressor({"mean": ZeroRRegressor(), "3-NN": KNeighborsRegressor(3)}).fit(X, y).best_name_
    '3-NN'
    """

    @classmethod
    def examples(cls) -> list[Model]:
        """One that chooses between two that both take weights, as those of the choice must."""
        from probus.dummy import ZeroRRegressor

        return [cls([ZeroRRegressor(), ZeroRRegressor(strategy="median")], cv=3)]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inside = [get_tags(each).regressor_tags for each in named_models(self.candidates).values()]
        tags.regressor_tags.poor_score = all(each is not None and each.poor_score for each in inside)
        return tags

    def _target(self, y: Any, table: Table) -> tuple[Column, np.ndarray]:
        if y is None:
            raise DataError("requires y to be passed, but the target y is None.", "one number per row")
        flat = column_or_1d(np.asarray(y) if isinstance(y, (Column, list)) else y, warn=True)
        numbers = np.asarray(check_array(flat, ensure_2d=False, dtype=np.float64, input_name="y"))
        if len(numbers) != table.n_rows:
            raise DataError(
                f"X has {table.n_rows} rows and y has {len(numbers)}: inconsistent numbers of samples.", "one y per row"
            )
        return Column.numbers(_free_name(table), numbers), numbers


def _task_of(table: Table, target: Column, weights: np.ndarray | None) -> Task:
    table = table.with_columns(target)
    weight = None if weights is None else _free_name(table)
    if weight is not None:
        table = table.with_columns(Column.numbers(weight, weights))
    # a task treats two numbers as classes; for a regressor they are numbers
    kind: Any = "regression" if target.kind is Kind.NUMERIC else None
    return Task(table, target.name, weight=weight, kind=kind)


def _free_name(table: Table) -> str:
    name = "target"
    while name in table:
        name += "_"
    return name


def _mean_score(tried: Resampled) -> float:
    return np.nan if tried.failed_everywhere else SplitScores.of_test_rows(tried, tried.measures[0]).value


def _best(tried: Sequence[Resampled], scores: np.ndarray, chosen: Measure) -> str:
    """The first with the best score among those that never failed."""
    sound = [i for i, each in enumerate(tried) if not each.failures and not np.isnan(scores[i])]
    if not sound:
        errors = [f"{each.name}: {each.failures[0].error if each.failures else 'no score'}" for each in tried]
        more = f"; … ({len(errors)} in all)" if len(errors) > 3 else ""
        raise FailedModelError(
            f"every candidate failed: {'; '.join(errors[:3])}{more}.", "one that can be fitted and scored"
        ) from next((each.failures[0].cause for each in tried if each.failures), None)
    return tried[max(sound, key=lambda i: chosen.better(float(scores[i])))].name

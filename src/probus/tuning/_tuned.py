"""A model whose parameters are chosen by a search, as an estimator."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils import Tags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from probus.allowed_values import CallableValue, NoneAllowed, OneOf, TrueOrFalse
from probus.base import Accepts, Model, checked_numbers, checked_weights, encoded_classes, table_input
from probus.data import Column, Task, is_frame
from probus.display import counted
from probus.errors import DataError, NotStoredError
from probus.metrics import Estimate, Measure, Scoring, measure
from probus.metrics.curves import wilson
from probus.model_selection import ProgressOption, checked_measures, corrected_interval, features_for, rows_for
from probus.model_selection.one_split import Labelled, scored_outcome
from probus.parameters import N_JOBS, RANDOM_STATE, parameter
from probus.state import Labels, Maybe, Number, Object, Plain, Size, Spec, Stored
from probus.tuning._archive import Archive
from probus.tuning._cv_results import cv_results, resolved
from probus.tuning._tuning_run import SearchResult, checked_model, run_search, tuning_measures
from probus.wrapping import fit_weighted, set_random_states, takes_weights

_ANSWERS = {
    **{name: f"tuned.{name}_" for name in ("best_params", "best_score", "best_estimator", "best_index", "cv_results")},
    "best_value": "tuned.best_score_", "best_model": "tuned.best_estimator_", "best_trial": "tuned.archive.best",
    "trials": "tuned.archive", "history": "tuned.archive", "results": "tuned.archive",
    "trials_dataframe": "tuned.archive.to_frame()", "report": "tuned.archive.save('tuning.html')",
    "study": "tuned.archive", "best_config": "tuned.best_params_", "plot_optimization_history": "tuned.plot()",
    **dict.fromkeys(("plot_param_importances", "plot_importance"), "tuned.archive.plot_effect('name')"),
}  # fmt: skip


def _best_has(method: str) -> Callable[[Any], bool]:
    return lambda tuned: hasattr(getattr(tuned, "best_estimator_", tuned.model), method)


class Tuned(Model):
    """A model with parameters chosen by a search: fitting it searches, then fits the best configuration on all rows.

    It is a classifier or a regressor as the model is. The model's own configuration is always evaluated first, so that
    the result is never worse on the splits. Each configuration is prepared by ``tabular`` within the splits. The best
    score chose the configuration and is optimistic; ``resample(Tuned(...), task)`` gives an honest one.

    Attributes
    ----------
    best_estimator_, best_params_, best_index_ : the best configuration, fitted; its parameters; its place.
    best_score_ : its mean score; as a number turned as ``scoring`` is where that begins with "neg_".
    best_estimate_ : the score with its interval.
    cv_results_ : every evaluation, as scikit-learn's searches report them.
    archive : the same as a result that prints and plots itself.

    >>> from probus.naive_bayes import GaussianNB
    >>> from probus.tuning import Random, Real, Space
    >>> from sklearn.datasets import load_iris
    >>> space = Space({"var_smoothing": Real(1e-9, 1.0, log=True)})
    >>> tuned = Tuned(GaussianNB(), space=space, tuner=Random(), evaluations=5).fit(*load_iris(return_X_y=True))
    >>> len(tuned.cv_results_["params"]), list(tuned.best_params_)
    (5, ['var_smoothing'])
    """

    model: Any = parameter("The estimator: of Probus, or any that follows scikit-learn.", kw_only=False)
    space: Any = parameter(
        "The ``Space`` to search, or a dict of its parameters; None is ``search_space(model)``.", default=None
    )
    tuner: Any = parameter(
        'A tuner, or its name in lower case ("random", "grid", "bayesian", …). "auto" is ``Grid`` for few '
        "configurations, ``BOHB`` for long fits, and else ``Bayesian``.",
        default="auto",
    )
    cv: Any = parameter(
        "The splits that choose, as of ``splits_of``; None is 5 folds that respect groups and time.", default=None
    )
    scoring: Scoring | Iterable[Scoring] | None = parameter(
        "One or several measures; the first chooses. None is ROC AUC for two classes, log loss for more, RMSE "
        "for numbers.",
        default=None,
    )
    objectives: int = parameter(
        "How many of the measures of ``scoring`` are optimised together. With more than one, the search looks for the"
        " configurations that no other beats in all of them, ``archive.front``; the best of these by the first "
        "measure is fitted.",
        default=1,
        of=[],
    )
    time: float | str | None = parameter(
        'The seconds of the search, or a span such as "90s" or "5m"; the fit on all rows comes after it.',
        default=None,
        of=[],
    )
    evaluations: int | None = parameter(
        "The number of evaluations, that of the model's own configuration included. Without it and ``time``, a tuner "
        "that ends by itself runs to its end, and others stop after 50.",
        default=None,
        of=[],
    )
    start: Any = parameter(
        "What is evaluated first, after the model's own configuration: a configuration or several, in which parameters "
        "that are not named have their default; or a former search (a ``Tuned``, its archive or the file of one), of "
        "which the best five that lie in the space are evaluated again. Inside ``resample`` a search of the tested "
        "rows is an error, where they can be recognised: it chose by them. Copies of a model keep an archive only.",
        default=None,
        of=[],
    )
    limit: float | str | None = parameter(
        "The seconds, or a span, that one fit may take; a fit that takes longer is stopped, and its configuration has"
        " failed.",
        default=None,
        of=[],
    )
    refit: bool = parameter("Whether the best configuration is fitted on all rows.", default=True)
    n_jobs: int | None = replace(
        N_JOBS,
        doc=(
            "The number of processes; it does not change the result. With several, or with a limit, a model that "
            "crashes is a failed evaluation."
        ),
    )
    progress: ProgressOption = parameter(
        '"auto" shows a bar in terminals and notebooks, None nothing; or a function of (done, total, text).',
        default=None,
        of=[OneOf("auto"), CallableValue(), TrueOrFalse(), NoneAllowed()],
    )
    random_state: Any = RANDOM_STATE.but(default=0)
    budget: float | str | None = parameter("The former name of ``time``.", default=None)

    fitted: ClassVar[dict[str, Spec]] = {
        "best_estimator_": Maybe(Object(BaseEstimator)),
        "best_params_": Plain(),
        "best_score_": Number(),
        "best_index_": Size("I"),
        "classes_": Maybe(Labels("K")),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """One with few cheap evaluations; with a regressor inside, nothing but the target differs."""
        from probus.naive_bayes import NaiveBayes

        return [cls(NaiveBayes(), space={"smoothing": 0.5}, cv=2, evaluations=2)]

    @property
    def accepts(self) -> Accepts:
        """Tables of any kind, since the model is prepared; weights where the model takes them."""
        return Accepts(nominal=True, text=True, missing=True, weights=takes_weights(self.model), own_levels=True)

    def __sklearn_tags__(self) -> Tags:
        tags, inside = super().__sklearn_tags__(), get_tags(self.model)
        tags.estimator_type, tags.target_tags = inside.estimator_type, inside.target_tags
        tags.classifier_tags, tags.regressor_tags = inside.classifier_tags, inside.regressor_tags
        tags.target_tags.multi_output = False
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = False
        return tags

    # -- fitting ---------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> Tuned:
        """Search, and fit the best configuration on all rows; X may be a Task."""
        checked_model(self.model)
        if isinstance(X, Task):
            return self.fit_task(Task.of(X, y, groups=groups, sample_weight=sample_weight))
        table = table_input(self, X, reset=True, passed_on=True)
        if table.n_rows < 2:
            raise DataError("n_samples = 1.", "at least two rows: one to learn from, one to choose by")
        labels = self._labels(y, table.n_rows)
        weights = checked_weights(sample_weight, labels)
        given = X if is_frame(X) or isinstance(X, np.ndarray) else table
        return self._fit(Task.of(given, labels, model=self.model, groups=groups, sample_weight=weights), labels)

    def fit_task(self, task: Task, *, archive: Any = None, name: str = "tuning", executor: Any = None) -> Tuned:
        """Search on a task; ``archive``, ``name`` and ``executor`` are as in ``tune``."""
        self._validate_params()
        table_input(self, task.X if task.given is None else task.given, reset=True, passed_on=True)
        return self._fit(task, task.y, archive, name, executor)

    def _labels(self, y: Any, n_rows: int) -> np.ndarray:
        if not is_classifier(self.model):
            return checked_numbers(y, n_rows)
        classes, codes = encoded_classes(y, n_rows)
        if len(classes) < 2:
            raise DataError(f"one class only: {classes[0]!r}.", "at least two classes to distinguish")
        return classes[codes]

    def _fit(self, task: Task, labels: np.ndarray, *where: Any) -> Tuned:
        found = run_search(self, task, *where)
        self._describe(found)
        for old in ("classes_", "best_estimator_"):
            self.__dict__.pop(old, None)
        if is_classifier(self.model):
            self.classes_ = np.unique(labels)
        if self.refit:
            started = perf_counter()
            best = found.evaluator.configured(found.archive.best.config)
            set_random_states(best, found.seed)
            weights = task.sample_weight if takes_weights(best) else None
            array = isinstance(task.given, np.ndarray)  # which has no names that new rows could be matched by
            rows = task.given if array else rows_for(best, task)
            self.best_estimator_ = fit_weighted(best, rows, labels, weights)
            self._refit_seconds = perf_counter() - started
        return self

    def _describe(self, found: SearchResult) -> None:
        """Set what the search found."""
        archive = found.archive
        self._archive, self._space, self._splits = archive, found.space, found.evaluator.splits
        self._measures = found.evaluator.measures
        self._results: dict[str, Any] | None = None
        self.best_index_ = archive.best_index
        self.best_score_ = self._sign * float(archive.main[self.best_index_])
        self.best_params_ = resolved(archive.best.config, found.space, self.model)

    @property
    def _sign(self) -> float:
        return -1.0 if isinstance(self.scoring, str) and self.scoring.startswith("neg_") else 1.0

    def to_be_saved(self) -> BaseEstimator:
        """Itself; the best configuration where a setting is an object that files do not hold, as a splitter."""
        settings = {name: value for name, value in self.get_params(deep=False).items() if name != "model"}
        return self if _storable(settings) else getattr(self, "best_estimator_", self)

    def measure_for(self, task: Task) -> Measure:
        """The measure that chooses: the first of ``scoring``, or the default one of the task and model."""
        return tuning_measures(self.scoring, self.model, task)[0]

    # -- what was tried --------------------------------------------------------------------------------

    @property
    def archive(self) -> Archive:
        """What the search tried, as a result that prints and plots itself."""
        self._check_searched()
        return self._archive

    def _check_searched(self) -> None:
        check_is_fitted(self)
        if not hasattr(self, "_archive"):
            raise NotStoredError(
                "a model file does not hold what the search tried.", "a model that was tuned in this session"
            )

    def __getattr__(self, name: str) -> Any:
        if name in _ANSWERS:
            raise AttributeError(f"a Tuned has no attribute {name!r}: use {_ANSWERS[name]}")
        return object.__getattribute__(self, name)  # raises

    def plot(self, axes: Any = None) -> Any:
        """Every evaluation and the best so far: ``archive.plot``."""
        return self.archive.plot(axes)

    def __str__(self) -> str:
        """The parameters, and after a search its best score and configuration; ``repr`` has the parameters only."""
        shown = repr(self)
        if not hasattr(self, "best_score_"):
            return shown
        config = ", ".join(f"{name}={value!r}" for name, value in self.best_params_.items()) or "the model's own"
        if not hasattr(self, "_archive"):  # loaded
            return f"{shown}\n  best score {self.best_score_:.4g} of {config}"
        tried = counted(len(self._archive), "configuration")
        score = f"{self._measures[0].name} {self.best_estimate_}, optimistic, since the splits chose among {tried}"
        return f"{shown}\n  best {score}\n  best configuration: {config}"

    @property
    def cv_results_(self) -> dict[str, Any]:
        """Every evaluation, as scikit-learn's searches report them."""
        archive = self.archive
        if self._results is None:
            self._results = cv_results(archive, self._space, self.model, self._measures, self._sign)
        return self._results

    @property
    def best_estimate_(self) -> Estimate:
        """The best score with its interval, which is optimistic, since the same splits chose."""
        archive, main = self.archive, self._measures[0]
        scores = np.array(archive.best.scores[main.name])
        interval = corrected_interval(scores, self._splits.test_to_train, low=main.low, high=main.high)
        if main.name in ("accuracy", "error_rate"):  # folds may be alike by chance, but the rows are a sample
            n_tested = len(np.unique(np.concatenate([test for _, test in self._splits.pairs])))
            low, high = wilson(interval.value, n_tested, interval.level)
            interval = replace(interval, low=min(interval.low, float(low)), high=max(interval.high, float(high)))
        return replace(interval, method=f"{interval.method}; optimistic, since these splits chose")

    @property
    def n_splits_(self) -> int:
        """The number of splits of each evaluation."""
        self._check_searched()
        return len(self._splits)

    @property
    def refit_time_(self) -> float:
        """The seconds of fitting the best configuration on all rows."""
        self._check_searched()
        return self._refit_seconds

    # -- the best configuration ------------------------------------------------------------------------

    @available_if(_best_has("predict"))
    def predict(self, X: Any) -> np.ndarray:
        """What the best configuration predicts."""
        return self._answer("predict", X)

    @available_if(_best_has("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """The probabilities that the best configuration gives."""
        return self._answer("predict_proba", X)

    @available_if(_best_has("predict_log_proba"))
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of the probabilities that the best configuration gives."""
        return self._answer("predict_log_proba", X)

    @available_if(_best_has("decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """The scores that the best configuration gives."""
        return self._answer("decision_function", X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The measure of ``scoring``, turned where that begins with "neg_"; by default accuracy or R²."""
        best = self._best()
        labels = np.asarray(y.decoded() if isinstance(y, Column) else y)
        task = Task.of(
            table_input(self, X, reset=False, passed_on=True), labels, model=self.model, sample_weight=sample_weight
        )
        given = checked_measures(self.scoring, task)
        chosen = given[0] if given else measure("accuracy" if task.classes else "r2")
        data = Labelled.of(task, self._features(best, X), measures=[chosen])
        return self._sign * chosen.compute(scored_outcome(best, data, np.arange(len(task))))

    def _best(self) -> Any:
        check_is_fitted(self)
        if not self.refit:
            raise DataError("refit=False: the best configuration is not fitted.", "refit=True to predict")
        return self.best_estimator_

    def _answer(self, method: str, X: Any) -> np.ndarray:
        best = self._best()
        return getattr(best, method)(self._features(best, X))

    def _features(self, best: Any, X: Any) -> Any:
        """New rows in the form that the best configuration was fitted on."""
        table = table_input(self, X, reset=False, passed_on=True)
        if isinstance(X, np.ndarray):
            return X
        return features_for(best, table, X if is_frame(X) else None)


def _storable(value: Any) -> bool:
    """Whether a model file can hold a setting."""
    if isinstance(value, Stored):
        return type(value).__module__.startswith("probus.") and _storable(value.parts())
    if isinstance(value, (dict, list, tuple)):
        return all(map(_storable, value.values() if isinstance(value, dict) else value))
    return value is None or isinstance(value, (bool, int, float, str, np.generic))

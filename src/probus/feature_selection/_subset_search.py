"""Selectors that search subsets of columns by fitting a model on each: the wrappers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import is_classifier

from probus.allowed_values import CallableValue, IntegerIn, NoneAllowed, OneOf, RealIn, TrueOrFalse
from probus.base import (
    Accepts,
    Model,
    RequiredTargetMixin,
    checked_numbers,
    checked_weights,
    encoded_classes,
    table_input,
)
from probus.data import Table, Task
from probus.display import counted
from probus.errors import DataError, NotStoredError
from probus.feature_selection._column_selector import ColumnSelector
from probus.feature_selection._search_bound import subset_search_bound
from probus.feature_selection._selection_path import SelectionPath, behind, best_place, smallest_place
from probus.feature_selection._subset_scores import (
    INTERRUPTED,
    OUT_OF_TIME,
    SearchStopped,
    Subset,
    SubsetScorer,
    check_rows,
    check_target,
    deadline_after,
    measure_of,
)
from probus.metrics import Measure, Scoring
from probus.model_selection import ProgressOption, Resampled, Splits, folds_of, seeds, shown, splits_of
from probus.parameters import N_JOBS, RANDOM_STATE, attribute, parameter
from probus.pipeline import tabular
from probus.spans import seconds_of
from probus.state import Array, Number, Spec
from probus.wrapping import name_of, takes_weights

_FOLDS = 5
_BOUNDED = ("accuracy", "error_rate")  # whose rows lose 0 or 1
STEP = parameter(
    "How many columns are left out at a time; below 1, that share of those left, at least one.",
    default=1,
    of=[IntegerIn(at_least=1), RealIn(above=0.0, below=1.0)],
)


@dataclass(eq=False)
class Found:
    """What a search found: the best subset of each size, and its predictions."""

    task: Task
    splits: Splits
    measure: Measure
    results: dict[Subset, Resampled]
    n_subsets: int
    n_fits: int
    stopped: str = ""
    honest: bool = False

    def by_size(self) -> list[Subset]:
        """The subsets, the small ones first."""
        return sorted(self.results, key=len)


class SubsetSearch(RequiredTargetMixin, ColumnSelector):
    """Base class of wrappers: fits the model on subsets of the columns and keeps the best of each size."""

    model: Any = parameter(
        "The estimator, of Probus or any that follows scikit-learn; ``tabular`` prepares the columns of each subset.",
        kw_only=False,
    )
    k: int | None = parameter("The number of columns; None chooses it.", default=None, at_least=1)
    min_score: float | None = parameter(
        "In place of ``k``: the smallest subset whose score is at least as good as this is chosen.", default=None
    )
    choose: str = parameter(
        'Without both: "best" is the subset with the best score, and "smallest" the smallest one that is not '
        "distinguishable from it, at 95 % on the same rows.",
        default="best",
        one_of=("best", "smallest"),
    )
    cv: Any = parameter(
        "The splits that choose, as of ``splits_of``; None is 5 folds that respect groups and time.", default=None
    )
    scoring: Scoring | None = parameter(
        "The measure that chooses. None is ROC AUC for two classes, log loss for more, RMSE for numbers.", default=None
    )
    time: float | str | None = parameter(
        'The seconds of the search, or a span such as "90s"; what was done by then is kept, as after Ctrl-C.',
        default=None,
        of=[],
    )
    n_jobs: int | None = N_JOBS
    progress: ProgressOption = parameter(
        '"auto" shows a bar with the number of fits in terminals and notebooks, None nothing; or a function of (done, '
        "total, text).",
        default=None,
        of=[OneOf("auto"), CallableValue(), TrueOrFalse(), NoneAllowed()],
    )
    random_state: Any = RANDOM_STATE.but(default=0)

    subsets_: np.ndarray = attribute()
    scores_: np.ndarray = attribute()
    n_subsets_: int = attribute()
    fitted: ClassVar[dict[str, Spec]] = {
        **ColumnSelector.fitted,
        "subsets_": Array("?", "s d"),
        "scores_": Array("f8", "s"),
        "n_subsets_": Number(),
    }

    @classmethod
    def examples(cls) -> list[Model]:
        """The best column for a small tree."""
        from probus.tree import DecisionTreeRegressor

        return [cls(DecisionTreeRegressor(max_depth=1), cv=2, **cls._of_examples())]

    @classmethod
    def _of_examples(cls) -> dict[str, Any]:
        return {"k": 1}

    @property
    def accepts(self) -> Accepts:  # type: ignore[override]
        """Tables of any kind, since the model is prepared; weights where the model takes them."""
        return Accepts(nominal=True, text=True, missing=True, weights=takes_weights(self.model), own_levels=True)

    # -- fitting ---------------------------------------------------------------------------------------

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, groups: Any = None) -> SubsetSearch:
        """Search, and choose a subset; X may be a Task."""
        tabular(self.model)  # an error where it is no estimator
        if isinstance(X, Task):
            return self.fit_task(Task.of(X, y, groups=groups, sample_weight=sample_weight))
        return self._fit_on(self._task_of(X, y, sample_weight, groups), None)

    def fit_task(self, task: Task, *, executor: Any = None) -> SubsetSearch:
        """Search on a task, whose groups, time and weights are respected; ``executor`` is as in ``resample``."""
        self._validate_params()
        tabular(self.model)
        table_input(self, task.X, reset=True, passed_on=True)
        return self._fit_on(task, executor)

    def n_subsets(self, n_columns: int) -> int:
        """The number of subsets that the search scores, each by a fit on every split; of a floating search, at least.

        Parameters
        ----------
        n_columns : the number of columns.
        """
        return self._count_subsets(n_columns, *self._sizes(n_columns))

    @property
    def path(self) -> SelectionPath:
        """The best subset of each size with its score: a result that prints and plots itself."""
        if not hasattr(self, "_path"):
            raise NotStoredError("a model file does not hold what the search tried.", "a selector fitted here")
        return self._path

    def to_be_saved(self) -> SubsetSearch:
        """Itself, without settings that files do not hold, such as a splitter or a function."""
        saved = copy(self)
        saved.progress = None
        saved.cv = self.cv if isinstance(self.cv, int) else None
        saved.scoring = self.scoring if isinstance(self.scoring, str) else None
        return saved

    def _task_of(self, X: Any, y: Any, sample_weight: Any, groups: Any) -> Task:
        table = table_input(self, X, reset=True, passed_on=True)
        check_rows(len(table))
        labels = labels_for(self.model, y, len(table))
        weights = checked_weights(sample_weight, labels)
        return Task.of(table, labels, model=self.model, groups=groups, sample_weight=weights)

    def _fit_on(self, task: Task, executor: Any) -> SubsetSearch:
        seconds = seconds_of(self.time)
        with shown(self.progress) as update:
            found = self.search(task, update, deadline_after(seconds), executor)
        if len(found.by_size()) == 1 and not found.by_size()[0]:
            if found.stopped == INTERRUPTED:
                raise KeyboardInterrupt
            raise DataError(
                f"the time of {self.time} was over before one column was chosen.",
                "time for a fit of each column on every split",
                "Allow more time, or fewer splits (cv=3).",
            )
        self._path = self.path_of(found)
        features = task.features
        self.subsets_ = np.array([[name in names for name in features] for names in self._path.columns])
        self.scores_ = np.array([each.value for each in self._path.estimates])
        self.n_subsets_ = found.n_subsets
        self.support_ = self.subsets_[self._path.chosen].copy()
        return self

    def _support(self, table: Table, y: Any) -> np.ndarray:
        raise NotImplementedError  # fit chooses

    # -- the search ------------------------------------------------------------------------------------

    def search(self, task: Task, update: Any, deadline: float | None, executor: Any = None) -> Found:
        """The best subset of each size on a task, until the deadline.

        Parameters
        ----------
        task : the rows.
        update : what is called with the progress.
        deadline : a time of ``perf_counter``, or None.
        executor : where fits run, or None.
        """
        check_target(self.model, task)
        d = len(task.features)
        first, last = self._sizes(d)
        splits = self.splits_for(task)
        scorer = SubsetScorer(
            self.model, task, splits, measure_of(self.scoring, self.model, task), self._seeds(len(splits)),
            self._count_subsets(d, first, last), type(self).__name__, update, self.n_jobs, executor, deadline,
        )  # fmt: skip
        best: dict[int, tuple[float, Subset]] = {}
        scorer.score([()])
        results: dict[Subset, Resampled] = {(): scorer.result(())}
        goal = None if self.min_score is None else scorer.measure.better(self.min_score)

        def record(subset: Subset, score: float) -> bool:
            before, known = best.get(len(subset), (-np.inf, None))
            if score > before:
                if known is not None:
                    del results[known]
                best[len(subset)] = score, subset
                results[subset] = scorer.result(subset)
            return self._grows and goal is not None and score >= goal

        stopped = ""
        try:
            self._walk(scorer, d, first, last, record)
        except SearchStopped:
            stopped = OUT_OF_TIME
        except KeyboardInterrupt:
            stopped = INTERRUPTED
        return Found(task, splits, scorer.measure, results, len(scorer.scores) - 1, scorer.n_fits, stopped)

    _grows: ClassVar[bool] = True  # whether the first subset that reaches the goal is the smallest

    @abstractmethod
    def _walk(self, scorer: SubsetScorer, d: int, first: int, last: int, record: Any) -> None:
        """Score subsets and record the best of each size."""

    @abstractmethod
    def _count_subsets(self, d: int, first: int, last: int) -> int:
        """The number of subsets that will be scored."""

    def _sizes(self, d: int) -> tuple[int, int]:
        """The smallest and the largest number of columns of the search."""
        if self.k is not None and self.min_score is not None:
            raise DataError("k together with min_score.", "one of them")
        if self.k is not None and self.k > d:
            raise DataError(f"k={self.k} of {counted(d, 'column')}.", f"a number from 1 to {d}")
        return (1, d) if self.k is None else (self.k, self.k)

    def splits_for(self, task: Task) -> Splits:
        """The splits that choose."""
        if self.cv is None:
            return folds_of(task, _FOLDS, self.random_state)
        return splits_of(self.cv, task, random_state=self.random_state)

    def _seeds(self, n: int) -> Sequence[int | None]:
        return [None] * n if self.random_state is None else list(seeds(self.random_state, n))

    # -- the choice ------------------------------------------------------------------------------------

    def path_of(self, found: Found) -> SelectionPath:
        """The result of a search."""
        subsets, chosen = found.by_size(), found.measure
        results = [found.results[subset] for subset in subsets]
        estimates = [each.estimate(chosen) for each in results]
        values = [each.value for each in estimates]
        best = best_place(values, chosen)
        gaps = [behind(each, results[best], chosen) for each in results]
        place, why = self.choice(subsets, values, gaps, chosen, found.stopped)
        return SelectionPath(
            name=f"{type(self).__name__} of {name_of(self.model)}",
            columns=tuple(_in_order(subsets, found.task.features)),
            estimates=tuple(estimates),
            behind=tuple(gaps),
            measure=chosen,
            chosen=place,
            why=why,
            smallest=smallest_place([len(subset) for subset in subsets], gaps),
            honest=found.honest,
            n_subsets=found.n_subsets,
            n_fits=found.n_fits,
            how=found.splits.how,
            bound=float("nan") if found.honest else _bound_of(found),
            stopped=found.stopped,
        )

    def choice(
        self, subsets: Sequence[Subset], values: Sequence[float], gaps: Sequence[Any], chosen: Measure, stopped: str
    ) -> tuple[int, str]:
        """The place of the subset that is chosen, and why; never that without columns.

        Parameters
        ----------
        subsets : the best subset of each size.
        values : their scores.
        gaps : by how much each is worse than the best.
        chosen : the measure.
        stopped : why the search ended early, or nothing.
        """
        filled = [i for i, subset in enumerate(subsets) if subset]
        turned = {i: chosen.better(values[i]) for i in filled}
        best = max(filled, key=lambda i: (turned[i], -len(subsets[i])))
        if self.k is not None:
            exact = [i for i in filled if len(subsets[i]) == self.k]
            if exact:
                return exact[0], "as given by k"
            k = self.k
            return min(filled, key=lambda i: abs(len(subsets[i]) - k)), f"in place of {k}: {stopped}"
        if self.min_score is not None:
            enough = [i for i in filled if turned[i] >= chosen.better(self.min_score)]
            if not enough:
                raise DataError(
                    f"no subset has {chosen.name} {'≥' if chosen.greater_is_better else '≤'} {self.min_score:g}: the "
                    f"best, of {counted(len(subsets[best]), 'column')}, has {values[best]:.4g}.",
                    "a score that can be reached",
                )
            smallest = min(enough, key=lambda i: len(subsets[i]))
            return smallest, f"the fewest with {chosen.name} of {self.min_score:g} or better"
        if self.choose == "best":
            return best, "with the best score"
        return smallest_place(
            [len(subset) for subset in subsets], gaps
        ), "the fewest that are not distinguishable from the best"


def _bound_of(found: Found) -> float:
    if found.measure.name not in _BOUNDED:
        return float("nan")
    test = min(len(test) for _, test in found.splits.pairs)
    largest = max(map(len, found.results))
    d = len(found.task.features)
    return subset_search_bound(test, n_columns=d, largest=largest, n_splits=len(found.splits))


def _in_order(subsets: Sequence[Subset], names: Sequence[str]) -> list[tuple[str, ...]]:
    """The names of each subset, those of smaller subsets first."""
    listed: list[int] = []
    found = []
    for subset in subsets:
        listed = [j for j in listed if j in subset] + [j for j in subset if j not in listed]
        found.append(tuple(names[j] for j in listed))
    return found


def labels_for(model: Any, y: Any, n_rows: int) -> np.ndarray:
    """The target as classes or numbers, as the model needs it."""
    if not is_classifier(model):
        return checked_numbers(y, n_rows)
    classes, codes = encoded_classes(y, n_rows)
    return classes[codes]

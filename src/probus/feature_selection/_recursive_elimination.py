"""Recursive elimination: leave out the least important columns, again and again, within each split."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from probus.data import Task
from probus.errors import FailedModelError
from probus.feature_selection._column_importance import importance_of
from probus.feature_selection._search_steps import shrinking
from probus.feature_selection._subset_scores import (
    INTERRUPTED,
    OUT_OF_TIME,
    Subset,
    check_target,
    measure_of,
    on_columns,
    score_of,
)
from probus.feature_selection._subset_search import STEP, Found, SubsetSearch
from probus.metrics import Measure
from probus.model_selection import Resampled, Splits
from probus.model_selection.engine import Engine, Job
from probus.model_selection.one_split import Attempt, Labelled, constant_outcome
from probus.parameters import parameter
from probus.wrapping import name_of


class RecursiveElimination(SubsetSearch):
    """Leave out the least important columns again and again, and choose their number by cross-validation.

    On every split the columns are eliminated anew, by the training rows alone, so that the score of each size is on
    rows that had no part in choosing columns. Only the choice among the sizes makes the best score a little optimistic.
    It fits one model for each size on each split, and on all rows.

    Attributes
    ----------
    path : the subset of each size, of all rows, with the score of that size as a result that prints and plots itself.
    support_ : which columns are chosen.
    ranking_ : 1 for columns that are chosen; the larger, the earlier a column was left out.
    subsets_, scores_ : the columns of each size, and their score; size 0 is the constant predictor.
    n_subsets_ : the number of sizes.

    >>> import probus
    >>> from probus.ensemble import RandomForestClassifier
    >>> iris = probus.Task(probus.datasets.load("iris"), target="species")
    >>> forest = RandomForestClassifier(20, random_state=0)
    >>> selector = RecursiveElimination(forest, k=2).fit(iris)
    >>> selector.path.selected
    ('petal_length', 'petal_width')
    """

    step: float = STEP
    importance: str = parameter(
        '"auto" is that of the model: of its trees, or the standard deviation of the part of a linear prediction that '
        'a column makes up; "permutation", also for models without either, is the fall of the score on training rows '
        "where the column is permuted.",
        default="auto",
        one_of=("auto", "permutation"),
    )

    @classmethod
    def _of_examples(cls) -> dict[str, Any]:
        return {"k": 1, "step": 0.5}

    @property
    def ranking_(self) -> np.ndarray:
        """1 for columns that are chosen; the larger, the earlier a column was left out."""
        kept = self.subsets_[self.subsets_.sum(axis=1) >= self.support_.sum()]
        return 1 + (~kept).sum(axis=0)

    def search(self, task: Task, update: Any, deadline: float | None, executor: Any = None) -> Found:
        """The subset of each size on a task, until the deadline; see ``SubsetSearch.search``.

        Parameters
        ----------
        task : the rows.
        update : what is called with the progress.
        deadline : a time of ``perf_counter``, or None.
        executor : where fits run, or None.
        """
        check_target(self.model, task)
        d = len(task.features)
        sizes = self._schedule(d)
        splits, chosen = self.splits_for(task), measure_of(self.scoring, self.model, task)
        every = np.arange(len(task))
        pairs = [*splits.pairs, (every, every)]
        data = Labelled.of(task, task.X, measures=[chosen])
        constant = [Attempt(constant_outcome(data, train, test), 0.0, 0.0) for train, test in splits.pairs]
        results: dict[Subset, Resampled] = {(): _result_of((), constant, task, splits, chosen)}
        left: list[Subset] = [tuple(range(d))] * len(pairs)
        seeds, total, stopped = self._seeds(len(pairs)), len(sizes) * len(pairs), ""
        text = f"{type(self).__name__}: {total:,} fits"
        engine = Engine(text, self.n_jobs, executor, lambda done, _, what: update(done, total, what), deadline)
        try:
            for number, size in enumerate(sizes):
                jobs: list[Job] = [
                    (
                        on_columns(self.model, [task.features[j] for j in subset]),
                        pair,
                        seed,
                        self._ranks(data, pair[0], chosen),
                    )
                    for subset, pair, seed in zip(left, pairs, seeds, strict=True)
                ]
                attempts = engine.attempts(data, jobs, before=number * len(pairs))
                if len(attempts) < len(jobs):
                    stopped = OUT_OF_TIME
                    break
                _check(attempts, self.model)
                results[left[-1]] = _result_of(left[-1], attempts[:-1], task, splits, chosen)
                fewer = sizes[number + 1] if number + 1 < len(sizes) else size
                left = [_most_important(each, fit.kept, fewer) for each, fit in zip(left, attempts, strict=True)]
        except KeyboardInterrupt:
            stopped = INTERRUPTED
        n = len(results) - 1
        return Found(task, splits, chosen, results, n, n * len(pairs), stopped, honest=True)

    def _ranks(self, data: Labelled, rows: np.ndarray, chosen: Measure) -> Any:
        return partial(importance_of, data=data, rows=rows, chosen=chosen, method=self.importance)

    def _walk(self, scorer: Any, d: int, first: int, last: int, record: Any) -> None:
        raise NotImplementedError  # ``search`` eliminates

    def _count_subsets(self, d: int, first: int, last: int) -> int:
        return len(self._schedule(d))

    def _schedule(self, d: int) -> list[int]:
        """The number of columns of each step."""
        return shrinking(d, self._sizes(d)[0], self.step)


def _most_important(subset: Subset, importance: np.ndarray, size: int) -> Subset:
    """The columns of a subset with the largest importance; of equals the first."""
    order = np.argsort(-importance, kind="stable")[:size]
    return tuple(sorted(subset[place] for place in order))


def _check(attempts: Sequence[Attempt], model: Any) -> None:
    for each in attempts:
        if each.error:
            raise FailedModelError(
                f"{name_of(model)} failed: {each.error}", "a model that can be fitted on some of the columns"
            ) from each.cause


def _result_of(subset: Subset, attempts: Sequence[Attempt], task: Task, splits: Splits, chosen: Measure) -> Resampled:
    names = ", ".join(task.features[j] for j in subset)
    found = Resampled(names, task, splits, tuple(each.outcome for each in attempts), (chosen,))
    score_of(found, chosen)  # an error where it is undefined
    return found

"""Honest scores of a selection: the search is run anew within the training rows of outer splits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from probus.arguments import verb
from probus.data import Task
from probus.datasets.source import task_of
from probus.errors import DataError
from probus.feature_selection._selection_path import SelectionPath, behind, best_place, smallest_place
from probus.feature_selection._subset_scores import Subset, deadline_after, measure_of, on_columns, score_of
from probus.feature_selection._subset_search import Found, SubsetSearch
from probus.metrics import Measure
from probus.model_selection import Failure, ProgressOption, Resampled, Splits, folds_of, seeds, shown, splits_of
from probus.model_selection.engine import Engine, Job
from probus.model_selection.one_split import Attempt, Labelled, constant_outcome
from probus.spans import seconds_of

_FOLDS = 5


@verb
def nested_selection(
    selector: Any,
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    cv: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    random_state: Any = 0,
    progress: ProgressOption = None,
    executor: Any = None,
) -> SelectionPath:
    """The score of each number of columns on rows that had no part in choosing them.

    Within the training rows of each outer split the selector searches anew. The model is then fitted on its subset of
    each size, and evaluated on the outer test rows. The score of the whole procedure has the size chosen on each outer
    split too. The columns that are shown are those of a search on all rows.

    Parameters
    ----------
    selector : a selector that fits models, such as ``ForwardSelection(model)``; its ``time`` is that of all searches.
    X, y, target : a Task, features and target, or a table and the name of its target, as in ``resample``.
    cv : the outer splits, see ``splits_of``; None is 5 folds.
    groups, sample_weight, pos_label, progress, executor : as in ``resample``.
    random_state : the seed of the outer splits and fits.

    Returns
    -------
    The path, with honest scores; it prints and plots itself.

    >>> import probus
    >>> from probus.feature_selection import ForwardSelection
    >>> from probus.naive_bayes import GaussianNB
    >>> iris = probus.Task(probus.datasets.load("iris"), target="species")
    >>> path = nested_selection(ForwardSelection(GaussianNB(), k=2, scoring="accuracy"), iris)
    >>> path.honest, path.whole
    (True, 0.953 [0.892, 0.981])
    """
    if not isinstance(selector, SubsetSearch):
        raise DataError(
            f"found {type(selector).__name__}.",
            "a selector that fits models, such as ForwardSelection",
            "probus.resample(selector >> probus.tabular(model), …) gives the honest score of any selector.",
        )
    model = selector.model
    task = task_of(X, y, target=target, model=model, groups=groups, sample_weight=sample_weight, pos_label=pos_label)
    splits = folds_of(task, _FOLDS, random_state) if cv is None else splits_of(cv, task, random_state=random_state)
    deadline = deadline_after(seconds_of(selector.time))
    rounds = len(splits) + 1
    with shown(progress) as update:

        def part(number: int) -> Any:
            return lambda done, total, what: update(number * total + done, rounds * total, what)

        whole = selector.search(task, part(0), deadline, executor)
        inner = [
            selector.search(task.take(train), part(place + 1), deadline, executor)
            for place, (train, _) in enumerate(splits.pairs)
        ]
    if any(found.stopped for found in inner):
        if any(found.stopped == "interrupted" for found in inner):
            raise KeyboardInterrupt
        raise DataError(f"the time of {selector.time} was over before the last search.", "time for all searches")
    states = [None] * len(splits) if random_state is None else seeds(random_state, len(splits))
    engine = Engine("outer splits", selector.n_jobs, executor)
    return _Outer(selector, task, splits, whole, inner, engine, states).path()


class _Outer:
    """The searches within outer splits, evaluated on the outer test rows."""

    def __init__(
        self,
        selector: SubsetSearch,
        task: Task,
        splits: Splits,
        whole: Found,
        inner: Sequence[Found],
        engine: Engine,
        states: Sequence[int | None],
    ):
        self.selector, self.task, self.splits, self.whole, self.inner = selector, task, splits, whole, inner
        self.measure: Measure = measure_of(selector.scoring, selector.model, task)
        self.data = Labelled.of(task, task.X, measures=[self.measure])
        self.engine, self.states = engine, states

    def path(self) -> SelectionPath:
        """The honest path."""
        shown = self.selector.path_of(self.whole)
        choices = [self._chosen(found) for found in self.inner]
        sizes = [len(each) for each in shown.columns]
        results, sized = [], []
        for place, size in enumerate(sizes):
            subsets = [_of_size(found, size) for found in self.inner]
            if all(subset is not None for subset in subsets):
                results.append(self._evaluate([subset for subset in subsets if subset is not None], str(size)))
                sized.append(place)
        entire = self._evaluate(choices, "chosen")
        estimates = tuple(each.estimate(self.measure) for each in results)
        best = best_place([each.value for each in estimates], self.measure)
        gaps = tuple(behind(each, results[best], self.measure) for each in results)
        names = self.task.features
        counts = np.bincount([j for subset in choices for j in subset], minlength=len(names)) / len(choices)
        return replace(
            shown,
            columns=tuple(shown.columns[place] for place in sized),
            estimates=estimates,
            behind=gaps,
            chosen=sized.index(shown.chosen),
            smallest=smallest_place([sizes[place] for place in sized], gaps),
            honest=True,
            bound=float("nan"),
            n_subsets=self.whole.n_subsets + sum(found.n_subsets for found in self.inner),
            n_fits=self.whole.n_fits + sum(found.n_fits for found in self.inner),
            how=f"outer splits: {self.splits.how}",
            share=dict(zip(names, counts.tolist(), strict=True)),
            whole=entire.estimate(self.measure),
        )

    def _chosen(self, found: Found) -> Subset:
        """The subset that the selector would choose on the training rows of an outer split."""
        subsets = found.by_size()
        try:
            return subsets[self.selector.path_of(found).chosen]
        except DataError:  # none reaches the goal on these rows
            scores = [self.measure.better(score_of(found.results[subset], self.measure)) for subset in subsets]
            return subsets[int(np.argmax(scores))]

    def _evaluate(self, subsets: Sequence[Subset], name: str) -> Resampled:
        """The predictions on the outer test rows, with a subset for each outer split."""
        jobs: list[Job] = [
            (on_columns(self.selector.model, [self.task.features[j] for j in subset]), pair, state, None)
            for subset, pair, state in zip(subsets, self.splits.pairs, self.states, strict=True)
            if subset
        ]
        attempts = self.engine.attempts(self.data, jobs) if jobs else []
        if not jobs:
            attempts = [Attempt(constant_outcome(self.data, *pair), 0.0, 0.0) for pair in self.splits.pairs]
        failures = tuple(Failure(i, each.error, each.cause) for i, each in enumerate(attempts) if each.error)
        outcomes = tuple(each.outcome for each in attempts)
        found = Resampled(f"{name} columns", self.task, self.splits, outcomes, (self.measure,), failures)
        found.check_failures()
        score_of(found, self.measure)
        return found


def _of_size(found: Found, size: int) -> Subset | None:
    return next((subset for subset in found.results if len(subset) == size), None)

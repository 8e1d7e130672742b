"""The comparison of models: ``compare``."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from time import perf_counter
from typing import Any

import numpy as np

from probus.arguments import verb
from probus.comparison._comparison_result import Comparison
from probus.comparison._data_sets import Across, ranked_across
from probus.comparison._default_measures import measures_to_compare, of_every_model
from probus.comparison._five_by_two_cv import halves
from probus.comparison._leaderboard import Leaderboard
from probus.comparison._methods import METHODS, check_alpha, check_margin, check_test, check_test_sets
from probus.comparison._paired_predictions import cochran_q
from probus.comparison._same_splits import named_results
from probus.comparison._significance import TestResult
from probus.data import Task
from probus.datasets.source import task_of
from probus.display import counted
from probus.errors import DataError
from probus.metrics import Measure, Scoring
from probus.model_selection import (
    Entry,
    FailedSplitWarning,
    ProgressOption,
    Resampled,
    Splits,
    resample_many,
    seeds,
    splits_of,
    task_by_words,
)
from probus.spans import seconds_of
from probus.wrapping import from_pairs, named_models


@verb
def compare(
    models: Mapping[str, Any] | Iterable[Any],
    X: Any = None,
    y: Any = None,
    *,
    target: str | None = None,
    test: str = "auto",
    scoring: Scoring | Iterable[Scoring] | None = None,
    cv: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    level: float = 0.95,
    alpha: float = 0.05,
    margin: float | None = None,
    baseline: str | None = None,
    time: float | str | None = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    progress: ProgressOption = None,
    executor: Any = None,
) -> Comparison:
    """Compare models on the same splits, test every pair, and report the conclusion.

    The test is chosen by the numbers of models and data sets, unless it is named:

    - one data set, scores on several splits: a t-test of the differences row by row, whose variance includes that of
      the training sets, with p-values adjusted for the largest difference among as many models;
    - one data set, one hold-out set: McNemar's test for accuracy, with Cochran's Q for three or more models, and a
      bootstrap of the test rows for other measures;
    - several data sets: Wilcoxon's test for two models, Friedman's and Nemenyi's for more.

    Parameters
    ----------
    models : estimators by name, or a list of them; or what ``resample`` returned for them, on the same splits, which
        needs neither a task nor a refit.
    X, y, target : a Task, features and target, a table and the name of its ``target`` as in ``resample``, or, as X
        alone, several data sets as a dict of Tasks.
    test : "auto", "paired_rows", "corrected_t", "resampled_t", "5x2cv_t", "5x2cv_f", "bayesian", "mcnemar",
        "cochran_q", "bootstrap", "wilcoxon" or "friedman".
    scoring : as in ``resample``; the first is compared by, the default ones are shown too. By default, as in
        ``study``: ROC AUC for two classes, log loss for more and RMSE for numbers; accuracy for a test that counts
        right rows, and where a model predicts no probabilities.
    cv, groups, sample_weight, pos_label : as in ``resample``, also in words; the 5×2cv tests have their own splits.
    level : of the intervals.
    alpha : the significance level: the probability of any false "beats" among all pairs.
    margin : the difference below which models count as equivalent: by default 0.01 of a score with bounds, otherwise
        1 % of the smallest score.
    baseline : the name of a model to beat: its comparison with the best is planned, not one of all pairs.
    time : seconds, or a span such as "90s" or "5m", after which no further split is started. The models that are
        finished by then are compared, as they are after Ctrl-C.
    n_jobs, random_state, progress, executor : as in ``resample``; progress runs over all models.

    Returns
    -------
    The leaderboard, the verdict on each pair and the test that gave it; it prints itself.

    >>> from probus import datasets
    >>> from probus.dummy import ZeroRClassifier
    >>> from probus.naive_bayes import NaiveBayes
    >>> from probus.neighbors import KNeighborsClassifier
    >>> iris = Task(datasets.load("iris"), target="species")
    >>> models = {"zero-r": ZeroRClassifier(), "k-NN": KNeighborsClassifier(), "Bayes": NaiveBayes()}
    >>> print(compare(models, iris, scoring="accuracy").sentence)
    Bayes beats zero-r (p < 0.001); Bayes and k-NN: undecided on 150 rows (difference 0.004 [-0.026, 0.034]).
    """
    check_alpha(alpha)
    check_margin(margin)
    seconds = seconds_of(time)
    models = from_pairs(models)
    given = list(models.values()) if isinstance(models, Mapping) else list(models)
    if len(given) < 2:
        raise DataError(
            f"{counted(len(given), 'model')} to compare.", "at least two", "resample(model, task) scores a single one."
        )
    named = models if isinstance(models, Mapping) else given
    roles = {"groups": groups, "sample_weight": sample_weight, "pos_label": pos_label}
    how: dict[str, Any] = {"test": test, "level": level, "alpha": alpha, "margin": margin, "baseline": baseline}
    if any(isinstance(each, Resampled) for each in given):
        _check_results(given, data=X, y=y, target=target, cv=cv, **roles)
        results = named_results(named)
        measures = measures_to_compare(scoring, next(iter(results.values())).task, test=test)
        note = ""
        if scoring is None:
            measures, note = of_every_model(measures, list(results.values()))
        return comparison_of(results, measures, note, **how)
    if y is None and isinstance(X, Mapping) and all(isinstance(each, Task) for each in X.values()):
        tasks = _checked_tasks(X, **roles)
    else:
        tasks = {"": task_of(X, y, target=target, model=given[0], **roles)}
    if isinstance(cv, str) and not test.startswith("5x2cv"):
        tasks, cv = {data: task_by_words(cv, task)[0] for data, task in tasks.items()}, None
    measures = measures_to_compare(scoring, *tasks.values(), test=test)
    check_test(test, measures[0], len(tasks))
    # one seed for all models, also where random_state is a generator that moves on
    fixed = random_state is None or isinstance(random_state, (int, np.integer))
    seed = random_state if fixed else seeds(random_state, 1)[0]
    splits = {data: _splits(task, cv, test, seed) for data, task in tasks.items()}
    for data, each in splits.items():
        check_test_sets(test, each, tasks[data])
    entries = {
        (data, name): Entry(name, model, task, splits[data])
        for data, task in tasks.items()
        for name, model in named_models(named).items()
    }
    deadline = None if seconds is None else perf_counter() + seconds
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FailedSplitWarning)  # the leaderboard and the sentence report it
        found = resample_many(
            entries, n_jobs=n_jobs, random_state=seed, progress=progress, deadline=deadline, compared_by=measures,
            executor=executor,
        )  # fmt: skip
    notes = [found.note]
    if scoring is None:
        measures, other = of_every_model(measures, list(found.results.values()))
        notes.append(other)
    note = "; ".join(filter(None, notes))
    if len(tasks) > 1:
        found.need(2 * len(entries) // len(tasks))
        complete = _complete(found.results, len(entries) // len(tasks))
        return _across_tasks(complete, measures[0], note=note, test=test, level=level, alpha=alpha)
    found.need(2)
    absent = {name: "not finished" for key in entries if key not in found.results for name in key[1:]}
    return comparison_of({name: each for (_, name), each in found.results.items()}, measures, note, absent, **how)


# -- on one data set -----------------------------------------------------------------------------------


def comparison_of(
    results: Mapping[str, Resampled],
    measures: tuple[Measure, ...],
    note: str = "",
    absent: Mapping[str, str] | None = None,
    **how: Any,
) -> Comparison:
    """The comparison of results on one data set; ``absent`` are models without a result, and why."""
    first, main = next(iter(results.values())), measures[0]
    board = Leaderboard.of(results, measures, absent=absent, **how)
    why = f"{METHODS[board.test].words}: {board.why}"
    notes = [note] if note else []
    notes.append(f"{first.splits.how}; {100 * board.level:g} % intervals of each difference separately")
    notes += [main.caution] if main.caution else []
    if board.test == "resampled_t":
        notes.append("the resampled t-test finds too many differences: its splits share training rows")
    if board.test == "bootstrap" and len(first.splits) > 1:
        notes.append("predictions of all folds are pooled, as if one model had made them")
    return Comparison(
        leaderboard=board,
        measure=main,
        test=board.test,
        why=why,
        omnibus=_all_together(board, main),
        where=_where(first),
        results=dict(results),
        notes=tuple(notes),
    )


def _where(result: Resampled) -> str:
    """The rows on which the models were tested."""
    n_tested = len(np.unique(np.concatenate(result.rows)))
    return f"{n_tested:,} {'rows' if n_tested == len(result.task) else 'test rows'}"


def _all_together(board: Leaderboard, main: Measure) -> TestResult | None:
    """Cochran's Q of the models that are ranked: for accuracies on one hold-out set, without weights and groups."""
    ranked = [standing.name for standing in board if standing.rank]
    first = board.results[ranked[0]]
    if main.name != "accuracy" or len(ranked) < 3 or len(first.splits) > 1 or first.task.weight or first.task.group:
        return None
    pooled = [board.results[name].pooled() for name in ranked]
    return cochran_q(pooled[0].actual, *(each.predicted for each in pooled), names=ranked, level=1 - board.alpha)


# -- on several ----------------------------------------------------------------------------------------


def _complete(results: Mapping[tuple[str, str], Resampled], n_models: int) -> Across:
    """The results by data set and model, of those data sets on which every model is finished."""
    by_data: dict[str, dict[str, Resampled]] = {}
    for (data, name), result in results.items():
        by_data.setdefault(data, {})[name] = result
    return {data: each for data, each in by_data.items() if len(each) == n_models}


def _across_tasks(results: Across, main: Measure, *, note: str, test: str, level: float, alpha: float) -> Comparison:
    board, omnibus, method, why = ranked_across(results, main, test, level=level, alpha=alpha)
    n_models, n_sets = len(board.average_ranks), len(results)
    # the smallest possible p-value: every data set ranks the models in the same order
    if method.name == "wilcoxon":
        out_of_reach = 2.0 ** (1 - n_sets) >= alpha
    else:
        out_of_reach = board.critical_difference is not None and n_models - 1 < board.critical_difference
    notes = [note] if note else []
    notes += [f"{n_sets} data sets are too few for this test: no scores could reach p < {alpha:g}"] * out_of_reach
    return Comparison(
        leaderboard=board,
        measure=main,
        test=method.name,
        why=f"{method.words}: {why}" + (f"; {board.pairs.correction}" if board.pairs.correction else ""),
        omnibus=omnibus,
        where=f"{n_sets} data sets",
        results={name: dict(each) for name, each in results.items()},
        notes=tuple(notes),
    )


# -- splits ----------------------------------------------------------------------------------------


def _splits(task: Task, cv: Any, test: str, seed: int | None) -> Splits:
    if not test.startswith("5x2cv"):
        return splits_of(cv, task, random_state=seed)
    if cv is not None:
        raise DataError(f"cv together with test={test!r}.", "no cv: the test splits the rows into halves five times")
    return halves(task, seed or 0)


# -- input validation ---------------------------------------------------------------------------------------


def _check_results(entries: list[Any], **others: Any) -> None:
    strangers = [type(each).__name__ for each in entries if not isinstance(each, Resampled)]
    if strangers:
        raise DataError(f"results together with {strangers[0]}.", "either models or results of resample()")
    _check_alone("results", "they hold their task and their splits", others)


def _check_alone(what: str, why: str, others: Mapping[str, Any]) -> None:
    for name, value in others.items():
        if value is not None:
            raise DataError(f"{what} together with {name}.", f"{what} alone: {why}")


def _checked_tasks(tasks: Mapping[Any, Task], **roles: Any) -> dict[str, Task]:
    """The tasks by name: at least one, all classifications or all regressions."""
    _check_alone("tasks", "they hold the roles of their columns", roles)
    if not tasks:
        raise DataError("no tasks.", "at least one")
    if len({each.kind for each in tasks.values()}) > 1:
        raise DataError("tasks of both kinds, classification and regression.", "one kind, so that one measure fits all")
    return {str(name): each for name, each in tasks.items()}

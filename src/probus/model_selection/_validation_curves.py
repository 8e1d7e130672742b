"""Validation curves: the effect of a parameter."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import clone

from probus.arguments import verb
from probus.data import Task
from probus.datasets.source import task_of
from probus.errors import DataError, FailedModelError
from probus.metrics import Scoring
from probus.model_selection._curve_scores import CurveJob, scores_along
from probus.model_selection._curve_setup import Setup
from probus.model_selection._progress import ProgressOption
from probus.model_selection._score_variance import score_variance
from probus.model_selection._train_test_curve import Curve
from probus.wrapping import name_of


@dataclass(frozen=True, eq=False, repr=False)
class ValidationCurve(Curve):
    """Scores on training and test rows for each value of a parameter; see ``validation_curve``.

    settings : the distinct values, numbers in increasing order.

    Attributes
    ----------
    param_name : the name of the parameter.
    param_range : the values as they were given.
    """

    param_name: str
    param_range: tuple[Any, ...] | None = None

    def _tuple(self) -> tuple[np.ndarray, ...]:
        order = [self.place(value) for value in (self.settings if self.param_range is None else self.param_range)]
        return self.train_scores[order], self.test_scores[order]

    @property
    def axis(self) -> str:
        """The parameter."""
        return self.param_name

    @property
    def logarithmic(self) -> bool:
        """Whether the values grow by factors rather than by steps."""
        if not self.numeric or len(self.settings) < 3 or min(self.settings) <= 0:
            return False
        values = np.sort(np.array(self.settings, dtype=np.float64))
        steps, factors = np.diff(values), np.diff(np.log(values))
        return bool(factors.std() / factors.mean() < steps.std() / steps.mean())

    @property
    def _column(self) -> str:
        return self.param_name

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers, which have an order of their own."""
        return _are_numbers(self.settings)

    @property
    def best(self) -> Any:
        """The value with the best mean test score by the main measure; of equals the first.

        A value at which the model failed on some split is never the best.
        """
        return self.best_by()

    def best_by(self, scoring: Scoring | None = None) -> Any:
        """The value with the best mean test score."""
        return self.settings[int(np.nanargmax(self._means(scoring)))]

    def simplest_within_one_se(self, *, larger_is_simpler: bool, scoring: Scoring | None = None) -> Any:
        """The value of the simplest model within one standard error of the best (Breiman et al. 1984).

        The standard error is that of the best score, with the variance of rows and of training sets, as in its
        interval. For scores that are only known for each of J splits it is s √(1/J + n_test/n_train). Simplest is the
        largest value or the smallest; of values that are no numbers, the last or the first of those given.
        """
        chosen, means = self.measured(scoring), self._means(scoring)
        best = int(np.nanargmax(means))
        scores = self.scores.test[chosen.name][best]
        scores = scores[~np.isnan(scores)]
        if len(scores) < 2:
            raise DataError("one split.", "at least two, for a standard error")
        tested = self.scores.results[best].tested(chosen) if self.scores.results else None
        if tested is None:
            error = float(scores.std(ddof=1)) * np.sqrt(1 / len(scores) + self.splits.test_to_train)
        else:
            error = np.sqrt(score_variance(tested).total)
        near = np.flatnonzero(means >= means[best] - error)
        return self.settings[near.max() if larger_is_simpler else near.min()]

    def _means(self, scoring: Scoring | None) -> np.ndarray:
        """The mean test score of each value, turned so that more is better; NaN where the model failed."""
        if not len(self.sound):
            first = self.failures[0]
            raise FailedModelError(
                f"{self.name} failed at every {self.param_name}, first at {first.setting!r}: {first.error}",
                "a value at which it never fails",
            ) from first.cause
        chosen, means = self.measured(scoring), np.full(len(self.settings), np.nan)
        for place in self.sound:
            means[place] = chosen.better(self.scores.on_test(chosen, place).value)
        return means


@verb
def validation_curve(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    target: str | None = None,
    param_name: str,
    param_range: Iterable[Any],
    cv: Any = None,
    scoring: Any = None,
    n_jobs: int | None = None,
    pre_dispatch: Any = "all",
    verbose: int = 0,
    error_score: Any = np.nan,
    params: Mapping[str, Any] | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    random_state: Any = None,
    progress: ProgressOption = None,
) -> ValidationCurve:
    """Fit a model with each value of a parameter on every split, and score it on the training and the test rows.

    With X and y it is scikit-learn's function: the same parameters, defaults, folds and scores, and the result unpacks
    as its tuple (train_scores, test_scores). With a Task, or a table and ``target``, the model is wrapped by
    ``tabular`` and the splits are those of ``resample``.

    The test scores chose the best value, so its score is optimistic: ``nested`` gives one that is not.

    Parameters
    ----------
    estimator : the model that is fitted, of Probus or any that follows scikit-learn.
    X, y, target : a Task, features and target, or a table and the name of its ``target``.
    param_name : a parameter of the model, of a part of it (``svc__C``), or, for a Task, of the preparation in front of
        it (``impute__numeric``).
    param_range : the values.
    cv, scoring, error_score, params, pre_dispatch, verbose : as in ``learning_curve``.
    groups, sample_weight, pos_label, n_jobs, progress : as in ``resample``.
    random_state : for a Task, of the folds and the model, as in ``resample``.

    Returns
    -------
    The scores of each value and split, which print and plot themselves.

    >>> import probus
    >>> from probus.neighbors import KNeighborsClassifier
    >>> iris = probus.Task(probus.datasets.load("iris"), target="species")
    >>> curve = validation_curve(KNeighborsClassifier(), iris, param_name="n_neighbors", param_range=[1, 5, 25, 75])
    >>> curve.best, curve.simplest_within_one_se(larger_is_simpler=True)
    (5, 25)
    """
    roles = {"groups": groups, "sample_weight": sample_weight, "pos_label": pos_label}
    task = task_of(X, y, target=target, model=estimator, **roles)
    if isinstance(X, Task) or target is not None or isinstance(y, str):
        setup = Setup.of_task(estimator, task, cv, scoring, random_state)
    else:
        setup = Setup.as_in_scikit_learn(estimator, X, task, cv, scoring, params)
    full_name = _resolve(param_name, setup.model)
    given = tuple(value.item() if isinstance(value, np.generic) else value for value in param_range)
    chosen = _distinct(given)
    jobs = [
        CurveJob(value, number, variant, pair)
        for value, variant in ((value, clone(setup.model).set_params(**{full_name: value})) for value in chosen)
        for number, pair in enumerate(setup.splits.pairs)
    ]
    how: dict[str, Any] = {"n_jobs": n_jobs, "pre_dispatch": pre_dispatch, "verbose": verbose, "progress": progress}
    scores = scores_along(jobs, setup, error_score=error_score, **how)
    return ValidationCurve(name_of(setup.model), chosen, scores, setup.splits, param_name, given)


def _resolve(parameter: str, ready: Any) -> str:
    """The name of a parameter in the prepared model: as given, or as one of the model inside."""
    known = ready.get_params()
    for name in (f"model__{parameter}", parameter):
        if name in known:
            return name
    inner = sorted(name.removeprefix("model__") for name in known if name.startswith("model__")) or sorted(known)
    near = get_close_matches(parameter, inner, 1)
    hint = f"Did you mean {near[0]!r}?" if near else ""
    raise DataError(f"{name_of(ready)} has no parameter {parameter!r}.", f"one of {', '.join(inner)}", hint)


def _distinct(values: Sequence[Any]) -> tuple[Any, ...]:
    """Each value once: numbers in increasing order, others in the order given."""
    if not values:
        raise DataError("param_range is empty.", "at least one value")
    if _are_numbers(values):
        return tuple(sorted(set(values)))
    return tuple(value for place, value in enumerate(values) if value not in values[:place])


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(isinstance(value, Real) and not isinstance(value, bool) for value in values)

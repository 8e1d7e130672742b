"""Validation curves: how a parameter trades bias for variance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import clone

from probus.data import Task
from probus.errors import DataError
from probus.metrics import Scoring
from probus.model_selection.curve_scores import Job, scores_along, seeds_of_splits
from probus.model_selection.progress import ProgressOption
from probus.model_selection.resampling import checked_measures, prepared
from probus.model_selection.splits import splits_of
from probus.model_selection.train_test_curve import Curve
from probus.wrapping import name_of

__all__ = ["ValidationCurve", "validation_curve"]


@dataclass(frozen=True, eq=False, repr=False)
class ValidationCurve(Curve):
    """Scores on training and test rows along the values of a parameter; see ``validation_curve``."""

    param_name: str

    @property
    def axis(self) -> str:
        """The parameter."""
        return self.param_name

    @property
    def logarithmic(self) -> bool:
        """Whether the values grow by factors rather than by steps."""
        if not self.numeric or len(self) < 3 or min(self.settings) <= 0:
            return False
        values = np.sort(np.array(self.settings, dtype=np.float64))
        steps, factors = np.diff(values), np.diff(np.log(values))
        return bool(factors.std() / factors.mean() < steps.std() / steps.mean())

    @property
    def _column(self) -> str:
        return self.param_name

    @property
    def param_range(self) -> tuple[Any, ...]:
        """The values of the parameter, growing where they are numbers."""
        return self.settings

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers, which have an order of their own."""
        return _are_numbers(self.settings)

    @property
    def best(self) -> Any:
        """The value with the best mean test score by the main measure; of equals the first."""
        return self.best_by()

    def best_by(self, scoring: Scoring | None = None) -> Any:
        """The value with the best mean test score."""
        return self.settings[int(np.nanargmax(self._means(scoring)))]

    def simplest_within_one_se(self, *, larger_is_simpler: bool, scoring: Scoring | None = None) -> Any:
        """The value of the simplest model within one standard error of the best (Breiman et al. 1984).

        The standard error is that of the best mean, s √(1/J + n_test/n_train) over J splits, which allows for the
        overlap of their training rows. Simplest is the largest value or the smallest; of values that are no numbers,
        the last or the first of those given.
        """
        chosen, means = self.measured(scoring), self._means(scoring)
        best = int(np.nanargmax(means))
        scores = self.scores.test[chosen.name][best]
        scores = scores[~np.isnan(scores)]
        if len(scores) < 2:
            raise DataError("one split.", "at least two, to tell a standard error")
        error = scores.std(ddof=1) * np.sqrt(1 / len(scores) + self.splits.test_to_train)
        near = np.flatnonzero(means >= means[best] - error)
        return self.settings[near.max() if larger_is_simpler else near.min()]

    def _means(self, scoring: Scoring | None) -> np.ndarray:
        """The mean test score of each value, turned so that more is better."""
        chosen = self.measured(scoring)
        return chosen.better(1) * np.nanmean(self.scores.test[chosen.name], axis=1)


def validation_curve(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    param_name: str,
    param_range: Iterable[Any],
    cv: Any = None,
    scoring: Scoring | Iterable[Scoring] | None = None,
    groups: Any = None,
    sample_weight: Any = None,
    pos_label: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    progress: ProgressOption = None,
) -> ValidationCurve:
    """Fit a model with each value of a parameter on every split, and score it on its training and its test rows.

    The test scores chose the best value, so its score is a little too good to report: ``nested`` gives an honest one.

    Parameters
    ----------
    param_name : a parameter of the model, of a part of it (``svc__C``), or of the preparation in front of it
        (``impute__numeric``).
    param_range : its values; numbers are put in order; others keep the one given.
    X, y, cv, scoring, groups, sample_weight, pos_label, n_jobs, random_state, progress : as in ``resample``.

    >>> import probus
    >>> from probus.neighbors import KNeighborsClassifier
    >>> iris = probus.Task(probus.datasets.load("iris"), target="species")
    >>> curve = validation_curve(KNeighborsClassifier(), iris, param_name="n_neighbors", param_range=[1, 5, 25, 75])
    >>> curve.best, curve.simplest_within_one_se(larger_is_simpler=True)
    (25, 25)
    """
    task = Task.of(X, y, model=estimator, groups=groups, sample_weight=sample_weight, pos_label=pos_label)
    ready = prepared(estimator, task)
    full_name = _resolved(param_name, ready)
    chosen = _checked_values(param_range)
    measures = checked_measures(scoring, task)
    splits = splits_of(cv, task, random_state=random_state)
    states = seeds_of_splits(random_state, splits)
    jobs = [
        Job(value, number, variant, pair, states[number])
        for value, variant in ((value, clone(ready).set_params(**{full_name: value})) for value in chosen)
        for number, pair in enumerate(splits.pairs)
    ]
    name = name_of(ready)
    scores = scores_along(jobs, task, splits, measures, name=name, n_jobs=n_jobs, progress=progress)
    return ValidationCurve(name, chosen, scores, splits, param_name)


def _resolved(parameter: str, ready: Any) -> str:
    """The name of a parameter in the prepared model: as given, or as one of the model inside."""
    known = ready.get_params()
    for name in (f"model__{parameter}", parameter):
        if name in known:
            return name
    inner = sorted(name.removeprefix("model__") for name in known if name.startswith("model__"))
    near = get_close_matches(parameter, inner, 1)
    hint = f"Did you mean {near[0]!r}?" if near else ""
    raise DataError(f"{name_of(ready)} has no parameter {parameter!r}.", f"one of {', '.join(inner)}", hint)


def _checked_values(values: Iterable[Any]) -> tuple[Any, ...]:
    listed: Sequence[Any] = [value.item() if isinstance(value, np.generic) else value for value in values]
    if not listed:
        raise DataError("no values.", "one at least")
    if _are_numbers(listed):
        return tuple(sorted(set(listed)))
    return tuple(value for place, value in enumerate(listed) if value not in listed[:place])


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(isinstance(value, Real) and not isinstance(value, bool) for value in values)

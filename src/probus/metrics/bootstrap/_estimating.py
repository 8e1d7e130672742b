"""A measure with its interval: the verb ``estimate``, and its form for outcomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from probus.data import Level
from probus.errors import DataError
from probus.metrics._estimates import Estimate
from probus.metrics._measure import Measure, Scoring, measure
from probus.metrics._outcome import Outcome
from probus.metrics.bootstrap import _intervals as intervals
from probus.metrics.bootstrap._draws import Draws, seeds_of
from probus.metrics.bootstrap._effective import share_like
from probus.metrics.bootstrap._influence import influence
from probus.metrics.bootstrap._resamples import Resamples, value_of
from probus.metrics.bootstrap._sums import standard_error
from probus.metrics.curves._shares import quantile, wilson
from probus.metrics.resample_forms import ConfusionCells, Form, Ranks, Sums

METHODS = ("auto", "bca", "percentile", "basic", "normal", "studentised")

_PRINTED = {"bca": "BCa", "studentised": "bootstrap-t"}
_DEMANDING = ("values", "decisions", "probabilities", "scores", "labels")  # the first that any measure needs serves all


def estimate(
    scoring: Scoring | list[Scoring] | tuple[Scoring, ...],
    y_true: Any,
    y_pred: Any = None,
    *,
    level: float = 0.95,
    method: str = "auto",
    n_resamples: int = 2000,
    stratify: bool = False,
    groups: Any = None,
    random_state: Any = None,
    sample_weight: Any = None,
    classes: Sequence[Level] | None = None,
    pos_label: Level | None = None,
    n_jobs: int | None = None,
) -> Any:
    """A measure of predictions with its confidence interval, for any model and any measure, without refitting.

    Parameters
    ----------
    scoring : the name of a measure, a measure, a function of (y_true, y_pred), or a list of them: then all are computed
        on the same resamples and a dict of estimates by name is returned.
    y_true : the truth, or an ``Outcome`` that holds truth and predictions.
    y_pred : labels, numbers, scores or probabilities, as the measure needs; probabilities serve all of the last three.
    level : the confidence level of intervals.
    method : "auto" takes the method whose intervals hold for that measure: Wilson's interval with the effective
        number of rows for what is made of a confusion matrix or of ranks, "studentised" (the bootstrap-t) for means
        of losses and what is made of them, "bca" for the rest. "percentile", "basic" and "normal" are there to
        compare with. What was done is in the estimate's ``method``; docs/intervals.md has the measured coverage.
    n_resamples : the number of resamples.
    stratify : keep the number of rows of each class in every resample, for test sets whose class counts were fixed
        beforehand. A test set that is a plain sample has random class counts, and an interval that leaves that out is
        too short. Numbers have no classes to keep.
    groups : the group of each row: whole groups are drawn, for rows that are not independent (``stratify`` then has
        no effect).
    random_state : the same draws the same rows for any measure, predictions and ``n_jobs``.
    sample_weight : the weight of each row; None is 1.
    classes : the labels in the order of the columns of probabilities.
    pos_label : the positive class, by default the last of two.
    n_jobs : the number of jobs that run in parallel; the result does not depend on it.

    Returns
    -------
    The value with its interval; a dict of them for several measures.

    >>> truth = [0, 1, 1, 0, 1, 0, 1, 1, 0, 0] * 20
    >>> proba = [0.1, 0.9, 0.4, 0.2, 0.8, 0.6, 0.7, 0.9, 0.3, 0.1] * 20
    >>> estimate("accuracy", truth, [int(p > 0.5) for p in proba])
    0.800 [0.739, 0.850]
    >>> estimate(["roc_auc", "log_loss"], truth, proba, random_state=0)
    {'roc_auc': 0.960 [0.931, 0.977], 'log_loss': 0.341 [0.303, 0.385]}
    """
    measures = _distinct(scoring if isinstance(scoring, list | tuple) else [scoring])
    given = {"y_pred": y_pred, "classes": classes, "pos_label": pos_label, "sample_weight": sample_weight}
    outcome = _outcome(y_true, measures, **given)
    found = estimate_outcome(
        measures,
        outcome,
        level=level,
        method=method,
        n_resamples=n_resamples,
        stratify=stratify,
        groups=groups,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    return found if isinstance(scoring, list | tuple) else found[measures[0].name]


def estimate_outcome(
    measures: Measure | Sequence[Measure],
    outcome: Outcome,
    *,
    level: float = 0.95,
    method: str = "auto",
    n_resamples: int = 2000,
    stratify: bool = False,
    groups: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> Any:
    """The estimate of one measure on an outcome, or of several by name, on the same resamples; as ``estimate``.

    Parameters
    ----------
    measures : one measure, or several.
    outcome : the truth and what was predicted.
    level, method, n_resamples, stratify, groups, random_state, n_jobs : as in ``estimate``.

    Returns
    -------
    The value with its interval; a dict of them for several measures.
    """
    if method not in METHODS:
        raise DataError(f"method={method!r}.", "one of " + ", ".join(map(repr, METHODS)))
    quantile(level)  # refuses a level that is none
    wanted = [measures] if isinstance(measures, Measure) else list(measures)
    draws = Draws.of(outcome, stratify, groups)
    seeds = seeds_of(random_state, n_resamples)
    cases = [
        _Case(each, form, value_of(each, form, outcome), outcome, draws, level)
        for each in wanted
        for form in [each.form_of(outcome)]
    ]
    chosen = [case.method(method) for case in cases]
    to_draw = [c for c, how in enumerate(chosen) if how != "wilson" and not np.isnan(cases[c].value)]
    drawn = Resamples.draw(
        [cases[c].form for c in to_draw], outcome, draws, seeds, n_jobs, [chosen[c] == "studentised" for c in to_draw]
    )
    found = {}
    for c, case in enumerate(cases):
        if c in to_draw:
            b = to_draw.index(c)
            found[case.measure.name] = case.from_resamples(chosen[c], drawn.values[b], drawn.errors[b])
        else:
            found[case.measure.name] = case.wilson() if chosen[c] == "wilson" else case.unknown("undefined")
    return found[wanted[0].name] if isinstance(measures, Measure) else found


@dataclass(frozen=True, eq=False)
class _Case:
    """One measure on one outcome, on the way to its estimate."""

    measure: Measure
    form: Form
    value: float
    outcome: Outcome
    draws: Draws
    level: float

    @property
    def is_share_like(self) -> bool:
        return isinstance(self.form, ConfusionCells | Ranks)

    def method(self, requested: str) -> str:
        if requested == "studentised" and not isinstance(self.form, Sums):
            raise DataError(
                f"method='studentised' for {self.measure.name!r}.",
                "a measure made of sums over rows, such as 'rmse' or 'log_loss'",
                "method='auto' takes the better one for each.",
            )
        if requested != "auto":
            return requested
        if self.is_share_like:
            return "wilson"
        return "studentised" if isinstance(self.form, Sums) else self.measure.interval

    def wilson(self, why: str = "") -> Estimate:
        if np.isnan(self.value):
            return self.unknown("undefined")
        low, high = float(self.measure.low), float(self.measure.high)
        assert isinstance(self.form, ConfusionCells | Ranks)
        like = share_like(self.form, self.value, (low, high), self.outcome, self.draws)
        either = np.clip([self.value, self.value - like.bias], low, high)  # the bias is only estimated
        bottom, top = wilson((either - low) / (high - low), like.rows, self.level, like.df)
        plain = abs(like.rows - len(self.outcome)) < 0.5
        how = "Wilson" if plain else f"Wilson, {like.rows:.0f} effective rows{self.draws.how}"
        ends = low + (high - low) * np.array([bottom.min(), top.max()])
        return self._estimate(float(ends[0]), float(ends[1]), how + why)

    def unknown(self, why: str) -> Estimate:
        low, high = float(self.measure.low), float(self.measure.high)
        return Estimate(self.value, low, high, self.level, why, len(self.outcome))

    def from_resamples(self, how: str, values: np.ndarray, errors: np.ndarray | None) -> Estimate:
        defined = ~np.isnan(values)
        text = f"{_PRINTED.get(how, how)}, {len(values)} resamples{self.draws.how}"
        if not defined.all():
            text += f", {np.count_nonzero(~defined)} of them undefined"
        values = values[defined]
        if not len(values) or np.ptp(values) <= 1e-12 * np.abs(values).max():
            if self.is_share_like:
                return self.wilson(", since all resamples are equal")
            return self.unknown("unknown, since all resamples are equal")
        low, high = self._ends(how, values, None if errors is None else errors[defined])
        return self._estimate(low, high, text)

    def _above_perfection(self, low: float, high: float, values: np.ndarray) -> tuple[float, float]:
        """From the lower bound where a perfect model may have that value by chance.

        Near the bound all resamples are above the value, and mirrored below it: the upper end is not below their
        percentile less their bias.
        """
        assert self.measure.by_chance is not None
        if self.value <= self.measure.by_chance(self.outcome, self.level):
            low = float(self.measure.low)
        bias = float(values.mean()) - self.value
        return low, max(high, intervals.percentile(values, self.level)[1] - bias)

    def _ends(self, how: str, values: np.ndarray, errors: np.ndarray | None) -> tuple[float, float]:
        if how == "percentile":
            return intervals.percentile(values, self.level)
        if how == "basic":
            ends = intervals.basic(self.value, values, self.level)
            return ends if self.measure.by_chance is None else self._above_perfection(*ends, values)
        if how == "normal":
            error = float(values.std(ddof=1)) if len(values) > 1 else np.inf
            return intervals.normal(self.value, error, self.level)
        if how == "bca":
            return intervals.bca(self.value, values, influence(self.form, self.outcome, self.draws), self.level)
        assert isinstance(self.form, Sums)
        assert errors is not None
        error = standard_error(self.form, self.outcome, self.draws)
        return intervals.bootstrap_t(self.value, error, values, errors, self.level)

    def _estimate(self, low: float, high: float, how: str) -> Estimate:
        """Within the measure's range; stretched to the value where all that was drawn lies on one side of it."""
        low, high = max(low, float(self.measure.low)), min(high, float(self.measure.high))
        return Estimate(self.value, min(low, self.value), max(high, self.value), self.level, how, len(self.outcome))


def _distinct(scoring: Sequence[Scoring]) -> list[Measure]:
    if not scoring:
        raise DataError("no measure.", "at least one")
    measures = [measure(each) for each in scoring]
    names = [each.name for each in measures]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise DataError(f"more than one measure called {min(twice)!r}.", "names that differ")
    return measures


def _outcome(y_true: Any, measures: Sequence[Measure], **given: Any) -> Outcome:
    if not isinstance(y_true, Outcome):
        if given["y_pred"] is None:
            raise DataError("no y_pred.", "predictions, or an Outcome in place of y_true")
        return Outcome.of(y_true, needs=_most_demanding(measures), **given)
    beside = [name for name, value in given.items() if value is not None]
    if beside:
        raise DataError(f"an Outcome and {beside[0]} beside it.", "only the Outcome, which holds all of that")
    return y_true


def _most_demanding(measures: Sequence[Measure]) -> str:
    """What predictions must be to serve all measures: probabilities give scores and labels too."""
    needs = {each.needs for each in measures} - {"predictions"}
    if "values" in needs and len(needs) > 1:
        of = {kind: next(m.name for m in measures if m.needs == kind) for kind in sorted(needs)}
        raise DataError(f"measures of numbers and of classes at once: {', '.join(map(repr, of.values()))}.", "one kind")
    return next((each for each in _DEMANDING if each in needs), "predictions")

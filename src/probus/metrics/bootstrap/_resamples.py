"""The values of measures on many resamples, all on the same draws; memory does not grow with rows × resamples."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import is_
from typing import Any

import numpy as np

from probus.metrics._measure import Measure
from probus.metrics._outcome import Outcome
from probus.metrics.bootstrap._draws import Draws, seeds_of
from probus.metrics.bootstrap._sums import augment, products, standard_errors
from probus.metrics.resample_forms import ConfusionCells, Form, Ranking, Ranks, Sums, Whole
from probus.parallel import chunked, thread_count

_AT_ONCE = 16  # resamples to a call of the kernel
_ONES = -1  # a column of ones needs no summing: it is kept last and holds the number of units drawn


def resampled_values(
    measures: Sequence[Measure],
    outcome: Outcome,
    n_resamples: int = 2000,
    *,
    stratify: bool = False,
    groups: Any = None,
    random_state: Any = None,
    n_jobs: int | None = None,
) -> np.ndarray:
    """Each measure on each resample, float64[len(measures), n_resamples]; NaN where it is undefined.

    The same ``random_state`` draws the same rows for any outcome of as many rows (in the same classes where
    ``stratify``, in the same groups), so that the values of two models can be paired.

    Parameters
    ----------
    measures : the measures.
    outcome : the truth and what was predicted.
    n_resamples, stratify, groups, random_state, n_jobs : as in ``estimate``.

    Returns
    -------
    The values, measures × resamples.

    >>> from probus.metrics import measure
    >>> outcome = Outcome.of([0, 1, 1, 0, 1], [0, 1, 0, 0, 1])
    >>> resampled_values([measure("accuracy")], outcome, 4, random_state=0)
    array([[0.8, 1. , 1. , 0.6]])
    """
    draws = Draws.of(outcome, stratify, groups)
    forms = [each.form_of(outcome) for each in measures]
    return Resamples.draw(forms, outcome, draws, seeds_of(random_state, n_resamples), n_jobs).values


def value_of(measure: Measure, form: Form, outcome: Outcome) -> float:
    """The measure of the outcome itself; ranks are walked as in resamples, so that ties with them are exact."""
    if not isinstance(form, Ranks):
        return measure.compute(outcome)
    from probus.metrics.bootstrap._kernels import rank_areas

    amount = np.ones(len(outcome)) if outcome.weights is None else np.ascontiguousarray(outcome.weights)
    areas = np.empty((1, len(form.rankings), 2))
    for r, each in enumerate(form.rankings):
        rank_areas(amount, 0.0, each.order, each.positive, each.last, areas[0, r])
    return float(_mean_of_defined(areas[:, :, int(form.precision)])[0])


@dataclass(frozen=True, eq=False)
class Resamples:
    """``values``: float64[forms, B]; ``errors``: the standard errors of each form's values, None unless requested."""

    values: np.ndarray
    errors: list[np.ndarray | None]

    @classmethod
    def draw(
        cls,
        forms: Sequence[Form],
        outcome: Outcome,
        draws: Draws,
        seeds: np.ndarray,
        n_jobs: int | None = None,
        studentise: Sequence[bool] = (),
    ) -> Resamples:
        """Draw and measure; ``studentise`` marks the ``Sums`` that need standard errors."""
        wanted = list(studentise) or [False] * len(forms)
        tables = _Tables(forms, outcome, draws, wanted)
        sums, cells, areas = tables.run(draws, seeds, n_jobs)
        values = np.empty((len(forms), len(seeds)))
        errors: list[np.ndarray | None] = [None] * len(forms)
        for f, form in enumerate(forms):
            if isinstance(form, Sums):
                own = sums[:, tables.columns_of[f]]
                totals = own[:, : len(form.terms) + 1]
                with np.errstate(divide="ignore", invalid="ignore"):  # no drawn row may have weight
                    values[f] = form.value(totals)
                if wanted[f]:
                    errors[f] = standard_errors(form, totals, own[:, totals.shape[1] :], draws.n_units)
            elif isinstance(form, ConfusionCells):
                table = cells[:, tables.codes_of[f], : form.k**2]
                values[f] = form.value(table.reshape(-1, form.k, form.k))
            elif isinstance(form, Ranks):
                values[f] = _mean_of_defined(areas[:, tables.rankings_of[f], int(form.precision)])
        whole = [f for f, form in enumerate(forms) if isinstance(form, Whole)]
        if whole:
            values[whole] = _whole_values([forms[f] for f in whole], outcome, draws, seeds)
        return cls(values, errors)


class _Tables:
    """What the kernel reads of all forms together: columns of sums, cell codes and rankings, none of them twice."""

    def __init__(self, forms: Sequence[Form], outcome: Outcome, draws: Draws, studentise: Sequence[bool]):
        self.weights = np.empty(0) if outcome.weights is None else np.ascontiguousarray(outcome.weights)
        self.columns_of: dict[int, list[int]] = {}
        self.codes_of: dict[int, int] = {}
        self.rankings_of: dict[int, list[int]] = {}
        columns: list[np.ndarray] = []
        codes: list[np.ndarray] = []
        rankings: list[Ranking] = []
        for f, form in enumerate(forms):
            if isinstance(form, Sums):
                parts = augment(form, outcome, draws)
                new = [*parts, *(products(parts) if studentise[f] else ())]
                self.columns_of[f] = [_ONES if (c == 1).all() else _place(columns, c, np.array_equal) for c in new]
            elif isinstance(form, ConfusionCells):
                self.codes_of[f] = _place(codes, form.codes, np.array_equal)
            elif isinstance(form, Ranks):
                self.rankings_of[f] = [_place(rankings, each, is_) for each in form.rankings]
        n = len(outcome)
        self.n_cells = max((form.k**2 for form in forms if isinstance(form, ConfusionCells)), default=0)
        self.columns = np.array(columns).reshape(-1, draws.n_units)
        self.codes = np.array(codes, dtype=np.int32).reshape(-1, n)
        self.ranks = (
            np.array([each.order for each in rankings], dtype=np.uint32).reshape(-1, n),
            np.array([each.positive for each in rankings], dtype=np.bool_).reshape(-1, n),
            np.array([each.last for each in rankings], dtype=np.bool_).reshape(-1, n),
        )

    def run(self, draws: Draws, seeds: np.ndarray, n_jobs: int | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The sums, cells and areas of every resample."""
        B = len(seeds)
        sums = np.full((B, len(self.columns) + 1), float(draws.n_units))
        cells = np.empty((B, len(self.codes), self.n_cells))
        areas = np.empty((B, len(self.ranks[0]), 2))
        passes = len(self.columns) + len(self.codes) + len(self.ranks[0])
        if passes:
            from probus.metrics.bootstrap._kernels import resample

            where = (draws.order, draws.starts, draws.unit)

            def part(start: int, stop: int) -> None:
                of = slice(start, stop)
                resample(
                    seeds[of], where, self.weights, self.columns, self.codes, self.ranks,
                    sums[of], cells[of], areas[of],
                )  # fmt: skip

            threads = thread_count(n_jobs, B * draws.n_units * (2.0 + passes))
            chunked(part, B, threads, chunk=_AT_ONCE)
        return sums, cells, areas


def _place(known: list[Any], new: Any, same: Callable[[Any, Any], bool]) -> int:
    """Where it is among the known, at the end if it is new."""
    for i, each in enumerate(known):
        if same(each, new):
            return i
    known.append(new)
    return len(known) - 1


def _mean_of_defined(areas: np.ndarray) -> np.ndarray:
    """The mean over rankings that have both sides; NaN where none has."""
    defined = ~np.isnan(areas)
    n = defined.sum(axis=1)
    return np.divide(np.where(defined, areas, 0.0).sum(axis=1), n, out=np.full(len(n), np.nan), where=n > 0)


def _whole_values(forms: Sequence[Form], outcome: Outcome, draws: Draws, seeds: np.ndarray) -> np.ndarray:
    values = np.empty((len(forms), len(seeds)))
    rows = np.arange(len(outcome))
    for b, seed in enumerate(seeds):
        counts = draws.counts(seed)
        copied = None
        for f, form in enumerate(forms):
            assert isinstance(form, Whole)
            if form.takes_weights:
                weights = counts * (1.0 if outcome.weights is None else outcome.weights)
                values[f, b] = form.value(outcome.weighted(weights)) if weights.any() else np.nan
                continue
            if copied is None:
                copied = outcome.take(np.repeat(rows, counts))
            values[f, b] = form.value(copied)
    return values

"""The search of a study: every family has a first turn, then time goes to those that can still win."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from probus.lifecycle.families import BASELINE, first_turns, quick_families, strong_first
from probus.lifecycle.family_fits import FEW, OUTER, SAMPLE, FamilyFits, Job
from probus.lifecycle.family_search import FamilySearch
from probus.lifecycle.fit_pool import FitPool, OutOfTimeError

__all__ = ["Found", "Update", "search_families"]

_PER_TURN = 4  # configurations of a turn
_FEWEST = 2  # families that are tuned to the end
_AHEAD = 2  # families whose first fits are started together
_RESERVE = 1.5  # fits on all rows for which time is kept
_SLOWER = 10.0  # how much longer than the default a fit of a turn may take
_LEAST_LIMIT = 3.0  # seconds, since the first fit of a process also loads what it needs
_USUALLY_AVERAGED, _MOST_AVERAGED = 4, 8  # models whose mean is taken: for so many time is kept; if more is left
_SHARE = 1 / 2  # of the time, the most that is kept for them
_PROMISING = 2  # families that averaging is worth its time for, if they can: the best ones

Update = Callable[[Mapping[str, FamilySearch], str], None]


@dataclass(frozen=True, eq=False)
class Found:
    """The families with a complete result, why others have none, and why the search stopped early.

    ``overdue`` is whether the time was up before any model was finished, so that the first one took longer.
    """

    searches: dict[str, FamilySearch]
    absent: dict[str, str]
    stopped: str
    overdue: bool = False


def search_families(fits: FamilyFits, pool: FitPool, *, evaluations: int | None, update: Update) -> Found:
    """Evaluate the default of every family, strong ones first, then tune by successive elimination.

    After each round the worse half of the families is left as it is, by the scores of the tuning on all rows. Tuning
    ends when the time is up or the families that are left have tried ``evaluations`` configurations. Then boosting, if
    it is among the best, is replaced by the mean of several models with the configuration that was found.
    """
    searches = {name: FamilySearch(name, fits) for name in fits.models}
    stopped = ""
    try:
        sampled = fits.large and pool.deadline is not None
        _first_turns(searches, pool, update, SAMPLE if sampled else OUTER)
        if pool.overdue and not pool.has_result:
            _first_turns(searches, pool, update, FEW)
        if sampled:
            _on_all_rows(searches, pool, update)
        if evaluations != 0 and not fits.cannot_tune:
            try:
                _eliminate(searches, pool, evaluations, update)
            except OutOfTimeError:  # but for what is kept for averages
                stopped = "time"
                pool.abandon()
            _average(searches, pool, update)
    except OutOfTimeError:
        stopped = "time"
    except KeyboardInterrupt:
        stopped = "interrupted"
    finally:
        pool.close()
    done = {name: each for name, each in searches.items() if each.outer}
    absent = {name: "not finished" for name in searches if name not in done}
    return Found(done, absent, stopped, pool.overdue)


def _first_turns(searches: Mapping[str, FamilySearch], pool: FitPool, update: Update, rows: int) -> None:
    """The outer splits with default configurations, trained on all training rows (OUTER), a SAMPLE or a FEW.

    Quick families run in this process, while others compile kernels. Then the fits of some families are started ahead,
    so that no process waits. The time of the study ends the turns as soon as a model is finished, not before; where
    it is up and none is, no more are started, unless they are trained on a FEW rows.
    """
    fits = next(iter(searches.values())).fits
    quick = quick_families(fits.models, len(fits.task))
    here = [name for name in quick if not searches[name].outer or rows != FEW]
    others = [name for name in first_turns(searches, len(fits.task)) if name not in quick]
    compiled = pool.compile_ahead(others[: pool.n_jobs])
    for name in here:
        update(searches, name)
        jobs = _first_jobs(searches[name], rows)
        searches[name].first(pool.collect(jobs, pool.submit_here(jobs)), rows)
        pool.has_result |= name != BASELINE and not searches[name].failed
        update(searches, name)
    if compiled:
        update(searches, others[0])
    pool.wait_all(compiled)
    if pool.seconds_compiling:  # the first models on this machine: let each process compile another one
        update(searches, "compiling kernels for this machine")
        pool.wait_all(pool.compile_ahead(others[pool.n_jobs :]))
    started: dict[str, list[Any]] = {}
    for place, name in enumerate(others):
        late = pool.overdue and not pool.has_result and rows != FEW
        for each in others[len(started) : place + _AHEAD] if not late else []:
            started[each] = pool.submit(_first_jobs(searches[each], rows))
        if name not in started:
            return
        update(searches, name)
        found = pool.collect(_first_jobs(searches[name], rows), started[name])
        searches[name].first(found, rows)
        pool.has_result |= not searches[name].failed
        update(searches, name)


def _on_all_rows(searches: Mapping[str, FamilySearch], pool: FitPool, update: Update) -> None:
    """Train the families on all training rows, the best on the sample first, where the time is likely to suffice."""
    for search in sorted((each for each in searches.values() if not each.failed), key=lambda each: -each.outer_score):
        jobs = _first_jobs(search, OUTER)
        if search.seconds * (len(jobs) / pool.n_jobs + _RESERVE) < pool.left:
            update(searches, f"{search.name} on all rows")
            found = pool.run(jobs)
            if not any(each.error for each in found):
                search.first(found)
            update(searches, search.name)


def _first_jobs(search: FamilySearch, rows: int) -> list[Job]:
    return [(search.name, {}, run, rows) for run in range(search.fits.last)]


def _eliminate(searches: Mapping[str, FamilySearch], pool: FitPool, evaluations: int | None, update: Update) -> None:
    """Turns of those that are left, until nothing is; where time is short, of the better half from the start."""
    most = math.inf if evaluations is None else evaluations
    kept = _seconds_of_averages(searches, pool)
    left = [searches[name] for name in strong_first(searches) if name != BASELINE and searches[name].tunable]
    round_ = sum(each.seconds * each.jobs_of_turn(_PER_TURN) / pool.n_jobs for each in left)
    if round_ > pool.left - kept:  # time for the better half only, by their defaults
        best = sorted(left, key=lambda each: -each.outer_score)[: _half(left)]
        left = [each for each in left if each in best]
    while left:
        for search in left:
            n = int(min(_PER_TURN, most - search.n_tried))
            while n > 1 and not _fits_in(search, n, pool.left - kept, pool.n_jobs):
                n //= 2
            if n >= 1 and _fits_in(search, n, pool.left - kept, pool.n_jobs):
                update(searches, f"tuning {search.name}")
                limit = max(_LEAST_LIMIT, _SLOWER * search.default_seconds)
                search.turn(n, partial(pool.run, limit=None if pool.deadline is None else limit, kept=kept))
                update(searches, search.name)
        ranked = sorted((each for each in left if each.tuners), key=lambda each: -each.inner_score)
        better = ranked[: _half(ranked)]
        left = [
            each for each in better
            if each.tunable and each.n_tried < most and _fits_in(each, 1, pool.left - kept, pool.n_jobs)
        ]  # fmt: skip


def _half(families: Sequence[FamilySearch]) -> int:
    """How many of the families are tuned further."""
    return max(_FEWEST, math.ceil(len(families) / 2))


def _fits_in(search: FamilySearch, n: int, left: float, n_jobs: int) -> bool:
    """Whether a turn of ``n`` configurations is likely to end in the time left."""
    return search.seconds * (search.jobs_of_turn(n) / n_jobs + _RESERVE) < left


def _average(searches: Mapping[str, FamilySearch], pool: FitPool, update: Update) -> None:
    """Take the mean of several models in place of one, of as many as time suffices for, where they are promising."""
    for search in _promising(searches):
        n = _USUALLY_AVERAGED
        if pool.deadline is not None:
            n = int(min(_MOST_AVERAGED, pool.left / _seconds_of_average(search, 1, pool), pool.limit / search.seconds))
        if n > 1:
            update(searches, f"averaging {search.name}")
            search.average(n, pool.run)
            update(searches, search.name)


def _promising(searches: Mapping[str, FamilySearch]) -> list[FamilySearch]:
    """Of the best families, by their scores on the outer test rows, those that can be averaged."""
    scored = [each for each in searches.values() if each.outer and not each.failed and not each.sampled]
    ranked = sorted(scored, key=lambda each: -each.outer_score)
    return [each for each in ranked[:_PROMISING] if each.averaging]


def _seconds_of_average(search: FamilySearch, n_models: int, pool: FitPool) -> float:
    return n_models * search.seconds * (search.fits.last / pool.n_jobs + _RESERVE)


def _seconds_of_averages(searches: Mapping[str, FamilySearch], pool: FitPool) -> float:
    """The time that is kept for them; none where it would not suffice for two models."""
    one = sum(_seconds_of_average(each, 1, pool) for each in _promising(searches))
    possible = min(_USUALLY_AVERAGED * one, _SHARE * pool.left)
    return possible if possible > 2 * one else 0.0

"""The search of a study: every family has a first turn, then time goes to those that can still win."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from probus.lifecycle._families import BASELINE, strong_first
from probus.lifecycle._family_fits import OUTER, FamilyFits
from probus.lifecycle._family_search import FamilySearch
from probus.lifecycle._first_turns import FirstTurns, Update
from probus.lifecycle._fit_pool import FitPool
from probus.model_selection.engine import OutOfTimeError

_PER_TURN = 4  # configurations of a turn
_FEWEST = 2  # families that are tuned to the end
_RESERVE = 1.5  # fits on all rows for which time is kept
_SLOWER = 10.0  # how much longer than the default a fit of a turn may take
_TWICE = 2.0  # as long as usual a fit may take however little time is left
_LEAST_LIMIT = 3.0  # seconds, since the first fit of a process also loads what it needs
_USUALLY_AVERAGED, _MOST_AVERAGED = 4, 8  # models whose mean is taken: for so many time is kept; if more is left
_SHARE = 1 / 2  # of the time, the most that is kept for them
_PROMISING = 2  # families that averaging is worth its time for, if they can: the best ones


@dataclass(frozen=True, eq=False)
class FamilyResults:
    """The families with a complete result, why others have none, and why the search stopped early.

    ``overdue`` is whether the time was up before any model was finished, so that the first one took longer.
    ``too_long`` has the seconds of a fit of families that the time did not suffice for.
    """

    searches: dict[str, FamilySearch]
    absent: dict[str, str]
    stopped: str
    overdue: bool = False
    too_long: Mapping[str, float] = field(default_factory=dict)


def search_families(fits: FamilyFits, pool: FitPool, *, evaluations: int | None, update: Update) -> FamilyResults:
    """Evaluate the default of every family, the cheapest first, then tune by successive elimination.

    After each round the worse half of the families is left as it is, by the scores of the tuning on all rows. Tuning
    ends when the time is up or the families that are left have tried ``evaluations`` configurations. Then boosting, if
    it is among the best, is replaced by the mean of several models with the configuration that was found.
    """
    searches = {name: FamilySearch(name, fits) for name in fits.models}
    first, stopped = FirstTurns(searches, pool, update), ""
    try:
        first.run()
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
    return FamilyResults(done, absent, stopped, pool.overdue, first.too_long)


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
                search.turn(n, partial(pool.run, limit=_limit(search, pool), kept=kept))
                update(searches, search.name)
        ranked = sorted((each for each in left if each.tuners), key=lambda each: -each.inner_score)
        better = ranked[: _half(ranked)]
        left = [
            each for each in better
            if each.tunable and each.n_tried < most and _fits_in(each, 1, pool.left - kept, pool.n_jobs)
        ]  # fmt: skip


def _limit(search: FamilySearch, pool: FitPool) -> float | None:
    """The longest that a fit of a turn may take.

    One that takes longer could not be repeated on the outer training rows, and then on all, in the time left. The
    default could.
    """
    if pool.deadline is None:
        return None
    fits = search.fits
    inner = len(fits.pair(fits.last, 0)[0]) / fits.stage_rows(OUTER)
    possible = pool.left * min(inner, 1.0) / (fits.last / pool.n_jobs + _RESERVE)
    return max(min(max(_LEAST_LIMIT, _SLOWER * search.default_seconds), possible), _TWICE * search.seconds)


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

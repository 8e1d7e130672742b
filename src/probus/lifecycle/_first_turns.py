"""The first turns of a study: every family with its default configuration, the cheapest first, then on more rows.

On a large table a family is first trained on a few rows of each split, then on more, then on all. Each of these is a
stage. It begins with one split, which shows how long the others take, and compiles what they need.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from probus.lifecycle._families import BASELINE, cheapest_first, quick_families
from probus.lifecycle._family_fits import OUTER, Fitted, Job
from probus.lifecycle._family_search import FamilySearch
from probus.lifecycle._fit_pool import FitPool

_LITTLE = 1 / 20  # of the time left: what takes less goes first, since the others hardly miss it
_RESERVE = 1.5  # fits for which time is kept: the model that is saved is fitted on all rows
_LONGER = 4.0  # how much longer than estimated a fit on more rows may take
_LOADING = 3.0  # seconds that the first fit of a process may take longer than the others
_LEAST_LIMIT = 3.0  # seconds, since the first fit of a process also loads what it needs

Update = Callable[[Mapping[str, FamilySearch], str], None]


@dataclass(eq=False)
class _Turn:
    """A family and its stage: the rows that it is trained on, and the fits of the splits that are done."""

    search: FamilySearch
    stage: int
    done: list[Fitted] = field(default_factory=list)

    @property
    def stopped(self) -> bool:
        """Whether a fit took too long; the others of the stage then end at once."""
        return any((each.error or "").startswith("Stopped") for each in self.done)

    @property
    def seconds(self) -> float:
        """The time of a fit: of those that are done, else by what a fit on fewer rows took; 0 if nothing is known.

        It is the shortest of the first ones, since the first fit of a process also loads what it needs.
        """
        if self.stopped:
            return 0.0
        if self.done:
            return float(min(each.seconds for each in self.done))
        return self.search.seconds_on(self.stage)


class FirstTurns:
    """Gives each family its turns until none is left that the time suffices for.

    What takes little of the time left goes first, the cheapest first. Then come families without any result, and last
    those that were the best on fewer rows. A family is left out where the time does not suffice for its first stage;
    ``too_long`` has the seconds of one fit of it.

    Parameters
    ----------
    searches : the families by their names.
    pool : runs the fits and knows the time left.
    update : called with the searches and what runs, whenever that changes.
    """

    def __init__(self, searches: Mapping[str, FamilySearch], pool: FitPool, update: Update):
        self.searches, self.pool, self._update = searches, pool, update
        self.fits = next(iter(searches.values())).fits
        self.stages = self.fits.stages if pool.deadline is not None else (OUTER,)
        self.too_long: dict[str, float] = {}
        self._started: deque[tuple[_Turn, list[Job], list[Any]]] = deque()
        self._waiting: list[_Turn] = []

    def run(self) -> None:
        """Run them; ``OutOfTimeError`` where the time is up and some model is finished.

        Quick families run in this process, while others start.
        """
        here = quick_families(self.fits.models, self.fits.task)
        turns = {name: _Turn(self.searches[name], self.stages[0]) for name in cheapest_first(self.searches)}
        self._waiting = [turn for name, turn in turns.items() if name not in here]
        self._start_some()
        for name in here:
            turn = turns[name]
            self._update(self.searches, name)
            jobs = self._jobs(turn, whole=True)
            self._take(turn, self.pool.collect(jobs, self.pool.submit_here(jobs)))
        while self._start_some():
            turn, jobs, pending = self._started.popleft()
            self._update(self.searches, self._named(turn))
            self._take(turn, self.pool.collect(jobs, pending))

    def _start_some(self) -> bool:
        """Start as many fits as there are processes, and some ahead, so that none waits; whether any runs."""
        while sum(len(jobs) for _, jobs, _ in self._started) <= self.pool.n_jobs:
            turn = self._next()
            if turn is None:
                break
            self._waiting.remove(turn)
            jobs = self._jobs(turn, whole=self.pool.alone)
            limit = max(_LEAST_LIMIT, _LONGER * turn.seconds) if turn.search.outer else None
            self._started.append((turn, jobs, self.pool.submit(jobs, limit)))
        return bool(self._started)

    def _next(self) -> _Turn | None:
        """The family whose turn it is; those that the time does not suffice for wait no more, as it gets only less."""
        first = not self.pool.has_result  # the study does not end before a model is finished
        if first and self.pool.left <= 0 and self._started:
            return None
        for turn in [] if first else [each for each in self._waiting if not self._suffices(each)]:
            self._waiting.remove(turn)
            if not turn.search.outer:
                self.too_long[turn.search.name] = turn.seconds
        return min(self._waiting, key=self._place, default=None)

    def _place(self, turn: _Turn) -> tuple[float, ...]:
        """By which the next family is chosen, the smaller the earlier."""
        cost, left = self._cost(turn), self.pool.left
        if left <= 0:  # what has begun ends first
            return (not turn.done,)
        if cost <= _LITTLE * left:
            return 0, cost
        return (1, cost) if not turn.search.outer else (2, -turn.search.outer_score)

    def _cost(self, turn: _Turn) -> float:
        """The time that what is left of a stage takes."""
        return turn.seconds * math.ceil((self.fits.last - len(turn.done)) / self.pool.n_jobs)

    def _suffices(self, turn: _Turn) -> bool:
        """Whether the time left suffices: for the splits that are left of a stage, or for the first of a new one."""
        if not turn.done:
            return turn.seconds < self.pool.left
        return self._suffices_for_all(turn, turn.seconds) or self._may_be_faster(turn)

    def _suffices_for_all(self, turn: _Turn, seconds: float) -> bool:
        """Whether the time left suffices for the splits that are left, where a fit takes so long."""
        fits = math.ceil((self.fits.last - len(turn.done)) / self.pool.n_jobs) + _RESERVE * (turn.stage == OUTER)
        return seconds * fits < self.pool.left

    def _may_be_faster(self, turn: _Turn) -> bool:
        """Whether one more fit may show that the time suffices: each process has loaded what it needs then."""
        loaded = max(turn.seconds - _LOADING, 0.0)
        return (
            len(turn.done) <= self.pool.n_jobs
            and turn.seconds < self.pool.left
            and self._suffices_for_all(turn, loaded)
        )

    def _jobs(self, turn: _Turn, *, whole: bool) -> list[Job]:
        first = len(turn.done)
        every = whole or (first and self._suffices_for_all(turn, turn.seconds))
        return [
            (turn.search.name, {}, run, turn.stage)
            for run in range(first, self.fits.last if every else min(first + 1, self.fits.last))
        ]

    def _take(self, turn: _Turn, found: list[Fitted]) -> None:
        """Take the results of fits; a family whose stage is complete waits for the next one."""
        search, stage = turn.search, turn.stage
        turn.done += found
        if len(turn.done) < self.fits.last:
            self._waiting.append(turn)
            return
        failed = any(each.error for each in turn.done)
        if not failed or not search.outer:
            search.first(turn.done, stage)
            self.pool.has_result |= search.name != BASELINE and not failed
        self._update(self.searches, search.name)
        if stage != self.stages[-1] and not turn.stopped:  # more rows take longer
            self._waiting.append(_Turn(search, self.stages[self.stages.index(stage) + 1]))

    def _named(self, turn: _Turn) -> str:
        """The family, with its rows where there are several stages."""
        if len(self.stages) == 1:
            return turn.search.name
        rows = "all rows" if turn.stage == OUTER else f"{self.fits.stage_rows(turn.stage):,} rows"
        return f"{turn.search.name} on {rows}"

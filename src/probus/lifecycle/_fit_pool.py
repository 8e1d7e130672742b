"""Where the fits of a study run: in this process, or in others that may crash or be stopped, until time is up."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from probus.compiling import seconds_compiling_anywhere
from probus.lifecycle._family_fits import OUTER, FamilyFits, Fitted, Job
from probus.lifecycle._study_archive import StudyArchive
from probus.model_selection.engine import Here, JobExecutor, OutOfTimeError, result_of
from probus.tuning import JobEndedError, executor_of


class FitPool:
    """Runs fits in order; with a time budget in other processes, each for at most ``limit`` seconds.

    Fits end at the deadline once ``has_result`` is set. Until then only the limit of each fit ends them, so that a
    study has a result however short its time is. ``overdue`` is whether the deadline passed meanwhile. ``kept`` are
    the seconds before it in which no fit runs any more.

    Parameters
    ----------
    deadline : the value of ``time.perf_counter()`` at which fits end, later by the time in which kernels are compiled;
        None for never.
    n_jobs : the number of processes; 1 without a limit is this process.
    archive : where finished fits are stored, and found again.
    executor : where fits run instead; there, no limit ends them.
    """

    def __init__(
        self,
        fits: FamilyFits,
        n_jobs: int,
        deadline: float | None,
        limit: float | None,
        archive: StudyArchive | None = None,
        executor: Any = None,
    ):
        self.fits, self.deadline, self.n_jobs, self._archive = fits, deadline, n_jobs, archive
        self.limit = float("inf") if limit is None else limit
        self._compiled = seconds_compiling_anywhere()
        self.has_result = self.overdue = False
        self.kept = 0.0
        self._made = partial(executor_of, executor, n_jobs, limit)
        self._executor = self._made()
        self.alone = isinstance(self._executor, Here)

    @property
    def left(self) -> float:
        """Seconds until the deadline, without those that are kept for what follows the fits."""
        return self.left_in_all - self.kept

    @property
    def left_in_all(self) -> float:
        """Seconds until the deadline."""
        if self.deadline is None:
            return float("inf")
        return self.deadline + self.seconds_compiling - time.perf_counter()

    @property
    def seconds_compiling(self) -> float:
        """The time in which kernels were compiled so far."""
        return seconds_compiling_anywhere() - self._compiled

    def submit(self, jobs: Sequence[Job], limit: float | None = None) -> list[Any]:
        """Start the fits, each for at most ``limit`` seconds; ``collect`` waits for them."""
        return [self._submit(self._executor, job, limit) for job in jobs]

    def submit_here(self, jobs: Sequence[Job]) -> list[Any]:
        """Fits that run in this process when they are collected."""
        return [self._submit(Here(), job) for job in jobs]

    def collect(self, jobs: Sequence[Job], pending: Sequence[Any], kept: float = 0.0) -> list[Fitted]:
        """The results in order; raises ``OutOfTimeError`` at the deadline, or ``kept`` seconds before it."""
        found = []
        for job, each in zip(jobs, pending, strict=True):
            try:
                found.append(self._wait(each, kept))
            except JobEndedError as end:
                found.append(self.fits.failed(self.fits.pair(*job[2:]), str(end), end.seconds))
            stopped = (found[-1].error or "").startswith("Stopped")  # with more time it may end
            if self._archive and not stopped and not isinstance(each, _Stored):
                self._archive.put(job, found[-1])
        return found

    def _wait(self, pending: Any, kept: float = 0.0) -> Fitted:
        try:
            return result_of(pending, lambda: None if self.deadline is None else self.left - kept)
        except OutOfTimeError:
            if self.has_result:
                raise
        self.overdue = True
        return pending.result()

    def run(self, jobs: Sequence[Job], limit: float | None = None, kept: float = 0.0) -> list[Fitted]:
        """The results of the fits, each of which takes at most ``limit`` seconds, as ``collect`` returns them."""
        return self.collect(jobs, self.submit(jobs, limit), kept)

    def run_beside(self, fits: FamilyFits, jobs: Sequence[Job], *, here: bool) -> list[Fitted]:
        """Fits on other splits than those of the study, which no archive stores; short ones in this process."""
        executor = Here() if here else self._made()
        try:
            pending = [executor.start(fits.split, *job, limit=None, kind=repr(job)) for job in jobs]
            found = []
            for job, each in zip(jobs, pending, strict=True):
                try:
                    found.append(self._wait(each))
                except JobEndedError as end:
                    found.append(fits.failed(fits.pair(*job[2:]), str(end), end.seconds))
            return found
        finally:
            executor.close()

    def abandon(self) -> None:
        """Stop the fits that nobody waits for any more; others may follow."""
        self._executor.close()
        self._executor = self._made()

    def close(self) -> None:
        """Stop what is running."""
        self._executor.close()
        if self._archive:
            self._archive.close()

    def _submit(self, executor: JobExecutor, job: Job, limit: float | None = None) -> Any:
        family, config, run, inner = job
        if self._archive and (stored := self._archive.get(job)) is not None:
            return _Stored(stored)
        share = 1.0 if inner >= OUTER else len(self.fits.pair(run, inner)[0]) / len(self.fits.task)
        kind = repr((family, dict(config), share))  # whose other splits are not begun after one that took too long
        return executor.start(self.fits.split, family, dict(config), run, inner, limit=limit, kind=kind)


@dataclass(frozen=True)
class _Stored:
    """A result from the archive, to be collected like one that is computed."""

    fit: Fitted

    def result(self, timeout: float | None = None) -> Fitted:
        return self.fit

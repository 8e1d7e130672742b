"""Where the fits of a study run: in this process, or in others that may crash or be stopped, until time is up."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from probus.lifecycle.family_fits import FamilyFits, Fitted, Job
from probus.lifecycle.study_archive import StudyArchive
from probus.tuning.workers import Here, Workers

__all__ = ["FitPool", "OutOfTimeError"]


class OutOfTimeError(Exception):
    """The time of the study is up."""


class FitPool:
    """Runs fits in order; with a time budget in other processes, each for at most ``limit`` seconds.

    Parameters
    ----------
    deadline : the value of ``time.perf_counter()`` at which fits end; None for never.
    n_jobs : the number of processes; 1 without a deadline is this process.
    archive : where finished fits are stored, and found again.
    """

    def __init__(
        self,
        fits: FamilyFits,
        n_jobs: int,
        deadline: float | None,
        limit: float | None,
        archive: StudyArchive | None = None,
    ):
        self.fits, self.deadline, self.n_jobs, self._archive = fits, deadline, n_jobs, archive
        alone = deadline is None and n_jobs == 1
        self._pool: Any = Here(fits) if alone else Workers(fits, n_jobs, limit)  # type: ignore[arg-type]

    @property
    def left(self) -> float:
        """Seconds until the deadline."""
        return float("inf") if self.deadline is None else self.deadline - time.perf_counter()

    def submit(self, jobs: Sequence[Job]) -> list[Any]:
        """Start the fits; ``collect`` waits for them."""
        return [self._submitted(self._pool, job) for job in jobs]

    def submit_here(self, jobs: Sequence[Job]) -> list[Any]:
        """Fits that run in this process when they are collected."""
        return [self._submitted(Here(self.fits), job) for job in jobs]  # type: ignore[arg-type]

    def collect(self, jobs: Sequence[Job], pending: Sequence[Any]) -> list[Fitted]:
        """The results in order; raises ``OutOfTimeError`` at the deadline."""
        found = []
        for job, wait in zip(jobs, pending, strict=True):
            left = self.left
            if left <= 0:
                raise OutOfTimeError
            try:
                result = wait(None if left == float("inf") else left)
            except TimeoutError:
                raise OutOfTimeError from None
            found.append(result if isinstance(result, Fitted) else self._failed(job, result))
            if self._archive and not isinstance(wait, _Stored):
                self._archive.put(job, found[-1])
        return found

    def run(self, jobs: Sequence[Job]) -> list[Fitted]:
        """The results of the fits in order."""
        return self.collect(jobs, self.submit(jobs))

    def again(self, job: Job) -> Fitted:
        """The result of a fit that has failed, computed once more."""
        return self.collect([job], [self._started(self._pool, job)])[0]

    def close(self) -> None:
        """Stop what is running."""
        self._pool.close()
        if self._archive:
            self._archive.close()

    def _submitted(self, pool: Any, job: Job) -> Any:
        stored = self._archive.get(job) if self._archive else None
        if stored is not None:
            return _Stored(stored)
        return self._started(pool, job)

    def _started(self, pool: Any, job: Job) -> Any:
        family, config, run, inner = job
        return pool.submit({"family": family, "values": dict(config)}, (run, inner), 1.0)

    def _failed(self, job: Job, result: Any) -> Fitted:
        """What the constant predictor predicts where the process of a fit ended."""
        return self.fits.failed(self.fits.pair(*job[2:]), result.error, result.fit_seconds)


@dataclass(frozen=True)
class _Stored:
    """A result from the archive, to be collected like one that is computed."""

    fit: Fitted

    def __call__(self, timeout: float | None) -> Fitted:
        return self.fit

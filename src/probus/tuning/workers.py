"""Where splits are evaluated: in this process, or in others, which may crash or be stopped at a limit."""

from __future__ import annotations

import os
import pickle
import queue
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from probus.tuning.evaluate import Evaluator, SplitResult
from probus.tuning.worker_process import Ended, WorkerProcess, idle_process, keep_idle

__all__ = ["Here", "Pending", "Workers"]

Pending = Callable[[float | None], SplitResult]


class Here:
    """Evaluates in this process, one split after the other, at the call for its result."""

    def __init__(self, evaluator: Evaluator):
        self._evaluator = evaluator

    def submit(self, config: Mapping[str, Any], split: int, share: float, limit: float | None = None) -> Pending:
        """A function that computes the result, however long that takes."""
        return lambda timeout: self._evaluator.split(config, split, share)

    def abandon(self) -> None:
        """Nothing is running."""

    def close(self) -> None:
        """Nothing is to be closed."""


class Workers:
    """Evaluates in other processes, which are kept for the next search.

    An evaluation whose process dies, by whatever means, is a failed one; so is one that takes longer than ``limit``
    seconds, after which its process is ended. The other splits of such a configuration are not begun.
    """

    def __init__(self, evaluator: Evaluator, n_jobs: int, limit: float | None = None):
        from joblib.externals.loky.backend.reduction import dumps  # also classes and functions of notebooks

        self._evaluator = bytes(dumps(evaluator))
        self._limit, self._threads = limit, max(1, (os.cpu_count() or 1) // n_jobs)
        self._idle: queue.SimpleQueue[WorkerProcess | None] = queue.SimpleQueue()
        for _ in range(n_jobs):
            self._idle.put(None)  # started when it is needed
        self._busy: set[WorkerProcess] = set()
        self._late: set[str] = set()  # configurations that took too long on a split
        self._waiting: set[Future[SplitResult]] = set()
        self._pool = ThreadPoolExecutor(n_jobs, thread_name_prefix="probus tuning")
        self._closed = False

    def submit(self, config: Mapping[str, Any], split: int, share: float, limit: float | None = None) -> Pending:
        """A function that waits so many seconds for the result, then raises a TimeoutError.

        ``limit`` is a smaller one for this evaluation.
        """
        least = min((each for each in (limit, self._limit) if each is not None), default=None)
        future: Future[SplitResult] = self._pool.submit(self._evaluate, dict(config), split, share, least)
        self._waiting.add(future)
        future.add_done_callback(self._waiting.discard)
        return future.result

    def abandon(self) -> None:
        """Stop what is being evaluated and forget what waits; nobody may wait for these. What is new runs as before."""
        for future in list(self._waiting):
            future.cancel()
        for process in list(self._busy):
            process.give_up()

    def close(self) -> None:
        """Stop what is being evaluated, and keep the processes."""
        self._closed = True
        self._pool.shutdown(wait=False, cancel_futures=True)
        for process in list(self._busy):
            process.give_up()
        self._pool.shutdown(wait=True)
        while not self._idle.empty():
            process_or_none = self._idle.get()
            if process_or_none is not None:
                keep_idle(process_or_none)

    def _evaluate(self, config: dict[str, Any], split: int, share: float, limit: float | None) -> SplitResult:
        if self._closed:
            return SplitResult({}, error="Stopped: the search has ended")
        key = repr((config, share))
        if key in self._late:
            return SplitResult({}, error=f"Stopped: took longer than the limit of {limit:.3g} s on another split")
        process = self._idle.get() or idle_process(self._threads)
        self._busy.add(process)
        try:
            return self._result(process, pickle.dumps((config, split, share)), limit)
        except Ended as end:
            if end.late:
                self._late.add(key)
                return SplitResult({}, limit or 0.0, error=f"Stopped: took longer than the limit of {limit:.3g} s")
            return SplitResult({}, error=f"Crashed: {end}")
        finally:
            self._busy.discard(process)
            if not process.alive:
                process.close()
            self._idle.put(process if process.alive else None)

    def _result(self, process: WorkerProcess, job: bytes, limit: float | None) -> SplitResult:
        process.prepare(self._evaluator)
        if self._closed:
            raise Ended("the search has ended", late=False)
        return pickle.loads(process.answer(job, limit))

"""An executor of processes that are kept for the next search, and that may crash or be ended at a limit."""

from __future__ import annotations

import os
import pickle
import queue
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any

from probus.model_selection.engine import Borrowed, Here, JobExecutor, configured
from probus.tuning._worker_process import Ended, WorkerProcess, idle_process, keep_idle


class JobEndedError(Exception):
    """A job whose process has ended: it crashed, or was stopped after ``seconds``."""

    def __init__(self, how: str, seconds: float = 0.0):
        super().__init__(how)
        self.seconds = seconds


def executor_of(executor: Any, n_jobs: int, limit: float | None) -> JobExecutor:
    """Where jobs run: on the executor that is given, else one at a time in this process, else in others."""
    if executor is not None:
        return Borrowed(executor)
    return Here() if n_jobs == 1 and limit is None else Workers(n_jobs, limit)


class Workers(JobExecutor):
    """Runs jobs in ``n_jobs`` processes, which are kept for the next search.

    A job whose process dies, by whatever means, raises a ``JobEndedError``; so does one that takes longer than
    ``limit`` seconds, after which its process is ended. Then other jobs of its kind are not begun.
    """

    def __init__(self, n_jobs: int, limit: float | None = None):
        self._limit, self._threads = limit, max(1, (os.cpu_count() or 1) // n_jobs)
        self._function: tuple[Any, bytes] = None, b""
        self._idle: queue.SimpleQueue[WorkerProcess | None] = queue.SimpleQueue()
        for _ in range(n_jobs):
            self._idle.put(None)  # started when it is needed
        self._busy: set[WorkerProcess] = set()
        self._late: set[Any] = set()  # kinds of jobs of which one took too long
        self._pool = ThreadPoolExecutor(n_jobs, thread_name_prefix="probus workers")
        self._closed = False

    def submit(self, function: Callable[..., Any], /, *args: Any, **named: Any) -> Future[Any]:
        """The future of a job. A function, with what it holds, is sent once to each process."""
        return self.start(partial(function, **named) if named else function, *args)

    def start(
        self, function: Callable[..., Any], *args: Any, limit: float | None = None, kind: Any = None
    ) -> Future[Any]:
        """The same with a smaller limit. Of one kind of job, no other begins once one has reached its limit."""
        least = min((each for each in (limit, self._limit) if each is not None), default=None)
        return self._pool.submit(self._run, self._pickled(function), pickle.dumps(args), least, kind)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Let all jobs end, or stop them, and keep the processes."""
        self._closed = self._closed or cancel_futures
        self._pool.shutdown(wait=False, cancel_futures=cancel_futures)
        for process in list(self._busy) if cancel_futures else []:
            process.give_up()
        self._pool.shutdown(wait=wait)
        while wait and not self._idle.empty():
            process_or_none = self._idle.get()
            if process_or_none is not None:
                keep_idle(process_or_none)

    def _pickled(self, function: Callable[..., Any]) -> bytes:
        from joblib.externals.loky.backend.reduction import dumps  # also classes and functions of notebooks

        if self._function[0] != function:
            self._function = function, bytes(dumps(configured(function)))
        return self._function[1]

    def _run(self, function: bytes, args: bytes, limit: float | None, kind: Any) -> Any:
        if self._closed:
            raise JobEndedError("Stopped: the search has ended")
        if kind is not None and kind in self._late:
            raise JobEndedError(f"Stopped: took longer than the limit of {limit:.3g} s on another split")
        process = self._idle.get() or idle_process(self._threads)
        self._busy.add(process)
        try:
            process.prepare(function)
            if self._closed:
                raise JobEndedError("Crashed: the search has ended")
            found, error = pickle.loads(process.answer(args, limit))
        except Ended as end:
            if not end.late:
                raise JobEndedError(f"Crashed: {end}") from None
            self._late.add(kind)
            raise JobEndedError(f"Stopped: took longer than the limit of {limit:.3g} s", limit or 0.0) from None
        finally:
            self._busy.discard(process)
            if not process.alive:
                process.close()
            self._idle.put(process if process.alive else None)
        if error is not None:
            raise error
        return found

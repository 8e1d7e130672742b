"""The engine of all evaluations: it runs jobs here, in joblib's workers or on an executor, until the time is up."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pickle import loads
from typing import Any
from uuid import uuid4

from sklearn import config_context, get_config

from probus.errors import DataError
from probus.model_selection._progress import ProgressOption, shown
from probus.model_selection.one_split import Attempt, Labelled, attempt
from probus.model_selection.splitters._units import Pair

__all__ = [
    "Borrowed", "Engine", "Here", "Job", "JobExecutor", "OutOfTimeError", "configured", "jobs_at_once", "result_of",
    "run_jobs", "unwarned",
]  # fmt: skip


class OutOfTimeError(Exception):
    """The time is up."""


# -- executors -----------------------------------------------------------------------------------------


class JobExecutor(Executor):
    """An executor that may end a job at a limit."""

    def start(self, function: Callable[..., Any], *args: Any, limit: float | None = None, kind: Any = None) -> Any:
        """A future. Where processes can be ended, a job is after ``limit`` seconds; others of its kind do not begin."""
        return self.submit(function, *args)

    def close(self) -> None:
        """Forget what waits, and stop what runs where that is possible."""
        self.shutdown(cancel_futures=True)


class Here(JobExecutor):
    """Runs each job in this process, when its result is requested.

    >>> Here().submit(max, 1, 3).result()
    3
    """

    def submit(self, function: Callable[..., Any], /, *args: Any, **named: Any) -> Any:
        """A future that computes its result, however long that takes."""
        return _Later(partial(function, *args, **named))


class _Later(Future[Any]):
    def __init__(self, job: Callable[[], Any]):
        super().__init__()
        self._job = job

    def result(self, timeout: float | None = None) -> Any:
        return self._job()


class Borrowed(JobExecutor):
    """Runs jobs on an executor of the user, which stays open: any object with their ``submit``."""

    def __init__(self, executor: Any):
        if not callable(getattr(executor, "submit", None)):
            raise DataError(f"executor={executor!r}.", "an executor such as concurrent.futures.ThreadPoolExecutor(4)")
        self._executor = executor
        self._sent: dict[Any, _Sent] = {}
        self._waiting: set[Any] = set()

    def submit(self, function: Callable[..., Any], /, *args: Any, **named: Any) -> Any:
        """The executor's future."""
        sent = self._sent.setdefault(function, _Sent(configured(function)))
        future = self._executor.submit(_call, sent, *args, **named)
        self._waiting.add(future)
        future.add_done_callback(self._waiting.discard)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Cancel what waits; what runs goes on, since only its owner may end it."""
        for future in list(self._waiting):
            future.cancel()


def configured(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with the settings of scikit-learn as they are here and now, wherever it is called."""
    return partial(_configure, get_config(), function)


def _configure(config: dict[str, Any], function: Callable[..., Any], *args: Any, **named: Any) -> Any:
    with config_context(**config):
        return function(*args, **named)


class _Sent:
    """A function that is pickled once for all its jobs, and unpickled once in each process."""

    def __init__(self, function: Callable[..., Any]):
        self.function, self._key = function, uuid4().hex

    @cached_property
    def _pickled(self) -> bytes:
        from joblib.externals.loky.backend.reduction import dumps  # also classes and functions of notebooks

        return bytes(dumps(self.function))

    def __reduce__(self) -> Any:
        return _receive, (self._key, self._pickled)


_latest: dict[str, _Sent] = {}


def _receive(key: str, pickled: bytes) -> _Sent:
    found = _latest.get(key)
    if found is None:
        found = _Sent(loads(pickled))
        _latest.clear()
        _latest[key] = found
    return found


def _call(sent: _Sent, *args: Any, **named: Any) -> Any:
    return sent.function(*args, **named)


# -- results -------------------------------------------------------------------------------------------


def result_of(future: Any, left: Callable[[], float | None]) -> Any:
    """The result of a future; ``OutOfTimeError`` where no seconds are left, of which None is no limit."""
    while (seconds := left()) is None or seconds > 0:
        try:
            return future.result(seconds)
        except TimeoutError:  # more may be left by now
            if seconds is None or future.done():  # it is the error of the job
                raise
    raise OutOfTimeError


def jobs_at_once(n_jobs: int | None, executor: Any = None) -> int:
    """How many jobs run in parallel: ``n_jobs`` as in joblib; by default as many as an executor that is given runs."""
    from joblib import cpu_count, effective_n_jobs

    if executor is None:
        return effective_n_jobs(n_jobs)
    return n_jobs if n_jobs and n_jobs > 0 else getattr(executor, "_max_workers", None) or cpu_count()


def run_jobs(
    function: Callable[..., Any],
    jobs: Sequence[tuple[Any, ...]],
    n_jobs: int | None = None,
    executor: Any = None,
    **parallel: Any,
) -> Iterator[Any]:
    """The results of ``function(*job)`` in the order of the jobs; further arguments are those of joblib's ``Parallel``.

    >>> list(run_jobs(max, [(1, 2), (5, 4)]))
    [2, 5]
    """
    from sklearn.utils.parallel import Parallel, delayed

    at_once = jobs_at_once(n_jobs, executor)
    if executor is not None:
        return _borrow(Borrowed(executor), 2 * at_once, function, jobs)
    if min(at_once, len(jobs)) == 1 and not parallel.get("verbose"):
        return (function(*job) for job in jobs)
    work = Parallel(n_jobs=n_jobs, return_as="generator", **parallel)
    return work(delayed(function)(*job) for job in jobs)


def _borrow(
    executor: Borrowed, ahead: int, function: Callable[..., Any], jobs: Sequence[tuple[Any, ...]]
) -> Iterator[Any]:
    """The results of an executor, which has so many jobs ahead, not all: they hold rows."""
    started = deque[Any]()
    with executor:
        for job in jobs:
            started.append(executor.submit(function, *job))
            if len(started) >= ahead:
                yield started.popleft().result()
        while started:
            yield started.popleft().result()


Job = tuple[Any, Pair, int | None, Callable[[Any], Any] | None]  # model, rows, seed, and what is kept of the fit


@dataclass(frozen=True, eq=False)
class Engine:
    """Fits models on splits and predicts, in parallel, with progress, until a deadline.

    name : what the progress shows. deadline : a time of ``perf_counter`` after which no job is started. parallel :
    further arguments of joblib's ``Parallel``.
    """

    name: str = ""
    n_jobs: int | None = None
    executor: Any = None
    progress: ProgressOption = None
    deadline: float | None = None
    parallel: Mapping[str, Any] = field(default_factory=dict)

    def attempts(
        self, data: Labelled, jobs: Sequence[Job], *, before: int = 0, warned: Counter[str] | None = None
    ) -> list[Attempt]:
        """The attempts in order, those before the deadline; ``before`` are jobs that are done, for the progress.

        ``warned`` counts the warnings of all jobs, which are not shown then.
        """
        done: list[Attempt] = []
        with shown(self.progress) as update, _counting(warned):
            update(before, before + len(jobs), self.name)
            function = partial(_attempt, data, os.getpid(), warned is not None)
            work = run_jobs(function, jobs, self.n_jobs, self.executor, **self.parallel)
            while len(done) < len(jobs) and (self.deadline is None or time.perf_counter() < self.deadline):
                result, elsewhere = next(work)
                done.append(result)
                if warned is not None:
                    warned.update(elsewhere)
                update(before + len(done), before + len(jobs), self.name)
        return done


def _attempt(
    data: Labelled, home: int, counts: bool, model: Any, pair: Pair, seed: int | None, keep: Any
) -> tuple[Attempt, Counter[str]]:
    """An attempt, and the warnings where it runs in another process: those of this one are counted for all threads."""
    warned = Counter[str]() if counts and os.getpid() != home else None
    with _counting(warned):
        found = attempt(model, data, pair, seed=seed, keep=keep)
    return found, warned or Counter()


@contextmanager
def _counting(warned: Counter[str] | None) -> Iterator[None]:
    """Count warnings in place of showing them; nothing where there is no counter."""
    if warned is None:
        yield
        return
    with warnings.catch_warnings(record=True) as raised:
        warnings.simplefilter("always")
        yield
    warned.update(f"{each.category.__name__}: {str(each.message).strip().partition(chr(10))[0]}" for each in raised)


_silence, _silent = threading.Lock(), 0
_shown = warnings.catch_warnings()


@contextmanager
def unwarned() -> Iterator[None]:
    """Ignore warnings, in all threads until the last of those within has left.

    The filters of warnings are those of the process: a thread that restored its own would restore those of another.
    """
    global _silent, _shown
    with _silence:
        _silent += 1
        if _silent == 1:
            _shown = warnings.catch_warnings()
            _shown.__enter__()
            warnings.simplefilter("ignore")
    try:
        yield
    finally:
        with _silence:
            _silent -= 1
            if _silent == 0:
                _shown.__exit__(None, None, None)

"""A process that runs jobs. Where a model ends it, or must be stopped, it goes on at once, without importing anew.

The process that is started stays clean: it forks another that does the work, and forks again when that one has ended.
Where there is no fork, it does the work itself and is started again.
"""

from __future__ import annotations

import atexit
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from probus.compiling import CompileClock, compiled_elsewhere, report_compiling
from probus.model_selection.one_split import error_line, portable

_START = (  # Ctrl-C is answered by the main process, also while this one imports
    "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); "
    "import sys; sys.path[:] = {path!r}; from probus.tuning._worker_process import serve; serve()"
)
_READY, _DONE, _ANSWER, _DIED, _COMPILES = b"r", b"f", b"a", b"d", b"c"  # to the main process
_FUNCTION, _JOB, _SEND = b"e", b"j", b"s"  # from it
_GONE = 83  # the status of a process that has no main process any more
_LOOK = 0.02  # seconds between looks at whether the working process has ended


class Ended(Exception):
    """The working process has ended: at the limit, which is ``late``, or otherwise, in words."""

    def __init__(self, how: str, late: bool):
        super().__init__(how)
        self.late = late


class WorkerProcess:
    """A process that runs jobs, and the pipes to it."""

    def __init__(self, threads: int):
        limits = {name: str(threads) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
        self.threads, self.alive = threads, True
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START.format(path=sys.path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, **limits},
        )
        self._prepared: bytes | None = None
        self._pid: int | None = None
        self._late = self._arriving = False
        self._lock = threading.Lock()
        self._compiling = CompileClock()

    def prepare(self, function: bytes) -> None:
        """Send the function of the jobs, unless the working process has it."""
        if self._prepared is function:
            return
        if self._prepared is not None:
            self.stop()
            with suppress(Ended):
                self._receive(_ANSWER)
        self._send(_FUNCTION, function)
        pid = self._receive(_READY)
        with self._lock:
            self._pid, self._prepared, self._late = pid, function, False

    def answer(self, job: bytes, limit: float | None) -> bytes:
        """The answer to a job; ``Ended`` where the process ends before, or is stopped at the limit.

        Compiling kernels, which happens once on a machine, does not count.
        """
        answered = threading.Event()
        watch = threading.Thread(target=self._stop_at, args=(limit, answered)) if limit is not None else None
        self._send(_JOB, job)
        if watch:
            watch.start()
        try:
            answer = self._receive(_ANSWER)
        finally:
            answered.set()
            if watch:
                watch.join()
        if self._late:  # stopped when the answer was already on its way: wait for the end, which is not the next job's
            with suppress(Ended):
                self._receive(_READY)
        return answer

    def _stop_at(self, limit: float, answered: threading.Event) -> None:
        end = time.perf_counter() - self._compiling.seconds + limit
        while (left := end + self._compiling.seconds - time.perf_counter()) > 0:
            if answered.wait(max(left, _LOOK)):
                return
        self.stop(late=True)

    def stop(self, late: bool = False) -> None:
        """End the working process at once, but not in the middle of its answer: the next one's would be misread."""
        with self._lock:
            if self._pid is not None and not self._arriving:
                self._late = late
                with suppress(OSError):
                    os.kill(self._pid, signal.SIGKILL if hasattr(signal, "SIGKILL") else signal.SIGTERM)

    def give_up(self) -> None:
        """Stop what it does; one that is still starting is ended altogether, which takes no time."""
        with self._lock:
            starting = self._pid is None
            if starting:
                self.alive = False
                self._process.kill()
        if not starting:
            self.stop()

    def close(self) -> None:
        """End it altogether."""
        self.stop()
        self.alive = False
        self._process.kill()
        self._process.wait()
        for pipe in filter(None, (self._process.stdin, self._process.stdout)):
            with suppress(OSError, ValueError):
                pipe.close()

    def _send(self, kind: bytes, message: Any = None) -> None:
        with suppress(OSError, ValueError):  # where it has ended, receiving says so
            _write(self._process.stdin, kind, message)

    def _receive(self, wanted: bytes) -> Any:
        stdout: Any = self._process.stdout
        while True:
            try:
                kind, message = pickle.load(stdout)
            except (OSError, ValueError, EOFError, pickle.UnpicklingError) as error:
                if isinstance(error, pickle.UnpicklingError):  # cut off, so that nothing that follows can be read
                    self._process.kill()
                status = self._process.wait()
                self.close()
                raise self._ending(status) from None
            if kind == _DIED:
                raise self._ending(message)
            if kind == _COMPILES:
                compiled_elsewhere(self._compiling, message)
            if kind in (_DONE, _ANSWER):
                with self._lock:
                    self._arriving = kind == _DONE
            if kind == _DONE:
                self._send(_SEND)
            if kind == wanted:
                return message

    def _ending(self, status: int) -> Ended:
        if self._compiling.running:
            compiled_elsewhere(self._compiling, False)
        with self._lock:
            late, self._late, self._arriving, self._pid, self._prepared = self._late, False, False, None, None
        return Ended(_in_words(status), late)


def _in_words(status: int) -> str:
    """How a process ended."""
    if status < 0:
        with suppress(ValueError):
            return f"the process was ended by {signal.Signals(-status).name}"
    return f"the process ended with status {status}"


# -- processes for the next search ---------------------------------------------------------------------

_kept: list[WorkerProcess] = []
_keeping = threading.Lock()


def idle_process(threads: int) -> WorkerProcess:
    """A process that an earlier search has left, or a new one."""
    with _keeping:
        for process in _kept:
            if process.threads == threads:
                _kept.remove(process)
                return process
    return WorkerProcess(threads)


def keep_idle(process: WorkerProcess) -> None:
    """Keep a process for the next search, without the data of this one, and not more of them than there are cores."""
    process.stop()
    with _keeping:
        _kept.append(process)
        surplus = [_kept.pop(0) for _ in range(len(_kept) - (os.cpu_count() or 1))]
    for each in surplus:
        each.close()


@atexit.register
def _close_all() -> None:
    while _kept:
        _kept.pop().close()


# -- in the process ------------------------------------------------------------------------------------


def serve() -> None:
    """Answer jobs from standard input until it is closed; what models print goes to standard error."""
    from probus.tuning import _evaluate as evaluate  # noqa: F401 — before forking

    source, answers = os.dup(0), os.dup(1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    if not hasattr(os, "fork"):
        _work(source, answers)
    main = os.getppid()
    while True:
        child = os.fork()
        if child == 0:
            _work(source, answers)
        status = _wait(child, main)
        if status == _GONE:
            os._exit(0)
        with os.fdopen(os.dup(answers), "wb") as pipe:
            _write(pipe, _DIED, status)


def _wait(child: int, main: int) -> int:
    """How the child ended; where the main process has ended, end the child too."""
    while True:
        found, status = os.waitpid(child, os.WNOHANG)
        if found:
            return os.waitstatus_to_exitcode(status)
        if os.getppid() != main:
            os.kill(child, signal.SIGKILL)
            return _GONE
        time.sleep(_LOOK)


def _work(source: int, answers: int) -> None:
    """Load the function, and answer jobs until this process ends.

    An answer is announced before it is sent, so that this process is not ended in the middle of it.
    """
    jobs: queue.SimpleQueue[tuple[bytes, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(source, jobs), daemon=True).start()
    with os.fdopen(answers, "wb") as pipe:
        report_compiling(lambda begins: _write(pipe, _COMPILES, begins))
        function: Any = pickle.loads(_next(jobs, _FUNCTION))
        _write(pipe, _READY, os.getpid())
        while True:
            answer = _answer(function, _next(jobs, _JOB))
            _write(pipe, _DONE)
            _next(jobs, _SEND)
            _write(pipe, _ANSWER, answer)


def _answer(function: Any, args: bytes) -> bytes:
    """What the function returns, or the error that it raises."""
    try:
        return pickle.dumps((function(*pickle.loads(args)), None))
    except Exception as error:  # it is raised where the result is requested
        return pickle.dumps((None, portable(error) or RuntimeError(error_line(error))))


def _next(jobs: queue.SimpleQueue[tuple[bytes, Any]], wanted: bytes) -> Any:
    """The next message of a kind; others were sent to a process that had ended by then."""
    while True:
        kind, message = jobs.get()
        if kind == wanted:
            return message


def _listen(source: int, jobs: queue.SimpleQueue[tuple[bytes, Any]]) -> None:
    """Pass jobs on; where the main process has ended, end at once, also in the middle of a job.

    A job is short and read at once, with the buffer: of one that is stopped meanwhile no part is left for the next.
    """
    with os.fdopen(source, "rb") as pipe:
        while True:
            try:
                jobs.put(pickle.load(pipe))
            except (EOFError, OSError, pickle.UnpicklingError):
                os._exit(_GONE)


def _write(pipe: Any, kind: bytes, message: Any = None) -> None:
    """Send a message in one piece, whatever other threads send."""
    pipe.write(pickle.dumps((kind, message)))
    pipe.flush()

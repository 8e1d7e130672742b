"""Compilation of kernels: announced, since the first use of a kernel takes seconds, and shared between processes.

Ctrl-C is answered when the kernel is compiled: an exception within Numba leaves functions half registered.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from math import inf
from typing import TYPE_CHECKING, Any

from probus.compiling._compile_clock import CompileClock
from probus.compiling._kernel_cache import with_cache
from probus.numba_seam.cache_files import ignore_unreadable_index, name_files_uniquely, return_without_python

if TYPE_CHECKING:
    import numpy as np

# What a first fit compiles, measured by `python -m research.cold`; the first package that contains the kernel counts
_SECONDS = {"probus.ensemble.boosting.": 9, "probus.ensemble.": 5, "probus.tree.": 7, "probus.svm.": 4, "probus.": 2}
_state: dict[str, Any] = {
    "listening": False, "announced": 0, "expected": 0, "helper": None, "report": None, "depth": 0, "gc": False,
}  # fmt: skip
_here, _anywhere = CompileClock(), CompileClock()


def njit(*signature: Any, cache: bool = False, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Numba's ``njit`` with parentheses, for kernels of this package.

    Compilations are announced and not interrupted, and a cache is used only where a folder for it can be written.
    """
    from numba import njit as numba_njit  # noqa: TID251

    announce_compiling()

    def decorate(function: Callable[..., Any]) -> Any:
        def define(**cached: bool) -> Any:
            return numba_njit(*signature, **cached, **options)(function)

        with uninterrupted():  # a kernel with a signature is compiled when it is defined
            kernel = with_cache(define) if cache else define()
        if hasattr(kernel, "compile"):
            kernel.compile = _whole(kernel.compile)
            ignore_unreadable_index(kernel)
        return kernel

    return decorate


def read_only(array: np.ndarray) -> np.ndarray:
    """A view that cannot be written, for a kernel that does not write it.

    Numba compiles a kernel once for arrays that can be written and once for those that cannot, such as memory-mapped
    ones. Given views always, it is compiled once.

    >>> import numpy as np
    >>> array = np.zeros(3)
    >>> read_only(array).flags.writeable, array.flags.writeable
    (False, True)
    """
    view = array.view()
    view.flags.writeable = False
    return view


def _whole(compile: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(compile)
    def whole(*args: Any, **params: Any) -> Any:
        with uninterrupted():
            return compile(*args, **params)

    return whole


def announce_compiling() -> None:
    """Announce compilations of this process in terminals and notebooks; calling it again does nothing.

    A model whose kernels lie in several packages is announced again only where the estimate rises.
    """
    if _state["listening"]:
        return
    from numba.core import event

    return_without_python()

    class Announcer(event.Listener):
        def on_start(self, event: Any) -> None:
            dispatcher = event.data.get("dispatcher")
            module = getattr(dispatcher, "__module__", None) or ""  # None for a function made by exec
            seconds = next((seconds for package, seconds in _SECONDS.items() if module.startswith(package)), 0)
            if seconds:
                name_files_uniquely(dispatcher)
                _announce(max(seconds, _state["expected"]))
                start, _state["helper"] = _state["helper"], None
                if start is not None:
                    start()
            if _state["depth"] == 0:
                _state["gc"] = gc.isenabled()
                gc.disable()  # searching the objects of the compiler for garbage takes a tenth of the time
                _clock(True, _here, _anywhere)
            _state["depth"] += 1

        def on_end(self, event: Any) -> None:
            _state["depth"] -= 1
            if _state["depth"] == 0:
                _clock(False, _here, _anywhere)
                if _state["gc"]:
                    gc.enable()

    event.register("numba:compile", Announcer())
    _state["listening"] = True


def seconds_compiling() -> float:
    """How long this process has compiled kernels so far, which happens once and is no part of the time of a model."""
    return _here.seconds


def seconds_compiling_anywhere() -> float:
    """How long this process has compiled kernels, or waited for others that reported theirs."""
    return _anywhere.seconds


def compiled_elsewhere(clock: CompileClock, begins: bool) -> None:
    """Take the report of a process that works for this one, whose clock it is: a compilation begins or ends."""
    if begins:
        _announce(_state["expected"])
    _clock(begins, clock, _anywhere)


def report_compiling(report: Callable[[bool], None]) -> None:
    """Call a function with True where this process begins to compile, and with False at the end; announce nothing."""
    keep_quiet()
    _state["report"] = report


def _clock(begins: bool, *clocks: CompileClock) -> None:
    now = time.perf_counter()
    for clock in clocks:
        (clock.start if begins else clock.stop)(now)
    if _here in clocks and _state["report"]:
        _state["report"](begins)


def _announce(seconds: float) -> None:
    if seconds > _state["announced"]:
        _state["announced"] = seconds
        if announcing():
            text = f"probus: compiling kernels for this machine, about {seconds} s, once (see `probus warmup`)"
            print(text, file=sys.stderr, flush=True)


def announcing() -> bool:
    """Whether standard error is a terminal or a notebook."""
    return "ipykernel" in sys.modules or bool(getattr(sys.stderr, "isatty", bool)())


def keep_quiet() -> None:
    """Announce nothing: the caller shows progress of its own."""
    _state["announced"] = inf


@contextmanager
def announced_as(seconds: float) -> Iterator[None]:
    """Announce what is compiled within the block with this estimate."""
    _state["expected"] = seconds
    try:
        yield
    finally:
        _state["expected"] = 0


@contextmanager
def compiling_beside(function: Callable[..., Any], *args: Any, seconds: float) -> Iterator[None]:
    """Where the block compiles a kernel, call a function in a second process that fills the same cache.

    Numba compiles on one core. The second process should use the kernels that the block uses last: what one has
    compiled, the other loads. It ends with the block.

    Parameters
    ----------
    function : importable; what it returns or raises is ignored.
    seconds : the estimate to announce.
    """
    started: list[subprocess.Popen] = []
    code = "import pickle, sys; function, args = pickle.load(sys.stdin.buffer); function(*args)"

    def start() -> None:
        with suppress(Exception):  # what cannot be pickled or started is compiled by this process alone
            work = pickle.dumps((function, args))
            nowhere = subprocess.DEVNULL
            started.append(
                subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere)
            )
            with started[0].stdin as pipe:  # type: ignore[union-attr]
                pipe.write(work)

    _state["helper"] = start if (os.cpu_count() or 1) > 1 else None
    try:
        with announced_as(seconds):
            yield
    finally:
        _state["helper"] = None
        for process in started:
            process.kill()
            process.wait()


# -- postponing Ctrl-C: work that an exception in its middle would leave half done is finished first ---


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Answer an interrupt of the block when it ends.

    Python runs handlers of signals in the main thread only, so in others there is nothing to postpone. Within another
    such block, the outer one answers.
    """
    answer = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(answer) or answer is _remember:
        yield
        return
    _pending.clear()
    signal.signal(signal.SIGINT, _remember)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, answer)
        if _pending:
            answer(*_pending.pop())


_pending: list[tuple[int, Any]] = []


def _remember(number: int, frame: Any) -> None:
    _pending[:] = [(number, frame)]

"""The number of threads for a computation, and running it in chunks on them."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any, TypeVar

__all__ = ["blas_on_one_thread", "chunked", "thread_count"]

T = TypeVar("T")

_WORTH_A_THREAD = 2_000_000  # elementary operations: about a millisecond, ten times the cost of starting a thread


def thread_count(n_jobs: int | None, operations: float) -> int:
    """The number of threads for a computation of that many elementary operations.

    ``n_jobs`` is as in joblib; None uses the setting of ``joblib.parallel_config``, else all cores. Small
    computations use fewer threads.

    >>> thread_count(8, operations=1_000), thread_count(3, operations=1e12)
    (1, 3)
    """
    if operations < 2 * _WORTH_A_THREAD:
        return 1
    return max(1, min(_allowed(n_jobs), int(operations // _WORTH_A_THREAD)))


def chunked(function: Callable[[int, int], T], n: int, threads: int, *, chunk: int | None = None) -> list[T]:
    """``function(start, stop)`` over consecutive chunks of ``range(n)``, on threads; results in order.

    >>> chunked(lambda start, stop: stop - start, 10, threads=2)
    [5, 5]
    """
    size = chunk or -(-n // threads)
    bounds = [(start, min(start + size, n)) for start in range(0, n, max(size, 1))]
    if threads == 1 or len(bounds) == 1:
        return [function(*bound) for bound in bounds]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda bound: function(*bound), bounds))


def _allowed(n_jobs: int | None) -> int:
    import joblib
    from joblib.parallel import get_active_backend

    if n_jobs is None:
        n_jobs = get_active_backend()[1]
    if n_jobs is None:
        # joblib limits the threads of its worker processes with this variable
        return int(os.environ.get("OMP_NUM_THREADS") or joblib.cpu_count())
    return n_jobs if n_jobs > 0 else max(1, joblib.cpu_count() + 1 + n_jobs)


def blas_on_one_thread(wanted: bool) -> AbstractContextManager[Any]:
    """Keep matrix products on one thread: where the caller's chunks run on several, or where products are short."""
    return _controller().limit(limits=1, user_api="blas") if wanted else nullcontext()


@cache
def _controller() -> Any:
    """The libraries of this process; finding them takes milliseconds."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()

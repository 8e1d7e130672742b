"""``probus warmup``: compile now what would otherwise be compiled at first use."""

from __future__ import annotations

import time
import warnings

import typer

__all__ = ["warmup"]


def warmup() -> None:
    """Compile every kernel, so that no first fit has to wait.

    Compiled code is kept on disk; **probus doctor** says where.
    """
    from probus.cli.kernels import all_kernels, warm_jobs
    from probus.compiling import keep_quiet
    from probus.model_selection.progress import shown

    started = time.perf_counter()
    keep_quiet()
    jobs = warm_jobs()
    with shown("auto") as tell, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for done, (name, job) in enumerate(jobs):
            tell(done, len(jobs), name)
            job()
    kernels = all_kernels()
    fresh = sum(sum(kernel.stats.cache_misses.values()) for kernel in kernels.values())
    typer.echo(f"{len(kernels)} kernels ready: {fresh} compiled, the rest from the cache ({_seconds(started)})")


def _seconds(started: float) -> str:
    return f"{time.perf_counter() - started:.1f} s"

"""``probus warmup``: compile now what would otherwise be compiled at first use."""

from __future__ import annotations

import time
import warnings

import typer


def warmup() -> None:
    """Compile every kernel, so that no first fit has to wait.

    Compiled code is kept on disk; **probus doctor** shows where.
    """
    from probus.cli._kernels import all_kernels, run_backwards, warm_jobs
    from probus.compiling import compiling_beside, keep_quiet
    from probus.model_selection import shown

    started = time.perf_counter()
    keep_quiet()
    jobs = warm_jobs()
    with shown("auto") as report, warnings.catch_warnings(), compiling_beside(run_backwards, seconds=0):
        warnings.simplefilter("ignore")
        for done, (name, job) in enumerate(jobs):
            report(done, len(jobs), name)
            job()
    kernels = all_kernels()
    seconds = time.perf_counter() - started
    typer.echo(f"{len(kernels)} kernels ready ({seconds:.1f} s)")

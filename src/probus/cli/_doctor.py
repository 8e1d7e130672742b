"""``probus doctor``: what a bug report should begin with."""

from __future__ import annotations

import os
import platform
import sys
from importlib import import_module
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import typer


def doctor() -> None:
    """Show versions, processor, threads, memory and the cache of compiled kernels."""
    for title, lines in (
        ("versions", _versions()),
        ("machine", _machine()),
        ("threads", _threads()),
        ("compiled kernels", _cache()),
    ):
        typer.echo(typer.style(title, bold=True))
        width = max((len(name) for name, _ in lines), default=0)
        for name, value in lines:
            typer.echo(f"  {name.ljust(width)}  {value}")


def _versions() -> list[tuple[str, str]]:
    lines = [("python", f"{platform.python_version()} ({sys.executable})")]
    return lines + [(name, _installed(name)) for name in ("probus", *_dependencies())]


def _dependencies() -> list[str]:
    """The distributions that Probus requires, in its own order, extras left out."""
    wanted = [line for line in requires("probus") or [] if "extra ==" not in line]
    return ["".join(c for c in line.partition(";")[0].split(">")[0] if c not in "=<~! ") for line in wanted]


def _installed(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "NOT INSTALLED"


def _machine() -> list[tuple[str, str]]:
    import joblib
    from llvmlite.binding import get_host_cpu_name

    cores = os.cpu_count()
    return [
        ("system", platform.platform()),
        ("processor", f"{_processor()} ({get_host_cpu_name()})"),
        ("cores", f"{joblib.cpu_count()} usable of {cores}, {joblib.cpu_count(only_physical_cores=True)} physical"),
        ("memory", _memory()),
    ]


def _processor() -> str:
    described = Path("/proc/cpuinfo")
    if described.exists():
        for line in described.read_text(errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _memory() -> str:
    try:
        page = os.sysconf("SC_PAGE_SIZE")
        total, free = (page * os.sysconf(name) / 2**30 for name in ("SC_PHYS_PAGES", "SC_AVPHYS_PAGES"))
    except (AttributeError, ValueError, OSError):  # no such question on this system
        return "unknown"
    return f"{total:.1f} GiB, {free:.1f} GiB free"


def _threads() -> list[tuple[str, str]]:
    from threadpoolctl import threadpool_info

    for user in ("numpy.linalg", "scipy.linalg", "sklearn.utils"):
        import_module(user)  # a thread pool is known once it is loaded
    lines = [
        (pool["internal_api"], f"{pool['num_threads']} threads, {pool.get('version') or 'version unknown'}")
        for pool in threadpool_info()
    ]
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    return lines + [(name, os.environ[name]) for name in names if name in os.environ]


def _cache() -> list[tuple[str, str]]:
    from probus.cli._kernels import all_kernels
    from probus.compiling import kept_elsewhere

    kernels = all_kernels()
    folders = sorted({kernel.stats.cache_path for kernel in kernels.values()} - {None})  # some are part of others
    lines = [("kernels", str(len(kernels)))]
    if kept_elsewhere() is not None:
        lines.append(("cache", f"{kept_elsewhere()}: neither the package nor the home folder can be written"))
    return lines + [("cache", f"{folder}: {_state_of(Path(folder))}") for folder in folders]


def _state_of(folder: Path) -> str:
    if not folder.exists():
        return "not yet there (probus warmup fills it)"
    files = len(list(folder.glob("*.nbc")))
    writable = "writable" if os.access(folder, os.W_OK) else "NOT WRITABLE: every session compiles anew"
    return f"{files} compiled, {writable}"

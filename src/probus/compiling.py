"""Compilation of kernels: announced, since the first use of a kernel takes seconds, and safe in several processes."""

from __future__ import annotations

import sys
import uuid
from math import inf
from typing import Any

__all__ = ["announce_compiling", "announcing", "expect_compiling", "keep_quiet"]

# What a first fit compiles, measured by `python -m benchmarks.cold`; the first package that contains the kernel counts
_SECONDS = {"probus.ensemble.boosting.": 15, "probus.ensemble.": 8, "probus.tree.": 10, "probus.": 2}
_state: dict[str, float] = {"listening": False, "expected": 0, "announced": 0}


def announce_compiling() -> None:
    """Announce compilations of this process in terminals and notebooks; calling it again does nothing.

    A model whose kernels lie in several packages is announced again only where the estimate rises.
    """
    if _state["listening"]:
        return
    from numba.core import caching, event

    class Announcer(event.Listener):
        def on_start(self, event: Any) -> None:
            module = getattr(event.data.get("dispatcher"), "__module__", "")
            own = next((seconds for package, seconds in _SECONDS.items() if module.startswith(package)), 0)
            seconds = max(own, _state["expected"])
            if own and seconds > _state["announced"]:
                _state["announced"] = seconds
                if announcing():
                    text = f"probus: compiling kernels for this machine, about {seconds} s, once (see `probus warmup`)"
                    print(text, file=sys.stderr, flush=True)

        def on_end(self, event: Any) -> None:
            return

    event.register("numba:compile", Announcer())
    caching.IndexDataCacheFile._data_name = _unique_name
    _state["listening"] = True


def _unique_name(cache: Any, number: int) -> str:
    """A file for compiled code, in place of Numba's numbered ones.

    Numba numbers the files of a function without a lock: of two processes that save different signatures at the same
    time, one would later load the other's code.
    """
    return cache._data_name_pattern.format(number=uuid.uuid4().int >> 64)


def announcing() -> bool:
    """Whether standard error is a terminal or a notebook."""
    return "ipykernel" in sys.modules or bool(getattr(sys.stderr, "isatty", bool)())


def expect_compiling(seconds: float) -> None:
    """Announce the first compilation with this estimate, for work that fits several models."""
    _state["expected"] = seconds


def keep_quiet() -> None:
    """Announce nothing: the caller shows progress of its own."""
    _state["announced"] = inf

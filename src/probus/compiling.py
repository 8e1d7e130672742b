"""Saying that something is being compiled: the first use of a kernel takes seconds, and silence looks like a hang."""

from __future__ import annotations

import sys
from typing import Any

__all__ = ["announce_compiling", "announcing", "keep_quiet"]

_NOTICE = "probus: compiling for the first use; this takes seconds, once (`probus warmup` does it ahead)"
_state = {"listening": False, "told": False}


def announce_compiling() -> None:
    """Let the first compilation of a process be announced where a person looks on; calling it again does nothing."""
    if _state["listening"]:
        return
    from numba.core import event

    class Announcer(event.Listener):
        def on_start(self, event: Any) -> None:
            kernel = event.data.get("dispatcher")
            if not _state["told"] and getattr(kernel, "__module__", "").startswith("probus."):
                _state["told"] = True
                if announcing():
                    print(_NOTICE, file=sys.stderr, flush=True)

        def on_end(self, event: Any) -> None:
            return

    event.register("numba:compile", Announcer())
    _state["listening"] = True


def announcing() -> bool:
    """Whether a person looks on: a terminal, or a notebook."""
    return "ipykernel" in sys.modules or bool(getattr(sys.stderr, "isatty", bool)())


def keep_quiet() -> None:
    """Announce nothing: whoever calls this says it otherwise."""
    _state["told"] = True
